"""What users write: the type checker accepts it."""

from typing import Any

import netloom as nl

collective: nl.collective.Collective = nl.collective.RingAllReduce(size="64MiB", order="shuffled")
edge: nl.edge.Edge = "themis"
extra: dict[str, Any] = {"dcqcn": {"preset": "simai"}}
hosts = [f"leaf0.host{number}" for number in range(4)]

scenario = nl.Scenario(
    name="a study",
    fabric=nl.fabric.LeafSpine(leaves=8, spines=4, hosts_per_leaf=4, fabric_rate="100Gbps", oversubscription="none"),
    balance=nl.Balance(host="ecmp", switch=nl.balance.Flowlet(gap="50us"), edge=edge),
    transport="nic_sr",
    congestion=extra,
    queues=nl.Queues(buffer="1MB", alpha=1, marking={"minimum": "20KB", "maximum": "80KB"}),
    jobs=[
        nl.Job(
            name="training",
            placement=nl.placement.List(hosts),
            steps=nl.Steps(precision="1%"),
            warm_up="10%",
            groups={"tp": 4, "dp": "auto", "ep": nl.Group(within="dp", size=2), "pairs": [[0, 1], [2, 3]]},
            phases=[
                nl.phase.Compute("1ms"),
                "barrier",
                collective,
                nl.Phase(nl.collective.Incast(size="1MiB"), stream="other", after=["x", "y"]),
                nl.phase.Repeat(times=2, phases=[nl.phase.Collectives(each=[collective, {"incast": {"size": "1B"}}])]),
                {"compute": "2ms"},
            ],
        ),
    ],
    faults=nl.Faults(
        loss=0.01, timed=[nl.Timed(at="1ms", link="leaf0-spine0.0", action=nl.action.Degrade(rate="1Gbps"))]
    ),
    background=nl.background.Poisson(load="40%", end="1ms", given=[("1KiB", 0), ("2KiB", "100%")]),
    flows=nl.Flows(list=[nl.Flow(from_="a", to="b", stop="1ms"), nl.FiniteFlow(size="1MiB", from_="a", to="b")]),
    record=nl.Record(series="none", congestion=nl.CongestionTree()),
    seed=1,
)
copy: nl.Scenario = scenario.replace(seed=2)
text: str = copy.to_yaml()

"""Scenarios of this repository, written with the classes."""

from __future__ import annotations

import netloom as nl

SMALL = nl.fabric.LeafSpine(
    leaves=2, spines=2, hosts_per_leaf=4, host_rate="100Gbps", host_delay="500ns", fabric_delay="500ns"
)

DEMO = nl.Scenario(
    name="heavy-x2",
    fabric=nl.fabric.LeafSpine(
        leaves=8,
        spines=4,
        hosts_per_leaf=4,
        host_links=8,
        fabric_links=8,
        host_rate="4Gbps",
        host_delay="1us",
        fabric_delay="1us",
    ),
    balance=nl.balance.Ecmp(),
    transport=nl.transport.OpenLoop(packet="32KiB", hash_input="start"),
    jobs=[
        nl.Job(
            name="training",
            steps=3,
            phases=[
                nl.phase.Compute("10ms"),
                nl.phase.Collectives(
                    buckets=8,
                    barrier=True,
                    each=[
                        nl.collective.RingReduceScatter(size="8MiB", dependent=False, order="shuffled"),
                        nl.collective.RingAllGather(size="8MiB", dependent=False, order="shuffled"),
                    ],
                ),
                nl.phase.Compute("5ms"),
            ],
        )
    ],
    background=nl.background.Mice(end="200ms", packet="32KiB"),
    record=nl.Record(queue_packets=True),
)

ECMP = nl.Scenario(
    fabric=SMALL.replace(leaves=4, spines=4),
    balance="ecmp",
    jobs=[nl.Job(name="permutation", steps=4, phases=[nl.collective.Permutation(size="1MiB")])],
)

RAIL = nl.Scenario(
    fabric=nl.fabric.Rail(
        servers=8,
        gpus_per_server=4,
        servers_per_block=4,
        spines=2,
        inner_rate="3600Gbps",
        inner_delay="200ns",
        host_rate="400Gbps",
        fabric_links=2,
    ),
    balance=nl.balance.Adaptive(),
    transport=nl.transport.Window(packets=64),
    jobs=[
        nl.Job(
            name="training",
            placement="all",
            steps=2,
            phases=[nl.collective.RingAllReduce(size="4MiB"), nl.collective.AllToAllPairwise(size="32KiB")],
        )
    ],
)

UGAL = nl.Scenario(
    fabric=nl.fabric.Dragonfly(
        groups=9,
        switches_per_group=4,
        hosts_per_switch=2,
        host_rate="100Gbps",
        host_delay="100ns",
        local_delay="100ns",
        global_delay="300ns",
    ),
    transport=nl.transport.Ideal(mtu="2KiB"),
    queues=nl.Queues(credits=nl.Credits(buffer="32KiB")),
    balance=nl.Balance(host="ecmp", switch=nl.balance.UgalG()),
    background=nl.background.Poisson(
        load="35%", to="next_group", sizes="given", given=[("2KiB", "0%"), ("2KiB", "100%")], end="40us"
    ),
)

THEMIS = nl.Scenario(
    fabric=SMALL.replace(spines=4),
    balance=nl.Balance(switch=nl.balance.PsnSpray(), edge=nl.edge.Themis()),
    transport=nl.transport.NicSr(),
    congestion=nl.congestion.Dcqcn(preset="simai"),
    jobs=[
        nl.Job(
            name="training",
            placement=nl.placement.Strided(stride=4),
            phases=[nl.collective.RingAllReduce(size="4MiB")],
        )
    ],
)

THEMIS_FAILED = THEMIS.replace(
    balance=nl.Balance(switch="psn_spray", edge=nl.edge.Themis(failure="ecmp")),
    coordination_delay="20us",
    faults=nl.Faults(awareness="global", timed=[nl.Timed(at="100us", link="leaf0-spine1.0", action=nl.action.Down())]),
)


def link(pair: str) -> nl.Link:
    """A link of the InfiniBand fabric."""
    from_, to = pair.split()
    return nl.Link(from_=from_, to=to, rate="200Gbps", delay="50ns")


LEAVES = {"LID8": (1, 2, 3), "LID7": (4, 5, 13), "LID14": (37, 38, 39), "LID13": (27, 28, 31)}
CREDITS = nl.Scenario(
    fabric=nl.fabric.Custom(
        hosts=[f"node{number}" for number in (1, 2, 3, 4, 5, 13, 37, 38, 39, 27, 28, 31)],
        switches=["LID8", "LID7", "LID14", "LID13", "LID5", "LID6"],
        links=[
            *(link(f"node{number} {leaf}") for leaf, numbers in LEAVES.items() for number in numbers),
            *(link(f"{leaf} {spine}") for leaf in LEAVES for spine in ("LID5", "LID6")),
        ],
    ),
    balance=nl.Balance(host="deterministic", switch=nl.balance.Deterministic()),
    transport="ideal",
    queues=nl.Queues(credits=nl.Credits()),
    flows=nl.Flows(
        message="256KiB",
        warm_up="50us",
        list=[nl.Flow(from_=f"node{number}", to="node4", stop="200us") for number in (1, 2, 3)],
    ),
    record=nl.Record(congestion=nl.CongestionTree(interval="5us")),
)

FLAP = nl.Scenario(
    fabric=SMALL.replace(spines=4, fabric_rate="100Gbps"),
    balance="ecmp",
    transport=nl.transport.Irn(mtu="4KiB", timeout="100us", timeout_low="50us"),
    jobs=[
        nl.Job(
            name="training",
            steps=24,
            placement=nl.placement.Strided(stride=4),
            phases=[nl.phase.Compute("100us"), nl.collective.RingAllReduce(size="2MiB")],
        )
    ],
    faults=nl.Faults(
        detection="20us",
        timed=[
            nl.Timed(at="3ms", link="leaf0-spine1.0", action=nl.action.Flap(period="500us", down="20%", until="6ms")),
        ],
    ),
)

PROCESSES = nl.Scenario(
    fabric=SMALL.replace(leaves=4, spines=4, hosts_per_leaf=2),
    balance="adaptive",
    transport=nl.transport.Irn(mtu="4KiB", timeout="100us", timeout_low="50us", retries=200),
    jobs=[
        nl.Job(
            name="training",
            steps=12,
            placement=nl.placement.Strided(stride=2),
            phases=[nl.phase.Compute("50us"), nl.collective.RingAllReduce(size="1MiB")],
        )
    ],
    faults=nl.Faults(
        awareness="global",
        detection="5us",
        processes=[
            nl.Processes(what="link", among="fabric", mtbf="20ms", mttr="200us", until="4ms"),
            nl.Processes(what="switch", mtbf="50ms", mttr="100us", until="4ms"),
            nl.Processes(what="nic", mtbf="10ms", mttr="300us", until="4ms", kind=nl.action.Degrade(rate="25Gbps")),
        ],
    ),
)

BURSTS = nl.Scenario(
    fabric=nl.fabric.LeafSpine(
        leaves=2,
        spines=1,
        hosts_per_leaf=4,
        host_rate="100Gbps",
        fabric_rate="400Gbps",
        host_delay="100ns",
        fabric_delay="100ns",
    ),
    transport=nl.transport.Ideal(queue_pairs="pair", coalesce=16),
    queues=nl.Queues(credits=nl.Credits(order="fifo")),
    hosts=nl.Hosts(send_overhead="350ns", rendezvous="32KiB"),
    interference=nl.Interference(
        hosts=8,
        victim=nl.collective.RingAllGather(size="512KiB"),
        aggressor=nl.collective.Incast(size="512KiB"),
        steps=nl.Steps(precision="1.4%", at_least=100),
        bursts=nl.Bursts(length="200us", pause="400us", slack="55us"),
    ),
    record=nl.Record(messages="summed"),
)

PIPELINE = nl.Scenario(
    fabric=SMALL,
    balance="spray",
    jobs=[
        nl.Job(
            name="train",
            groups={"pp": 4, "dp": 2},
            steps=2,
            phases=[
                nl.phase.Pipeline(stages="pp", microbatches=8, size="256KiB", forward="100us", backward="200us"),
                nl.collective.RingAllReduce(size="2MiB", group="dp"),
            ],
        )
    ],
)

GROUPS = nl.Scenario(
    seed=3,
    fabric=nl.fabric.LeafSpine(leaves=4, spines=4, hosts_per_leaf=16),
    balance=nl.Balance(switch="flowlet"),
    transport="nic_sr",
    congestion=nl.congestion.Dcqcn(preset="simai"),
    jobs=[
        nl.Job(
            name="train",
            groups={"tp": 8, "pp": 2, "dp": "auto", "ep": nl.Group(within="dp", size=2)},
            steps=2,
            phases=[
                nl.collective.RingAllReduce(size="256KiB", group="tp"),
                nl.phase.Compute("20us"),
                nl.collective.AllToAllPairwise(size="128KiB", group="ep"),
                nl.phase.PointToPoint(size="64KiB", microbatches=2, stages="pp"),
                nl.collective.RingAllReduce(size="512KiB", group="dp"),
            ],
        )
    ],
)

OVERLAP = nl.Scenario(
    fabric=SMALL,
    balance="spray",
    jobs=[
        nl.Job(
            name="data parallel",
            steps=3,
            phases=[
                nl.Phase(nl.phase.Compute("200us"), name="forward"),
                nl.phase.Repeat(
                    times=4,
                    phases=[
                        nl.Phase(nl.phase.Compute("100us"), name="backward"),
                        nl.Phase(
                            nl.collective.RingAllReduce(size="1MiB"),
                            stream="gradients",
                            after="backward",
                            name="gradients",
                        ),
                    ],
                ),
                nl.Phase(nl.phase.Compute("50us"), name="optimizer", after="gradients"),
            ],
        )
    ],
)

TWO_CLASSES = nl.Scenario(
    fabric=SMALL.replace(spines=4, hosts_per_leaf=8),
    balance=nl.Balance(switch="adaptive_spectrum"),
    transport=nl.transport.Ideal(mtu="4KiB"),
    congestion=nl.congestion.Dcqcn(preset="hpcc_paper", notify="packet", cnp_interval="4us"),
    queues=nl.Queues(buffer="4MB", pause=True, marking=nl.Marking(minimum="100KB", maximum="400KB")),
    classes=nl.Classes(
        control=6,
        list=[
            nl.Class(class_=1, dscp=[10], schedule=nl.schedule.Dwrr(weight=3)),
            nl.Class(
                class_=3,
                dscp=[26],
                schedule=nl.schedule.Dwrr(weight=1),
                marking=nl.Marking(minimum="50KB", maximum="200KB"),
            ),
        ],
    ),
    traffic=[nl.Traffic(name="training", dscp=26), nl.Traffic(name="storage", dscp=10, may_reorder=False)],
    jobs=[
        nl.Job(
            name="all_reduce",
            placement=nl.placement.Strided(stride=8),
            traffic="training",
            steps=2,
            phases=[nl.collective.RingAllReduce(size="8MiB")],
        )
    ],
    background=nl.background.Poisson(load=0.3, sizes="solar", end="1ms", traffic="storage"),
    record=nl.Record(classes=True),
)

STORM = nl.Scenario(
    fabric=nl.fabric.Custom(
        hosts=["a", "v", "x", "y"],
        switches=["left", "middle", "right"],
        links=[
            nl.Link(from_="a", to="left", rate="100Gbps", delay="500ns"),
            nl.Link(from_="v", to="left", rate="100Gbps", delay="500ns"),
            nl.Link(from_="left", to="middle", rate="200Gbps", delay="500ns"),
            nl.Link(from_="middle", to="right", rate="200Gbps", delay="500ns"),
            nl.Link(from_="right", to="x", rate="100Gbps", delay="500ns"),
            nl.Link(from_="right", to="y", rate="100Gbps", delay="500ns"),
        ],
    ),
    transport=nl.transport.GoBackN(mtu="4KiB", timeout="4ms"),
    queues=nl.Queues(buffer="1MB", alpha=0.25, pause=True),
    jobs=[
        nl.Job(
            name=name,
            placement=nl.placement.List(hosts),
            phases=[nl.phase.PointToPoint(size="5MB", stages=2)],
        )
        for name, hosts in (("aggressor", ["a", "x"]), ("victim", ["v", "y"]))
    ],
    faults=nl.Faults(storms=[nl.Storms(link="right-x", at="100us", span="1ms")]),
)

EXAMPLES = {
    "scenarios/demo/heavy-x2.yaml": DEMO,
    "scenarios/policies/ecmp.yaml": ECMP,
    "scenarios/fabrics/rail.yaml": RAIL,
    "scenarios/policies/ugal_g.yaml": UGAL,
    "scenarios/rdma/themis.yaml": THEMIS,
    "scenarios/rdma/themis_failed_link.yaml": THEMIS_FAILED,
    "scenarios/infiniband/c2.yaml": CREDITS,
    "scenarios/faults/flap.yaml": FLAP,
    "scenarios/faults/processes.yaml": PROCESSES,
    "scenarios/faults/pfc_storm.yaml": STORM,
    "scenarios/interference/bursts.yaml": BURSTS,
    "scenarios/jobs/pipeline.yaml": PIPELINE,
    "scenarios/jobs/groups.yaml": GROUPS,
    "scenarios/jobs/overlap.yaml": OVERLAP,
    "scenarios/classes/two_classes.yaml": TWO_CLASSES,
}

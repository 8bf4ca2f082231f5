"""Objects and scenario files: what netloom makes of both is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from scenario_examples import EXAMPLES
from scenario_tools import ROOT, built_part, classes

import netloom as nl

FILES = sorted([*ROOT.glob("scenarios/**/*.yaml"), *ROOT.glob("papers/*/scenarios/*.yaml")])


def resolved(path: Path) -> dict[str, Any]:
    """The resolved scenario of a file."""
    scenario: dict[str, Any] = yaml.safe_load(nl.check(path).yaml)
    return scenario


@pytest.mark.parametrize("path", EXAMPLES)
def test_objects_resolve_to_the_same_scenario_as_the_file(path: str, tmp_path: Path) -> None:
    file = ROOT / path
    saved = EXAMPLES[path].save(tmp_path / file.name)
    assert resolved(saved) == resolved(file)


def test_a_scenario_may_inherit_from_a_file(tmp_path: Path) -> None:
    base = EXAMPLES["scenarios/rdma/themis.yaml"].save(tmp_path / "base.yaml")
    # Only what differs, which is less than the class of the plug-in requires.
    changed = nl.Scenario(from_=base.name, name="themis", fabric={"leaf_spine": {"spines": 2}}, seed=2)
    saved = resolved(changed.save(tmp_path / "changed.yaml"))
    expected = resolved(base) | {"name": "themis", "seed": 2}
    expected["fabric"]["leaf_spine"]["spines"] = 2
    assert saved == expected


def complete(folder: Path, **parts: Any) -> Path:
    """A scenario with a job, and the given parts, as a file."""
    job = nl.Job(phases=[nl.collective.Permutation(size="64KiB")])
    fabric = nl.fabric.LeafSpine(leaves=2, spines=2, hosts_per_leaf=4)
    number = len(list(folder.iterdir()))
    values: dict[str, Any] = {"fabric": fabric, "jobs": [job]} | parts
    return nl.Scenario(**values).save(folder / f"{number}.yaml")


FABRICS = [
    nl.fabric.LeafSpine(leaves=2, spines=2, hosts_per_leaf=2),
    nl.fabric.FatTree(k=4),
    nl.fabric.Dragonfly(groups=3, switches_per_group=2, hosts_per_switch=2),
    nl.fabric.DragonflyPlus(groups=3, leaves_per_group=2, spines_per_group=2, hosts_per_leaf=2),
    nl.fabric.Rail(servers=2, gpus_per_server=4, spines=2),
    nl.fabric.SingleSwitch(hosts=8),
    nl.fabric.Custom(
        hosts=2, switches=1, links=[nl.Link(from_=f"host{i}", to="switch0", rate="1Gbps", delay="1us") for i in (0, 1)]
    ),
]
OF_GROUPS = nl.fabric.Dragonfly(groups=3, switches_per_group=2, hosts_per_switch=2)
NEEDS_GROUPS = ("valiant", "ugal_l", "ugal_g", "par", "piggyback", "progressive", "slingshot")


def plug_ins(module: str) -> list[type[Any]]:
    return [cls for cls in classes() if cls.__module__ == f"netloom.scenario.{module}" and hasattr(cls, "_plugin")]


def of_policies(folder: Path) -> list[Path]:
    files = []
    for cls in plug_ins("balance"):
        needs_groups = cls._plugin in NEEDS_GROUPS
        parts = {"fabric": OF_GROUPS, "queues": nl.Queues(credits=nl.Credits())} if needs_groups else {}
        balance = nl.Balance(switch=cls())
        files.append(complete(folder, balance=balance, transport=nl.transport.Ideal(), **parts))
    return files


def of_congestion(folder: Path) -> list[Path]:
    with_credits = nl.Queues(credits=nl.Credits())
    with_marking = nl.Queues(marking=nl.Marking(minimum="20KB", maximum="80KB"))
    files = []
    for cls in plug_ins("congestion"):
        queues = with_credits if cls._plugin in ("infiniband", "slingshot") else with_marking
        files.append(complete(folder, congestion=cls(), transport=nl.transport.Ideal(), queues=queues))
    return files


def of_actions(folder: Path) -> list[Path]:
    # Each action, and where there is one, the action that ends it.
    histories: list[list[nl.action.Action]] = [
        [nl.action.Down(), nl.action.Up()],
        [nl.action.Flap(period="100us", until="1ms")],
        [nl.action.Degrade(rate="1Gbps"), nl.action.Restore()],
        [nl.action.Errors(loss="1%"), nl.action.Clear()],
        [nl.action.Errors(ber=1e-9)],
    ]
    files = []
    for history in histories:
        timed = [nl.Timed(at=f"{n}us", link="leaf0-spine0.0", action=action) for n, action in enumerate(history)]
        files.append(complete(folder, faults=nl.Faults(timed=timed)))
    return files


def of_placements(folder: Path) -> list[Path]:
    placements = [
        *(cls() for cls in plug_ins("placement") if cls._plugin not in ("strided", "list")),
        nl.placement.Strided(stride=2),
        nl.placement.List(["leaf0.host1", "leaf1.host0"]),
    ]
    phases = [nl.collective.RingAllReduce(size="1KiB")]
    return [complete(folder, jobs=[nl.Job(placement=placement, phases=phases)]) for placement in placements]


def test_every_plug_in_is_accepted(tmp_path: Path) -> None:
    files = [complete(tmp_path, fabric=fabric) for fabric in FABRICS]
    files += of_policies(tmp_path) + of_congestion(tmp_path) + of_actions(tmp_path) + of_placements(tmp_path)
    files += [complete(tmp_path, transport=cls()) for cls in plug_ins("transport")]
    rail = nl.fabric.Rail(servers=2, gpus_per_server=4, spines=2)
    for cls in plug_ins("collective"):
        files.append(complete(tmp_path, fabric=rail, jobs=[nl.Job(phases=[cls(size="64KiB")])]))
    for file in files:
        nl.check(file)
    assert len(files) > 60


def bare(data: Any) -> Any:
    """Plain data with one spelling: a plug-in without parameters is its name, and scalars are texts."""
    if isinstance(data, list):
        return [bare(item) for item in data]
    if not isinstance(data, dict):
        return str(data)
    if len(data) == 1 and next(iter(data.values())) in ({}, None):
        return next(iter(data))
    return {key: bare(item) for key, item in data.items() if item is not None}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_classes_express_every_scenario_of_the_repository(path: Path) -> None:
    data = yaml.safe_load(path.read_text("utf-8"))
    try:
        scenario = built_part(nl.Scenario, {key: item for key, item in data.items() if key != "netloom"})
    except TypeError as error:
        if "from" in data and "required" in str(error):
            pytest.skip(f"it inherits, and states only a part of a plug-in: {error}")
        raise
    assert bare(scenario.to_data()) == bare(data)
    assert yaml.safe_load(scenario.to_yaml()) == scenario.to_data()

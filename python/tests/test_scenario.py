"""The classes of scenarios: they follow the schema, take what it allows, and refuse other types."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import pickle
import subprocess
import sys
from enum import Enum
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from scenario_tools import ROOT, arms, classes, keys, minimal, samples

import netloom as nl
from netloom.scenario._check import hints
from netloom.scenario._object import Document, LabelledPart, Plugin, ValuePlugin
from netloom.scenario.congestion import None_

SCHEMA = json.loads((ROOT / "docs/scenario.schema.json").read_text("utf-8"))
CLASSES = list(classes())
FABRIC = nl.fabric.LeafSpine(leaves=2, spines=2, hosts_per_leaf=2)


def test_generated_files_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "scripts/scenario_classes.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_no_file_is_long() -> None:
    for path in (ROOT / "python/netloom/scenario").glob("*.py"):
        assert len(path.read_text("utf-8").splitlines()) <= 700, path


def name_of(cls: type[Any]) -> str:
    return f"{cls.__module__.rpartition('.')[2]}.{cls.__name__}"


@pytest.mark.parametrize("cls", CLASSES, ids=name_of)
def test_every_class_takes_all_values_of_all_fields(cls: type[Any]) -> None:
    least = minimal(cls)
    assert "None" not in repr(least).replace("None_", "")
    for name, hint in hints(cls).items():
        for value in samples(hint):
            changed = dataclasses.replace(least, **{name: value})
            assert changed == pickle.loads(pickle.dumps(changed)) == copy.deepcopy(changed)
            assert json.dumps(changed.to_data())


@pytest.mark.parametrize("cls", CLASSES, ids=name_of)
def test_every_argument_is_documented(cls: type[Any]) -> None:
    text = inspect.getdoc(cls) or ""
    for field in dataclasses.fields(cls):
        assert f"    {field.name}: " in text


def test_every_mapping_of_the_schema_has_a_class_with_its_keys() -> None:
    # A choice is an alias; its labels, values and names are covered by the construction of all classes.
    schema = [value["properties"] for value in SCHEMA["$defs"].values() if "properties" in value]
    expected = sorted(sorted(set(properties) - {"netloom"}) for properties in schema)
    mappings = [cls for cls in CLASSES if not issubclass(cls, LabelledPart | ValuePlugin)]
    assert sorted(sorted(keys(cls)) for cls in mappings) == expected


@pytest.mark.parametrize("cls", CLASSES, ids=name_of)
def test_what_a_class_writes_is_valid_by_the_schema(cls: type[Any]) -> None:
    definitions = without_ranges(SCHEMA["$defs"])
    validator = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{definition_of(cls)}", "$defs": definitions})
    least = minimal(cls)
    for name, hint in hints(cls).items():
        for value in samples(hint):
            validator.validate(dataclasses.replace(least, **{name: value}).to_data())


def without_ranges(schema: Any) -> Any:
    """A schema without the ranges of numbers, which classes do not know."""
    if isinstance(schema, list):
        return [without_ranges(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: without_ranges(part) for key, part in schema.items() if not is_range(key, part)}


def is_range(key: str, bound: Any) -> bool:
    return key in ("minimum", "maximum") and not isinstance(bound, dict)


def definition_of(cls: type[Any]) -> str:
    """The definition of the schema in which what the class writes is valid."""
    module = cls.__module__.rpartition(".")[2]
    choice = {"balance": "policy"}.get(module, module)
    if issubclass(cls, Plugin | LabelledPart):
        return choice
    wanted = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in cls.__name__)
    return wanted.removeprefix("_")


def test_fields_are_keyword_only_and_required_as_in_the_schema() -> None:
    with pytest.raises(TypeError, match="positional"):
        nl.fabric.LeafSpine(2, 2, 2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="hosts_per_leaf"):
        nl.fabric.LeafSpine(leaves=2, spines=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="fabric is required, unless `from_` names"):
        nl.Scenario()
    assert nl.Scenario(from_="base.yaml").to_data() == {"netloom": 1, "from": "base.yaml"}


def test_a_plug_in_is_its_name_or_a_mapping_from_its_name() -> None:
    scenario = nl.Scenario(fabric=FABRIC, balance=nl.balance.Spray(), congestion=None_(), queues=nl.Queues())
    assert scenario.to_data() == {
        "netloom": 1,
        "fabric": {"leaf_spine": {"leaves": 2, "spines": 2, "hosts_per_leaf": 2}},
        "balance": "spray",
        "congestion": "none",
        "queues": {},
    }


def test_a_phase_has_further_keys_beside_its_plug_in() -> None:
    phases: list[nl.phase.AnyPhase] = [
        nl.phase.Compute("1ms"),
        nl.Phase(nl.phase.Barrier(), name="all"),
        nl.Phase("barrier", after=["all"]),
        nl.Phase({"compute": "2ms"}, stream="other"),
        nl.Phase(nl.collective.Incast(size="1KiB"), stream="other"),
    ]
    assert nl.Job(phases=phases).to_data()["phases"] == [
        {"compute": "1ms"},
        {"barrier": {}, "name": "all"},
        {"barrier": {}, "after": ["all"]},
        {"compute": "2ms", "stream": "other"},
        {"incast": {"size": "1KiB"}, "stream": "other"},
    ]


def test_plain_data_may_contain_objects() -> None:
    balance = {"switch": nl.balance.Flowlet(gap="50us"), "edge": None}
    scenario = nl.Scenario(fabric=FABRIC, balance=balance)
    assert scenario.to_data()["balance"] == {"switch": {"flowlet": {"gap": "50us"}}, "edge": None}


def test_objects_keep_nothing_that_changes_later() -> None:
    phases: list[Any] = ["barrier"]
    plain = {"failed": ["leaf0-spine0.0"]}
    scenario = nl.Scenario(fabric=FABRIC, jobs=[nl.Job(phases=phases)], faults=plain)
    before = scenario.to_data()
    phases.append("barrier")
    plain["failed"].append("leaf0-spine1.0")
    assert scenario.to_data() == before
    with pytest.raises(dataclasses.FrozenInstanceError):
        scenario.seed = 2  # type: ignore[misc]


def test_replace_and_repr() -> None:
    scenario = nl.Scenario(fabric=FABRIC, jobs=[nl.Job(phases=["barrier"])], seed=1)
    assert scenario.replace(seed=7, jobs=None) == nl.Scenario(fabric=FABRIC, seed=7)
    expected = (
        "Scenario(seed=1, fabric=LeafSpine(leaves=2, spines=2, hosts_per_leaf=2), jobs=[Job(phases=['barrier'])])"
    )
    assert repr(scenario) == expected
    with pytest.raises(TypeError, match="sede"):
        scenario.replace(sede=1)


class Number(int):
    """An integer of another package."""


class Word(str, Enum):  # noqa: UP042 - it is of the kind whose str() is another text
    """A member of an enumeration that is text."""

    SPRAY = "spray"


def test_numbers_and_texts_of_other_packages_are_converted() -> None:
    scenario = nl.Scenario(fabric=FABRIC, seed=Number(3), balance=Word.SPRAY)  # type: ignore[arg-type]
    assert "seed: 3\n" in scenario.to_yaml()
    assert "balance: spray\n" in scenario.to_yaml()
    assert type(scenario.seed) is int


WRONG: list[tuple[Any, dict[str, Any], str]] = [
    (nl.balance.Flowlet, {"gap": 5e-5}, 'Flowlet.gap: expected a span of time such as "10us", got 5e-05 (float)'),
    (nl.Scenario, {"fabric": FABRIC, "seed": "1"}, "Scenario.seed: expected a whole number, got '1' (str)"),
    (nl.Scenario, {"fabric": FABRIC, "seed": True}, "Scenario.seed: expected a whole number, got True (bool)"),
    (nl.Scenario, {"fabric": FABRIC, "seed": 1.0}, "Scenario.seed: expected a whole number, got 1.0 (float)"),
    (nl.Scenario, {"fabric": FABRIC, "name": 5}, "Scenario.name: expected text, got 5 (int)"),
    (nl.Scenario, {"fabric": "leaf_spine"}, "it has required parameters: write LeafSpine(...)"),
    (nl.Scenario, {"fabric": FABRIC, "balance": nl.balance.Spray}, "write Spray() for an object of it"),
    (
        nl.Scenario,
        {"fabric": FABRIC, "jobs": nl.Job(phases=[])},
        "Scenario.jobs: expected a list of (Job or a mapping)",
    ),
    (nl.Scenario, {"fabric": FABRIC, "transport": nl.balance.Spray()}, "Scenario.transport: expected OpenLoop, Window"),
    (nl.Scenario, {"fabric": {"custom": {"hosts": {1}}}}, "Scenario.fabric['custom']['hosts']: expected plain data"),
    (nl.Scenario, {"fabric": {5: "x"}}, "Scenario.fabric: expected text as keys, got 5 (int)"),
    (nl.balance.Ecmp, {"salt": "swich"}, 'Ecmp.salt: expected "switch" or "none", got \'swich\' (str); did you mean'),
    (nl.Faults, {"loss": float("nan")}, "Faults.loss: expected a number"),
    (nl.Faults, {"failed": "leaf0-spine0.0"}, "Faults.failed: expected a list of (text), got 'leaf0-spine0.0' (str)"),
    (nl.Faults, {"failed": ["a", 1]}, "Faults.failed[1]: expected text, got 1 (int)"),
    (nl.Job, {"phases": ["barier"]}, "got 'barier' (str); did you mean \"barrier\"?"),
    (nl.Job, {"phases": [], "orders": [[0, 0.5]]}, "Job.orders[0][1]: expected a whole number, got 0.5 (float)"),
    (nl.Job, {"phases": [], "groups": {"tp": 0.5}}, "Job.groups['tp']: expected \"auto\", a whole number, Group"),
    (
        nl.background.Poisson,
        {"load": 0.5, "end": "1ms", "given": [["1KiB"]]},
        "Poisson.given[0]: expected 2 values, got 1",
    ),
]


@pytest.mark.parametrize(("cls", "values", "message"), WRONG, ids=[message[:50] for _, _, message in WRONG])
def test_wrong_types_are_refused_with_field_and_expected_type(cls: Any, values: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        cls(**values)
    assert message in str(caught.value)


def test_ranges_are_left_to_the_compiler() -> None:
    assert nl.fabric.LeafSpine(leaves=-5, spines=2, hosts_per_leaf=2, host_rate="fast").leaves == -5


def test_checks_are_unambiguous() -> None:
    # The first alternative that fits decides: there may be one kind of list and one kind of mapping at most.
    for cls in CLASSES:
        for name, hint in hints(cls).items():
            origins = [getattr(arm, "__origin__", None) for arm in arms(hint)]
            kinds = [origin for origin in origins if origin is not None and "abc" in origin.__module__]
            assert len(kinds) == len(set(kinds)), f"{cls.__name__}.{name}"


def test_everything_is_exported() -> None:
    for name in nl.scenario.__all__:
        assert getattr(nl, name) is getattr(nl.scenario, name)
    exported = {getattr(nl, name) for name in nl.scenario.__all__}
    missing = [cls for cls in CLASSES if cls not in exported and not issubclass(cls, Plugin)]
    # Two classes have this name; each is in its module.
    assert [cls.__name__ for cls in missing] == ["Random"]
    assert issubclass(nl.Scenario, Document)


def test_save_writes_the_text(tmp_path: Path) -> None:
    scenario = nl.Scenario(fabric=FABRIC, name="Träff: 100 %")
    path = scenario.save(tmp_path / "a.yaml")
    assert path.read_bytes().decode("utf-8") == scenario.to_yaml()
    assert scenario.to_yaml().startswith('netloom: 1\nname: "Träff: 100 %"\n')

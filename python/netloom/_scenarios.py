"""Scenarios as callers pass them: files, texts, objects, plain data; and changes to them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, TypeAlias

from netloom import _native
from netloom._errors import InvalidInput
from netloom.scenario import Scenario
from netloom.scenario._object import plain
from netloom.scenario._yaml import to_text

ScenarioLike: TypeAlias = "str | os.PathLike[str] | Scenario | Mapping[str, Any]"
"""A scenario: the path of a file; a text of YAML, which has several lines; an object; or plain data."""

Changes: TypeAlias = "Mapping[str, Any] | None"
"""Changes to a scenario: paths with new values, as in ``{"balance": "spray", "jobs.0.steps": 5}``."""

_NAME_OF_TEXT = "scenario"
_EXPECTED = "a path, a text of YAML with several lines, a netloom.Scenario or a mapping"


def source_of(scenario: ScenarioLike) -> _native._ScenarioSource:
    """The scenario in the form of the native part."""
    if isinstance(scenario, Scenario):
        return (scenario.name or _NAME_OF_TEXT, scenario.to_yaml())
    if isinstance(scenario, Mapping):
        data = {"netloom": Scenario._version} | dict(scenario)
        return (str(data.get("name") or _NAME_OF_TEXT), to_text(data))
    if isinstance(scenario, str) and "\n" in scenario:
        return (_NAME_OF_TEXT, scenario)
    if not isinstance(scenario, (str, os.PathLike)):
        raise TypeError(f"a scenario is {_EXPECTED}, not {type(scenario).__name__}")
    if scenario == "":
        raise InvalidInput("the scenario is an empty text")
    return os.fspath(scenario)


def value_text(value: Any) -> str:
    """A value in the form of ``--set``: texts as they are, everything else as YAML on one line."""
    data = plain(value)
    return data if isinstance(data, str) else json.dumps(data, default=_number)


def _number(value: Any) -> int | float:
    """A number of another library, such as numpy, as one of Python."""
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"expected a number, a text, a list, a mapping or an object of a scenario, not {value!r}")


def changes_of(changes: Changes) -> list[tuple[str, str]]:
    """Changes in the form of the native part, which is that of ``--set``."""
    if not isinstance(changes, Mapping | None):
        raise TypeError(f"`set` is a mapping of paths to values, not {type(changes).__name__}")
    if changes is None:
        return []
    return [(path, value_text(value)) for path, value in changes.items()]


def seeds_of(seeds: int | range | str | None) -> str | None:
    """Seeds in the form of ``--seeds``: ``N`` for 1 to N, ``A..B`` for A to B."""
    if seeds is None or isinstance(seeds, str):
        return seeds
    if isinstance(seeds, range):
        if seeds.step != 1 or len(seeds) == 0:
            raise ValueError(f"seeds follow each other, at least one of them: {seeds}")
        return f"{seeds.start}..{seeds.stop - 1}"
    return str(seeds)

"""What several tests of scenarios need: the tree, and values for fields."""

from __future__ import annotations

import importlib
import inspect
import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Literal

import netloom.scenario
from netloom.scenario._check import hints
from netloom.scenario._object import LabelledPart, Part, Plugin, ValuePlugin

ROOT = Path(__file__).resolve().parents[2]


def module_names() -> list[str]:
    """The generated modules."""
    return [name for name in netloom.scenario.__all__ if name.islower()] + ["scenario"]


def classes() -> Iterator[type[Any]]:
    """The generated classes."""
    for name in module_names():
        module = importlib.import_module(f"netloom.scenario.{name}")
        for _, cls in inspect.getmembers(module, inspect.isclass):
            if issubclass(cls, Part) and cls.__module__ == module.__name__:
                yield cls


def arms(hint: Any) -> list[Any]:
    """The alternatives of a type, None left out."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return [arm for part in typing.get_args(hint) for arm in arms(part)]
    return [] if hint is type(None) else [hint]


def samples(hint: Any, depth: int = 0) -> list[Any]:
    """A value for each alternative of a type; plain data is not among them."""
    return [value for arm in arms(hint) for value in arm_samples(arm, depth)]


def arm_samples(arm: Any, depth: int) -> list[Any]:
    """The values of one alternative."""
    origin = typing.get_origin(arm)
    if hasattr(arm, "__metadata__"):
        return re.findall('"(.*)"', arm.__metadata__[0])
    if origin is Literal:
        return list(typing.get_args(arm))
    if origin is Sequence:
        items = samples(typing.get_args(arm)[0], depth)
        return [items] if items else []
    if origin is tuple:
        return [[samples(item)[0] for item in typing.get_args(arm)]]
    if origin is Mapping:
        items = [] if typing.get_args(arm)[1] is object else samples(typing.get_args(arm)[1], depth)
        return [{f"name{index}": item for index, item in enumerate(items)}] if items else []
    if isinstance(arm, type) and issubclass(arm, Part):
        return [minimal(arm, depth + 1)] if depth < 3 else []
    scalars: dict[Any, list[Any]] = {str: ["text"], int: [1], float: [0.5], bool: [True, False]}
    return scalars[arm]


def minimal(cls: type[Any], depth: int = 0) -> Any:
    """An object with the required fields only; lists of phases end after a few levels."""
    types_of = hints(cls)
    required = [field.name for field in fields(cls) if field.default is MISSING]
    values = {name: (samples(types_of[name], depth) or [[]])[0] for name in required}
    if cls.__name__ == "Scenario":
        values["fabric"] = "fat_tree"
    return cls(**values)


def built(value: Any, hint: Any) -> Any:
    """The object for plain data, by the classes that a field takes; data that no class expresses is an error."""
    options = arms(hint)
    if isinstance(value, Mapping):
        return built_mapping(value, options)
    if isinstance(value, list):
        lists = [arm for arm in options if typing.get_origin(arm) is Sequence]
        return [built(item, typing.get_args(lists[0])[0]) for item in value] if lists else value
    # A file may have a number or a flag where a text is needed, such as the name 0.1.
    return str(value) if {arm if isinstance(arm, type) else None for arm in options} == {str} else value


def built_mapping(value: Mapping[str, Any], options: list[Any]) -> Any:
    """The object for a mapping."""
    for arm in options:
        if isinstance(arm, type) and issubclass(arm, Plugin) and set(value) == {arm._plugin}:
            return built_plug_in(arm, value[arm._plugin])
    for arm in options:
        if isinstance(arm, type) and issubclass(arm, LabelledPart):
            return built_labelled(arm, value)
    for arm in options:
        is_part = isinstance(arm, type) and issubclass(arm, Part) and not issubclass(arm, Plugin)
        if is_part and set(value) <= set(keys(arm)):
            return built_part(arm, value)
    named = [arm for arm in options if typing.get_origin(arm) is Mapping and typing.get_args(arm)[1] is not object]
    if named:
        return {key: built(item, typing.get_args(named[0])[1]) for key, item in value.items()}
    raise AssertionError(f"no class for {value}")


def built_plug_in(cls: type[Any], parameters: Any) -> Any:
    """A plug-in from what stands after its name."""
    if ValuePlugin in cls.__bases__:
        return cls(parameters)
    return built_part(cls, parameters or {})


def built_labelled(cls: type[Any], value: Mapping[str, Any]) -> Any:
    """A plug-in with further keys."""
    labels = [field.name for field in fields(cls)][1:]
    work = built({key: item for key, item in value.items() if key not in labels}, hints(cls)["work"])
    return cls(work, **{key: item for key, item in value.items() if key in labels})


def built_part(cls: type[Any], value: Mapping[str, Any]) -> Any:
    """A part from its keys."""
    names, types_of = keys(cls), hints(cls)
    return cls(**{names[key]: built(item, types_of[names[key]]) for key, item in value.items()})


def keys(cls: type[Any]) -> dict[str, str]:
    """The fields of a class by their keys."""
    return {field.name.removesuffix("_"): field.name for field in fields(cls)}

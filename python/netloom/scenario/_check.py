"""Checks that values have the types of their fields, and normalises them: lists become tuples, mappings are copied.

Types are checked when an object is made, so that the traceback points at the line with the mistake. Ranges, and
everything that involves several values, are left to the compiler of scenarios.
"""

from __future__ import annotations

import difflib
import math
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from numbers import Integral, Real
from typing import Annotated, Any, Literal

from netloom.scenario._types import Data

Hint = Any
"""A type as it stands in an annotation; there is no common class of these."""

WORDS = {
    int: "a whole number",
    float: "a number",
    str: "text",
    bool: "True or False",
    tuple: "a pair",
    Mapping: "a mapping",
}
"""What messages call the types of Python."""

MANY = 4
"""Messages do not list what the items of a list may be if there are more alternatives than this."""


def hints(cls: type[Any]) -> dict[str, Hint]:
    """The types of the fields of a dataclass."""
    if cls not in _HINTS:
        found = typing.get_type_hints(cls, include_extras=True)
        _HINTS[cls] = {field.name: found[field.name] for field in fields(cls)}
    return _HINTS[cls]


_HINTS: dict[type[Any], dict[str, Hint]] = {}


def checked(value: object, hint: Hint, path: str) -> object:
    """The value in its normal form; a TypeError that names `path` if it does not have the type."""
    arms = _arms(hint)
    for arm in arms:
        if _fits(value, arm):
            return _normal(value, arm, path)
    raise TypeError(f"{path}: expected {_expected(arms)}, got {_shown(value)}{_suggestion(value, arms)}")


def _arms(hint: Hint) -> list[Hint]:
    """The alternatives of a union, or the type alone."""
    origin: Any = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return [arm for part in typing.get_args(hint) for arm in _arms(part)]
    return [hint]


def _base(arm: Hint) -> Any:
    """The type without its type arguments and annotations."""
    origin: Any = typing.get_origin(arm)
    if origin is Annotated:
        return arm.__origin__
    return arm if origin is None else origin


def _fits(value: object, arm: Hint) -> bool:
    """Whether the value has the type, the items of lists and mappings not considered."""
    base = _base(arm)
    if base is Literal:
        return isinstance(value, str) and value in typing.get_args(arm)
    if base is int:
        return not isinstance(value, bool) and isinstance(value, Integral)
    if base is float:
        return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
    if base is Sequence or base is tuple:
        return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)
    return isinstance(value, base)


def _normal(value: Any, arm: Hint, path: str) -> object:
    base = _base(arm)
    if base is Sequence:
        (item,) = typing.get_args(arm)
        return tuple(checked(part, item, f"{path}[{index}]") for index, part in enumerate(value))
    if base is tuple:
        return _pair(value, typing.get_args(arm), path)
    if base is Mapping:
        return _mapping(value, arm, path)
    if base is int or base is float or base is str or base is Literal:
        return _scalar(value)
    return value


def _pair(value: Sequence[object], items: tuple[Hint, ...], path: str) -> object:
    if len(value) != len(items):
        raise TypeError(f"{path}: expected {len(items)} values, got {len(value)}")
    pairs = enumerate(zip(value, items, strict=True))
    return tuple(checked(part, item, f"{path}[{index}]") for index, (part, item) in pairs)


def _mapping(value: Mapping[object, object], arm: Hint, path: str) -> dict[str, object]:
    if arm == Data:
        return _plain_mapping(value, path)
    _, item = typing.get_args(arm)
    return {_key(key, path): checked(part, item, f"{path}[{key!r}]") for key, part in value.items()}


def _plain_mapping(value: Mapping[object, object], path: str) -> dict[str, object]:
    return {_key(key, path): _plain(part, f"{path}[{key!r}]") for key, part in value.items()}


def _plain(value: object, path: str) -> object:
    """A value inside plain data: scalars, lists, mappings, and objects of this package."""
    is_part = hasattr(value, "to_data") and not isinstance(value, type)
    if value is None or isinstance(value, bool) or is_part:
        return value
    if isinstance(value, Mapping):
        return _plain_mapping(value, path)
    if any(_fits(value, kind) for kind in (str, int, float)):
        return _scalar(value)
    if _fits(value, Sequence):
        items = typing.cast(Sequence[object], value)
        return tuple(_plain(part, f"{path}[{index}]") for index, part in enumerate(items))
    raise TypeError(f"{path}: expected plain data or an object of a scenario, got {_shown(value)}")


def _key(key: object, path: str) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    raise TypeError(f"{path}: expected text as keys, got {_shown(key)}")


def _scalar(value: Any) -> object:
    """The value with a type of Python itself: numbers of other packages and members of enumerations are converted."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    return int(value) if isinstance(value, Integral) else float(value)


def _expected(arms: Iterable[Hint]) -> str:
    """What a field takes, as a part of a sentence."""
    arms = list(arms)
    plug_ins = set(filter(None, map(_plugin, arms)))
    names = list(dict.fromkeys(name for arm in arms for name in _names(arm, plug_ins)))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _names(arm: Hint, plug_ins: set[str]) -> list[str]:
    """What a type is called; names of plug-ins are not repeated beside their classes."""
    base = _base(arm)
    if hasattr(arm, "__metadata__"):
        return [arm.__metadata__[0]]
    if base is Literal:
        words = [f'"{word}"' for word in typing.get_args(arm) if word not in plug_ins]
        return words or ["the name of one"]
    if base is Sequence:
        items = _arms(typing.get_args(arm)[0])
        return [f"a list of ({_expected(items)})" if len(items) <= MANY else "a list"]
    return [] if base is type(None) else [WORDS.get(base, getattr(base, "__name__", str(base)))]


def _plugin(arm: Hint) -> str | None:
    """The name of the plug-in that a class is."""
    return getattr(_base(arm), "_plugin", None)


def _shown(value: object) -> str:
    text = repr(value)
    text = text if len(text) <= 60 else text[:57] + "..."
    return text if value is None else f"{text} ({type(value).__name__})"


def _suggestion(value: object, arms: Iterable[Hint]) -> str:
    """A hint for a misspelt word, and for a name or a class where an object is needed."""
    if isinstance(value, type):
        return f"; write {value.__name__}() for an object of it"
    if not isinstance(value, str):
        return ""
    for arm in arms:
        if _plugin(arm) == value:
            return f"; it has required parameters: write {arm.__name__}(...)"
    words = [word for arm in arms if _base(arm) is Literal for word in typing.get_args(arm)]
    close = difflib.get_close_matches(value, words, n=1)
    return f'; did you mean "{close[0]}"?' if close else ""

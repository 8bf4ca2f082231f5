"""What the classes of scenarios have in common: checks of types, conversion to plain data and to YAML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

from netloom.scenario import _yaml
from netloom.scenario._check import checked, hints


class Part:
    """A part of a scenario: a frozen dataclass with a field for each key; a field that is None is not written."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __post_init__(self) -> None:
        cls = type(self)
        for field, hint in hints(cls).items():
            value = getattr(self, field)
            # The dataclass is frozen for its users, not for its own initialisation.
            object.__setattr__(self, field, checked(value, hint, f"{cls.__name__}.{field}"))

    def to_data(self) -> Any:
        """The part as plain data, in the layout of a scenario file."""
        return {_key(field): plain(value) for field, value in self._set_fields()}

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields replaced; None leaves a key out."""
        return replace(self, **changes)

    def __repr__(self) -> str:
        given = ", ".join(f"{field}={_shown(value)}" for field, value in self._set_fields())
        return f"{type(self).__name__}({given})"

    def _set_fields(self) -> list[tuple[str, Any]]:
        given = ((field.name, getattr(self, field.name)) for field in fields(self))
        return [(name, value) for name, value in given if value is not None]


class Plugin(Part):
    """A part that is chosen by its name: written as its name, or as a mapping from its name to its parameters."""

    __slots__ = ()
    _plugin: ClassVar[str]

    def to_data(self) -> Any:
        """The name, with the parameters if any are set."""
        parameters = super().to_data()
        return {self._plugin: parameters} if parameters else self._plugin


class ValuePlugin(Plugin):
    """A plug-in whose only parameter is written directly after its name."""

    __slots__ = ()

    def to_data(self) -> Any:
        """A mapping from the name to the value."""
        ((_, value),) = self._set_fields()
        return {self._plugin: plain(value)}


class LabelledPart(Part):
    """A plug-in (the first field) with further keys beside its name."""

    __slots__ = ()

    def to_data(self) -> Any:
        """One mapping with the name of the plug-in and the further keys."""
        (_, plugin), *labels = self._set_fields()
        data = plain(plugin)
        named = dict(data) if isinstance(data, Mapping) else {data: {}}
        return named | {_key(field): plain(value) for field, value in labels}


class Document(Part):
    """A whole scenario file."""

    __slots__ = ()
    _version: ClassVar[int]
    _required_unless_inherited: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        super().__post_init__()
        if getattr(self, "from_", None) is not None:
            return
        for field in self._required_unless_inherited:
            if getattr(self, field) is None:
                name = type(self).__name__
                raise TypeError(f"{name}.{field} is required, unless `from_` names a scenario to inherit from")

    def to_data(self) -> dict[str, Any]:
        """The scenario as plain data, in the layout of a scenario file."""
        parts: dict[str, Any] = super().to_data()
        return {"netloom": self._version} | parts

    def to_yaml(self) -> str:
        """The text of a scenario file."""
        return _yaml.to_text(self.to_data())

    def save(self, path: str | PathLike[str]) -> Path:
        """Writes a scenario file, and returns its path; paths in the scenario start at the folder of the file."""
        file = Path(path)
        file.write_text(self.to_yaml(), encoding="utf-8", newline="\n")
        return file


def _key(field: str) -> str:
    """The key of a field: fields named after keywords of Python have an underscore at their end."""
    return field.removesuffix("_")


def plain(value: Any) -> Any:
    """A value of a field, or any value with parts of scenarios in it, as plain data."""
    if isinstance(value, Part):
        return value.to_data()
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if _is_list(value):
        return [plain(part) for part in value]
    return value


def _shown(value: Any) -> str:
    """A value as it is written in Python; lists, which are kept as tuples, are shown as lists."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {_shown(part)}' for key, part in value.items())}}}"
    return f"[{', '.join(map(_shown, value))}]" if _is_list(value) else repr(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)

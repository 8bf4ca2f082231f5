"""Writes plain data as YAML in block style.

Text that a YAML reader could take for something else, by version 1.1 or 1.2 of YAML, is quoted: in double quotes with
the escapes of JSON, which are among those of YAML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./+>-]*( [A-Za-z0-9_./+>-]+)*")
"""Text that needs no quotes unless it is one of `RESERVED`."""

QUANTITY = re.compile(r"[0-9]+(\.[0-9]+)? ?(%|[KMGT]?bps|[KMG]i?B|B|[pnum]?s)")
"""Quantities: they begin like numbers, and no reader takes them for numbers."""

RESERVED = {"true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", "infinity"}
"""Words, in lower case, that some readers take for flags, numbers or nothing."""

UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""Characters that JSON keeps in texts and YAML does not."""

WIDTH = 100
"""Lists of scalars up to this width are written on one line."""


def to_text(data: Mapping[str, object]) -> str:
    """A whole document."""
    return "\n".join(_block(data)) + "\n"


def _block(value: object) -> list[str]:
    """The lines of a value, relative to its indentation."""
    inline = _inline(value)
    if inline is not None:
        return [inline]
    if isinstance(value, Mapping):
        return [line for key, part in value.items() for line in _entry(key, part)]
    assert isinstance(value, Sequence)
    return [line for part in value for line in _item(part)]


def _entry(key: str, value: object) -> list[str]:
    inline = _inline(value)
    if inline is not None:
        return [f"{_text(key)}: {inline}"]
    return [f"{_text(key)}:", *(f"  {line}" for line in _block(value))]


def _item(value: object) -> list[str]:
    first, *rest = _block(value)
    return [f"- {first}", *(f"  {line}" for line in rest)]


def _inline(value: object) -> str | None:
    """A value on one line, if it is short enough for one."""
    if isinstance(value, Mapping):
        return None if value else "{}"
    if not _is_list(value):
        return _scalar(value)
    assert isinstance(value, Sequence)
    if any(isinstance(part, Mapping) or _is_list(part) for part in value):
        return None
    text = f"[{', '.join(_scalar(part) for part in value)}]"
    return text if len(text) <= WIDTH else None


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        # Without an exponent, which readers of YAML 1.1 take for text.
        return format(Decimal(repr(value)), "f")
    if isinstance(value, str):
        return _text(value)
    raise TypeError(f"YAML of {type(value).__name__} is not supported: {value!r}")


def _text(text: str) -> str:
    if QUANTITY.fullmatch(text) or (PLAIN.fullmatch(text) and text.lower() not in RESERVED):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)

"""The YAML writer: what it writes is read as the same data."""

from __future__ import annotations

import random
from typing import Any

import pytest
import yaml

from netloom.scenario._yaml import to_text

NASTY = [
    *("", " ", " a", "a ", "a: b", "a:", ": a", "a #b", "#a", "a#b", "a\n", "\n", "a\nb", "\t", "a\tb", "a  b"),
    *(
        "1",
        "1.5",
        "-1",
        "+1",
        "1e3",
        "1E3",
        "1.0e+3",
        "0x1f",
        "0o17",
        "017",
        "0b1",
        "1_000",
        ".5",
        "5.",
        "1:30",
        "12:30:45",
    ),
    *("yes", "Yes", "NO", "on", "off", "y", "n", "true", "False", "null", "Null", "~", "none", "nan", ".nan", "-.inf"),
    *(
        "2001-01-01",
        "2001-12-14t21:59:43.10-05:00",
        "<<",
        "=",
        "---",
        "...",
        "- a",
        "-",
        "? a",
        "!tag",
        "&a",
        "*a",
        "%a",
    ),
    *(
        "|",
        ">",
        "@a",
        "`a`",
        "'a'",
        '"a"',
        "a'b",
        'a"b',
        "\\",
        "a\\nb",
        "[a]",
        "{a: b}",
        "a, b",
        "[",
        "]",
        "{",
        "}",
        ",",
    ),
    *(
        "\x00",
        "\x07",
        "\x1b",
        "\x7f",
        "\x85",
        "\xa0",
        "\u2028",
        "\u2029",
        "\ufeff",
        "é",
        "漢字",
        "\U0001f600",
        "\ufffe",
    ),
    *("leaf1.host0->leaf0.host0#0", "1/1000", "5%", "64KiB", "1.5 ms", "to the next group", "10us", "1s", "1p", "1E"),
]


@pytest.mark.parametrize("text", NASTY, ids=ascii)
def test_nasty_texts_are_read_as_they_were(text: str) -> None:
    for data in (
        {"a": text},
        {text: 1},
        {"a": [text, text]},
        {"a": [{"b": text}]},
        {"a": [[text]]},
        {"a": [text * 200]},
    ):
        assert yaml.safe_load(to_text(data)) == data


@pytest.mark.parametrize(
    "text", ["64KiB", "5%", "leaf0-spine1.0", "to the next group", "none", "400Gbps", "all", "../a.yaml"]
)
def test_usual_texts_are_not_quoted(text: str) -> None:
    quoted = text.startswith("..")
    assert to_text({"a": text}) == (f'a: "{text}"\n' if quoted else f"a: {text}\n")


@pytest.mark.parametrize("number", [0, -1, 10**20, 0.1, 1e-5, 1e22, -0.0, 1.5, 123456789.125, True, False, None])
def test_numbers_keep_value_and_type(number: Any) -> None:
    read = yaml.safe_load(to_text({"a": number}))["a"]
    # A whole number that is a float may be read as an integer; it has the same value.
    assert read == number
    assert isinstance(number, float) or type(read) is type(number)


def test_layout() -> None:
    data = {
        "netloom": 1,
        "empty": {},
        "none": [],
        "numbers": [1, 2, 3],
        "long": list(range(100, 140)),
        "nested": [[1, 2], [], [{"a": {"b": "c"}, "d": 1}, "e"]],
    }
    text = to_text(data)
    assert yaml.safe_load(text) == data
    assert text.startswith("netloom: 1\nempty: {}\nnone: []\nnumbers: [1, 2, 3]\nlong:\n  - 100\n  - 101\n")
    assert text.endswith("nested:\n  - [1, 2]\n  - []\n  - - a:\n        b: c\n      d: 1\n    - e\n")


def test_random_data_is_read_as_it_was() -> None:
    source = random.Random(1)
    for _ in range(300):
        data = {f"k{index}": value(source, 4) for index in range(3)}
        assert yaml.safe_load(to_text(data)) == data


def value(source: random.Random, depth: int) -> Any:
    """A random tree of scalars, lists and mappings."""
    kind = source.randrange(6) if depth else source.randrange(4)
    if kind == 4:
        return [value(source, depth - 1) for _ in range(source.randrange(4))]
    if kind == 5:
        return {source.choice(NASTY): value(source, depth - 1) for _ in range(source.randrange(4))}
    letters = "aA1.:#-+ e_'\"\\\n\t,[]{}%&*!|>@`é\x01~"
    text = "".join(source.choice(letters) for _ in range(source.randrange(6)))
    return [text, source.randrange(-100, 100), source.random(), source.choice(NASTY)][kind]


def test_other_types_are_refused() -> None:
    with pytest.raises(TypeError, match="YAML of set"):
        to_text({"a": {1}})

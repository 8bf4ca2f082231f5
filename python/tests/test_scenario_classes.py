"""The generator of the classes: it finds stored files that are out of date, and what it does not know."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scenario_tools import ROOT

PACKAGE = "python/netloom/scenario"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the generator, the schema and the generated files."""
    for path in ("scripts/scenario_classes.py", "docs/scenario.schema.json"):
        (tmp_path / path).parent.mkdir()
        shutil.copy(ROOT / path, tmp_path / path)
    shutil.copytree(ROOT / PACKAGE, tmp_path / PACKAGE)
    return tmp_path


def generator(tree: Path, *arguments: str) -> tuple[int, str]:
    """The exit status of the generator and its messages."""
    command = [sys.executable, str(tree / "scripts/scenario_classes.py"), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.returncode, result.stderr


def change_schema(tree: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Changes the definitions of the schema."""
    path = tree / "docs/scenario.schema.json"
    schema = json.loads(path.read_text("utf-8"))
    change(schema["$defs"])
    path.write_text(json.dumps(schema), "utf-8")


def test_a_changed_schema_makes_files_stale_until_they_are_generated(tree: Path) -> None:
    assert generator(tree, "--check") == (0, "")

    def change(definitions: dict[str, Any]) -> None:
        definitions["policy.spray"]["properties"]["new_key"] = {"description": "new (default: 3)", "type": "integer"}

    change_schema(tree, change)
    message = f"{PACKAGE}/balance.py is out of date: run scripts/scenario_classes.py\n"
    assert generator(tree, "--check") == (1, message)
    assert generator(tree) == (0, "")
    assert generator(tree, "--check") == (0, "")
    assert "    new_key: int | None = None\n" in (tree / PACKAGE / "balance.py").read_text("utf-8")


def test_files_that_are_missing_or_no_longer_generated_are_found(tree: Path) -> None:
    shutil.move(tree / PACKAGE / "edge.py", tree / PACKAGE / "edges.py")
    status, messages = generator(tree, "--check")
    assert status == 1
    assert [line.split()[0] for line in messages.splitlines()] == [f"{PACKAGE}/edge.py", f"{PACKAGE}/edges.py"]
    assert generator(tree) == (0, "")
    assert generator(tree, "--check") == (0, "")
    assert (tree / PACKAGE / "_yaml.py").exists()


def new_definition(definitions: dict[str, Any]) -> None:
    definitions["optics"] = {"description": "optics", "type": "object", "properties": {}}


def new_pattern(definitions: dict[str, Any]) -> None:
    definitions["link"]["properties"]["delay"]["pattern"] = "^[0-9]+ km$"


def new_value(definitions: dict[str, Any]) -> None:
    definitions["placement"]["anyOf"][1]["properties"]["rack"] = {"description": "a rack", "type": "integer"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (new_definition, "the definitions optics: enter them in MODULES"),
        (new_pattern, "the pattern ^[0-9]+ km$: enter it in PATTERNS"),
        (new_value, "the plug-in rack, which has a value: enter the name of its field in VALUE_FIELDS"),
    ],
)
def test_what_is_unknown_is_an_error(tree: Path, change: Callable[[dict[str, Any]], None], message: str) -> None:
    change_schema(tree, change)
    status, messages = generator(tree)
    assert status == 1
    assert message in messages

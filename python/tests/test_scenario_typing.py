"""A type checker accepts the package and its use, and finds mistakes in keys, words and types."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from scenario_tools import ROOT

PYTHON = ROOT / "python"
CASES = Path(__file__).resolve().parent / "typing_cases"


def checked(*paths: str) -> subprocess.CompletedProcess[str]:
    """The output of mypy in strict mode."""
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "--no-error-summary", *paths]
    return subprocess.run(command, cwd=PYTHON, capture_output=True, text=True, check=False)


def test_the_package_and_its_use_are_accepted() -> None:
    tests = [str(path) for path in (PYTHON / "tests").glob("*.py")]
    result = checked("netloom", "tests/typing_cases/usage.py", "../scripts/scenario_classes.py", *tests)
    assert result.returncode == 0, result.stdout + result.stderr


def test_mistakes_are_found_where_they_are() -> None:
    lines = (CASES / "mistakes.py").read_text("utf-8").splitlines()
    expected = {
        (number, found.group(1))
        for number, line in enumerate(lines, 1)
        if (found := re.search(r"# expected: ([a-z-]+)", line))
    }
    result = checked("tests/typing_cases/mistakes.py")
    errors = re.findall(r"mistakes\.py:(\d+): error: .*\[([a-z-]+)\]", result.stdout)
    assert {(int(number), code) for number, code in errors} == expected, result.stdout


def test_the_example_makes_a_scenario() -> None:
    command = [sys.executable, str(CASES / "usage.py")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr

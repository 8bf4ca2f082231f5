"""The examples of the documentation run as they are written."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest
from scenario_tools import ROOT

PAGES = ("README.md", "docs/python.md", "python/README.md")


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    text = (ROOT / page).read_text("utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert examples
    names: dict[str, object] = {}
    for number, example in enumerate(examples, 1):
        exec(compile(example, f"{page}, example {number}", "exec"), names)


def test_the_examples_of_docstrings_run() -> None:
    results = [doctest.testmod(importlib.import_module(name)) for name in ("netloom", "netloom._simulation")]
    assert sum(result.attempted for result in results) > 3
    assert not any(result.failed for result in results)

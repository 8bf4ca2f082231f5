"""The notebooks of the documentation: each runs without errors, is stored without outputs, and labels its figures."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from scenario_tools import ROOT

FOLDER = ROOT / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
FOLDERS = ("fabrics", "papers", "scenarios")
"""What the notebooks read of the repository."""

FIGURES = """
import json
import matplotlib.pyplot as plt
print(json.dumps([
    [axes.get_xlabel(), axes.get_ylabel(), [text.get_text() for text in axes.get_xticklabels()]]
    for number in plt.get_fignums()
    for axes in plt.figure(number).axes
]))
"""
"""The labels of all axes of all figures, as the last cell prints them."""

WITHOUT_UNIT = ("share of", "slowdown", "number of", "port")
"""Quantities that are pure numbers or names."""


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A folder to run in, with a kernel that is this interpreter."""
    for name in FOLDERS:
        (tmp_path / name).symlink_to(ROOT / name)
    kernel = tmp_path / "jupyter" / "kernels" / "this"
    kernel.mkdir(parents=True)
    words = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": words, "display_name": "this interpreter", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    return tmp_path


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 6


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs_in_a_stable_form(path: Path) -> None:
    import nbformat

    text = path.read_text(encoding="utf-8")
    data = json.loads(text)
    nbformat.validate(data)
    assert (data["nbformat"], data["nbformat_minor"]) == (4, 5)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    assert data["metadata"] == {"kernelspec": kernel, "language_info": {"name": "python"}}
    for number, cell in enumerate(data["cells"], 1):
        assert cell["id"] == f"{path.stem}-{number:02}"
        assert cell["metadata"] == {}
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert text == json.dumps(data, indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_of_a_notebook_exist(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    for target in re.findall(r"\]\(([^)#:]+)[^)]*\)", text):
        if not target.startswith("http"):
            assert (FOLDER / target).exists(), target


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_its_figures_have_units(
    path: Path, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_PATH", str(workplace / "jupyter"))
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("IPYTHONDIR", str(workplace / "ipython"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(entry for entry in sys.path if entry))
    cells = executed(path, workplace)
    labels = json.loads(output_of(cells[-1]))
    assert labels, "a notebook has figures"
    for x, y, ticks in labels:
        assert has_unit(x) or (x == "" and any(ticks)), (x, ticks)
        assert has_unit(y), y


def executed(path: Path, folder: Path) -> list[Any]:
    """The cells after a run in the folder, the last of which prints the labels of all figures."""
    with warnings.catch_warnings():
        # Libraries of Jupyter warn about their own transport and event loops, which is not about the notebook.
        warnings.simplefilter("ignore")
        import nbformat
        from nbclient import NotebookClient

        jupyter: Any = nbformat
        notebook = jupyter.read(path, as_version=4)
        notebook.cells.append(jupyter.v4.new_code_cell(FIGURES))
        resources = {"metadata": {"path": str(folder)}}
        NotebookClient(notebook, timeout=300, kernel_name="this", resources=resources).execute()
        return list(notebook.cells)


def output_of(cell: Any) -> str:
    return "".join(output["text"] for output in cell["outputs"] if output.get("name") == "stdout")


def has_unit(label: str) -> bool:
    return "(" in label or label.startswith(WITHOUT_UNIT)

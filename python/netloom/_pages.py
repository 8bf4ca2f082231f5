"""What notebooks show: the summary of a run with a small figure, and reports in frames."""

from __future__ import annotations

import tempfile
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netloom import _native
from netloom._errors import Error

if TYPE_CHECKING:
    from netloom._results import Run

_FIGURES = ("step_time_cdf", "fct_cdf", "throughput")
"""The first of these that has data is shown."""


def duration_text(seconds: float) -> str:
    """A span of time with four digits, in the unit that suits it."""
    factor, unit = next(
        ((factor, unit) for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "us")) if seconds * factor >= 1.0),
        (1e9, "ns"),
    )
    return f"{seconds * factor:.4g} {unit}"


def run_as_html(run: Run) -> str:
    """The summary of a run as a table, with a small figure."""
    rows = [("status", run.status), *(("", detail) for detail in run.details), *_facts(run)]
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(key)}</th><td>{escape(text)}</td></tr>" for key, text in rows
    )
    title = f"{escape(run.name)}, seed {run.seed}"
    return f"<div><b>{title}</b><table>{cells}</table>{_figure(run)}</div>"


def _facts(run: Run) -> list[tuple[str, str]]:
    summary = run.summary
    facts = []
    for job in summary["jobs"]:
        step = job.get("step")
        mean = ""
        if step is not None:
            mean = f"step mean {duration_text(step['mean_s'])}, p99 {duration_text(step['p99_s'])}, "
        facts.append((f"job {job['name']}", f"{mean}{job['steps']} steps"))
    background = summary.get("background")
    if background and background.get("fct"):
        fct = background["fct"]
        times = f"mean {duration_text(fct['mean_s'])}, p99 {duration_text(fct['p99_s'])}"
        facts.append(("background FCT", f"{times}, {background['messages']:,} messages"))
    facts.append(("lost", f"{summary['drops']['packets']:,} packets"))
    facts.append(("simulated", f"{duration_text(summary['simulated_s'])}, {summary['hops'] or 0:,} packet-hops"))
    facts.append(("digest", run.digest))
    return facts


def _figure(run: Run) -> str:
    """A figure as `netloom figures` draws it; nothing if no figure has data."""
    try:
        plots = run.plot
        name = next((name for name in _FIGURES if name in plots.available), None)
        return "" if name is None else plots.svg(name)
    except Error:
        return ""


def report_frame(folders: list[Path], height: int) -> Any:
    """The report about runs as an object that a notebook shows in a frame."""
    with tempfile.TemporaryDirectory(prefix="netloom-") as home:
        page = Path(home) / "report.html"
        _native.report(folders, page, "jobs", None, False)
        return _Frame(page.read_text(encoding="utf-8"), height)


class _Frame:
    """A page in a frame of its own."""

    def __init__(self, page: str, height: int) -> None:
        self._page = page
        self._height = height

    def __repr__(self) -> str:
        return f"a report of {len(self._page):,} characters, shown in notebooks"

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self._height}px;border:0"
        return f'<iframe srcdoc="{escape(self._page, quote=True)}" style="{style}"></iframe>'

"""Names of runs in tables, sentences and figures: short, distinct, and the same everywhere."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars

    from netloom._results import Run

_PLUGIN = re.compile(r"\{\s*\"?(\w+)\"?\s*:")


@dataclass(frozen=True)
class Point:
    """A point of a sweep."""

    name: str
    """Its name: the varied values, and the seed if there are several."""
    variant: str
    """The varied values in short."""
    values: dict[str, str]
    """The varied values by their paths."""
    folder: Path | None
    """Its run folder, if one was kept."""
    row: dict[str, Any]
    """Its first row in the table of points."""


def distinct_names(runs: Sequence[Run]) -> list[str]:
    """The names of the runs; if these are not distinct, what distinguishes the runs: load balancing, seed, a number."""
    names = [run.name for run in runs]
    if len(set(names)) == len(names):
        return names
    differing = [parts for parts in (names, list(map(_policy, runs)), list(map(_seed, runs))) if len(set(parts)) > 1]
    found = [", ".join(parts) for parts in zip(*differing, strict=True)] or names
    if len(set(found)) < len(found):
        found = [f"{name}, {number}" for number, name in enumerate(found, 1)]
    return found


def _policy(run: Run) -> str:
    return policy_of(run.scenario) or "measured"


def _seed(run: Run) -> str:
    return f"seed {run.seed}"


def policy_of(scenario: dict[str, Any]) -> str | None:
    """The load balancing of switches."""
    balance = scenario.get("balance", {})
    policy = balance.get("switch") if isinstance(balance, dict) else balance
    return next(iter(policy)) if isinstance(policy, dict) else policy


@contextmanager
def named_folders(runs: Sequence[Run]) -> Iterator[list[Path]]:
    """The run folders; of temporary ones, whose names mean nothing, links that have the names of the runs."""
    temporary = [run for run in runs if run.is_temporary]
    if not temporary:
        yield [run.folder for run in runs]
        return
    with tempfile.TemporaryDirectory(prefix="netloom-") as home:
        links: dict[int, Path] = {}
        for run, name in zip(temporary, distinct_names(temporary), strict=True):
            links[id(run)] = Path(home) / name.replace("/", "-")
            links[id(run)].symlink_to(run.folder.absolute())
        yield [links.get(id(run), run.folder) for run in runs]


def points_of(folder: Path) -> list[Point]:
    """The points of a sweep; nothing if the folder has no table of points."""
    file = folder / "points.parquet"
    if not file.exists():
        return []
    import polars as pl

    table = pl.read_parquet(file)
    varied = table.columns[table.columns.index("variant") + 1 : table.columns.index("seed")]
    # Values of ranges have a second column as numbers.
    paths = [path for path in varied if table[path].dtype == pl.String]
    table = table.unique(["scenario", "variant", "seed"], keep="first", maintain_order=True)
    words = {path: _words_for(table[path]) for path in paths}
    several = {column for column in ("scenario", "seed") if table[column].n_unique() > 1}
    found: list[Point] = []
    for row in table.iter_rows(named=True):
        parts = [words[path][row[path]] for path in paths]
        variant = ", ".join([row["scenario"], *parts] if "scenario" in several or not parts else parts)
        name = f"{variant}, seed {row['seed']}" if "seed" in several else variant
        values = {path: row[path] for path in paths}
        kept = folder / row["folder"] if row["folder"] is not None else None
        found.append(Point(name, variant, values, kept, row))
    return found if len({point.name for point in found}) == len(found) else []


def _words_for(values: polars.Series) -> dict[str, str]:
    """A short word for each value of a varied setting: a plug-in by its name, where that is enough."""
    path = values.name
    texts = [text for text in values.unique(maintain_order=True).to_list() if text is not None]
    short = {text: _plugin_or_text(text) for text in texts}
    if len(set(short.values())) < len(short):
        short = {text: text.replace('"', "").removeprefix("{").removesuffix("}") for text in texts}
    key = path.rpartition(".")[2]
    return {text: word if path == "balance" else f"{key}={word}" for text, word in short.items()}


def _plugin_or_text(text: str) -> str:
    found = _PLUGIN.match(text)
    return found.group(1) if found else text

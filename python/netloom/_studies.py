"""Several runs: open, compare, sweep, report, figures; papers; imports."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from netloom import _native
from netloom._cluster import ClientLike, executor_of
from netloom._errors import InvalidInput, NotFound, ScenarioWarning
from netloom._folders import TemporaryFolder, absolute, copied
from netloom._names import Point, distinct_names, named_folders, points_of
from netloom._pages import report_frame
from netloom._plots import Plots
from netloom._progress import ProgressLike, reporter
from netloom._results import PathLikeStr, Run, command_words, raise_stopped
from netloom._run_tables import TABLES, RunTables
from netloom._scenarios import Changes, ScenarioLike, changes_of, seeds_of, source_of, value_text
from netloom._targets import below, copy_of_target, is_url
from netloom.scenario import Scenario

if TYPE_CHECKING:
    import polars

__all__ = [
    "Comparison",
    "Reproduction",
    "Study",
    "compare",
    "figures",
    "import_",
    "open",
    "report",
    "reproduce",
    "sweep",
]

Seeds: TypeAlias = "int | range | str | None"
"""Seeds: ``N`` for 1 to N, a range, or ``"A..B"`` for A to B."""

RunLike: TypeAlias = "Run | Study | str | PathLike[str]"
"""A run, several runs, or the path of a folder of one or several."""

RunsLike: TypeAlias = "RunLike | Sequence[RunLike]"
"""The same, or a list of them."""


def open(folder: PathLikeStr) -> Run | Study:
    """Open the folder of a run, or of a sweep or a set of measured runs, without running anything.

    The folder may be a URL such as ``"s3://bucket/study"``: it is copied to a temporary folder.

    Raises ``NotFound`` or ``InvalidInput`` if it is none, or incomplete.
    """
    if is_url(folder):
        return _open_copy(fspath(folder))
    path = absolute(folder)
    if not path.exists():
        raise NotFound(f"there is no such file or folder: {path}")
    if [found for _, found in _native.runs_in(path)] == [path]:
        return Run(path)
    return Study(_runs_in(path), folder=path)


def _open_copy(url: str) -> Run | Study:
    home = copy_of_target(url)
    if [found for _, found in _native.runs_in(home.path)] == [home.path]:
        return Run(home.path, home=home)
    return Study(_runs_in(home.path, home), folder=home.path, home=home, url=url)


def _runs_in(folder: Path, home: TemporaryFolder | None = None) -> list[Run]:
    points = {point.folder: point for point in points_of(folder)}
    return [
        Run(found, home=home, name=points[found].name if found in points else name)
        for name, found in _native.runs_in(folder)
    ]


class Study(RunTables):
    """Several runs, for example those of a sweep.

    Tables are attributes, as those of a run: ``study.steps`` has the rows of all runs, with the column ``run`` for the
    name of each. ``study["spray"]`` is one run; ``study.points`` has a row for each run with the values that a sweep
    has varied, for a join on ``run``.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        *,
        folder: Path | None = None,
        report: dict[str, Any] | None = None,
        home: TemporaryFolder | None = None,
        url: str | None = None,
    ) -> None:
        self.runs = list(runs)
        """The runs whose folders are here, in order; ``netloom.open`` copies those of a sweep that is kept at a URL."""
        self.folder = folder
        """The folder of all of them; ``None`` for runs from several folders; of a sweep at a URL, that of the copy."""
        self.url = url
        """The URL of a sweep that is kept at one."""
        self.results = report
        """Of a sweep that was just made: means over seeds and paired differences of each variant."""
        self._home = home
        self._frames: dict[str, polars.DataFrame] = {}
        self._points = [] if folder is None else points_of(folder)
        self._names = distinct_names(self.runs)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.url is not None:
            return (open, (self.url,))
        if self._home is not None:
            raise pickle.PicklingError(
                "a sweep in a temporary folder cannot be passed to another process: make it with `folder`"
            )
        return (Study, (self.runs,)) if self.folder is None else (open, (self.folder,))

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def __getitem__(self, name: str | int) -> Run:
        if isinstance(name, int):
            return self.runs[name]
        if name not in self._names:
            raise KeyError(f"there is no run {name!r}; there are {'; '.join(self._names)}")
        return self.runs[self._names.index(name)]

    @cached_property
    def points(self) -> polars.DataFrame:
        """A row for each point of a sweep, or for each run: seed, status, and mean step times.

        Of a sweep, ``variant`` has the varied values in short, and a column for each path the values as texts; a point
        that failed has the status ``failed`` and a ``reason``. ``folder`` is the path or the URL of its run folder, and
        null if none was kept.
        """
        import polars as pl

        if self._points:
            rows = [{**_point_row(point), "folder": self._run_folder(point)} for point in self._points]
        else:
            rows = [{"run": name, **_point(run)} for name, run in zip(self._names, self.runs, strict=True)]
        return pl.DataFrame(rows, infer_schema_length=None, schema_overrides=dict.fromkeys(_NUMBERS, pl.Float64))

    def _run_folder(self, point: Point) -> str | None:
        """The path of the run folder of a point, or its URL; ``None`` if none was kept."""
        if point.folder is None:
            return None
        if self.url is None or self.folder is None:
            return str(point.folder)
        return below(self.url, point.folder.relative_to(self.folder))

    @property
    def _is_elsewhere(self) -> bool:
        """Whether the run folders are at the URL only."""
        return self.url is not None and not self.runs and any(point.folder is not None for point in self._points)

    @property
    def thresholds(self) -> list[dict[str, Any]]:
        """Of a sweep with ``bisect``: what was found for each combination of the listed values.

        ``estimate``, ``bracket`` and ``interval`` are values of the path as texts; ``estimate_number`` and
        ``interval_numbers`` are numbers of ``unit``; ``tried`` has the relative differences of all values that were
        run.
        """
        found: list[dict[str, Any]] = (self.results or self._stored_results()).get("thresholds", [])
        return found

    def _stored_results(self) -> dict[str, Any]:
        """What the folder of the sweep says about it; empty if that is of another sweep in the same folder."""
        if self.folder is None:
            return {}
        files = [self.folder / "sweep.json", self.folder / "study.json"]
        if not all(file.exists() for file in files):
            return {}
        plan, study = (json.loads(file.read_bytes()) for file in files)
        return study if plan["digest"] == study["digest"] else {}

    def compare(self, *, baseline: str | None = None, over: str = "jobs") -> Comparison:
        """Which variant is better, by how much, how sure that is, and why."""
        return compare(self, baseline=baseline, over=over)

    @cached_property
    def plot(self) -> Plots:
        """Figures about all runs on matplotlib; the runs of a variant of a sweep have one colour."""
        variants = {point.name: point.variant for point in self._points}
        return Plots(self._named_folders, names=self._names_by_command(), variants=variants)

    def report(
        self, file: PathLikeStr, *, over: str = "jobs", baseline: str | None = None, replace: bool = False
    ) -> Path:
        """Write the report about all runs: one page of HTML that needs no network. Returns its path."""
        return report(self, file=file, over=over, baseline=baseline, replace=replace)

    def save(self, folder: PathLikeStr, *, replace: bool = False) -> Study:
        """Copy the folder of a sweep, for example from the temporary one of ``netloom.sweep``; returns the copy."""
        if self.folder is None:
            raise InvalidInput("these runs have no common folder: save each of them")
        # That of this machine has no run folders if they are elsewhere.
        home = copy_of_target(self.url) if self.url is not None and self._is_elsewhere else None
        path = copied(self.folder if home is None else home.path, absolute(folder), replace)
        return Study(_runs_in(path), folder=path, report=self.results)

    def show_report(self, height: int = 800) -> Any:
        """The report in a frame of a notebook, ``height`` pixels high."""
        with self._named_folders() as folders:
            return report_frame(folders, height)

    @contextmanager
    def _named_folders(self) -> Iterator[list[Path]]:
        if self.folder is not None:
            yield [self.folder]
        else:
            with named_folders(self.runs) as folders:
                yield folders

    def _names_by_command(self) -> dict[str, str]:
        """The names of the points of a sweep by those that the command gives them."""
        if not self._points or self.folder is None:
            return {}
        named = _native.runs_in(self.folder)
        points = {point.folder: point for point in self._points}
        return {name: points[found].name for name, found in named if found in points}

    def _frame(self, table: str) -> polars.DataFrame:
        if self._is_elsewhere:
            raise InvalidInput(f"the run folders are not here: `netloom.open({self.url!r})` copies them")
        if not self.runs:
            raise InvalidInput(f"there are no run folders, so there is no table {table!r}: `points` has the figures")
        if table not in self._frames:
            import polars as pl

            named = zip(self._names, self.runs, strict=True)
            frames = [_with_run(name, getattr(run, table)) for name, run in named]
            self._frames[table] = pl.concat(frames, how="vertical_relaxed", rechunk=False)
        return self._frames[table]

    def __repr__(self) -> str:
        if not self.runs and self._points:
            n_failed = sum(point.row["outcome"] == "failed" for point in self._points)
            place = f"with run folders at {self.url}" if self._is_elsewhere else "without run folders"
            return f"Study of {len(self._points)} points {place}, {n_failed} failed"
        named = zip(self._names[:_MOST_NAMED], self.runs[:_MOST_NAMED], strict=True)
        names = [f"  {name}: {run.status}" for name, run in named]
        more = [f"  and {len(self.runs) - _MOST_NAMED} more"] if len(self.runs) > _MOST_NAMED else []
        return "\n".join([f"Study of {len(self.runs)} runs", *names, *more])

    def __dir__(self) -> Sequence[str]:
        return sorted({*super().__dir__(), *TABLES})


_MOST_NAMED = 20

_NUMBERS = ("step_mean_s", "step_p99_s", "job_time_s", "fct_mean_s", "fct_p99_s")
"""Columns of points that are numbers even where no run has one."""


def _with_run(name: str, frame: polars.DataFrame) -> polars.DataFrame:
    import polars as pl

    texts = [column for column, kind in frame.schema.items() if isinstance(kind, (pl.Categorical, pl.Enum))]
    return frame.select(
        pl.lit(name).alias("run"),
        *(pl.col(column).cast(pl.String) if column in texts else pl.col(column) for column in frame.columns),
    )


def _point_row(point: Point) -> dict[str, Any]:
    row = point.row
    return {
        "run": point.name,
        "variant": point.variant,
        **point.values,
        "seed": row["seed"],
        "status": row["outcome"],
        "reason": row["reason"],
        **{name: row[name.removesuffix("_s")] for name in _NUMBERS},
        "dropped_packets": row["dropped"],
        "digest": row["digest"],
    }


def _point(run: Run) -> dict[str, Any]:
    jobs = run.summary["jobs"]
    step = jobs[0].get("step") if jobs else None
    background = run.summary.get("background") or {}
    fct = background.get("fct") or {}
    return {
        "seed": run.seed,
        "status": run.status,
        "reason": None,
        "step_mean_s": None if step is None else step["mean_s"],
        "step_p99_s": None if step is None else step["p99_s"],
        "job_time_s": jobs[0]["time_s"] if jobs else None,
        "fct_mean_s": fct.get("mean_s"),
        "fct_p99_s": fct.get("p99_s"),
        "dropped_packets": run.summary["drops"]["packets"],
        "digest": run.digest,
        "folder": str(run.folder),
    }


def sweep(
    scenarios: ScenarioLike | Sequence[ScenarioLike],
    folder: PathLikeStr | None = None,
    *,
    vary: Mapping[str, Sequence[Any] | str] | None = None,
    sample: int | None = None,
    design: str = "latin-hypercube",
    design_seed: int = 1,
    bisect: float | str | None = None,
    set: Changes = None,
    seeds: Seeds = None,
    until_ci: float | str | None = None,
    baseline: str | None = None,
    threads: int | None = None,
    client: ClientLike | None = None,
    keep: str = "folders",
    point_limit: str | None = None,
    memory_limit: str | None = None,
    over: str = "jobs",
    force: bool = False,
    progress: ProgressLike = None,
) -> Study:
    """Run scenarios in all combinations of varied values, each with the same seeds.

    ``vary`` has the values of each path, ``{"balance": ["ecmp", "spray"]}``, or a range, ``{"jobs.0.start":
    "0us..10us"}`` or ``"1KiB..1GiB log"``. With ``sample`` that number of values within the ranges is run, chosen by
    ``design``, ``"latin-hypercube"`` or ``"random"``, with every combination of listed values. With ``bisect``, a share
    such as 0.05, the value is searched from which on steps take longer by this share than at the beginning of the range
    (``Study.thresholds``).

    With ``until_ci``, a share such as 0.02, seeds are added until half the width of the 95 % confidence interval of
    each mean step time is at most that share of the mean.

    ``folder`` receives a run folder for each point; points that are complete there are not run again, so a sweep that
    was stopped continues. Without one the runs are kept in a temporary folder for as long as the result exists
    (``Study.save`` keeps them). ``threads`` is the number of runs at a time.

    With ``client``, a client of Dask, a cluster, or the address of a scheduler, the points are computed there. Then
    ``folder`` must be one that the workers reach under the same path, or a URL such as ``"s3://bucket/study"``.

    ``keep="summary"`` keeps a row in the table of points and the digest of each point, and no run folder.
    ``point_limit``, such as ``"10min"``, is the most wall time of a point. A point that takes longer, or fails for
    another reason of its own, has a row with its ``reason`` in ``Study.points``, and the same call runs it again.
    ``memory_limit`` is that of ``netloom.run``, for points that are computed here.

    Raises ``ScenarioError`` for mistakes in any combination, before the first run; ``StoppedEarly`` if no more points
    can be computed, for example on a full disk; and ``Interrupted`` after Ctrl-C.
    """
    return sweep_with(
        None,
        scenarios,
        folder,
        vary=vary,
        sample=sample,
        design=design,
        design_seed=design_seed,
        bisect=bisect,
        set=set,
        seeds=seeds,
        until_ci=until_ci,
        baseline=baseline,
        threads=threads,
        client=client,
        keep=keep,
        point_limit=point_limit,
        memory_limit=memory_limit,
        over=over,
        force=force,
        progress=progress,
    )


def sweep_with(
    strategy: _native._Strategy | None,
    scenarios: ScenarioLike | Sequence[ScenarioLike],
    folder: PathLikeStr | None = None,
    *,
    vary: Mapping[str, Sequence[Any] | str] | None = None,
    sample: int | None = None,
    design: str = "latin-hypercube",
    design_seed: int = 1,
    bisect: float | str | None = None,
    set: Changes = None,
    seeds: Seeds = None,
    until_ci: float | str | None = None,
    baseline: str | None = None,
    threads: int | None = None,
    client: ClientLike | None = None,
    keep: str = "folders",
    point_limit: str | None = None,
    memory_limit: str | None = None,
    over: str = "jobs",
    force: bool = False,
    progress: ProgressLike = None,
) -> Study:
    """Run a sweep, whose values are chosen by a strategy if there is one; see ``sweep``."""
    several = [scenarios] if isinstance(scenarios, (str, PathLike, Scenario, Mapping)) else scenarios
    sources = [source_of(one) for one in several]
    varied = [_variation(path, values) for path, values in (vary or {}).items()]
    home = TemporaryFolder() if folder is None or is_url(folder) else None
    path = home.path / "sweep" if home is not None else absolute(folder or "")
    target = fspath(folder) if folder is not None and is_url(folder) else None
    with reporter(progress, "sweeping") as report_progress, executor_of(client, path, target, keep) as executor:
        text, found, stopped = _native.sweep(
            sources,
            path,
            changes_of(set),
            varied,
            None if sample is None else (sample, design, design_seed),
            percent_of(bisect),
            strategy,
            seeds_of(seeds),
            percent_of(until_ci),
            keep,
            point_limit,
            memory_limit,
            executor,
            force,
            threads,
            baseline,
            over,
            command_words("sweep"),
            report_progress,
        )
    for warning in found:
        warnings.warn(warning, ScenarioWarning, stacklevel=2)
    made = json.loads(text)
    if target is not None:
        made["folder"] = target
    study = Study(_runs_in(path, home), folder=path, report=made, home=home, url=target)
    hint = "the same call continues it" if home is None or target is not None else "what has finished is in `result`"
    raise_stopped(stopped, study, f"the sweep was interrupted; {hint}")
    return study


def percent_of(share: float | str | None) -> str | None:
    """A share in the form of the command."""
    return share if share is None or isinstance(share, str) else f"{share * 100:g}%"


def _variation(path: str, values: Sequence[Any] | str) -> str:
    """Values of a path in the form of ``--vary``."""
    if isinstance(values, str) and ".." in values:
        return f"{path}={values}"
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__iter__"):
        raise TypeError(f"`vary` has a list of values for each path; for {path!r} it is {values!r}")
    texts = [value_text(value) for value in values]
    if not texts:
        raise InvalidInput(f"`vary` has no values for {path!r}")
    return f"{path}={','.join(texts)}"


def _flat(runs: Sequence[RunsLike]) -> Iterator[RunLike]:
    for one in runs:
        if isinstance(one, (Run, Study, str, PathLike)):
            yield one
        else:
            yield from one


@contextmanager
def _folders_of(runs: Sequence[RunsLike]) -> Iterator[list[Path]]:
    """The folders of runs, named as the runs are."""
    single: list[Run | Path] = []
    for one in _flat(runs):
        if isinstance(one, Study) and one.folder is None:
            single.extend(one.runs)
        elif isinstance(one, Study):
            single.append(Path(fspath(one.folder or "")))
        elif isinstance(one, Run):
            single.append(one)
        elif is_url(one):
            raise InvalidInput(f"open a folder at a URL first: `netloom.open({fspath(one)!r})`")
        else:
            single.append(Path(fspath(one)))
    with named_folders([one for one in single if isinstance(one, Run)]) as named:
        left = iter(named)
        yield [next(left) if isinstance(one, Run) else one for one in single]


@dataclass(frozen=True)
class Comparison:
    """Runs side by side: which variant is better, by how much, how sure that is, and why."""

    answer: list[str]
    """Sentences that say which variant is better; a reason follows its sentence, indented."""
    baseline: str
    """The run or variant that others are compared with."""
    data: dict[str, Any]
    """All of it, as ``netloom compare --json`` prints it."""

    @property
    def frame(self) -> polars.DataFrame:
        """A row for each run, or for each of its jobs; the unit is at the end of a column's name."""
        import polars as pl

        rows = [
            {"run": row["run"], "seed": row["seed"], "status": row["status"], "job": row["job"], **row["values"]}
            for row in self.data["rows"]
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def __str__(self) -> str:
        return "\n".join(self.answer) or f"nothing to compare with {self.baseline}"

    def __repr__(self) -> str:
        return str(self)


def compare(*runs: RunsLike, baseline: str | None = None, over: str = "jobs") -> Comparison:
    """Compare runs, or all runs of sweeps: which variant is better, by how much, and how sure that is.

    ``baseline`` is the name of a variant; by default that of the sweep, or the first.
    """
    with _folders_of(runs) as folders:
        text, sentences = _native.compare(folders, over, baseline)
    data = json.loads(text)
    names = runs[0]._names_by_command() if len(runs) == 1 and isinstance(runs[0], Study) else {}
    for row in data["rows"]:
        row["run"] = names.get(row["run"], row["run"])
    answer = [f"  {sentence}" if is_reason else sentence for is_reason, sentence in sentences]
    return Comparison(answer, data["baseline"], data)


def report(
    *runs: RunsLike, file: PathLikeStr, over: str = "jobs", baseline: str | None = None, replace: bool = False
) -> Path:
    """Write the report about runs: one page of HTML that needs no network. Returns its path."""
    with _folders_of(runs) as folders:
        _native.report(folders, Path(file), over, baseline, replace)
    return Path(file)


def figures(
    *runs: RunsLike,
    folder: PathLikeStr,
    format: str = "pdf",
    width_mm: float = 84.6,
    dots_per_inch: int | None = None,
    over: str = "jobs",
    replace: bool = False,
) -> list[Path]:
    """Write figures for papers, each with its data in a file beside it, as ``netloom figures`` does.

    ``format`` is ``"pdf"``, ``"svg"`` or ``"png"``, the latter with ``dots_per_inch``. Returns the paths of the
    pictures.
    """
    with _folders_of(runs) as folders:
        made, _ = _native.figures(folders, Path(folder), format, dots_per_inch, width_mm, over, replace)
    return [picture for picture, _ in made]


@dataclass(frozen=True)
class Reproduction:
    """The verdicts on a paper's claims."""

    text: str
    """Claim, expected, measured and verdict, as ``netloom reproduce`` prints them."""
    tally: dict[str, int]
    """Number of claims by verdict."""
    is_as_recorded: bool
    """Whether every verdict is the one recorded with the paper, and every invariant holds."""
    differences: str
    """Verdicts that differ from the recorded ones."""
    claims: polars.DataFrame
    """A row for each claim."""

    def __repr__(self) -> str:
        return self.text


def reproduce(
    paper: str,
    folder: PathLikeStr | None = None,
    *,
    seeds: Seeds = None,
    check: bool = False,
    full: bool = False,
    only: Sequence[str] = (),
    threads: int | None = None,
    progress: ProgressLike = None,
) -> Reproduction:
    """Run the scenarios of a paper and evaluate its claims.

    With ``check`` more seeds are run. ``folder`` receives the tables; runs that have finished are kept there until all
    have, so the same call continues after an interruption.
    """
    import polars as pl

    with tempfile.TemporaryDirectory(prefix="netloom-") as home:
        path = Path(home) / "report" if folder is None else Path(folder)
        with reporter(progress, f"reproducing {paper}") as report_progress:
            (text, counts, differences), stopped = _native.reproduce(
                paper, path, seeds_of(seeds), check, full, list(only), threads, report_progress
            )
        if stopped is not None:
            raise stopped
        claims = pl.read_csv(path / "claims.csv", infer_schema_length=None)
    data = json.loads(counts)
    return Reproduction(text, data["tally"], data["is_as_recorded"], differences, claims)


def import_(format: str, *files: PathLikeStr, folder: PathLikeStr, options: Sequence[str] = ()) -> Run | Study:
    """Import measured results of ``"osu"``, ``"nccl-tests"`` or ``"crab"``, for comparison with simulated runs.

    ``options`` are those of ``netloom import FORMAT --help``. Returns the measured runs.
    """
    words = ["import", format, *(fspath(file) for file in files), "-o", fspath(folder), *options]
    done = subprocess.run([sys.executable, "-m", "netloom", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InvalidInput((done.stderr or done.stdout).strip())
    return open(folder)

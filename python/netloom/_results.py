"""Single scenarios and runs: check, run, open, and what a run recorded."""

from __future__ import annotations

import json
import pickle
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netloom import _native
from netloom._balance import BalancerFactory, changed, checked
from netloom._errors import Interrupted, ScenarioWarning
from netloom._explanation import Explanation, explain
from netloom._folders import TemporaryFolder, absolute, copied
from netloom._names import named_folders, policy_of
from netloom._operations import RankFunction, RankPrograms
from netloom._pages import duration_text, report_frame, run_as_html
from netloom._plots import Plots
from netloom._progress import ProgressLike, reporter
from netloom._run_tables import TABLES, RunTables
from netloom._scenarios import Changes, ScenarioLike, changes_of, source_of
from netloom._tables import Table

if TYPE_CHECKING:
    import polars

__all__ = ["Check", "Run", "check", "run"]

_WITH_POLICY = ("flows", "collectives", "steps", "jobs")
"""Tables whose frames have a column for the load balancing of the run."""

PathLikeStr = str | PathLike[str]
"""A path."""


@dataclass(frozen=True)
class Check:
    """A scenario without mistakes: its size, its estimated cost, and what it resolves to."""

    name: str
    """Its name."""
    hosts: int
    """Number of hosts."""
    switches: int
    """Number of switches."""
    links: int
    """Number of links."""
    jobs: int
    """Number of jobs."""
    cost: dict[str, Any]
    """Estimated messages, packets, packet-hops, memory in bytes and seconds of a run, and why these may differ."""
    warnings: list[str]
    """Settings without effect."""
    assumptions: list[str]
    """Modelling assumptions, in whole sentences."""
    yaml: str
    """The scenario with all inherited and default values written out."""

    def __repr__(self) -> str:
        size = f"{self.hosts} hosts, {self.switches} switches, {self.links} links, {self.jobs} jobs"
        hops, seconds = self.cost["packet_hops"], self.cost["seconds"]
        return f"Check({self.name!r}: {size}; about {hops:.3g} packet-hops, {seconds:.3g} s)"


def check(scenario: ScenarioLike, *, set: Changes = None, seed: int | None = None) -> Check:
    """Check a scenario without running it.

    Raises ``ScenarioError`` with all its mistakes, each with line, column and hint.
    """
    found = json.loads(_native.check(source_of(scenario), changes_of(set), seed))
    return Check(**found)


def run(
    scenario: ScenarioLike,
    folder: PathLikeStr | None = None,
    *,
    set: Changes = None,
    seed: int | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    over: str = "jobs",
    replace: bool = False,
    progress: ProgressLike = None,
    operations: Mapping[str, RankFunction] | None = None,
    balance: BalancerFactory | None = None,
) -> Run:
    """Simulate a scenario.

    ``folder`` receives the records; without one they are kept in a temporary folder for as long as the result exists
    (``Run.save`` keeps them). ``set`` changes values by their paths: ``{"balance": "spray"}``. No result depends on
    ``threads``. ``over`` is the part of the run that statistics cover: ``"jobs"``, ``"all"``, or an interval such as
    ``"1ms..5ms"``. A run that is expected to need more than ``memory_limit``, such as ``"16GiB"``, by default the
    memory of this machine, is refused. While netloom simulates, other Python threads run.

    ``operations`` has a generator function for each job with phases of kind ``program``: it is called with a ``Rank``
    and yields the operations of that rank in one such phase of one step. ``balance`` is a class, or a function, that
    makes a ``Balancer`` of each switch, which chooses the port of each packet that has a choice. What they raise ends
    the run.

    Raises ``ScenarioError`` for mistakes in the scenario, ``Occupied`` if the folder holds a complete run and
    ``replace`` is not set, and ``Interrupted`` after Ctrl-C, with what was recorded until then. A run that ends at its
    deadline, or stalls, is a result: see ``Run.status``.
    """
    home = TemporaryFolder() if folder is None else None
    path = home.path / "run" if home is not None else absolute(folder or "")
    source = source_of(scenario)
    changes = changes_of(set)
    programs = None
    if balance is not None:
        checked(balance, threads)
        changes, threads = changed(changes), 1
    if operations is not None or balance is not None:
        programs = RankPrograms({} if operations is None else operations, balance).native()
    with reporter(progress, "simulating") as report:
        text, stopped = _native.run(
            source,
            changes,
            seed,
            path,
            replace,
            threads,
            memory_limit,
            over,
            command_words("run"),
            report,
            programs,
        )
    made = json.loads(text)
    for warning in made["warnings"]:
        warnings.warn(warning, ScenarioWarning, stacklevel=2)
    result = Run(path, home=home, name=made["name"], summary=made["summary"])
    raise_stopped(stopped, result, "the run was interrupted; what was recorded until then is in `result`")
    return result


def command_words(verb: str) -> list[str]:
    """The command line for the manifest: the call from Python."""
    return ["python", *sys.argv[:1], f"netloom.{verb}"]


def raise_stopped(stopped: BaseException | None, result: Any, text: str) -> None:
    """Raise what stopped the work: Ctrl-C with the result, anything else as it is."""
    if isinstance(stopped, KeyboardInterrupt):
        raise Interrupted(text, result) from None
    if stopped is not None:
        raise stopped


class StoredTables(RunTables):
    """The tables of a run as they are stored: ids instead of names, times in picoseconds, sizes in bytes."""

    def __init__(self, folder: Path, home: TemporaryFolder | None = None) -> None:
        self._folder = folder
        # Tables can be read as long as this object exists.
        self._home = home
        self._frames: dict[str, polars.DataFrame] = {}

    def table(self, name: str) -> Table:
        """A table of this name, for any library that knows Arrow."""
        return Table(_native.stored_table(self._folder, name))

    def _frame(self, table: str) -> polars.DataFrame:
        if table not in self._frames:
            self._frames[table] = self.table(table).to_polars()
        return self._frames[table]

    def __repr__(self) -> str:
        return f"StoredTables({', '.join(TABLES)})"


class Run(RunTables):
    """A run: its tables as frames, its figures, its report.

    Tables are attributes: ``run.flows``, ``run.steps``, ``run.ports`` and so on (``dir(run)`` lists them). In these,
    hosts, links, ports and jobs have their names, times are in microseconds, rates in Gbps, sizes in bytes: the unit is
    at the end of a column's name. ``run.raw.flows`` is the table as it is stored.
    """

    def __init__(
        self,
        folder: PathLikeStr,
        *,
        home: TemporaryFolder | None = None,
        name: str | None = None,
        summary: dict[str, Any] | None = None,
    ) -> None:
        self.folder = absolute(folder)
        """The run folder."""
        self._home = home
        self.manifest: dict[str, Any] = json.loads(_native.manifest(self.folder))
        """The manifest: resolved scenario, seed, digest, outcome, modelling assumptions."""
        self.name = name or str(self.manifest["scenario"].get("name") or self.folder.name)
        """The name of the scenario."""
        self._summary = summary
        self._frames: dict[str, polars.DataFrame] = {}
        self.raw = StoredTables(self.folder, home)
        """The tables as they are stored."""

    @property
    def status(self) -> str:
        """How it ended: ``complete``, ``stopped``, ``deadline``, ``stalled``, ``deadlock`` or ``unreachable``."""
        return str(self.manifest["outcome"]["status"])

    @property
    def is_complete(self) -> bool:
        """Whether all work was done."""
        return self.status == "complete"

    @property
    def details(self) -> list[str]:
        """Why it ended before its work was done: who waits for what."""
        return list(self.manifest["outcome"]["details"])

    @property
    def seed(self) -> int | None:
        """The seed; ``None`` for a measured run."""
        seed: int | None = self.manifest["seed"]
        return seed

    @property
    def digest(self) -> str:
        """The digest over all its records: equal for equal scenarios and seeds."""
        return str(self.manifest["digest"])

    @property
    def scenario(self) -> dict[str, Any]:
        """The resolved scenario: all inherited and default values written out."""
        return dict(self.manifest["scenario"])

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Its figures: jobs, background messages, queues, links, losses. Times are in seconds (``_s``)."""
        return self._summary if self._summary is not None else self.summary_over("jobs")

    def summary_over(self, over: str) -> dict[str, Any]:
        """Its figures over ``"jobs"``, ``"all"``, or an interval such as ``"1ms..5ms"``."""
        return dict(json.loads(_native.summary(self.folder, over)))

    def table(self, name: str) -> Table:
        """A table of this name, with names and units, for any library that knows Arrow."""
        return Table(_native.named_table(self.folder, name))

    def _frame(self, table: str) -> polars.DataFrame:
        if table not in self._frames:
            frame = self.table(table).to_polars()
            self._frames[table] = self._with_policy(frame) if table in _WITH_POLICY else frame
        return self._frames[table]

    def _with_policy(self, frame: polars.DataFrame) -> polars.DataFrame:
        """The frame with the load balancing of switches, so that frames of several runs can be put together."""
        import polars as pl

        policy = policy_of(self.scenario)
        return frame.with_columns(balance=pl.lit(policy, dtype=pl.String).cast(pl.Categorical))

    @cached_property
    def nodes(self) -> polars.DataFrame:
        """Hosts and switches: name, kind, number of ports, the sum of their rates in Gbps."""
        import polars as pl

        ports = self.raw.ports
        nodes = ports.group_by("node", maintain_order=True).agg(
            name=pl.col("node_name").first(),
            ports=pl.len(),
            rate_gbps=pl.col("rate").sum() / 1e9,
        )
        n_hosts = int(self.manifest["engine"].get("hosts", 0))
        is_host = pl.col("node") < n_hosts
        kind = pl.when(is_host).then(pl.lit("host")).otherwise(pl.lit("switch"))
        return nodes.sort("node").select("name", kind.alias("kind"), "ports", "rate_gbps")

    @cached_property
    def links(self) -> polars.DataFrame:
        """Links: name, the nodes at both ends, the rate of each direction in Gbps."""
        import polars as pl

        ports = self.raw.ports
        one = ports.unique("link", keep="first", maintain_order=True)
        return one.sort("link").select(
            name=pl.col("link_name"),
            from_node=pl.col("node_name"),
            to_node=pl.col("peer_name"),
            rate_gbps=pl.col("rate") / 1e9,
        )

    @property
    def is_temporary(self) -> bool:
        """Whether its folder is removed with this object."""
        return self._home is not None

    def explain(
        self, step: int | str = "worst", *, job: str | None = None, threads: int = 1, progress: ProgressLike = None
    ) -> Explanation:
        """Why a step took as long as it did: causes, the chain of messages, and who was ahead of them in queues.

        ``step`` is a number, ``"worst"``, ``"median"`` or ``"typical"``; ``job`` the name of a job, by default the
        first. The scenario is run again up to the end of the step to see who was ahead.
        """
        found, stopped = explain(self.folder, step, job, threads, progress)
        if stopped is not None:
            raise stopped
        return found

    @cached_property
    def plot(self) -> Plots:
        """Figures on matplotlib, from the same data as those of ``netloom figures``."""
        return Plots(lambda: named_folders([self]))

    def report(self, file: PathLikeStr, *, over: str = "jobs", replace: bool = False) -> Path:
        """Write the report: one page of HTML that needs no network. Returns its path."""
        with named_folders([self]) as folders:
            _native.report(folders, Path(file), over, None, replace)
        return Path(file)

    def show_report(self, height: int = 800) -> Any:
        """The report in a frame of a notebook, ``height`` pixels high."""
        with named_folders([self]) as folders:
            return report_frame(folders, height)

    def verify(self) -> Run:
        """Check that its tables are those that the manifest states; raises ``InvalidInput`` with all differences."""
        _native.verify(self.folder)
        return self

    def save(self, folder: PathLikeStr, *, replace: bool = False) -> Run:
        """Copy the run folder, for example from the temporary folder of ``netloom.run``; returns the copy.

        ``replace`` replaces another run; a folder with other files is never touched.
        """
        return Run(copied(self.folder, absolute(folder), replace))

    def __reduce__(self) -> tuple[Any, ...]:
        if self._home is not None:
            raise pickle.PicklingError(
                "a run in a temporary folder cannot be passed to another process: use `folder`, or pass its frames"
            )
        return (_opened, (self.folder, self.name))

    def __copy__(self) -> Run:
        return self

    def __deepcopy__(self, _: Any) -> Run:
        return self

    def __repr__(self) -> str:
        jobs = [_job_line(job) for job in self.summary["jobs"]]
        return "\n".join([f"Run({self.name!r}, seed {self.seed}): {self.status}", *self.details, *jobs])

    def _repr_html_(self) -> str:
        return run_as_html(self)

    def __dir__(self) -> Sequence[str]:
        return sorted({*super().__dir__(), *TABLES})


def _opened(folder: Path, name: str) -> Run:
    return Run(folder, name=name)


def _job_line(job: dict[str, Any]) -> str:
    step = job.get("step")
    time = "" if job["time_s"] is None else f", {duration_text(job['time_s'])}"
    mean = "" if step is None else f", step mean {duration_text(step['mean_s'])}, p99 {duration_text(step['p99_s'])}"
    return f"  job {job['name']}: {job['steps']} steps{time}{mean}"

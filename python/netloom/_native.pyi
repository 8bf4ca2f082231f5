"""The native part of the package; its functions are for the package only."""

from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TypeAlias, final

_ScenarioSource: TypeAlias = tuple[str, str] | str | PathLike[str]
_Completed: TypeAlias = tuple[int, int, int, int, int, int]
_Executor: TypeAlias = tuple[Callable[[PointTasks], Iterator[tuple[int, str] | None]], bool]
_Pull: TypeAlias = Callable[[int, int, int, int, int], tuple[Sequence[tuple[int, ...]], bool]]
_Results: TypeAlias = list[tuple[int, int, str | None]]
_Strategy: TypeAlias = tuple[str, Callable[[_Results], list[list[str]]]]
_Report: TypeAlias = Callable[[float | None, str, int, float | None], object]

__all__ = [
    "BUILD",
    "VERSION",
    "ArrowTable",
    "Packet",
    "PointTasks",
    "Port",
    "Simulation",
    "Switch",
    "check",
    "command",
    "compare",
    "compute_point",
    "duration_of",
    "explain",
    "figures",
    "kept",
    "manifest",
    "named_table",
    "report",
    "reproduce",
    "run",
    "runs_in",
    "set_invocation",
    "size_of",
    "stored_table",
    "summary",
    "sweep",
    "value_at",
    "verify",
]

VERSION: str
BUILD: str

@final
class ArrowTable:
    @property
    def height(self) -> int: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def bytes(self) -> int: ...
    def meanings(self) -> list[tuple[str, str, str]]: ...
    def addresses(self) -> list[tuple[str, int, int]]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class PointTasks:
    def __len__(self) -> int: ...
    def text(self, index: int) -> str: ...
    def facts(self, index: int) -> tuple[str, Path, float, float]: ...

@final
class Packet:
    @property
    def flow(self) -> int: ...
    @property
    def sequence(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def traffic_class(self) -> int: ...
    @property
    def is_data(self) -> bool: ...
    @property
    def ingress(self) -> int: ...
    @property
    def source(self) -> int: ...
    @property
    def destination(self) -> int: ...
    @property
    def now(self) -> int: ...
    @property
    def random(self) -> int: ...

@final
class Port:
    @property
    def number(self) -> int: ...
    @property
    def queue_bytes(self) -> int: ...
    @property
    def queue_packets(self) -> int: ...
    @property
    def sent_bytes(self) -> int: ...
    @property
    def rate(self) -> int: ...

@final
class Switch:
    @property
    def number(self) -> int: ...
    @property
    def seed(self) -> int: ...
    @property
    def neighbours(self) -> list[int]: ...

@final
class Simulation:
    def __new__(
        cls,
        source: _ScenarioSource,
        set: list[tuple[str, str]],
        seed: int | None,
        folder: Path | None,
        replace: bool,
        threads: int | None,
        memory_limit: str | None,
        words: list[str],
    ) -> Simulation: ...
    def hosts(self) -> list[str]: ...
    def now(self) -> int: ...
    def lookahead(self) -> int: ...
    def in_flight(self) -> int: ...
    def outcome(self) -> str | None: ...
    def earliest_start(self, host: int | str) -> int: ...
    def send(self, source: int | str, destination: int | str, bytes: int, at: int | None) -> int: ...
    def run_until(self, instant: int) -> None: ...
    def run_until_completion(self) -> _Completed | None: ...
    def completed(self) -> list[_Completed]: ...
    def finish(self) -> tuple[str, list[_Completed], BaseException | None]: ...
    def close(self) -> None: ...

def set_invocation(program: str, before: list[str]) -> bool: ...
def command(words: list[str], executor: _Executor | None = None, folder: Path | None = None) -> int: ...
def kept(words: list[str]) -> str | None: ...
def check(source: _ScenarioSource, set: list[tuple[str, str]], seed: int | None) -> str: ...
def run(
    source: _ScenarioSource,
    set: list[tuple[str, str]],
    seed: int | None,
    folder: Path | None,
    replace: bool,
    threads: int | None,
    memory_limit: str | None,
    over: str,
    words: list[str],
    on_progress: _Report | None,
    programs: dict[str, object] | None = None,
) -> tuple[str, BaseException | None]: ...
def size_of(text: str) -> int: ...
def duration_of(text: str) -> int: ...
def manifest(folder: Path) -> str: ...
def summary(folder: Path, over: str) -> str: ...
def verify(folder: Path) -> None: ...
def explain(
    folder: Path, job: str | None, step: str, threads: int, on_progress: _Report | None
) -> tuple[str, BaseException | None]: ...
def runs_in(folder: Path) -> list[tuple[str, Path]]: ...
def stored_table(folder: Path, table: str) -> ArrowTable: ...
def named_table(folder: Path, table: str) -> ArrowTable: ...
def sweep(
    scenarios: list[_ScenarioSource],
    folder: Path,
    set: list[tuple[str, str]],
    vary: list[str],
    sample: tuple[int, str, int] | None,
    bisect: str | None,
    strategy: _Strategy | None,
    seeds: str | None,
    until_ci: str | None,
    keep: str,
    point_limit: str | None,
    memory_limit: str | None,
    executor: _Executor | None,
    force: bool,
    threads: int | None,
    baseline: str | None,
    over: str,
    words: list[str],
    on_progress: _Report | None,
) -> tuple[str, list[str], BaseException | None]: ...
def value_at(range: str, share: float) -> str: ...
def compute_point(task: str, root: Path | None = None) -> str: ...
def compare(folders: list[Path], over: str, baseline: str | None) -> tuple[str, list[tuple[bool, str]]]: ...
def report(folders: list[Path], file: Path, over: str, baseline: str | None, replace: bool) -> None: ...
def figures(
    folders: list[Path],
    output: Path,
    format: str,
    dots_per_inch: int | None,
    width_mm: float,
    over: str,
    replace: bool,
) -> tuple[list[tuple[Path, Path]], list[tuple[str, str]]]: ...
def reproduce(
    paper: str,
    folder: Path,
    seeds: str | None,
    check: bool,
    full: bool,
    only: list[str],
    threads: int | None,
    on_progress: _Report | None,
) -> tuple[tuple[str, str, str], BaseException | None]: ...

"""The best values of settings, searched by Optuna; the points are those of a sweep."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from netloom import _native
from netloom._cluster import ClientLike
from netloom._errors import InvalidInput
from netloom._progress import ProgressLike
from netloom._results import PathLikeStr
from netloom._scenarios import Changes, ScenarioLike, value_text
from netloom._studies import Seeds, Study, sweep_with

if TYPE_CHECKING:
    import optuna

__all__ = ["Optimization", "optimize"]

Objective: TypeAlias = "str | Callable[[dict[str, Any]], float]"
"""A figure of the first job, ``"step_mean"``, ``"step_p99"`` or ``"job_time"``; or a function of a run's summary."""

_OF_JOB: dict[str, Callable[[dict[str, Any]], float | None]] = {
    "step_mean": lambda job: (job["step"] or {}).get("mean_s"),
    "step_p99": lambda job: (job["step"] or {}).get("p99_s"),
    "job_time": lambda job: job["time_s"],
}


@dataclass(frozen=True)
class Optimization:
    """What a search found."""

    best: dict[str, str]
    """The values of the best trial, by path."""
    value: float
    """The objective there: the mean over seeds."""
    study: Study
    """All points that were run, as those of a sweep."""
    trials: optuna.Study
    """The study of Optuna, for its own figures and importances."""

    def __repr__(self) -> str:
        values = ", ".join(f"{path}={value}" for path, value in self.best.items())
        return f"{values}: {self.value:g} after {len(self.trials.trials)} trials"


def optimize(
    scenario: ScenarioLike,
    folder: PathLikeStr | None = None,
    *,
    space: Mapping[str, Sequence[Any] | str],
    objective: Objective = "step_mean",
    direction: Literal["minimize", "maximize"] = "minimize",
    trials: int = 50,
    batch: int = 4,
    sampler: optuna.samplers.BaseSampler | None = None,
    set: Changes = None,
    seeds: Seeds = None,
    threads: int | None = None,
    client: ClientLike | None = None,
    keep: str = "summary",
    point_limit: str | None = None,
    progress: ProgressLike = None,
) -> Optimization:
    """Search the values of paths of a scenario for which an objective is best.

    ``space`` has a range, such as ``"100KiB..1MiB"`` or ``"1us..1ms log"``, or a list of values for each path.
    ``batch`` trials are chosen at a time, by what is known by then, and run at once. The same call with the same folder
    continues: the sampler, by default ``TPESampler(seed=1)``, asks for the same values again, whose points are there.
    A trial whose points fail counts as failed. The other arguments are those of ``netloom.sweep``.
    """
    try:
        import optuna
    except ImportError:
        raise InvalidInput("a search needs Optuna: `pip install optuna`") from None
    if not space:
        raise InvalidInput("`space` has no path")
    if trials < 1 or batch < 1:
        raise InvalidInput("`trials` and `batch` are at least 1")
    with _quiet():
        chosen = sampler if sampler is not None else optuna.samplers.TPESampler(seed=1)
        study = optuna.create_study(sampler=chosen, direction=direction)
    search = _Search(study, dict(space), _objective_of(objective), trials, batch)
    name = f"optuna {optuna.__version__} {type(chosen).__name__}, {batch} at a time"
    points = sweep_with(
        (name, search.next_values),
        scenario,
        folder,
        vary=search.varied(),
        set=set,
        seeds=seeds,
        threads=threads,
        client=client,
        keep=keep,
        point_limit=point_limit,
        progress=progress,
    )
    if not study.best_trials:
        raise InvalidInput("no trial has a value: all of their points failed")
    best = study.best_trial
    return Optimization(search.values_of(best.params), float(best.value or 0.0), points, study)


def _objective_of(objective: Objective) -> Callable[[dict[str, Any]], float | None]:
    if callable(objective):
        return objective
    if objective not in _OF_JOB:
        expected = ", ".join(_OF_JOB)
        raise InvalidInput(f"invalid value {objective!r} for `objective`: expected a function, or one of {expected}")
    return lambda summary: _OF_JOB[objective](summary["jobs"][0])


class _Search:
    """Trials of Optuna as values of paths, and results as their objectives."""

    def __init__(
        self,
        study: optuna.Study,
        space: dict[str, Sequence[Any] | str],
        objective: Callable[[dict[str, Any]], float | None],
        trials: int,
        batch: int,
    ) -> None:
        self._study = study
        self._lists: dict[str, list[str]] = {}
        self._ranges: dict[str, str] = {}
        for path, values in space.items():
            if isinstance(values, str):
                _native.value_at(values, 0.0)
                self._ranges[path] = values
            else:
                self._lists[path] = [value_text(value) for value in values]
        self._paths = list(space)
        self._objective = objective
        self._left = trials
        self._batch = batch
        self._asked: list[optuna.Trial] = []

    def varied(self) -> dict[str, Sequence[Any] | str]:
        """The paths with all values that they may have, for the plan."""
        return {path: self._ranges.get(path) or self._lists[path] for path in self._paths}

    def values_of(self, shares: Mapping[str, Any]) -> dict[str, str]:
        """The values of a trial: Optuna sees shares of ranges."""
        return {
            path: _native.value_at(self._ranges[path], shares[path]) if path in self._ranges else shares[path]
            for path in self._paths
        }

    def next_values(self, results: list[tuple[int, int, str | None]]) -> list[list[str]]:
        """Report the results of the last trials, and choose the next ones."""
        import optuna

        with _quiet():
            for index, trial in enumerate(self._asked):
                reports = [report for vector, _, report in results if vector == index]
                values = [self._objective(json.loads(report)) for report in reports if report is not None]
                known = [value for value in values if value is not None and math.isfinite(value)]
                if reports and len(known) == len(reports):
                    self._study.tell(trial, sum(known) / len(known))
                else:
                    self._study.tell(trial, state=optuna.trial.TrialState.FAIL)
            n_next = min(self._batch, self._left)
            self._left -= n_next
            self._asked = [self._study.ask() for _ in range(n_next)]
            return [list(self.values_of(self._choose(trial)).values()) for trial in self._asked]

    def _choose(self, trial: optuna.Trial) -> dict[str, Any]:
        return {
            path: trial.suggest_float(path, 0.0, 1.0)
            if path in self._ranges
            else trial.suggest_categorical(path, self._lists[path])
            for path in self._paths
        }


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Optuna from printing a line for each trial."""
    import optuna

    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)

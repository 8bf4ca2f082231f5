"""Why a step took as long as it did."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netloom import _native
from netloom._progress import ProgressLike, reporter

if TYPE_CHECKING:
    import polars

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True)
class Explanation:
    """Why a step took as long as it did: the chain of messages that it waited for, and what these waited for."""

    job: str
    """The job."""
    step: int
    """The step."""
    time_s: float
    """Its length, in seconds."""
    median_s: float
    """The median of all steps of the job, in seconds."""
    data: dict[str, Any]
    """All of it, as ``netloom explain --json`` prints it."""

    @property
    def causes(self) -> polars.DataFrame:
        """What the step waited for: causes, the largest first, with times in seconds that add up to its length."""
        import polars as pl

        causes = pl.DataFrame(self.data["causes"], schema={"name": pl.String, "time_s": pl.Float64})
        return causes.with_columns(share=pl.col("time_s") / self.time_s)

    @property
    def messages(self) -> polars.DataFrame:
        """The chain: messages in order of time, each of which started when the one before had arrived."""
        import polars as pl

        rows = [{key: value for key, value in row.items() if key != "hops"} for row in self.data["messages"]]
        return pl.DataFrame(rows, infer_schema_length=None)

    @property
    def waits(self) -> polars.DataFrame:
        """Waits in queues, the longest first, with a row for each pair of hosts whose packets were ahead."""
        import polars as pl

        rows = [
            {"port": wait["port"], "message": wait["message"], "wait_s": wait["wait_s"], **ahead}
            for wait in self.data["waits"]
            for ahead in wait["ahead"]
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def __str__(self) -> str:
        head = f"step {self.step} of {self.job} took {self.time_s * 1e3:.4g} ms (median {self.median_s * 1e3:.4g} ms)"
        causes = [f"  {row['name']}: {row['time_s'] * 1e3:.4g} ms" for row in self.data["causes"]]
        return "\n".join([head, *causes])

    def __repr__(self) -> str:
        return str(self)


def explain(
    folder: Path, step: int | str, job: str | None, threads: int, progress: ProgressLike
) -> tuple[Explanation, BaseException | None]:
    """Explain a step of a stored run; also returns what stopped it."""
    with reporter(progress, "running again") as report:
        text, stopped = _native.explain(folder, job, str(step), threads, report)
    data = json.loads(text)
    return Explanation(data["job"], data["step"], data["time_s"], data["median_s"], data), stopped

"""Figures on matplotlib, from the same data as those of ``netloom figures``."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from netloom import _native
from netloom._errors import InvalidInput

if TYPE_CHECKING:
    import polars
    from matplotlib.axes import Axes

__all__ = ["Plots"]

_COLUMN_MM = 84.6
_MS = 1e3


class Plots:
    """Figures about one run or several, each on axes of matplotlib.

    Every figure takes ``ax``, the axes to draw on (new ones by default), and returns the axes. ``data`` gives the
    numbers of a figure as a frame.
    """

    def __init__(self, folders: list[Path], over: str = "jobs") -> None:
        self._folders = folders
        self._over = over
        self._cache: dict[str, tuple[str, polars.DataFrame]] | None = None
        self._left_out: dict[str, str] = {}

    def over(self, over: str) -> Plots:
        """The same figures over another part of the runs: ``"jobs"``, ``"all"`` or ``"1ms..5ms"``."""
        return Plots(self._folders, over)

    def data(self, figure: str) -> polars.DataFrame:
        """The numbers of a figure, with the unit at the end of each column's name."""
        return self._figure(figure)[1]

    def svg(self, figure: str) -> str:
        """A figure as ``netloom figures`` draws it, as SVG."""
        return self._figure(figure)[0]

    @property
    def available(self) -> list[str]:
        """Names of the figures that have data."""
        return list(self._drawn())

    def step_time(self, ax: Axes | None = None) -> Axes:
        """Mean step time of each job with its 95 % confidence interval, and the 99th percentile."""
        data, axes = self.data("step_time"), _axes(ax)
        labels = _labels(data)
        positions = range(data.height)
        means, high = data["mean_s"] * _MS, data["mean_high_s"] * _MS
        axes.bar(positions, means, yerr=high - means, capsize=3, width=0.6)
        axes.plot(positions, data["p99_s"] * _MS, "_", markersize=14, color="black", label="p99")
        axes.set_xticks(list(positions), labels)
        axes.set(ylabel="step time (ms)", ylim=(0, None))
        axes.legend()
        return axes

    def step_time_cdf(self, ax: Axes | None = None) -> Axes:
        """Distribution of step times."""
        axes = self._distribution("step_time_cdf", "step_time_s", "share_of_steps", ax)
        axes.set(xlabel="step time (ms)", ylabel="share of steps")
        return axes

    def fct_cdf(self, ax: Axes | None = None) -> Axes:
        """Distribution of flow completion times (FCT)."""
        axes = self._distribution("fct_cdf", "fct_s", "share_of_messages", ax)
        axes.set(xlabel="flow completion time (ms)", ylabel="share of messages", xscale="log")
        return axes

    def slowdown(self, ax: Axes | None = None) -> Axes:
        """Slowdown of background messages by size: mean, and 99th percentile (dashed)."""
        axes = _axes(ax)
        for label, part in _by_label(self.data("slowdown")):
            sizes = part["largest_size_B"]
            (line,) = axes.plot(sizes, part["mean_slowdown"], marker="o", label=label)
            axes.plot(sizes, part["p99_slowdown"], marker="o", linestyle="--", color=line.get_color())
        axes.set(xlabel="messages up to this size (bytes)", ylabel="slowdown", xscale="log", yscale="log")
        axes.legend(title="mean; p99 dashed")
        return axes

    def throughput(self, ax: Axes | None = None) -> Axes:
        """Throughput to hosts over time."""
        axes = self._over_time("throughput", "throughput_bit_per_s", 1e-9, ax)
        axes.set(ylabel="throughput to hosts (Gbps)")
        return axes

    def queues_over_time(self, ax: Axes | None = None) -> Axes:
        """The longest queue at switches over time."""
        axes = self._over_time("queues_over_time", "largest_backlog_B", 1e-6, ax)
        axes.set(ylabel="longest queue at switches (MB)")
        return axes

    def links(self, ax: Axes | None = None) -> Axes:
        """Utilization of the links between two tiers, as a distribution over pairs of switches and directions."""
        axes = _axes(ax)
        for label, part in _by_label(self.data("links")):
            values = sorted(part["mean_utilization_percent"].to_list())
            shares = [(number + 1) / len(values) for number in range(len(values))]
            axes.step(values, shares, where="post", label=label)
        axes.set(xlabel="mean utilization of links (%)", ylabel="share of pairs of switches", xlim=(0, None))
        axes.legend()
        return axes

    def _distribution(self, figure: str, value: str, share: str, ax: Axes | None) -> Axes:
        axes = _axes(ax)
        for label, part in _by_label(self.data(figure)):
            axes.step(part[value] * _MS, part[share], where="post", label=label)
        axes.set_ylim(0, 1)
        axes.legend()
        return axes

    def _over_time(self, figure: str, value: str, scale: float, ax: Axes | None) -> Axes:
        axes = _axes(ax)
        for label, part in _by_label(self.data(figure)):
            axes.plot(part["time_s"] * _MS, part[value] * scale, label=label)
        axes.set(xlabel="simulated time (ms)", ylim=(0, None))
        axes.legend()
        return axes

    def _figure(self, name: str) -> tuple[str, polars.DataFrame]:
        drawn = self._drawn()
        if name in drawn:
            return drawn[name]
        if name in self._left_out:
            raise InvalidInput(f"there is no data for the figure {name!r}: {self._left_out[name]}")
        known = sorted({*drawn, *self._left_out})
        raise InvalidInput(f"there is no figure {name!r}; expected one of {', '.join(known)}")

    def _drawn(self) -> dict[str, tuple[str, polars.DataFrame]]:
        if self._cache is None:
            import polars as pl

            with tempfile.TemporaryDirectory(prefix="netloom-") as home:
                output = Path(home) / "figures"
                made, left_out = _native.figures(self._folders, output, "svg", None, _COLUMN_MM, self._over, False)
                self._left_out = dict(left_out)
                self._cache = {
                    picture.stem: (picture.read_text(encoding="utf-8"), pl.read_csv(table)) for picture, table in made
                }
        return self._cache


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    _, axes = pyplot.subplots(layout="constrained")
    new: Axes = axes
    return new


def _label_columns(data: polars.DataFrame) -> list[str]:
    """The columns that name a line: the run, and what distinguishes lines of one run."""
    others = [name for name in ("job", "messages_of") if name in data.columns and data[name].n_unique() > 1]
    return ["run", *others]


def _by_label(data: polars.DataFrame) -> list[tuple[str, polars.DataFrame]]:
    parts = data.partition_by(_label_columns(data), as_dict=True, maintain_order=True)
    return [(", ".join(str(word) for word in key), part) for key, part in parts.items()]


def _labels(data: polars.DataFrame) -> list[str]:
    rows = data.select(_label_columns(data)).rows()
    return [", ".join(str(word) for word in row) for row in rows]

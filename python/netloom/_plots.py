"""Figures on matplotlib, from the same data as those of ``netloom figures``."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from netloom import _native
from netloom._errors import InvalidInput

if TYPE_CHECKING:
    import polars
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.typing import ColorType

__all__ = ["Plots"]

_COLUMN_MM = 84.6
_MS = 1e3
_MOST_INSIDE = 5
"""A legend with more entries than this is drawn beside the axes."""
_MOST_LEGEND = 16
_MOST_EVENTS = 20
_JOB_COLUMNS = ("job", "messages_of")

Folders: TypeAlias = Callable[[], AbstractContextManager[list[Path]]]
"""The folders of the runs, which are named as the runs are."""


class Plots:
    """Figures about one run or several, each on axes of matplotlib.

    Every figure takes ``ax``, the axes to draw on (new ones by default), and returns the axes. ``data`` gives the
    numbers of a figure as a frame.
    The runs of a variant of a sweep, which differ in their seeds, have one colour and one entry in the legend:
    distributions, slowdowns and utilizations are those of all its runs, means over time have a line for each run.
    """

    def __init__(
        self,
        folders: Folders,
        over: str = "jobs",
        *,
        names: Mapping[str, str] | None = None,
        variants: Mapping[str, str] | None = None,
    ) -> None:
        self._folders = folders
        self._over = over
        self._names = dict(names or {})
        self._variants = dict(variants or {})
        self._cache: dict[str, tuple[str, polars.DataFrame]] | None = None
        self._left_out: dict[str, str] = {}

    def over(self, over: str) -> Plots:
        """The same figures over another part of the runs: ``"jobs"``, ``"all"`` or ``"1ms..5ms"``."""
        return Plots(self._folders, over, names=self._names, variants=self._variants)

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
        """Mean step time of each job, and the 99th percentile.

        One run has a 95 % confidence interval over its steps; several seeds of a variant have a dot each.
        """
        axes, parts = _axes(ax), self._parts("step_time")
        colors = _Colors()
        for position, (label, part) in enumerate(parts):
            means = part["mean_s"] * _MS
            mean = _mean(means)
            interval = None if part.height > 1 else [_mean(part["mean_high_s"] * _MS) - mean]
            color = colors.of(label[0])
            axes.bar([position], [mean], yerr=interval, capsize=3, width=0.6, color=color, alpha=0.75)
            if part.height > 1:
                first = "mean of one seed" if position == 0 else None
                spread = [position - 0.2 + 0.4 * number / (part.height - 1) for number in range(part.height)]
                axes.plot(spread, means, "o", markersize=4, color="black", markerfacecolor="white", label=first)
            p99 = _mean(part["p99_s"] * _MS)
            axes.plot([position], [p99], "_", markersize=14, color="black", label="p99" if position == 0 else None)
        words = [", ".join(label) for label, _ in parts]
        is_long = sum(map(len, words)) > 60
        axes.set_xticks(range(len(words)), words, rotation=30 if is_long else 0, ha="right" if is_long else "center")
        axes.set_ylabel("step time (ms)")
        axes.margins(y=0.18)
        axes.legend(ncols=2, loc="upper right")
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
        _label_plainly(axes.xaxis)
        return axes

    def slowdown(self, ax: Axes | None = None) -> Axes:
        """Slowdown of background messages by size: mean, and 99th percentile (dashed).

        Of several seeds: for each class of sizes the mean of the seeds' means and percentiles.
        """
        axes = _axes(ax)
        for label, part in self._parts("slowdown"):
            by_size = _by_class_of_size(part)
            sizes = by_size["largest_size_B"]
            (line,) = axes.plot(sizes, by_size["mean_slowdown"], marker="o", markersize=4, label=", ".join(label))
            axes.plot(sizes, by_size["p99_slowdown"], marker="o", markersize=4, ls="--", color=line.get_color())
        axes.set(xlabel="messages up to this size (bytes)", ylabel="slowdown (mean; p99 dashed)")
        axes.set(xscale="log", yscale="log")
        _label_plainly(axes.yaxis)
        _legend(axes)
        return axes

    def throughput(self, ax: Axes | None = None) -> Axes:
        """Throughput to hosts over time; vertical lines are faults."""
        axes = self._over_time("throughput", "throughput_bit_per_s", 1e-9, ax)
        axes.set(ylabel="throughput to hosts (Gbps)")
        return axes

    def queues_over_time(self, ax: Axes | None = None) -> Axes:
        """The longest queue at switches over time; vertical lines are faults."""
        axes = self._over_time("queues_over_time", "largest_backlog_B", 1e-6, ax)
        axes.set(ylabel="longest queue at switches (MB)")
        return axes

    def links(self, ax: Axes | None = None) -> Axes:
        """Utilization of the links between two tiers, as a distribution over pairs of switches and directions."""
        axes = _axes(ax)
        for label, part in self._parts("links", by=()):
            values = sorted(part["mean_utilization_percent"].to_list())
            shares = [(number + 1) / len(values) for number in range(len(values))]
            axes.step(values, shares, where="post", label=", ".join(label))
        axes.set(xlabel="mean utilization of links (%)", ylabel="share of pairs of switches", xlim=(0, None))
        axes.set_ylim(0, 1.02)
        _legend(axes)
        return axes

    def _parts(self, figure: str, by: tuple[str, ...] = _JOB_COLUMNS) -> list[tuple[tuple[str, ...], polars.DataFrame]]:
        """The data of each variant and, if there are several, of each job, with the words that name it."""
        import polars as pl

        data = self.data(figure)
        if "event" in data.columns:
            data = data.filter(pl.col("event").is_null())
        others = [name for name in by if name in data.columns and data[name].n_unique() > 1]
        variants = [self._variants.get(name, name) for name in data["run"]]
        data = data.with_columns(pl.Series("variant", variants, dtype=pl.String))
        parts = data.partition_by("variant", *others, as_dict=True, maintain_order=True)
        return [(tuple(str(word) for word in key), part) for key, part in parts.items()]

    def _distribution(self, figure: str, value: str, share: str, ax: Axes | None) -> Axes:
        axes, colors = _axes(ax), _Colors()
        kinds: list[tuple[str, ...]] = []
        for label, part in self._parts(figure):
            if label[1:] not in kinds:
                kinds.append(label[1:])
            style = ("-", "--", ":", "-.")[kinds.index(label[1:]) % 4]
            pooled = _pooled(part, value, share)
            color = colors.of(label[0])
            axes.step(pooled[value] * _MS, pooled[share], where="post", label=", ".join(label), ls=style, color=color)
        axes.set_ylim(0, 1.02)
        _legend(axes)
        return axes

    def _over_time(self, figure: str, value: str, scale: float, ax: Axes | None) -> Axes:
        import polars as pl

        axes, colors = _axes(ax), _Colors()
        for label, part in self._parts(figure):
            runs = part.partition_by("run", maintain_order=True)
            for number, run in enumerate(runs):
                name = ", ".join(label) if number == 0 else None
                width = 1.5 if len(runs) == 1 else 0.8
                axes.plot(run["time_s"] * _MS, run[value] * scale, lw=width, color=colors.of(label[0]), label=name)
        data = self.data(figure)
        events = data.filter(pl.col("event").is_not_null()).select("time_s", "event").unique().sort("time_s")
        for time, _ in events.head(_MOST_EVENTS).rows():
            axes.axvline(time * _MS, color="black", lw=0.8, ls=":")
        if 0 < events.height <= _MOST_EVENTS:
            by_time = events.group_by("time_s", maintain_order=True).agg(pl.col("event").str.join("; "))
            words = ", ".join(f"{time * _MS:g} ms: {event}" for time, event in by_time.head(2).rows())
            axes.set_title(words + (", ..." if by_time.height > 2 else ""), fontsize="small")
        axes.set(xlabel="simulated time (ms)", ylim=(0, None))
        _legend(axes)
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

            with tempfile.TemporaryDirectory(prefix="netloom-") as home, self._folders() as folders:
                output = Path(home) / "figures"
                made, left_out = _native.figures(folders, output, "svg", None, _COLUMN_MM, self._over, False)
                self._left_out = dict(left_out)
                self._cache = {
                    picture.stem: (
                        picture.read_text(encoding="utf-8"),
                        pl.read_csv(table).with_columns(pl.col("run").replace(self._names)),
                    )
                    for picture, table in made
                }
        return self._cache


class _Colors:
    """A colour of the current style for each label."""

    def __init__(self) -> None:
        self._colors: dict[str, ColorType] = {}

    def of(self, label: str) -> ColorType:
        """The colour of a label."""
        return self._colors.setdefault(label, f"C{len(self._colors) % 10}")


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    _, axes = pyplot.subplots(layout="constrained")
    new: Axes = axes
    return new


def _label_plainly(axis: Axis) -> None:
    """Plain numbers on a logarithmic axis that covers less than three decades."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    low, high = axis.get_view_interval()
    if low > 0.0 and high < 1000.0 * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter(NullFormatter())


def _legend(axes: Axes) -> None:
    """A legend, beside the axes if it has many entries; none if there is only one."""
    handles, labels = axes.get_legend_handles_labels()
    if len(handles) <= 1:
        return
    if len(handles) <= _MOST_INSIDE:
        axes.legend()
        return
    left_out = len(handles) - _MOST_LEGEND
    title = f"the first {_MOST_LEGEND} of {len(handles)}" if left_out > 0 else None
    axes.legend(
        handles[:_MOST_LEGEND],
        labels[:_MOST_LEGEND],
        title=title,
        fontsize="small",
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
    )


def _mean(values: polars.Series) -> float:
    return float(values.sum()) / len(values)


def _pooled(part: polars.DataFrame, value: str, share: str) -> polars.DataFrame:
    """The distribution over all runs of a variant, each of which counts the same."""
    import polars as pl

    runs = part.partition_by("run", maintain_order=True)
    if len(runs) == 1:
        return part
    steps = [run.select(value, pl.col(share).diff().fill_null(pl.col(share).first()) / len(runs)) for run in runs]
    return pl.concat(steps).sort(value).with_columns(pl.col(share).cum_sum())


def _by_class_of_size(part: polars.DataFrame) -> polars.DataFrame:
    """Means over the runs of a variant; the classes of a run have equal numbers of messages."""
    import polars as pl

    numbered = part.with_columns(number=pl.int_range(pl.len()).over("run"))
    means = pl.col("largest_size_B", "mean_slowdown", "p99_slowdown").mean()
    return numbered.group_by("number", maintain_order=True).agg(means)

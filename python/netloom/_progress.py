"""Progress of long work: a bar of tqdm in terminals and notebooks, or a function of the caller."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["Progress", "ProgressLike"]


@dataclass(frozen=True)
class Progress:
    """How far work is."""

    share: float | None
    """Share that is done, from 0 to 1; ``None`` if it is unknown."""
    text: str
    """In words: the simulated time, or the number of runs that have finished."""
    hops: int
    """Packet-hops so far: packets that crossed a link, counted at every link."""
    left_s: float | None
    """Estimated time left, in seconds; ``None`` if it is unknown."""


ProgressLike: TypeAlias = "bool | Callable[[Progress], object] | None"
"""Whether to show progress: by default in terminals and notebooks; or a function that is called ten times a second."""

_Report: TypeAlias = Callable[["float | None", str, int, "float | None"], None]

_SECONDS_BEFORE_BAR = 0.5


def _is_interactive() -> bool:
    return "ipykernel" in sys.modules or sys.stderr.isatty()


@contextmanager
def reporter(progress: ProgressLike, title: str) -> Iterator[_Report | None]:
    """The function that the native part calls with the progress."""
    if callable(progress):
        yield lambda *now: _call(progress, Progress(*now))
    elif progress or (progress is None and _is_interactive()):
        with _Bar(title) as bar:
            yield bar.show
    else:
        yield None


def _call(function: Callable[[Progress], object], now: Progress) -> None:
    function(now)


class _Bar:
    """A bar from 0 to 100 percent, which appears only if the work takes longer than half a second."""

    def __init__(self, title: str) -> None:
        with warnings.catch_warnings():
            # Without ipywidgets a notebook has a bar of text.
            warnings.filterwarnings("ignore", "IProgress not found")
            from tqdm.auto import tqdm

        shape = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}{postfix}"
        self._bar: Any = tqdm(total=1.0, desc=title, bar_format=shape, delay=_SECONDS_BEFORE_BAR, leave=False)

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def show(self, share: float | None, text: str, hops: int, left_s: float | None) -> None:
        """Show the progress."""
        left = "" if left_s is None else f", about {left_s:,.0f} s left"
        self._bar.set_postfix_str(f"{text}{left}", refresh=False)
        self._bar.update(max((share or 0.0) - self._bar.n, 0.0))
        self._bar.refresh()

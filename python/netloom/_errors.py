"""Errors as exceptions.

The text is that of the command, with the same excerpt of the scenario, line, column and hint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from netloom._results import Run
    from netloom._studies import Study

__all__ = [
    "CheckFailed",
    "Error",
    "InternalError",
    "Interrupted",
    "InvalidInput",
    "NotFound",
    "Occupied",
    "Problem",
    "ScenarioError",
    "ScenarioWarning",
    "StoppedEarly",
]


class Error(Exception):
    """Any error of netloom.

    ``exit_code`` is the one with which the command ends for the same reason.
    """

    exit_code = 2


class InvalidInput(Error, ValueError):
    """The request is invalid: an error in a scenario, a file or an argument."""


class NotFound(InvalidInput, FileNotFoundError):
    """There is no such file or folder."""

    def __str__(self) -> str:
        return str(self.args[0])


class Occupied(InvalidInput, FileExistsError):
    """The output exists already; ``replace=True`` replaces it."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class Problem:
    """A mistake in a scenario: what is wrong, what was expected, where, and a hint."""

    message: str
    """What is wrong."""
    label: str
    """What was expected there."""
    hint: str | None
    """How it may be mended, if that can be said."""
    source: str
    """The file, or the name of the text or of the override."""
    line: int
    """The line, from 1."""
    column: int
    """The column in characters, from 1."""


class ScenarioError(InvalidInput):
    """A scenario has mistakes: all of them are in ``problems``, and in the text with their lines."""

    def __init__(self, text: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(text)
        self.problems = problems


class StoppedEarly(Error):
    """Work ended before it was done, for example because the disk is full."""

    exit_code = 3


class CheckFailed(Error):
    """A check of a study failed."""

    exit_code = 1


class InternalError(Error):
    """An error in netloom itself; please report it."""

    exit_code = 4


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run or a sweep; what was recorded until then is stored, and in ``result``."""

    def __init__(self, text: str = "", result: Run | Study | None = None) -> None:
        super().__init__(text)
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        # The result may be in a temporary folder, which another process cannot read.
        return (Interrupted, self.args)


class ScenarioWarning(UserWarning):
    """A setting of a scenario has no effect, or is written in a former form."""


_BY_EXIT_CODE: dict[int, type[Error]] = {1: CheckFailed, 3: StoppedEarly, 4: InternalError}


def from_native(
    exit_code: int,
    is_missing: bool,
    is_occupied: bool,
    text: str,
    problems: list[tuple[str, str, str | None, str, int, int]],
) -> Error:
    """The exception for an error of the native part, which calls this."""
    if problems:
        return ScenarioError(text, tuple(Problem(*problem) for problem in problems))
    if is_missing:
        return NotFound(text)
    if is_occupied:
        return Occupied(text)
    return _BY_EXIT_CODE.get(exit_code, InvalidInput)(text)

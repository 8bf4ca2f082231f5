"""A simulated network that a program uses step by step."""

from __future__ import annotations

import json
from os import PathLike
from types import TracebackType
from typing import NamedTuple, Self

from netloom import _native
from netloom._errors import InvalidInput
from netloom._folders import TemporaryFolder, absolute
from netloom._results import Run, command_words, raise_stopped
from netloom._scenarios import Changes, ScenarioLike, changes_of, source_of

__all__ = ["MS", "NS", "SECOND", "US", "Completion", "Simulation"]

NS = 1_000
"""A nanosecond in picoseconds."""
US = 1_000_000
"""A microsecond in picoseconds."""
MS = 1_000_000_000
"""A millisecond in picoseconds."""
SECOND = 1_000_000_000_000
"""A second in picoseconds."""


class Completion(NamedTuple):
    """A message that has completely arrived."""

    message: int
    """Its number, as ``Simulation.send`` returned it."""
    source: str
    """Its sender."""
    destination: str
    """Its receiver."""
    bytes: int
    """Its size."""
    started: int
    """When it was started, in picoseconds."""
    completed: int
    """When its last byte arrived, in picoseconds."""


class Simulation:
    """A simulated network: start messages, let simulated time go on, learn when messages have arrived.

    Everything else that the scenario describes goes on beside it: faults, background traffic, jobs. A scenario may be a
    fabric alone. Instants are whole picoseconds: ``5 * netloom.US``. Hosts are given by name or by number.

    Effects have stated instants, so results do not depend on how often it is called. After ``run_until(t)`` every host
    can start messages from ``t`` on. At a completion its receiver can start messages at once, and every other host
    ``lookahead`` later: it learns of the completion only after some delay.

    >>> import netloom
    >>> fabric = netloom.fabric.LeafSpine(leaves=2, spines=2, hosts_per_leaf=2)
    >>> with netloom.Simulation(netloom.Scenario(fabric=fabric)) as network:
    ...     request = network.send("leaf0.host0", "leaf1.host1", 4096)
    ...     arrived = network.run_until_completion()
    ...     answer = network.send(arrived.destination, arrived.source, 1 << 20)
    ...     run = network.finish()
    >>> run.flows.height
    2
    """

    def __init__(
        self,
        scenario: ScenarioLike,
        folder: str | PathLike[str] | None = None,
        *,
        set: Changes = None,
        seed: int | None = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        replace: bool = False,
    ) -> None:
        """Start a simulation; ``folder`` receives the records (a temporary folder by default).

        ``memory_limit`` is that of ``netloom.run``; messages that are started here are not in the estimate.

        Raises ``ScenarioError`` for mistakes in the scenario, and ``Occupied`` if the folder holds a complete run.
        """
        self._home = TemporaryFolder() if folder is None else None
        self._folder = self._home.path / "run" if self._home is not None else absolute(folder or "")
        words = command_words("Simulation")
        self._native = _native.Simulation(
            source_of(scenario), changes_of(set), seed, self._folder, replace, threads, memory_limit, words
        )
        self._hosts = self._native.hosts()

    @property
    def hosts(self) -> list[str]:
        """Names of the hosts, by number."""
        return list(self._hosts)

    @property
    def now(self) -> int:
        """The present instant, in picoseconds."""
        return self._native.now()

    @property
    def lookahead(self) -> int:
        """By how much hosts may be ahead of a completion, in picoseconds; it follows from the delays of links."""
        return self._native.lookahead()

    @property
    def in_flight(self) -> int:
        """Number of messages that have not completely arrived."""
        return self._native.in_flight()

    @property
    def status(self) -> str | None:
        """How the run ended (see ``Run.status``); ``None`` while it has not."""
        outcome = self._native.outcome()
        return None if outcome is None else str(json.loads(outcome)["status"])

    @property
    def details(self) -> list[str]:
        """Why it ended, if it did before its work was done."""
        outcome = self._native.outcome()
        return [] if outcome is None else list(json.loads(outcome)["details"])

    def earliest_start(self, host: str | int) -> int:
        """The earliest instant at which a host can start a message, in picoseconds."""
        return self._native.earliest_start(host)

    def send(self, source: str | int, destination: str | int, bytes: int, at: int | None = None) -> int:
        """Start a message of so many bytes at an instant, by default as early as its sender can; return its number.

        Raises ``InvalidInput`` if the instant is too early, with the earliest one, and for unknown hosts.
        """
        return self._native.send(source, destination, bytes, at)

    def run_until(self, instant: int) -> None:
        """Let everything before an instant take effect, and nothing at it."""
        self._native.run_until(instant)

    def run_until_completion(self) -> Completion | None:
        """Go on until the next message has completely arrived.

        Returns ``None`` if no message is in flight, or the run has ended before one arrived: see ``status``.
        """
        found = self._native.run_until_completion()
        return None if found is None else self._completion(found)

    def completed(self) -> list[Completion]:
        """All completions that were not taken, in the order of their instants and then their numbers."""
        return [self._completion(found) for found in self._native.completed()]

    def finish(self) -> Run:
        """Let the rest of the run take effect, to its last event or its deadline, and store it.

        The run folder has ``scenario.yaml``, which repeats the run without the program and with the same digest.
        """
        text, _, stopped = self._native.finish()
        found = json.loads(text)
        run = Run(self._folder, home=self._home, name=found["name"], summary=found["summary"])
        raise_stopped(stopped, run, "the run was interrupted; what was recorded until then is in `result`")
        return run

    def close(self) -> None:
        """End the run without storing it."""
        self._native.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        try:
            return (
                f"Simulation(at {self.now / US:g} us, {self.in_flight} messages in flight, {self.status or 'running'})"
            )
        except InvalidInput:
            return "Simulation(ended)"

    def _completion(self, found: tuple[int, int, int, int, int, int]) -> Completion:
        message, source, destination, size, started, completed = found
        return Completion(message, self._hosts[source], self._hosts[destination], size, started, completed)

"""Programs in Python that supply the operations of ranks."""

from __future__ import annotations

import ctypes
import inspect
import operator
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn, TypeAlias

from netloom import _native
from netloom._balance import Balancer, BalancerFactory, Switch
from netloom._errors import InvalidInput

__all__ = ["Barrier", "Compute", "Operation", "Rank", "RankFunction", "Receive", "Send"]

_MOST_TAGS = 1 << 32
_LONGEST = 8_640_000_000_000_000_000
"""100 days in picoseconds."""


class Send(NamedTuple):
    """Start a message to another rank; the rank goes on at once."""

    to: int
    """The rank that receives it."""
    bytes: int
    """Its size."""
    tag: int
    """The tag that the receiver waits for."""


class Receive(NamedTuple):
    """Wait until messages with a tag have completely arrived, and consume them."""

    tag: int
    """The tag."""
    messages: int
    """Number of messages."""


class Compute(NamedTuple):
    """Be busy for a time."""

    picoseconds: int
    """How long."""


class Barrier(NamedTuple):
    """Wait until all ranks of the job have come to a barrier."""


Operation: TypeAlias = "Send | Receive | Compute | Barrier"
"""An operation of a rank."""

_KINDS = (Send, Receive, Compute, Barrier)

RankFunction: TypeAlias = "Callable[[Rank], Iterable[Operation]]"
"""A generator function: the operations of a rank in one phase of one step."""


@lru_cache(maxsize=1024)
def _bytes(text: str) -> int:
    return _native.size_of(text)


@lru_cache(maxsize=1024)
def _picoseconds(text: str) -> int:
    return _native.duration_of(text)


def _whole(value: Any) -> int:
    """A whole number, also one of another library such as numpy; -1, which is out of every range, for anything else."""
    if type(value) is int:
        return value
    try:
        return -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return -1


class Rank:
    """A rank in one phase of one step, as a program sees it; its methods make operations, which the program yields.

    Numbers of ranks start at 0, so the rank before the first one is the last one: ``(rank.number - 1) % rank.n_ranks``.
    """

    __slots__ = ("_size_limit", "host", "job", "n_ranks", "number", "phase", "step")

    def __init__(self, job: str, number: int, n_ranks: int, host: str, step: int, phase: int, size_limit: int) -> None:
        self.job = job
        """The name of the job."""
        self.number = number
        """Its number in the job, from 0."""
        self.n_ranks = n_ranks
        """Number of ranks of the job."""
        self.host = host
        """The name of its host."""
        self.step = step
        """The step, from 0."""
        self.phase = phase
        """The phase of the step, from 0; repeated phases are counted one by one."""
        self._size_limit = size_limit

    def send(self, to: int, size: int | str, tag: int = 0) -> Send:
        """Start a message to a rank; go on at once.

        ``size`` is in bytes, or a text with its unit: ``"4MiB"``. The receiver waits for ``tag``, a number from 0 to
        2^32 - 1; tags of different steps and phases never meet.
        """
        receiver = _whole(to)
        if not 0 <= receiver < self.n_ranks or receiver == self.number:
            others = f"another rank than {self.number}, from 0 to {self.n_ranks - 1}"
            self._refuse(f"send(to={to!r})", f"`to` to be {others}")
        length = _bytes(size) if isinstance(size, str) else _whole(size)
        if not 1 <= length < self._size_limit:
            limit = f"`size` to be from 1 to {self._size_limit - 1} bytes, or a text such as '4MiB'"
            self._refuse(f"send(to={to}, size={size!r})", limit)
        return Send(receiver, length, self._tag(tag, "send"))

    def receive(self, tag: int = 0, messages: int = 1) -> Receive:
        """Wait until so many messages with a tag have completely arrived, from whatever ranks, and consume them."""
        count = _whole(messages)
        if not 1 <= count < 1 << 32:
            self._refuse(f"receive(messages={messages!r})", "`messages` to be a number from 1")
        return Receive(self._tag(tag, "receive"), count)

    def compute(self, time: int | str) -> Compute:
        """Be busy for a time, in picoseconds (``10 * netloom.US``) or as a text with its unit: ``"10us"``."""
        span = _picoseconds(time) if isinstance(time, str) else _whole(time)
        if not 0 <= span <= _LONGEST:
            self._refuse(f"compute({time!r})", "whole picoseconds, at most 100 days of them, or a text such as '10us'")
        return Compute(span)

    def barrier(self) -> Barrier:
        """Wait until all ranks of the job have come here; they are released ``coordination_delay`` after the last."""
        return _BARRIER

    def _tag(self, tag: int, verb: str) -> int:
        number = _whole(tag)
        if not 0 <= number < _MOST_TAGS:
            self._refuse(f"{verb}(tag={tag!r})", "`tag` to be a number from 0 to 2^32 - 1")
        return number

    def _refuse(self, call: str, expected: str) -> NoReturn:
        raise InvalidInput(f"{self}: {call}: expected {expected}")

    def __repr__(self) -> str:
        return f"rank {self.number} of job {self.job!r}, step {self.step}"


_BARRIER = Barrier()


def described(function: Any) -> str:
    """What a program is, for the manifest."""
    named = inspect.unwrap(function)
    name = getattr(named, "__qualname__", type(function).__qualname__)
    return f"`{name}` of module `{getattr(named, '__module__', '?')}`, in Python"


class RankPrograms:
    """The programs of the jobs of a run: generators, one for each rank, that are advanced when the run needs them."""

    def __init__(self, functions: Mapping[str, RankFunction], balance: BalancerFactory | None = None) -> None:
        if not isinstance(functions, Mapping) or not all(callable(one) for one in functions.values()):
            raise TypeError(f"`operations` has a generator function for each name of a job, not {functions!r}")
        self._functions = list(functions.items())
        self._balance = balance
        # The thread that runs a generator, while one does.
        self._pulling: int | None = None

    def native(self) -> dict[str, Any]:
        """In the form of the native part."""
        jobs = [(job, described(function)) for job, function in self._functions]
        balance = None if self._balance is None else (self._make, described(self._balance))
        return {"jobs": jobs, "start": self.start, "interrupt": self.interrupt, "balance": balance}

    def _make(self, switch: Switch) -> Balancer:
        assert self._balance is not None
        return self._balance(switch)

    def start(self, hosts: list[list[str]], size_limit: int) -> _native._Pull:
        """Start the programs of a run; the result returns some operations of a rank, and whether there may be more."""
        running: dict[tuple[int, int], Iterator[Any]] = {}

        def pull(job: int, number: int, step: int, phase: int, limit: int) -> tuple[list[Operation], bool]:
            name, function = self._functions[job]
            self._pulling = threading.get_ident()
            try:
                operations = running.get((job, number))
                if operations is None:
                    rank = Rank(name, number, len(hosts[job]), hosts[job][number], step, phase, size_limit)
                    operations = running[job, number] = _iterator(function(rank), rank)
                found: list[Operation] = []
                for operation in operations:
                    if not isinstance(operation, _KINDS):
                        raise TypeError(_NOT_AN_OPERATION.format(operation))
                    found.append(operation)
                    if len(found) == limit:
                        return found, True
                del running[job, number]
                return found, False
            except BaseException as error:
                error.add_note(f"This was raised by the operations of rank {number} of job {name!r}, step {step}.")
                raise
            finally:
                self._pulling = None

        return pull

    def interrupt(self) -> None:
        """Raise ``KeyboardInterrupt`` in a generator that is running, so that a run ends even if it never yields."""
        thread = self._pulling
        if thread is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))


_NOT_AN_OPERATION = (
    "a program yields operations, made by `rank.send`, `rank.receive`, `rank.compute` or `rank.barrier`, not {!r}"
)


def _iterator(operations: Any, rank: Rank) -> Iterator[Any]:
    if not isinstance(operations, Iterable):
        raise TypeError(f"the program of {rank} returned {operations!r}: expected a generator, written with `yield`")
    return iter(operations)

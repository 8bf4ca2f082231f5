"""Points of a sweep on a Dask cluster.

The client submits tasks, the longest first and a bounded number at a time; Dask repeats those of workers that are lost.
A task has everything that its run needs as text, its key is the content address of the point, and a worker of another
build refuses it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import queue
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from netloom import _native
from netloom._errors import InvalidInput
from netloom._targets import KeptState, below, download_run, state_kept_at, upload_run

if TYPE_CHECKING:
    from distributed import Client, Future

ClientLike: TypeAlias = "Client | str | Any"
"""A client of Dask, a cluster such as those of ``dask_jobqueue``, or the address of a scheduler."""

_SECONDS_TO_CONNECT = 10.0
_SECONDS_BETWEEN_LOOKS = 1.0
_SECONDS_TO_WAIT = 0.5
_SECONDS_WITHOUT_WORKERS = 20.0
_BATCHES_PER_THREAD = 8
"""Batches that are submitted ahead for each thread of the workers, so that none waits for the client."""
_FEWEST_BATCHES = 16
_POINTS_PER_BATCH = 50
_SECONDS_PER_BATCH = 0.25
"""Short points are passed together up to this expected time."""
_SHARE_OF_MEMORY = 0.8
"""Share of a worker's memory that the runs in progress may be expected to need together."""


@contextlib.contextmanager
def executor_of(
    client: ClientLike | None, folder: Path, target: str | None, keep: str
) -> Iterator[_native._Executor | None]:
    """The executor of a sweep for the native part; the state of the sweep is kept at the target, if there is one."""
    if client is None:
        if target is not None:
            raise InvalidInput(f"a sweep into a URL needs a cluster (`client`): {target}")
        yield None
        return
    with contextlib.ExitStack() as stack:
        connected = stack.enter_context(_connected(client))
        state = None if target is None else stack.enter_context(state_kept_at(target, folder))
        has_folders = keep == "folders"
        shared = folder if has_folders and target is None else None
        executor = ClusterExecutor(connected, target if has_folders else None, shared, state)
        yield (executor, target is not None)


@contextlib.contextmanager
def _connected(client: ClientLike) -> Iterator[Client]:
    try:
        from distributed import Client
    except ImportError:
        raise InvalidInput("a cluster needs Dask: `pip install distributed`") from None
    if isinstance(client, Client):
        yield client
        return
    address = client if isinstance(client, str) else client.scheduler_address
    try:
        # A cluster has its certificates.
        own = Client(client, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"no scheduler of Dask answers at {address}: {error}") from None
    with own:
        yield own


class ClusterExecutor:
    """Computes the points of a sweep on the workers of a cluster."""

    def __init__(self, client: Client, target: str | None, shared: Path | None, state: KeptState | None = None) -> None:
        self.client = client
        self.target = target
        """The URL that receives the run folders."""
        self._state = state
        self._shared = shared
        """The folder that workers must reach."""
        self._known: dict[str, WorkerFacts] = {}
        self._refused: set[str] = set()
        self.workers()
        if self._refused and len(self._refused) == len(self._known):
            builds = ", ".join(sorted({facts.build for facts in self._known.values()}))
            raise InvalidInput(
                f"all workers have netloom {builds}, and this is {_native.BUILD}: "
                "results of different builds are not mixed"
            )
        if shared is not None:
            self._check_folder(shared)

    @property
    def has_refused(self) -> bool:
        """Whether there are workers that are not used."""
        return bool(self._refused)

    def workers(self) -> dict[str, WorkerFacts]:
        """The workers that are there and have this build, by their addresses."""
        there = list(self.client.nthreads())
        if new := [address for address in there if address not in self._known]:
            for address, facts in self.client.run(facts_of_worker, workers=new, on_error="return").items():
                if isinstance(facts, WorkerFacts):
                    self._known[address] = facts
                elif not isinstance(facts, OSError):
                    # One without netloom; one that has gone meanwhile is left out.
                    self._known[address] = WorkerFacts(f"none ({facts})", 0, 0.0)
        for address in new:
            if address in self._known and self._known[address].build != _native.BUILD:
                self.refuse(address, self._known[address].build)
        self._refuse_without_folder([address for address in new if address not in self._refused])
        return {
            address: self._known[address]
            for address in there
            if address in self._known and address not in self._refused
        }

    def _refuse_without_folder(self, late: list[str]) -> None:
        """Use no worker that came later and does not reach the folder, which has a plan by then."""
        plan = None if self._shared is None else self._shared / "sweep.json"
        if plan is None or not late or not plan.exists():
            return
        for address, reaches in self.client.run(_reaches, str(plan), workers=late, on_error="ignore").items():
            if not reaches:
                self.refuse_without_folder(address)

    def refuse(self, worker: str, build: str) -> None:
        """Use a worker of another build no more."""
        if worker not in self._refused:
            self._refused.add(worker)
            warnings.warn(
                f"the worker {worker} has netloom {build}, and this is {_native.BUILD}: it is not used", stacklevel=2
            )

    def refuse_without_folder(self, worker: str) -> None:
        """Use a worker that does not reach the folder no more."""
        if worker not in self._refused:
            self._refused.add(worker)
            warnings.warn(f"the worker {worker} does not reach {self._shared}: it is not used", stacklevel=2)

    def _check_folder(self, folder: Path) -> None:
        """Refuse a folder that workers do not reach under the same path."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=folder, prefix=".netloom-") as probe:
                used = list(self.workers())
                found = self.client.run(_reaches, probe.name, workers=used, on_error="return") if used else {}
        except OSError as error:
            raise InvalidInput(f"cannot write the folder of the sweep ({error}): {folder}") from None
        if missing := sorted(worker for worker, reaches in found.items() if reaches is not True):
            raise InvalidInput(
                "the folder must be one that all workers reach under the same path, and these do not: "
                f"{', '.join(missing)} "
                f'(a shared file system, a URL such as "s3://bucket/study", or keep="summary"): {folder}'
            )

    def __call__(self, tasks: _native.PointTasks) -> Iterator[tuple[int, str] | None]:
        """Submit the tasks; yield the index and the answer of each as it is known, and nothing while none is.

        Raises ``OSError`` if the sweep keeps its state at a URL that cannot be written.
        """
        if self._state is not None:
            self._state.begin()
        return _Submission(self, tasks).answers()


@dataclass
class _Batch:
    """Tasks that are submitted together."""

    future: Future
    tasks: list[int]
    workers: list[str] | None
    """The only workers that may compute it, if others were refused."""


class _Submission:
    """The tasks of a round, from their submission to their answers."""

    def __init__(self, executor: ClusterExecutor, tasks: _native.PointTasks) -> None:
        self._executor = executor
        self._client = executor.client
        self._tasks = tasks
        self._facts = [tasks.facts(index) for index in range(len(tasks))]
        self._waiting = sorted(range(len(tasks)), key=lambda index: self._facts[index][2])
        """Tasks that are not submitted, the longest last."""
        self._pending: dict[str, _Batch] = {}
        """Batches of tasks that are submitted, by their keys."""
        self._attempts = [0] * len(tasks)
        """How often each task was submitted in vain."""
        self._alone: set[int] = set()
        """Tasks of batches that failed as a whole: which of them is the reason is not known."""
        self._finished: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._workers: dict[str, WorkerFacts] = {}
        self._had_workers = time.monotonic()
        self._looked = 0.0
        self._warned = False

    def answers(self) -> Iterator[tuple[int, str] | None]:
        try:
            while self._waiting or self._pending:
                self._look()
                yield from self._submit()
                found = self._next_finished()
                yield from self._collect(found)
                yield None
        finally:
            if self._client.status == "running":
                self._client.cancel([batch.future for batch in self._pending.values()])

    def _look(self) -> None:
        """Look at the cluster once a second: an error if the scheduler went away, a warning if there are no workers."""
        now = time.monotonic()
        if now - self._looked < _SECONDS_BETWEEN_LOOKS:
            return
        self._looked = now
        # Those that were lost with their workers are computed again.
        is_cancelled = any(batch.future.status == "cancelled" for batch in self._pending.values())
        if self._client.status != "running" or is_cancelled:
            address = self._client.scheduler.address if self._client.scheduler else "its address"
            raise ConnectionError(f"the scheduler at {address} went away")
        self._workers = self._executor.workers()
        self._take_back_without_workers()
        if self._workers:
            self._had_workers = now
        elif now - self._had_workers > _SECONDS_WITHOUT_WORKERS and not self._warned:
            self._warned = True
            warnings.warn("the cluster has no worker of this build: points wait for one", stacklevel=2)

    def _take_back_without_workers(self) -> None:
        """Submit batches again whose only workers have gone."""
        for key, batch in list(self._pending.items()):
            if batch.workers is not None and self._workers and not self._workers.keys() & set(batch.workers):
                del self._pending[key]
                self._client.cancel([batch.future])
                self._again(batch.tasks)

    def _again(self, tasks: list[int]) -> None:
        """Let tasks wait for another attempt."""
        for index in tasks:
            self._attempts[index] += 1
        self._waiting.extend(tasks)

    def _submit(self) -> Iterator[tuple[int, str]]:
        """Keep enough tasks submitted; a task that no worker has the memory for has failed."""
        if self._executor.has_refused and not self._workers:
            return
        threads = sum(facts.threads for facts in self._workers.values())
        memory = max((facts.memory for facts in self._workers.values()), default=float("inf"))
        while self._waiting and len(self._pending) < max(_FEWEST_BATCHES, _BATCHES_PER_THREAD * threads):
            batch = []
            for index in self._next_batch(threads):
                needed = self._facts[index][3]
                if needed <= memory:
                    batch.append(index)
                    continue
                reason = f"it is expected to need {needed / 1e9:.2f} GB of memory"
                yield index, _failed(f"{reason}, and the largest worker has {memory / 1e9:.2f} GB")
            if batch:
                self._submit_batch(batch)

    def _next_batch(self, threads: int) -> list[int]:
        """The next task, with others if all of them are short: passing a task costs some milliseconds."""
        most = min(_POINTS_PER_BATCH, len(self._waiting) // (_BATCHES_PER_THREAD * max(threads, 1)))
        batch = [self._waiting.pop()]
        if batch[0] in self._alone:
            return batch
        seconds = self._facts[batch[0]][2]
        while (
            len(batch) < most
            and self._waiting[-1] not in self._alone
            and seconds + self._facts[self._waiting[-1]][2] <= _SECONDS_PER_BATCH
        ):
            batch.append(self._waiting.pop())
            seconds += self._facts[batch[-1]][2]
        return batch

    def _submit_batch(self, batch: list[int]) -> None:
        target = self._executor.target
        points = []
        for index in batch:
            _, folder, _, memory = self._facts[index]
            url = None if target is None else below(target, folder)
            points.append((self._tasks.text(index), memory, url))
        # All that an answer depends on: Dask computes a key once, for several sweeps as well.
        attempts = [self._attempts[index] for index in batch]
        key = hashlib.blake2b(json.dumps([points, attempts]).encode(), digest_size=32).hexdigest()
        workers = list(self._workers) if self._executor.has_refused else None
        future = self._client.submit(
            compute_on_worker,
            points,
            key=f"netloom-{key}",
            # The longest first.
            priority=sum(self._facts[index][2] for index in batch),
            workers=workers,
            pure=False,
        )
        self._pending[future.key] = _Batch(future, batch, workers)
        future.add_done_callback(self._finished.put)

    def _next_finished(self) -> list[Future]:
        """The futures that have finished, after a short wait if there are none."""
        found: list[Future] = []
        with contextlib.suppress(queue.Empty):
            found.append(self._finished.get(timeout=_SECONDS_TO_WAIT))
            while True:
                found.append(self._finished.get_nowait())
        return found

    def _collect(self, finished: list[Future]) -> Iterator[tuple[int, str]]:
        done = [future for future in finished if future.key in self._pending and future.status == "finished"]
        results = self._client.gather(done, errors="skip") if done else []
        if len(results) < len(done):
            results = [_result(future) for future in done]
        for future, result in zip(done, results, strict=True):
            if result is not None:
                yield from self._answers_of(self._pending.pop(future.key), *result)
        for future in finished:
            if future.key not in self._pending:
                continue
            if future.status == "error":
                yield from self._failures_of(self._pending.pop(future.key))
            else:
                # Its result was lost with its worker, and is computed again.
                future.add_done_callback(self._finished.put)

    def _answers_of(self, batch: _Batch, answers: list[str], worker: str) -> Iterator[tuple[int, str]]:
        for index, answer in zip(batch.tasks, answers, strict=True):
            if answer.startswith('{"other_build"'):
                self._executor.refuse(worker, json.loads(answer)["other_build"]["build"])
                self._again([index])
            elif answer == _WITHOUT_FOLDER:
                self._executor.refuse_without_folder(worker)
                self._again([index])
            else:
                yield index, answer

    def _failures_of(self, batch: _Batch) -> Iterator[tuple[int, str]]:
        if len(batch.tasks) > 1:
            self._alone.update(batch.tasks)
            return self._again(batch.tasks)
        yield batch.tasks[0], _failed(_reason(batch.future.exception()))


def _result(future: Future) -> tuple[list[str], str] | None:
    try:
        result: tuple[list[str], str] = future.result(timeout=_SECONDS_TO_WAIT)
    except Exception:
        return None
    return result


_WITHOUT_FOLDER = '"without_folder"'
"""The answer of a worker that does not reach the folder of the sweep."""


def _failed(reason: str) -> str:
    return json.dumps({"failed": {"reason": reason, "ends_sweep": False, "exit_code": 3}})


def _reason(error: BaseException) -> str:
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return "every worker that computed it was lost, which happens if it needs more memory than the worker has"
    return f"{type(error).__name__}: {error}"


@dataclass(frozen=True)
class WorkerFacts:
    """A worker of a cluster."""

    build: str
    """Its build of netloom."""
    threads: int
    """Number of its threads."""
    memory: float
    """Its limit of memory, in bytes."""


def facts_of_worker(dask_worker: Any = None) -> WorkerFacts:
    """The facts about a worker, which Dask passes to the function."""
    return WorkerFacts(_native.BUILD, dask_worker.state.nthreads, _memory_of(dask_worker))


def _memory_of(worker: Any) -> float:
    return float(worker.memory_manager.memory_limit or "inf")


def _reaches(file: str) -> bool:
    return Path(file).exists()


class _Admission:
    """Admits runs as long as the memory that they are expected to need together is within a limit; one always."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._used = 0.0
        self._runs = 0

    @contextlib.contextmanager
    def of(self, memory: float, limit: float) -> Iterator[None]:
        """Wait until a run with this memory is admitted, and hold it."""
        with self._changed:
            self._changed.wait_for(lambda: self._runs == 0 or self._used + memory <= limit)
            self._used += memory
            self._runs += 1
        try:
            yield
        finally:
            with self._changed:
                self._used -= memory
                self._runs -= 1
                self._changed.notify_all()


_ADMISSION = _Admission()


def compute_on_worker(points: list[tuple[str, float, str | None]]) -> tuple[list[str], str]:
    """Compute tasks in a worker; return their answers and the address of the worker.

    Each has its text, the memory that it is expected to need, and the URL of its run folder or nothing.
    """
    from distributed import get_worker

    worker = get_worker()
    limit = _memory_of(worker) * _SHARE_OF_MEMORY
    answers = []
    for task, memory, target in points:
        with _ADMISSION.of(memory, limit):
            answers.append(_answer(task, target))
    return answers, worker.address


def _answer(task: str, target: str | None) -> str:
    """Compute a task; what goes wrong with it is its answer, so that others of its batch keep theirs."""
    try:
        if target is not None:
            return _compute_into(task, target)
        root = json.loads(task)["settings"]["root"]
        if root is not None and not _reaches(f"{root}/sweep.json"):
            return _WITHOUT_FOLDER
        return _native.compute_point(task)
    except Exception as error:
        return _failed(f"{type(error).__name__}: {error}")


def _compute_into(task: str, target: str) -> str:
    """Compute a task whose run folder is at a URL; a complete one that is there already is not computed again."""
    with tempfile.TemporaryDirectory(prefix="netloom-") as home:
        folder = Path(home) / json.loads(task)["folder"]
        download_run(target, folder)
        answer = _native.compute_point(task, Path(home))
        found = json.loads(answer)
        if isinstance(found, dict) and "finished" in found and not found["finished"]["was_there"]:
            upload_run(folder, target)
    return answer

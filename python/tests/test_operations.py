"""Programs in Python that supply the operations of ranks."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from interrupts import interrupt_soon

import netloom
from netloom import US, Operation, Rank, RankFunction

FABRICS: dict[str, netloom.fabric.LeafSpine | netloom.fabric.FatTree | netloom.fabric.SingleSwitch] = {
    "leaf-spine": netloom.fabric.LeafSpine(leaves=2, spines=2, hosts_per_leaf=4),
    "fat-tree": netloom.fabric.FatTree(k=4),
    "one switch": netloom.fabric.SingleSwitch(hosts=5),
}


def scenario(*phases: netloom.phase.AnyPhase, fabric: str = "leaf-spine", steps: int = 1) -> netloom.Scenario:
    return netloom.Scenario(fabric=FABRICS[fabric], jobs=[netloom.Job(name="job", steps=steps, phases=[*phases])])


def supplied(function: RankFunction, **changes: object) -> netloom.Run:
    made = scenario("program").replace(**changes)
    return netloom.run(made, operations={"job": function}, progress=False)


def ring_all_reduce(size: int) -> RankFunction:
    """Each rank sends parts of the vector to the next one: twice around the ring, less two rounds."""

    def operations(rank: Rank) -> Iterator[Operation]:
        n, following = rank.n_ranks, (rank.number + 1) % rank.n_ranks

        def part(owner: int) -> int:
            return size // n + (owner % n < size % n)

        yield rank.send(following, part(rank.number))
        for turn in range(1, 2 * (n - 1)):
            yield rank.receive(tag=turn - 1)
            yield rank.send(following, part(rank.number - turn), tag=turn)
        yield rank.receive(tag=2 * (n - 1) - 1)

    return operations


@pytest.mark.parametrize("fabric", FABRICS)
@pytest.mark.parametrize("size", [100_003, 1 << 20])
@pytest.mark.parametrize("balance", ["ecmp", "spray"])
def test_a_ring_from_python_has_the_records_of_the_built_in_one(fabric: str, size: int, balance: str) -> None:
    both = {
        "built in": scenario(netloom.collective.RingAllReduce(size=f"{size}B"), fabric=fabric, steps=3),
        "program": scenario("program", fabric=fabric, steps=3),
    }
    changes = {"balance": balance} if fabric != "one switch" else {}
    expected = netloom.run(both["built in"], set=changes, progress=False)
    found = netloom.run(both["program"], set=changes, operations={"job": ring_all_reduce(size)}, progress=False)
    assert expected.status == found.status == "complete"
    for table in ("flows", "steps", "jobs", "ports", "series", "stages"):
        assert getattr(expected.raw, table).equals(getattr(found.raw, table)), table
    assert found.raw.flows.height > 0


def all_to_one_and_back(rank: Rank) -> Iterator[Operation]:
    """A parameter server, which netloom does not have: gradients to rank 0, which adds them, and the model to all."""
    if rank.number > 0:
        yield rank.send(0, "256KiB", tag=0)
        yield rank.receive(tag=1)
        return
    yield rank.receive(tag=0, messages=rank.n_ranks - 1)
    yield rank.compute("50us")
    for other in range(1, rank.n_ranks):
        yield rank.send(other, "256KiB", tag=1)


def test_a_collective_that_netloom_does_not_have() -> None:
    run = supplied(all_to_one_and_back)
    flows = run.flows
    assert run.is_complete
    assert flows.height == 14
    back = flows.filter(pl.col("source") == "leaf0.host0")
    there = flows.filter(pl.col("destination") == "leaf0.host0")
    last = there.select(pl.col("end_us").max()).item()
    assert back.select(pl.col("start_us").min()).item() == pytest.approx(last + 50)


def test_results_depend_neither_on_threads_nor_on_who_is_asked_first() -> None:
    digests = {
        netloom.run(
            scenario("program", steps=2),
            operations={"job": ring_all_reduce(300_000)},
            threads=threads,
            progress=False,
        ).digest
        for threads in (1, 2, 3)
    }
    assert len(digests) == 1


def test_steps_phases_and_barriers_are_those_of_any_job(tmp_path: Path) -> None:
    seen: set[tuple[int, int]] = set()

    def operations(rank: Rank) -> Iterator[Operation]:
        seen.add((rank.step, rank.phase))
        yield rank.compute((rank.number + 1) * US)
        yield rank.barrier()
        yield rank.compute(5 * US)

    compute = netloom.phase.Compute(time="1us")
    made = scenario(compute, "program", "barrier", "program", steps=2)
    run = netloom.run(made, tmp_path / "run", operations={"job": operations}, progress=False)
    assert seen == {(0, 1), (0, 3), (1, 1), (1, 3)}
    delay = run.manifest["engine"]["coordination_delay_ps"] / US
    assert run.steps["duration_us"].to_list() == pytest.approx([1 + 2 * (8 + 5) + 3 * delay] * 2)
    phases = run.manifest["jobs"][0]["phases"]
    assert [phase["name"] for phase in phases] == ["compute", "program", "barrier", "program"]


def test_a_program_is_pulled_lazily() -> None:
    ahead = 0
    pulled = [0, 0]

    def operations(rank: Rank) -> Iterator[Operation]:
        nonlocal ahead
        if rank.number > 1:
            return
        for number in range(20_000):
            pulled[rank.number] = number
            ahead = max(ahead, abs(pulled[0] - pulled[1]))
            yield rank.send(1 - rank.number, 64, tag=number)
            yield rank.receive(tag=number)

    gc.collect()
    run = supplied(operations)
    assert run.is_complete
    assert run.raw.flows.height == 40_000
    # Each rank waits for the other, so neither is ahead of it by more than it is handed out at a time.
    assert ahead <= 64


def test_a_million_operations_of_a_rank_are_never_in_memory() -> None:
    text = """
import resource, netloom
def operations(rank):
    if rank.number == 0:
        for _ in range(int(COUNT)):
            yield rank.compute(1)
scenario = {"fabric": {"single_switch": {"hosts": 2}}, "jobs": [{"name": "job", "phases": ["program"]}]}
run = netloom.run(scenario, operations={"job": operations}, progress=False)
assert run.is_complete
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""

    def peak(count: str) -> int:
        done = subprocess.run([sys.executable, "-c", text.replace("COUNT", count)], capture_output=True, check=True)
        return int(done.stdout)

    # In KiB: a million operations would take at least 24 MB.
    assert peak("1e6") - peak("1e3") < 4_000


def wrong(text: str) -> Callable[[Rank], Iterator[Operation]]:
    def operations(rank: Rank) -> Iterator[Operation]:
        yield rank.compute("1us")
        if rank.number == 3:
            yield eval(text, {"rank": rank})

    return operations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rank.send(3, 10)", "rank 3 of job 'job', step 0: send(to=3): expected `to` to be another rank than 3, from"),
        ("rank.send(8, 10)", "from 0 to 7"),
        ("rank.send(-1, 10)", "from 0 to 7"),
        ("rank.send(0.5, 10)", "send(to=0.5)"),
        ("rank.send(0, 0)", "send(to=0, size=0): expected `size` to be from 1 to"),
        ("rank.send(0, -5)", "size=-5"),
        ("rank.send(0, 1 << 80)", "expected `size` to be from 1 to"),
        ("rank.send(0, '4MB/s')", 'invalid value "4MB/s" for `size`'),
        ("rank.send(0, 10, tag=-1)", "send(tag=-1): expected `tag` to be a number from 0"),
        ("rank.receive(tag='a')", "receive(tag='a')"),
        ("rank.receive(messages=0)", "receive(messages=0): expected `messages`"),
        ("rank.compute(-1)", "compute(-1): expected whole picoseconds"),
        ("rank.compute(0.5)", "compute(0.5)"),
        ("rank.compute('10')", 'invalid value "10" for `time`'),
    ],
)
def test_wrong_operations_name_rank_operation_and_what_was_expected(text: str, expected: str) -> None:
    with pytest.raises(netloom.InvalidInput) as caught:
        supplied(wrong(text))
    assert expected in str(caught.value)
    assert "raised by the operations of rank 3 of job 'job', step 0" in caught.value.__notes__[0]


def test_what_a_program_raises_ends_the_run_and_what_was_recorded_is_kept(tmp_path: Path) -> None:
    def operations(rank: Rank) -> Iterator[Operation]:
        yield from ring_all_reduce(80_000)(rank)
        if rank.step == 7 and rank.number == 2:
            raise ZeroDivisionError("of rank 2")

    for threads in (1, 2):
        folder = tmp_path / f"run{threads}"
        with pytest.raises(ZeroDivisionError, match="of rank 2") as caught:
            netloom.run(
                scenario("program", steps=9),
                folder,
                operations={"job": operations},
                threads=threads,
                progress=False,
            )
        assert caught.traceback[-1].name == "operations"
        run = netloom.open(folder)
        assert isinstance(run, netloom.Run)
        assert run.status == "stopped"
        assert run.details == ["a program has failed: ZeroDivisionError: of rank 2"]
        assert 0 < run.steps.height < 7


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda rank: None, "returned None: expected a generator, written with `yield`"),
        (lambda rank: [1], "a program yields operations, made by `rank.send`"),
        (lambda rank: iter([(0, 1, 2)]), r"a program yields operations.*not \(0, 1, 2\)"),
    ],
)
def test_what_is_no_program_is_refused(function: RankFunction, expected: str) -> None:
    with pytest.raises(TypeError, match=expected):
        supplied(function)


def test_a_rank_that_waits_for_ever_stalls_the_run() -> None:
    def operations(rank: Rank) -> Iterator[Operation]:
        if rank.number == 1:
            yield rank.receive(tag=7)

    run = supplied(operations)
    assert run.status == "stalled"
    assert run.details[-1] == "job `job`: 1 of 8 ranks are blocked: leaf0.host1 waits for 1 message"


def test_ranks_that_come_to_different_barriers_stall_the_run() -> None:
    def operations(rank: Rank) -> Iterator[Operation]:
        if rank.number > 0:
            yield rank.barrier()

    assert supplied(operations).status == "stalled"


def test_a_program_and_its_scenario_must_fit_each_other(tmp_path: Path) -> None:
    made = scenario("program")
    for call in (lambda: netloom.run(made, progress=False), lambda: netloom.Simulation(made)):
        with pytest.raises(netloom.InvalidInput, match="operations of job `job` come from a program"):
            call()
    assert netloom.check(made).hosts == 8
    with pytest.raises(netloom.InvalidInput, match=r"no job `jop`.*did you mean `job`"):
        netloom.run(made, operations={"jop": all_to_one_and_back}, progress=False)
    with pytest.raises(netloom.InvalidInput, match="job `job` has a program, but no phase `program`"):
        netloom.run(scenario("barrier"), operations={"job": all_to_one_and_back}, progress=False)
    with pytest.raises(TypeError, match="a generator function for each name of a job"):
        netloom.run(made, operations={"job": 3}, progress=False)  # type: ignore[dict-item]
    path = made.save(tmp_path / "scenario.yaml")
    for verb in ("check", "run"):
        words = [sys.executable, "-m", "netloom", verb, str(path or tmp_path / "scenario.yaml")]
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 2
        assert 'netloom.run(scenario, operations={"job": function})' in done.stderr


def test_the_run_folder_says_where_the_operations_came_from(tmp_path: Path) -> None:
    run = netloom.run(scenario("program"), tmp_path / "run", operations={"job": all_to_one_and_back}, progress=False)
    assert run.scenario["jobs"][0]["phases"] == ["program"]
    assert (
        "the operations of job `job` came from a program, which is not stored: `all_to_one_and_back` of module "
        f"`{__name__}`, in Python" in run.manifest["assumptions"]
    )
    with pytest.raises(netloom.Error, match="operations of job `job` come from a program"):
        run.explain("worst")


def test_overheads_of_hosts_count_for_programs_too() -> None:
    hosts = netloom.Hosts(send_overhead="2us", receive_overhead="3us")
    built_in = scenario(netloom.collective.RingAllReduce(size="800KB")).replace(hosts=hosts)
    expected = netloom.run(built_in, progress=False)
    found = supplied(ring_all_reduce(800_000), hosts=hosts)
    assert expected.raw.steps.equals(found.raw.steps)
    with pytest.raises(netloom.ScenarioError, match="the operations of a program"):
        supplied(all_to_one_and_back, hosts=netloom.Hosts(rendezvous="64KiB"))


@pytest.mark.parametrize("stuck", ["pass", "yield rank.compute(0)", "yield rank.send(1, 9)"])
def test_an_interrupt_ends_a_program_that_never_ends(stuck: str, tmp_path: Path) -> None:
    names: dict[str, Any] = {"interrupt_soon": interrupt_soon}
    exec(
        "def operations(rank):\n"
        "    if rank.number == 0:\n"
        "        interrupt_soon()\n"
        f"        while True: {stuck}\n"
        "    yield rank.receive()\n",
        names,
    )
    begun = time.monotonic()
    with pytest.raises(netloom.Interrupted) as caught:
        netloom.run(scenario("program"), tmp_path / "run", operations={"job": names["operations"]}, progress=False)
    assert time.monotonic() - begun < 20
    assert isinstance(caught.value.result, netloom.Run)
    assert caught.value.result.status == "stopped"

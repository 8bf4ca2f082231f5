"""A network used step by step."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

import netloom
from netloom import MS, US

RANKS = 8
FABRIC = netloom.fabric.LeafSpine(leaves=2, spines=2, hosts_per_leaf=4)
SCENARIO = netloom.Scenario(name="stepwise", fabric=FABRIC)


def ring(network: netloom.Simulation, size: int) -> int:
    """A ring all-reduce of ``size`` bytes per rank; returns when the last chunk has arrived, in picoseconds."""
    hosts, chunk = network.hosts, size // RANKS
    following = {host: hosts[(rank + 1) % RANKS] for rank, host in enumerate(hosts)}
    left = dict.fromkeys(hosts, 2 * (RANKS - 1) - 1)
    for host in hosts:
        network.send(host, following[host], chunk, at=0)
    last = 0
    while (arrived := network.run_until_completion()) is not None:
        last = arrived.completed
        host = arrived.destination
        if left[host] > 0:
            left[host] -= 1
            network.send(host, following[host], chunk)
    return last


def test_a_ring_from_python_takes_the_time_of_the_built_in_one(tmp_path: Path) -> None:
    job = netloom.Job(name="ring", phases=[netloom.collective.RingAllReduce(size="1MiB")])
    built_in = netloom.run(SCENARIO.replace(jobs=[job]), progress=False)
    (expected,) = built_in.raw.collectives["end"] - built_in.raw.collectives["start"]
    with netloom.Simulation(SCENARIO, tmp_path / "run") as network:
        assert ring(network, 1 << 20) == expected
        run = network.finish()
    assert run.flows.height == 2 * (RANKS - 1) * RANKS
    replayed = netloom.run(tmp_path / "run" / "scenario.yaml", progress=False)
    assert replayed.digest == run.digest


def test_results_do_not_depend_on_how_often_it_is_called() -> None:
    def digest(step: int, threads: int) -> str:
        with netloom.Simulation(SCENARIO, threads=threads) as network:
            for number in range(4):
                network.send(number, number + 4, 100_000, at=number * 5 * US)
            for instant in range(step, MS + 1, step):
                network.run_until(instant)
            return network.finish().digest

    assert digest(MS, 1) == digest(20 * US, 3) == digest(7 * US, 2)


def test_mistakes_are_exceptions() -> None:
    with netloom.Simulation(SCENARIO) as network:
        with pytest.raises(netloom.InvalidInput, match=r"leaf0\.host0"):
            network.send("leaf0.host00", 1, 10)
        with pytest.raises(netloom.InvalidInput):
            network.send(0, 0, 10)
        with pytest.raises(OverflowError):
            network.send(0, 1, -1)
        network.run_until(10 * US)
        with pytest.raises(netloom.InvalidInput):
            network.send(0, 1, 10, at=5 * US)
        network.send(0, 5, 10)
        arrived = network.run_until_completion()
        assert arrived is not None
        assert network.now == arrived.completed
        with pytest.raises(netloom.InvalidInput, match="or later"):
            network.send(2, 1, 10, at=network.now)
        assert network.earliest_start(2) == network.now + network.lookahead
        assert network.run_until_completion() is None
    with pytest.raises(netloom.InvalidInput, match="ended"):
        network.run_until(MS)


def test_a_limit_of_memory_is_kept() -> None:
    with pytest.raises(netloom.InvalidInput, match=r"more than the limit of 976\.6 KiB"):
        netloom.Simulation(SCENARIO, memory_limit="1MB")


def test_an_interrupt_ends_a_call_that_waits() -> None:
    load = netloom.background.Poisson(load=0.9, end="100s")
    with netloom.Simulation(SCENARIO.replace(background=load)) as network:
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            network.run_until(100 * netloom.SECOND)
        assert network.finish().status == "stopped"


def test_another_thread_can_end_a_call_that_waits() -> None:
    load = netloom.background.Poisson(load=0.9, end="100s")
    network = netloom.Simulation(SCENARIO.replace(background=load))
    waiting = threading.Thread(target=network.run_until, args=(100 * netloom.SECOND,), daemon=True)
    waiting.start()
    # Longer than the time between two looks at signals, for which the call needs the interpreter's lock.
    waiting.join(timeout=0.5)
    assert waiting.is_alive()
    network.close()
    waiting.join(timeout=20)
    assert not waiting.is_alive()

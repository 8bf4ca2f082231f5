"""Load balancing by programs in Python."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from interrupts import interrupt_soon

import netloom
from netloom import Packet, Port, Switch

SCENARIO = netloom.Scenario(
    name="balanced",
    fabric=netloom.fabric.FatTree(k=4),
    jobs=[netloom.Job(name="job", steps=2, phases=[netloom.collective.AllToAllLinear(size="512KiB")])],
)


NO_FACTORY: Any = 3
"""What type checkers would refuse as a factory of balancers."""


class Spray:
    """As the policy `spray`: a random port for each packet."""

    def __init__(self, switch: Switch) -> None:
        self.switch = switch

    def pick(self, packet: Packet, ports: list[Port]) -> int:
        return packet.random * len(ports) >> 32


class LeastLoaded(Spray):
    """As the policy `adaptive`: a random one of the ports where the fewest bytes wait."""

    def pick(self, packet: Packet, ports: list[Port]) -> int:
        least = min(port.queue_bytes for port in ports)
        ties = [index for index, port in enumerate(ports) if port.queue_bytes == least]
        return ties[packet.random * len(ties) >> 32]


def balanced(balance: netloom.BalancerFactory, **options: Any) -> netloom.Run:
    return netloom.run(SCENARIO, balance=balance, progress=False, **options)


@pytest.mark.parametrize(("policy", "balancer"), [("spray", Spray), ("adaptive", LeastLoaded)])
def test_a_policy_from_python_has_the_records_of_the_built_in_one(
    policy: str, balancer: netloom.BalancerFactory
) -> None:
    expected = netloom.run(SCENARIO, set={"balance": policy}, progress=False)
    found = balanced(balancer)
    for table in netloom.TABLES:
        stored, same = getattr(found.raw, table), getattr(expected.raw, table)
        # Packets at ports are counted only where a policy may ask for them.
        columns = [column for column in stored.columns if column != "peak_packets"]
        assert stored.select(columns).equals(same.select(columns)), table
    assert found.scenario["balance"]["switch"] != expected.scenario["balance"]["switch"]


def test_each_switch_has_a_balancer_of_its_own_which_sees_its_ports() -> None:
    switches: list[int] = []
    seen: list[tuple[Packet, list[Port]]] = []

    class RoundRobin:
        def __init__(self, switch: Switch) -> None:
            self.turn = 0
            self.ports = len(switch.neighbours)
            switches.append(switch.number)

        def pick(self, packet: Packet, ports: list[Port]) -> int:
            seen.append((packet, ports))
            assert all(port.number < self.ports for port in ports)
            self.turn += 1
            return self.turn % len(ports)

    run = balanced(RoundRobin)
    assert run.is_complete
    assert len(switches) == len(set(switches))
    assert {len(ports) for _, ports in seen} == {2}
    packets = [packet for packet, _ in seen]
    assert {packet.source for packet in packets} == set(range(16))
    assert all(packet.source != packet.destination and packet.bytes > 0 for packet in packets)
    assert any(port.queue_bytes > 0 for _, ports in seen for port in ports)
    assert max(packet.now for packet in packets) > 0
    assert balanced(RoundRobin).digest == run.digest


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (2, "`pick` returned 2: expected the index of one of 2 ports"),
        (-1, "returned -1"),
        (None, "returned None"),
    ],
)
def test_an_answer_that_is_no_port_ends_the_run(answer: object, expected: str, tmp_path: Path) -> None:
    class Wrong(Spray):
        def pick(self, packet: Packet, ports: list[Port]) -> Any:
            return answer

    with pytest.raises(TypeError, match=expected):
        balanced(Wrong, folder=tmp_path / "run")
    run = netloom.open(tmp_path / "run")
    assert isinstance(run, netloom.Run)
    assert run.status == "stopped"
    assert expected in run.details[0]


def test_what_a_balancer_raises_ends_the_run() -> None:
    class Late(Spray):
        def pick(self, packet: Packet, ports: list[Port]) -> int:
            if packet.now > 20 * netloom.US:
                raise ZeroDivisionError("late")
            return 0

    with pytest.raises(ZeroDivisionError, match="late") as caught:
        balanced(Late)
    assert caught.traceback[-1].name == "pick"

    class Never(Spray):
        def __init__(self, switch: Switch) -> None:
            raise ZeroDivisionError("never")

    with pytest.raises(ZeroDivisionError, match="never"):
        balanced(Never)

    def number(switch: Switch) -> Any:
        return switch.number

    with pytest.raises(AttributeError, match="pick"):
        balanced(number)


def test_an_interrupt_ends_the_run() -> None:
    picked = threading.Event()

    class Slow(Spray):
        def pick(self, packet: Packet, ports: list[Port]) -> int:
            if not picked.is_set():
                picked.set()
                interrupt_soon()
            threading.Event().wait(0.01)
            return 0

    with pytest.raises(netloom.Interrupted) as caught:
        balanced(Slow)
    result = caught.value.result
    assert isinstance(result, netloom.Run)
    assert result.status == "stopped"


def test_where_a_program_balances_load_may_be_said(tmp_path: Path) -> None:
    run = balanced(Spray, set={"balance": {"host": "ecmp", "switch": "program"}}, folder=tmp_path / "run")
    assert "program" in str(run.scenario["balance"]["switch"])
    assert any("a program, which is not stored, balanced load: `Spray`" in one for one in run.manifest["assumptions"])
    with pytest.raises(netloom.InvalidInput, match="one thread"):
        balanced(Spray, threads=2)
    with pytest.raises(TypeError, match="makes a balancer of a switch"):
        balanced(NO_FACTORY)
    path = tmp_path / "scenario.yaml"
    SCENARIO.replace(balance="ecmp").save(path)
    words = [sys.executable, "-m", "netloom", "run", str(path), "--set", "balance=program"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert "netloom.run(..., balance=...)" in done.stderr

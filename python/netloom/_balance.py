"""Load balancing by a program in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from netloom._errors import InvalidInput
from netloom._native import Packet, Port, Switch

__all__ = ["Balancer", "BalancerFactory", "Packet", "Port", "Switch"]

POLICY = "program"
"""The name of the policy in scenarios."""


class Balancer(Protocol):
    """Chooses ports at one switch; any object with this method is one."""

    def pick(self, packet: Packet, ports: list[Port]) -> int:
        """The index, in ``ports``, of the port that a packet takes; asked only where there are several."""
        ...


BalancerFactory: TypeAlias = "Callable[[Switch], Balancer]"
"""A class, or a function, that makes the balancer of each switch."""


def changed(changes: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The changes to a scenario whose load a program balances, unless they say where it does."""
    chosen = [value for path, value in changes if path == "balance" or path.startswith("balance.")]
    if chosen and not any(POLICY in value for value in chosen):
        raise InvalidInput(
            f"`balance` is a program, and `set` chooses other policies: name `{POLICY}` where it balances"
        )
    return changes if chosen else [*changes, ("balance", POLICY)]


def checked(balance: Any, threads: int | None) -> None:
    """Refuse what is no balancer, and threads."""
    if not callable(balance):
        raise TypeError(f"`balance` is a class, or a function, that makes a balancer of a switch, not {balance!r}")
    if threads not in (None, 1):
        raise InvalidInput("a run whose load a program in Python balances has one thread: leave `threads` out")

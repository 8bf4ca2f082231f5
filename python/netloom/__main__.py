"""The command: ``netloom`` and ``python -m netloom``."""

from __future__ import annotations

import sys
from pathlib import Path

from netloom import _native
from netloom._cluster import executor_of
from netloom._errors import Error
from netloom._folders import TemporaryFolder
from netloom._targets import is_url

_BAD_INPUT = 2


def main() -> int:
    """Run the command with the arguments of this process; return its exit code."""
    if _native.__file__ is not None:
        _native.set_invocation(sys.executable, ["-m", "netloom"])
    words = ["netloom", *sys.argv[1:]]
    address = _value(words, "--cluster")
    if words[1:2] != ["sweep"] or address is None:
        return _native.command(words)
    try:
        return _sweep_on_cluster(words, address)
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code


def _sweep_on_cluster(words: list[str], address: str) -> int:
    """Run ``netloom sweep`` with a cluster; the state of a sweep at a URL is in a temporary folder meanwhile."""
    output, keep = _value(words, "--output", "-o"), _native.kept(words)
    if output is None or keep is None:
        return _native.command(words)
    if not is_url(output):
        with executor_of(address, Path(output).absolute(), None, keep) as executor:
            return _native.command(words, executor)
    home = TemporaryFolder()
    folder = home.path / "sweep"
    with executor_of(address, folder, output, keep) as executor:
        return _native.command(words, executor, folder)


def _value(words: list[str], *options: str) -> str | None:
    """The value of an option of the command line, written as one word or two."""
    for word, following in zip(words, [*words[1:], None], strict=True):
        for option in options:
            if word == option:
                return following
            if word.startswith(f"{option}="):
                return word.removeprefix(f"{option}=")
    return None


if __name__ == "__main__":
    sys.exit(main())

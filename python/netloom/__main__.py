"""The command: ``netloom`` and ``python -m netloom``."""

from __future__ import annotations

import sys

from netloom import _native


def main() -> int:
    """Run the command with the arguments of this process; return its exit code."""
    if _native.__file__ is not None:
        _native.set_invocation(sys.executable, ["-m", "netloom"], _native.__file__)
    return _native.command(["netloom", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())

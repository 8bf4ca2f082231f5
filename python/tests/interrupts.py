"""Interrupts of runs by tests: as Ctrl-C, and only once the run has begun, however busy the machine is."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path


def interrupt_soon() -> None:
    """Interrupts this process in a moment; to be called by what a run calls."""
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def interrupt_once_there(folder: Path) -> None:
    """Interrupts this process a moment after a run has begun to write its folder."""

    def wait() -> None:
        while not folder.exists():
            time.sleep(0.01)
        interrupt_soon()

    threading.Thread(target=wait, daemon=True).start()

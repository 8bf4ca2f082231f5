"""Folders of results: temporary ones, and copies."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path

from netloom._errors import InvalidInput, NotFound, Occupied
from netloom._run_tables import TABLES

_KNOWN = {"manifest.json", "scenario.yaml", "messages.csv", "INCOMPLETE", *(f"{table}.parquet" for table in TABLES)}
"""What a run folder may contain."""


class TemporaryFolder:
    """A folder that is removed with this object, at the latest at the end of the process that made it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="netloom-"))
        weakref.finalize(self, _remove, self.path, os.getpid())


def _remove(path: Path, pid: int) -> None:
    # A process that was forked has this object as well, and ends while the one that made the folder may need it.
    if os.getpid() == pid:
        shutil.rmtree(path, ignore_errors=True)


def absolute(folder: str | os.PathLike[str]) -> Path:
    """The folder, whatever the working directory will be."""
    text = os.fspath(folder)
    if not text:
        raise InvalidInput("the name of the folder is empty")
    return Path(os.path.abspath(text))  # noqa: PTH100 (`resolve` would follow links)


def copied(folder: Path, target: Path, replace: bool) -> Path:
    """Copy a folder of results; the copy replaces another one whole, or nothing has changed."""
    if not folder.is_dir():
        raise NotFound(f"there is no such folder any more: {folder}")
    if folder == target or folder in target.parents or target in folder.parents:
        raise InvalidInput(f"a folder cannot be saved into itself or around itself: {target}")
    if target.exists() or target.is_symlink():
        _check_replaceable(folder, target, replace)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".netloom-", dir=target.parent) as home:
            shutil.copytree(folder, Path(home) / "copy")
            if target.exists():
                target.rename(Path(home) / "former")
            (Path(home) / "copy").rename(target)
    except (OSError, shutil.Error) as error:
        raise InvalidInput(f"cannot write the folder ({error}): {target}") from error
    return target


def _check_replaceable(folder: Path, target: Path, replace: bool) -> None:
    """Refuse a target that is no folder of results: only what was made here is ever replaced."""
    if target.is_symlink() or not target.is_dir():
        raise Occupied(f"this is no folder, and nothing is written there: {target}")
    known = _KNOWN | {entry.name for entry in folder.iterdir()}
    found = {entry.name for entry in target.iterdir()}
    if not found <= known:
        raise Occupied(f"the folder holds other files and is no such folder, nothing is written there: {target}")
    if found and not replace:
        raise Occupied(f"there is a result already (`replace=True` replaces it): {target}")

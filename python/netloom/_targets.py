"""Folders of sweeps at URLs, such as those of object stores, through fsspec."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from netloom._errors import InvalidInput, NotFound
from netloom._folders import TemporaryFolder

MANIFEST = "manifest.json"
"""The file of a run folder that is written last: a folder with it is complete."""

_PLAN = ("sweep.json", "points.jsonl")
"""What a sweep is resumed from."""
_RESULTS = ("sweep.json", "points.jsonl", "points.parquet", "points.csv", "study.json")
_UNFINISHED = "UNFINISHED"
_SECONDS_BETWEEN_UPLOADS = 10.0


def is_url(folder: str | PathLike[str] | None) -> bool:
    """Whether the folder is at a URL."""
    return folder is not None and "://" in fspath(folder)


def file_system(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it."""
    try:
        import fsspec
    except ImportError:
        raise InvalidInput(f"folders at URLs need fsspec (`pip install fsspec`): {url}") from None
    try:
        found, path = fsspec.core.url_to_fs(url)
    except (ValueError, ImportError) as error:
        raise InvalidInput(f"{error}: {url}") from None
    # Others write there as well, so what was listed before may be out of date.
    found.invalidate_cache()
    return found, path.rstrip("/")


def upload_run(folder: Path, url: str) -> None:
    """Copy a run folder to a URL, its manifest last."""
    files, path = file_system(url)
    files.makedirs(path, exist_ok=True)
    with suppress(FileNotFoundError):
        # That of another build, whose tables are about to be replaced.
        files.rm_file(f"{path}/{MANIFEST}")
    names = [file.name for file in folder.iterdir() if file.name != MANIFEST]
    # Together: a store takes them side by side.
    files.put([str(folder / name) for name in names], [f"{path}/{name}" for name in names])
    files.put_file(str(folder / MANIFEST), f"{path}/{MANIFEST}")


def download_run(url: str, folder: Path) -> bool:
    """Copy a run folder from a URL, if there is a complete one."""
    files, path = file_system(url)
    if not files.exists(f"{path}/{MANIFEST}"):
        return False
    folder.mkdir(parents=True)
    there = files.ls(path, detail=False)
    files.get(there, [str(folder / found.rpartition("/")[2]) for found in there])
    return True


def copy_of_target(url: str) -> TemporaryFolder:
    """A copy of a folder at a URL, for as long as the result exists."""
    files, path = file_system(url)
    if not files.exists(f"{path}/sweep.json"):
        raise NotFound(f"there is no sweep: {url}")
    home = TemporaryFolder()
    files.get(f"{path}/", f"{home.path}/", recursive=True)
    return home


@contextmanager
def state_kept_at(url: str, folder: Path) -> Iterator[None]:
    """Keep the state of a sweep, which is written in a folder of this machine, at a URL.

    What is there is copied to the folder first, so that a sweep continues, and changes are copied back every few
    seconds and at the end.
    """
    files, path = file_system(url)
    files.makedirs(path, exist_ok=True)
    if files.exists(f"{path}/sweep.json"):
        folder.mkdir(parents=True, exist_ok=True)
        for name in _PLAN:
            if files.exists(f"{path}/{name}"):
                files.get_file(f"{path}/{name}", str(folder / name))
    files.pipe_file(f"{path}/{_UNFINISHED}", b"This sweep is still being run, or was ended early.\n")
    ended = threading.Event()

    def upload_now_and_then() -> None:
        while not ended.wait(_SECONDS_BETWEEN_UPLOADS):
            # What cannot be copied now is copied at the end, where a failure is an error.
            # Libraries of stores have exceptions of their own; the next time, or the end, tries again.
            with suppress(Exception):
                _upload_state(files, folder, path)

    uploading = threading.Thread(target=upload_now_and_then, daemon=True)
    uploading.start()
    try:
        yield
    finally:
        ended.set()
        uploading.join()
        _upload_state(files, folder, path)
        if (folder / "points.parquet").exists() and not (folder / _UNFINISHED).exists():
            files.rm_file(f"{path}/{_UNFINISHED}")


def _upload_state(files: Any, folder: Path, path: str) -> None:
    for name in _RESULTS:
        if (folder / name).exists():
            files.put_file(str(folder / name), f"{path}/{name}")

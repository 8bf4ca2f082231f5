"""Folders of sweeps at URLs, such as those of object stores, through fsspec."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike, fspath
from pathlib import Path, PurePath
from typing import Any

from netloom._errors import Error, InvalidInput, NotFound
from netloom._folders import TemporaryFolder

MANIFEST = "manifest.json"
"""The file of a run folder that is written last: a folder with it is complete."""

_PLAN = ("sweep.json", "points.jsonl")
"""What a sweep is resumed from."""
_RESULTS = ("sweep.json", "points.jsonl", "points.parquet", "points.csv", "study.json")
_UNFINISHED = "UNFINISHED"
_UNFINISHED_TEXT = b"This sweep is still being run, or was ended early.\n"
_SECONDS_BETWEEN_UPLOADS = 10.0


def below(url: str, folder: PurePath) -> str:
    """The URL of a folder, given relative to a folder at a URL."""
    return f"{url.rstrip('/')}/{folder.as_posix()}"


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
    """A copy of the folder of a sweep or a run at a URL, for as long as the result exists.

    Raises ``NotFound`` if there is none.
    """
    files, path = file_system(url)
    if not any(files.exists(f"{path}/{name}") for name in ("sweep.json", MANIFEST)):
        raise NotFound(f"there is no sweep and no run: {url}")
    home = TemporaryFolder()
    files.get(f"{path}/", f"{home.path}/", recursive=True)
    return home


class KeptState:
    """The state of a sweep, written in a folder of this machine and kept at a URL.

    Nothing at the URL changes before the sweep is accepted, which is when its first points are about to be computed.
    """

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        """Where it is kept."""
        self._folder = folder
        self._files, self._path = file_system(url)
        self._ended = threading.Event()
        self._uploading: threading.Thread | None = None

    def begin(self) -> None:
        """Mark the sweep as unfinished, and copy its state every few seconds from now on; once for all its rounds.

        Raises ``OSError`` if the URL cannot be written.
        """
        if self._uploading is not None:
            return
        try:
            self._files.makedirs(self._path, exist_ok=True)
            self._files.pipe_file(f"{self._path}/{_UNFINISHED}", _UNFINISHED_TEXT)
            self._upload()
        except Exception as error:
            # Libraries of stores have exceptions of their own.
            raise OSError(f"{self.url} cannot be written ({type(error).__name__}: {error})") from error
        self._uploading = threading.Thread(target=self._upload_now_and_then, daemon=True)
        self._uploading.start()

    def download(self) -> None:
        """Copy what the sweep is resumed from, if there is a sweep at the URL."""
        if self._files.exists(f"{self._path}/sweep.json"):
            self._folder.mkdir(parents=True, exist_ok=True)
            for name in _PLAN:
                if self._files.exists(f"{self._path}/{name}"):
                    self._files.get_file(f"{self._path}/{name}", str(self._folder / name))

    def end(self) -> None:
        """Copy the state of a sweep that has begun, or had no points to compute; a finished one is unmarked."""
        self._ended.set()
        if self._uploading is not None:
            self._uploading.join()
        is_finished = (self._folder / "points.parquet").exists() and not (self._folder / _UNFINISHED).exists()
        if self._uploading is not None or is_finished:
            self._upload()
        if is_finished:
            with suppress(FileNotFoundError):
                self._files.rm_file(f"{self._path}/{_UNFINISHED}")

    def _upload_now_and_then(self) -> None:
        while not self._ended.wait(_SECONDS_BETWEEN_UPLOADS):
            # What cannot be copied now is copied the next time, or at the end, where a failure is an error.
            with suppress(Exception):
                self._upload()

    def _upload(self) -> None:
        for name in _RESULTS:
            if (self._folder / name).exists():
                self._files.put_file(str(self._folder / name), f"{self._path}/{name}")


@contextmanager
def state_kept_at(url: str, folder: Path) -> Iterator[KeptState]:
    """Keep the state of a sweep, which is written in a folder of this machine, at a URL.

    What is there is copied to the folder first, so that a sweep continues. After ``KeptState.begin`` changes are copied
    back every few seconds, and at the end. An error in the block names the URL instead of the folder.
    """
    state = KeptState(url, folder)
    state.download()
    try:
        yield state
    except Error as error:
        error.args = tuple(_naming(url, folder, argument) for argument in error.args)
        raise
    finally:
        state.end()


def _naming(url: str, folder: Path, argument: Any) -> Any:
    return argument.replace(str(folder), url) if isinstance(argument, str) else argument

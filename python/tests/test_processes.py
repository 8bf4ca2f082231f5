"""Folders, copies of results, and other processes."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import netloom

TINY = netloom.Scenario(
    name="tiny",
    fabric=netloom.fabric.LeafSpine(leaves=2, spines=2, hosts_per_leaf=2),
    jobs=[netloom.Job(name="training", steps=2, phases=[netloom.collective.RingAllReduce(size="64KiB")])],
)


def tiny(folder: Path | None = None) -> netloom.Run:
    return netloom.run(TINY, folder, progress=False)


def in_child(act: Callable[[], int]) -> int:
    """The exit code of a forked process that does something and then ends."""
    pid = os.fork()
    if pid == 0:
        os._exit(act())
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def test_saving_never_touches_other_files(tmp_path: Path) -> None:
    run = tiny(tmp_path / "run")
    thesis = tmp_path / "thesis"
    thesis.mkdir()
    (thesis / "thesis.tex").write_text("x")
    for replace in (False, True):
        with pytest.raises(netloom.Occupied, match="other files"):
            run.save(thesis, replace=replace)
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(thesis)
    for name in ("file", "link"):
        with pytest.raises(netloom.Occupied, match="no folder"):
            run.save(tmp_path / name, replace=True)
    for target in (run.folder, run.folder / "below", tmp_path):
        with pytest.raises(netloom.InvalidInput):
            run.save(target, replace=True)
    assert (thesis / "thesis.tex").read_text() == "x"
    assert run.verify().steps.height == 2


def test_saving_replaces_another_result_on_request(tmp_path: Path) -> None:
    other = netloom.run(TINY, tmp_path / "other", seed=2, progress=False)
    run = tiny()
    with pytest.raises(netloom.Occupied, match="replace"):
        run.save(other.folder)
    assert run.save(other.folder, replace=True).verify().digest == run.digest
    assert [entry.name for entry in tmp_path.iterdir()] == ["other"]


def test_a_run_stays_where_it_is_when_the_working_directory_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = netloom.run(TINY, "out/run", progress=False)
    monkeypatch.chdir("/")
    assert run.steps.height == 2
    assert run.folder == tmp_path / "out/run"
    with pytest.raises(netloom.InvalidInput, match="empty"):
        netloom.run(TINY, "", progress=False)


def test_temporary_folders_belong_to_the_process_that_made_them() -> None:
    run = tiny()
    raw = tiny().raw

    def end() -> int:
        import atexit

        atexit._run_exitfuncs()
        return 0

    assert in_child(end) == 0
    assert run.steps.height == 2
    assert raw.steps.height == 2


def test_runs_in_temporary_folders_are_not_passed_to_other_processes(tmp_path: Path) -> None:
    with pytest.raises(pickle.PicklingError, match="folder"):
        pickle.dumps(tiny())
    kept = pickle.loads(pickle.dumps(tiny(tmp_path / "run")))
    assert kept.steps.height == 2
    interrupted = pickle.loads(pickle.dumps(netloom.Interrupted("stopped", kept)))
    assert str(interrupted) == "stopped"


def test_a_simulation_belongs_to_the_process_that_made_it() -> None:
    with netloom.Simulation(TINY) as network:
        network.send(0, 3, 1000)

        def use() -> int:
            try:
                network.run_until(netloom.US)
            except netloom.InvalidInput as error:
                return 0 if "process" in str(error) else 1
            return 2

        assert in_child(use) == 0
        assert "1 messages in flight" in repr(network)
        assert network.finish().is_complete
    assert repr(network) == "Simulation(ended)"


def test_the_resolved_scenario_of_a_run_is_a_scenario() -> None:
    run = tiny()
    assert netloom.run(run.scenario, progress=False).digest == run.digest
    data = dict(TINY.to_data())
    del data["netloom"]
    assert netloom.run(data, progress=False).digest == run.digest


def test_folders_whose_names_are_no_text(tmp_path: Path) -> None:
    run = tiny(tmp_path / os.fsdecode(b"run\xff"))
    assert run.steps.height == 2

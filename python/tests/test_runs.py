"""Runs from Python: results, frames, errors, interrupts, threads."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from interrupts import interrupt_once_there

import netloom

TINY = """
netloom: 1
name: tiny
fabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 2}}
jobs:
- name: training
  steps: 3
  phases: [ring_all_reduce: {size: 64KiB}]
background: {poisson: {load: 0.2, end: 200us}}
"""

LONG = """
netloom: 1
fabric: {leaf_spine: {leaves: 4, spines: 4, hosts_per_leaf: 8}}
jobs:
- name: training
  steps: 100000
  phases: [ring_all_reduce: {size: 4MiB}]
"""
"""Minutes of work, for tests that stop it."""


@pytest.fixture(scope="module")
def tiny() -> netloom.Run:
    return netloom.run(TINY, progress=False)


def test_a_run_has_a_summary_and_a_digest(tiny: netloom.Run) -> None:
    assert tiny.is_complete
    assert tiny.name == "tiny"
    assert tiny.seed == 1
    assert tiny.summary["jobs"][0]["name"] == "training"
    assert len(tiny.digest) == 64
    assert "job training: 3 steps" in repr(tiny)
    assert "training" in tiny._repr_html_()


def test_equal_scenarios_have_equal_digests_in_all_forms(tiny: netloom.Run, tmp_path: Path) -> None:
    scenario = netloom.Scenario(
        name="tiny",
        fabric=netloom.fabric.LeafSpine(leaves=2, spines=2, hosts_per_leaf=2),
        jobs=[netloom.Job(name="training", steps=3, phases=[netloom.collective.RingAllReduce(size="64KiB")])],
        background=netloom.background.Poisson(load=0.2, end="200us"),
    )
    file = tmp_path / "tiny.yaml"
    file.write_text(TINY)
    for form in (scenario, scenario.to_data(), file, str(file)):
        assert netloom.run(form, progress=False).digest == tiny.digest


def test_the_command_stores_the_same_records(tiny: netloom.Run, tmp_path: Path) -> None:
    file = tmp_path / "tiny.yaml"
    file.write_text(TINY)
    command = [sys.executable, "-m", "netloom", "run", str(file), "-o", str(tmp_path / "run"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["digest"] == tiny.digest
    opened = netloom.open(tmp_path / "run")
    assert isinstance(opened, netloom.Run)
    assert opened.verify().flows.equals(tiny.flows)


def test_frames_have_names_and_units(tiny: netloom.Run) -> None:
    flows = tiny.flows
    hosts = {f"leaf{leaf}.host{host}" for leaf in (0, 1) for host in (0, 1)}
    assert set(flows["source"].cast(pl.String).unique()) == hosts
    assert set(flows["job"].cast(pl.String).unique()) == {"training", "background"}
    assert flows["balance"].unique().to_list() == ["ecmp"]
    raw = tiny.raw.flows
    assert raw.height == flows.height
    assert flows["fct_us"].to_list() == pytest.approx(((raw["end"] - raw["start"]) / 1e6).to_list())
    assert flows["size_bytes"].equals(raw["size"].alias("size_bytes"))
    background = flows.filter(pl.col("job") == "background")
    assert background.filter(pl.col("slowdown") < 1.0).is_empty()
    assert tiny.steps.columns[:2] == ["start_us", "end_us"]


def test_every_table_is_an_attribute_with_meanings(tiny: netloom.Run) -> None:
    for name in netloom.TABLES:
        table = tiny.table(name)
        frame = getattr(tiny, name)
        assert frame.height == len(table)
        assert set(table.columns) <= set(frame.columns)
        assert all(table.meanings.values()), name
        assert name in dir(tiny)


def test_nodes_and_links(tiny: netloom.Run) -> None:
    assert tiny.nodes.filter(pl.col("kind") == "host").height == 4
    assert tiny.nodes.filter(pl.col("kind") == "switch")["name"].to_list() == ["leaf0", "leaf1", "spine0", "spine1"]
    assert tiny.links.height == 8
    assert set(tiny.links.columns) == {"name", "from_node", "to_node", "rate_gbps"}


def test_fixed_width_columns_are_shared_with_other_libraries(tiny: netloom.Run) -> None:
    import pyarrow

    table = table_of_flows = tiny.raw.table("flows")  # noqa: F841 (DuckDB finds it by its name)
    ours = {name: address for name, address, _ in table._native.addresses()}
    arrow: Any = pyarrow.table(table)
    frame = table.to_polars()
    pandas = table.to_pandas()
    for name in ("start", "source", "size"):
        assert arrow.column(name).chunk(0).buffers()[1].address == ours[name]
        assert frame[name].to_numpy(allow_copy=False).__array_interface__["data"][0] == ours[name]
        assert pandas[name].to_numpy().__array_interface__["data"][0] == ours[name]
    import duckdb

    relation: Any = duckdb
    assert relation.sql("select count(*) from table_of_flows").fetchall() == [(frame.height,)]


def test_changes_and_seeds_apply(tiny: netloom.Run) -> None:
    spray = netloom.run(TINY, set={"balance": "spray", "jobs.0.steps": 2}, seed=7, progress=False)
    assert (spray.seed, spray.scenario["balance"]["switch"]) == (7, "spray")
    assert spray.summary["jobs"][0]["steps"] == 2
    flowlet = netloom.run(TINY, set={"balance": netloom.balance.Flowlet(gap="5us")}, progress=False)
    assert flowlet.scenario["balance"]["switch"]["flowlet"]["gap"] == "5us"


def test_mistakes_have_lines_columns_and_hints() -> None:
    with pytest.raises(netloom.ScenarioError) as caught:
        netloom.run(TINY.replace("leaves", "leafs").replace("64KiB", "64"), progress=False)
    problems = caught.value.problems
    assert [problem.line for problem in problems] == sorted(problem.line for problem in problems)
    assert len(problems) >= 2
    assert problems[0].hint is not None
    assert "leaves" in problems[0].hint
    assert (problems[0].line, problems[0].source) == (4, "scenario")
    assert "leafs" in str(caught.value)


def call_with(*arguments: Any, **named: Any) -> None:
    """Run with arguments that a type checker would refuse."""
    netloom.run(*arguments, **named)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: netloom.run("absent.yaml"), netloom.NotFound, "absent.yaml"),
        (lambda: netloom.open("absent"), FileNotFoundError, "absent"),
        (lambda: call_with(17), TypeError, "a scenario is a path"),
        (lambda: call_with(TINY, set=["balance"]), TypeError, "mapping"),
        (lambda: netloom.run(TINY, over="never"), netloom.InvalidInput, "over"),
        (lambda: netloom.run(TINY, threads=0), netloom.InvalidInput, "from 1 to 256"),
        (lambda: netloom.run(TINY, seed=-1), OverflowError, ""),
        (lambda: netloom.run(TINY, set={"balans": "spray"}), netloom.ScenarioError, "balance"),
        (lambda: netloom.sweep(TINY, "x", seeds="7..3"), netloom.InvalidInput, "seeds"),
        (lambda: netloom.sweep(TINY, "x", seeds=range(0)), ValueError, "at least one"),
        (lambda: netloom.reproduce("no-paper"), netloom.InvalidInput, "no-paper"),
        (lambda: netloom.run(TINY, "/proc/netloom"), netloom.Error, "/proc/netloom"),
    ],
)
def test_bad_requests_are_exceptions(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_unknown_tables_and_figures_are_named(tiny: netloom.Run) -> None:
    with pytest.raises(netloom.InvalidInput, match="flows, collectives"):
        tiny.table("flow")
    with pytest.raises(netloom.InvalidInput, match="step_time"):
        tiny.plot.data("steps")


def test_a_complete_run_is_replaced_only_on_request(tmp_path: Path) -> None:
    netloom.run(TINY, tmp_path / "run", progress=False)
    with pytest.raises(netloom.Occupied):
        netloom.run(TINY, tmp_path / "run", progress=False)
    netloom.run(TINY, tmp_path / "run", replace=True, progress=False)


def test_a_damaged_folder_is_an_exception(tmp_path: Path) -> None:
    run = netloom.run(TINY, tmp_path / "run", progress=False)
    (run.folder / "flows.parquet").write_bytes(b"PAR1")
    with pytest.raises(netloom.InvalidInput, match="flows"):
        _ = run.flows
    with pytest.raises(netloom.InvalidInput, match="flows"):
        run.verify()
    (run.folder / "manifest.json").unlink()
    with pytest.raises(netloom.InvalidInput):
        netloom.open(run.folder)


def test_records_of_a_temporary_run_can_be_saved(tmp_path: Path) -> None:
    run = netloom.run(TINY, progress=False)
    kept = run.save(tmp_path / "kept")
    home, digest = run.folder, run.digest
    del run
    assert not home.exists()
    assert kept.verify().digest == digest
    with pytest.raises(netloom.InvalidInput, match="itself"):
        kept.save(tmp_path / "kept")


def test_check_estimates_without_running() -> None:
    found = netloom.check(TINY)
    assert (found.hosts, found.switches, found.links, found.jobs) == (4, 4, 8, 1)
    assert found.cost["packet_hops"] > 0
    assert "leaf_spine" in found.yaml


def test_settings_without_effect_are_warnings() -> None:
    with pytest.warns(netloom.ScenarioWarning, match="true"):
        netloom.run(TINY + "record: {causes: true}\n", progress=False)


def test_other_threads_run_while_netloom_simulates() -> None:
    stop, counted = threading.Event(), [0]

    def count() -> None:
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begun = time.monotonic()
    netloom.run(LONG, set={"jobs.0.steps": 150}, progress=False)
    seconds = time.monotonic() - begun
    stop.set()
    thread.join()
    assert seconds > 0.2, "the run is too short to see anything"
    assert counted[0] > 50 * seconds


def test_several_runs_at_once_from_threads(tiny: netloom.Run) -> None:
    digests: list[str] = []
    threads = [
        threading.Thread(target=lambda: digests.append(netloom.run(TINY, progress=False).digest)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert digests == [tiny.digest] * 4


def test_progress_is_reported_and_an_exception_in_it_stops_the_run() -> None:
    seen: list[netloom.Progress] = []
    netloom.run(LONG, set={"jobs.0.steps": 150}, progress=seen.append)
    shares = [now.share for now in seen if now.share is not None]
    assert shares == sorted(shares)
    assert shares
    assert "step" in seen[-1].text

    def refuse(now: netloom.Progress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        netloom.run(LONG, progress=refuse)


def test_an_interrupt_ends_the_run_and_keeps_its_records(tmp_path: Path) -> None:
    interrupt_once_there(tmp_path / "run")
    with pytest.raises(netloom.Interrupted) as caught:
        netloom.run(LONG, tmp_path / "run", progress=False)
    run = caught.value.result
    assert isinstance(run, netloom.Run)
    assert run.status == "stopped"
    assert run.verify().steps.height > 0


def test_relative_paths_in_texts_and_objects_start_at_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "base.yaml").write_text(TINY)
    monkeypatch.chdir(tmp_path)
    inherited = netloom.run(netloom.Scenario(from_="base.yaml", seed=5), progress=False)
    assert inherited.digest == netloom.run(TINY, seed=5, progress=False).digest

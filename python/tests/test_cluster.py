"""Sweeps on a Dask cluster: the same results as here, whatever happens to workers, clients and the scheduler."""

from __future__ import annotations

import contextlib
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import netloom
from netloom import _native

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")

# More for the figures of the documentation: 500.
SEEDS = int(os.environ.get("NETLOOM_CLUSTER_SEEDS", "20"))
# An object store takes about 15 ms for each file, and a run folder has about 30.
STORE_SEEDS = int(os.environ.get("NETLOOM_CLUSTER_SEEDS", "6"))

TRAINING = netloom.Scenario(
    name="training",
    fabric=netloom.fabric.LeafSpine(leaves=2, spines=2, hosts_per_leaf=4),
    jobs=[netloom.Job(name="training", steps=20, phases=[netloom.collective.RingAllReduce(size="256KiB")])],
)
POLICIES: dict[str, list[str]] = {"balance": ["ecmp", "spray"]}


def local_cluster() -> Any:
    return distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    )


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with local_cluster() as made:
        yield made


def digests(study: netloom.Study) -> list[tuple[str, int, str]]:
    return study.points.select("balance", "seed", "digest").rows()


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> netloom.Study:
    folder = tmp_path_factory.mktemp("local") / "sweep"
    return netloom.sweep(TRAINING, folder, vary=POLICIES, seeds=SEEDS, progress=False)


def sweep(folder: Path | str, client: Any, seeds: int = SEEDS, **options: Any) -> netloom.Study:
    return netloom.sweep(TRAINING, folder, vary=POLICIES, seeds=seeds, client=client, progress=False, **options)


def test_a_cluster_gives_the_results_of_this_machine(cluster: Any, local: netloom.Study, tmp_path: Path) -> None:
    made = sweep(tmp_path / "sweep", cluster)
    assert digests(made) == digests(local)
    assert made.folder is not None
    assert local.folder is not None
    ours, theirs = (pl.read_parquet(study.folder / "points.parquet") for study in (made, local) if study.folder)
    assert ours.equals(theirs)
    # The other side computes none of them again.
    again = netloom.sweep(TRAINING, made.folder, vary=POLICIES, seeds=SEEDS, progress=False)
    assert again.results is not None
    assert (again.results["made"], again.results["kept"]) == (0, 2 * SEEDS)


def finished(folder: Path) -> list[Path]:
    return list(folder.glob("points/*/*/*/manifest.json"))


def kill_a_worker(cluster: Any, folder: Path) -> None:
    while len(finished(folder)) < SEEDS // 4:
        time.sleep(0.01)
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)


def test_a_worker_killed_in_the_middle_loses_nothing(cluster: Any, local: netloom.Study, tmp_path: Path) -> None:
    killing = threading.Thread(target=kill_a_worker, args=(cluster, tmp_path / "sweep"))
    killing.start()
    made = sweep(tmp_path / "sweep", cluster)
    killing.join()
    assert digests(made) == digests(local)
    assert made.points["status"].unique().to_list() == ["complete"]


CLIENT = """
import sys, netloom
netloom.sweep(sys.argv[1], sys.argv[2], vary={"balance": ["ecmp", "spray"]}, seeds=int(sys.argv[3]),
              client=sys.argv[4], progress=False)
"""


def test_a_killed_client_resumes(cluster: Any, local: netloom.Study, tmp_path: Path) -> None:
    scenario, folder = tmp_path / "training.yaml", tmp_path / "sweep"
    TRAINING.save(scenario)
    words = [sys.executable, "-c", CLIENT, scenario, folder, str(SEEDS), cluster.scheduler_address]
    client = subprocess.Popen(words)
    while len(finished(folder)) < SEEDS // 4:
        assert client.poll() is None
        time.sleep(0.01)
    client.kill()
    client.wait()
    before = {path: path.stat().st_mtime_ns for path in finished(folder)}
    made = netloom.sweep(scenario, folder, vary=POLICIES, seeds=SEEDS, client=cluster, progress=False)
    assert digests(made) == digests(local)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_summaries_are_kept_without_folders(cluster: Any, local: netloom.Study, tmp_path: Path) -> None:
    made = sweep(tmp_path / "sweep", cluster, keep="summary")
    assert digests(made) == digests(local)
    assert not (tmp_path / "sweep" / "points").exists()
    columns = ["balance", "seed", "status", "step_mean_s", "step_p99_s", "job_time_s", "dropped_packets"]
    assert made.points.select(columns).equals(local.points.select(columns))
    again = netloom.sweep(
        TRAINING, tmp_path / "sweep", vary=POLICIES, seeds=SEEDS + 1, keep="summary", force=True, progress=False
    )
    assert again.results is not None
    assert (again.results["made"], again.results["kept"]) == (2, 2 * SEEDS)


def test_a_point_that_takes_too_long_is_a_row_with_its_reason(cluster: Any, tmp_path: Path) -> None:
    vary = {"jobs.0.steps": [5, 100_000]}
    made = netloom.sweep(
        TRAINING, tmp_path / "sweep", vary=vary, client=cluster, point_limit="1s", keep="summary", progress=False
    )
    assert made.points["status"].to_list() == ["complete", "failed"]
    assert "longer than the limit of 1 s" in made.points["reason"][1]
    assert made.results is not None
    assert [point["seed"] for point in made.results["failed"]] == [1]


def use_another_build() -> None:
    _native.BUILD = "0.0.9-0123456789abcdef"


def test_workers_of_another_build_are_refused(local: netloom.Study, tmp_path: Path) -> None:
    # A cluster of its own: now and then a worker does not come back when Dask restarts them.
    with local_cluster() as own, distributed.Client(own) as client:
        others = list(client.nthreads())
        client.run(use_another_build, workers=others[:1])
        with pytest.warns(UserWarning, match=r"has netloom 0\.0\.9-0123456789abcdef, and this is"):
            made = sweep(tmp_path / "sweep", client)
        assert digests(made) == digests(local)
        client.run(use_another_build)
        with pytest.warns(UserWarning, match="is not used"), pytest.raises(netloom.InvalidInput, match="all workers"):
            sweep(tmp_path / "other", client)


def dask(program: str, *options: str) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", f"distributed.cli.{program}", *options]
    return subprocess.Popen(words, stderr=subprocess.DEVNULL)


@contextlib.contextmanager
def killed_at_end(program: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    with program:
        try:
            yield program
        finally:
            program.kill()


@contextlib.contextmanager
def meanwhile(work: Callable[[], None]) -> Iterator[None]:
    """Do work on another thread."""
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        thread.join()


OTHER_BUILD = """
from netloom import _native
_native.BUILD = "0.0.9-0123456789abcdef"
_native.compute_point = lambda *_: '{"other_build": {"build": "0.0.9-0123456789abcdef"}}'
"""
WITHOUT_FOLDER = """
from netloom import _cluster
_cluster._reaches = lambda file: False
"""


@pytest.mark.parametrize(
    ("preload", "warning"),
    [(OTHER_BUILD, r"has netloom 0\.0\.9-0123456789abcdef, and this is"), (WITHOUT_FOLDER, "does not reach")],
    ids=["another build", "no folder"],
)
# Where processes start slowly, the second worker comes late.
@pytest.mark.filterwarnings("ignore:the cluster has no worker")
def test_a_late_worker_that_is_of_no_use_gives_its_tasks_back(
    preload: str, warning: str, local: netloom.Study, tmp_path: Path
) -> None:
    file = ["--scheduler-file", str(tmp_path / "scheduler.json")]
    (tmp_path / "preload.py").write_text(preload)
    with contextlib.ExitStack() as programs:

        def start(program: str, *options: str) -> None:
            programs.enter_context(killed_at_end(dask(program, *file, *options)))

        def join() -> None:
            """Start the worker, which takes all tasks, and one that can compute them only once that is refused."""
            start("dask_worker", "--nthreads", "1", "--no-dashboard", "--preload", str(tmp_path / "preload.py"))
            end = time.monotonic() + 120.0
            while not any("is not used" in str(found.message) for found in caught) and time.monotonic() < end:
                time.sleep(0.05)
            start("dask_worker", "--nthreads", "1", "--no-dashboard")

        start("dask_scheduler", "--port", "0", "--no-dashboard")
        client = programs.enter_context(distributed.Client(scheduler_file=file[1], timeout=60))
        with pytest.warns(UserWarning, match=warning) as caught, meanwhile(join):
            made = sweep(tmp_path / "sweep", client)
        assert digests(made) == digests(local)


def test_sweeps_at_once_share_a_scheduler(cluster: Any, local: netloom.Study, tmp_path: Path) -> None:
    """Two of them have the same tasks, which Dask computes once; a third keeps run folders."""
    with ThreadPoolExecutor(3) as pool:
        keeps = {"one": "summary", "other": "summary", "third": "folders"}
        sweeps = [pool.submit(sweep, tmp_path / name, cluster, keep=keep) for name, keep in keeps.items()]
        for made in sweeps:
            assert digests(made.result()) == digests(local)
            assert made.result().points["status"].unique().to_list() == ["complete"]


def test_a_scheduler_that_goes_away_is_reported_and_nothing_is_lost(tmp_path: Path) -> None:
    file = ["--scheduler-file", str(tmp_path / "scheduler.json")]
    scheduler = dask("dask_scheduler", "--port", "0", "--no-dashboard", *file)
    worker = dask("dask_worker", *file, "--nthreads", "1", "--no-dashboard", "--death-timeout", "30")
    try:
        with distributed.Client(scheduler_file=str(tmp_path / "scheduler.json"), timeout=30) as client:
            client.wait_for_workers(1, timeout=30)
            folder = tmp_path / "sweep"

            def end_scheduler() -> None:
                while not (folder / "points.jsonl").exists():
                    time.sleep(0.01)
                scheduler.kill()

            ending = threading.Thread(target=end_scheduler)
            ending.start()
            with pytest.raises(netloom.StoppedEarly, match=r"went away; \d+ of \d+ points are done"):
                netloom.sweep(TRAINING, folder, seeds=200, keep="summary", client=client, progress=False)
            ending.join()
        known = len((folder / "points.jsonl").read_text().splitlines())
        made = netloom.sweep(TRAINING, folder, seeds=200, keep="summary", progress=False)
        assert made.results is not None
        assert made.results["kept"] == known > 0
    finally:
        scheduler.kill()
        worker.kill()
        scheduler.wait()
        worker.wait()


def test_an_interrupt_ends_the_sweep_and_the_same_call_continues(
    cluster: Any, local: netloom.Study, tmp_path: Path
) -> None:
    def interrupt(now: netloom.Progress) -> None:
        if (now.share or 0.0) > 0.2:
            raise KeyboardInterrupt

    with pytest.raises(netloom.Interrupted, match="the same call continues it") as stopped:
        netloom.sweep(
            TRAINING, tmp_path / "sweep", vary=POLICIES, seeds=SEEDS, client=cluster, keep="summary", progress=interrupt
        )
    assert isinstance(stopped.value.result, netloom.Study)
    n_done = stopped.value.result.points.height
    assert 0 < n_done < 2 * SEEDS
    made = sweep(tmp_path / "sweep", cluster, keep="summary")
    assert digests(made) == digests(local)
    assert made.results is not None
    assert made.results["kept"] >= n_done


FULL_DISK = """
import resource, sys, netloom
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
client = sys.argv[3] if len(sys.argv) > 3 else None
netloom.sweep(sys.argv[1], sys.argv[2], seeds=50, keep="summary", client=client, progress=False)
"""


@pytest.mark.parametrize("where", ["here", "cluster"])
def test_a_full_disk_ends_the_sweep_and_loses_nothing(cluster: Any, where: str, tmp_path: Path) -> None:
    scenario, folder = tmp_path / "training.yaml", tmp_path / "sweep"
    TRAINING.save(scenario)
    words = [sys.executable, "-c", FULL_DISK, str(scenario), str(folder)]
    words += [cluster.scheduler_address] if where == "cluster" else []
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "StoppedEarly" in done.stderr
    assert "points.jsonl" in done.stderr
    n_stored = (folder / "points.jsonl").read_text().count("\n")
    assert n_stored > 5
    made = netloom.sweep(scenario, folder, seeds=50, keep="summary", progress=False)
    assert made.results is not None
    assert (made.results["kept"], made.results["made"]) == (n_stored, 50 - n_stored)


def test_no_scheduler_and_no_shared_folder_are_refused(cluster: Any, tmp_path: Path) -> None:
    with pytest.raises(netloom.InvalidInput, match=r"no scheduler of Dask answers at tcp://127\.0\.0\.1:9"):
        sweep(tmp_path / "sweep", "tcp://127.0.0.1:9")
    with pytest.raises(netloom.InvalidInput, match="needs a cluster"):
        netloom.sweep(TRAINING, "s3://bucket/sweep", progress=False)
    with pytest.raises(netloom.InvalidInput, match=r"invalid value .rows. for `keep`"):
        sweep(tmp_path / "sweep", cluster, keep="rows")


def test_the_command_takes_a_cluster(cluster: Any, tmp_path: Path) -> None:
    scenario = tmp_path / "training.yaml"
    TRAINING.save(scenario)
    words = [sys.executable, "-m", "netloom", "sweep", str(scenario), "--vary", "balance=ecmp,spray", "--seeds", "3"]
    words += ["-o", str(tmp_path / "sweep"), "--cluster", cluster.scheduler_address, "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert '"made": 6' in done.stdout


def test_the_command_takes_a_study(cluster: Any, tmp_path: Path) -> None:
    TRAINING.save(tmp_path / "training.yaml")
    study = tmp_path / "study.yaml"
    study.write_text("study: 1\nscenarios: training.yaml\nvary: { balance: [ecmp, spray] }\nseeds: 3\nkeep: summary\n")
    words = [sys.executable, "-m", "netloom", "sweep", str(study), "-o", str(tmp_path / "sweep"), "--seeds", "2"]
    done = subprocess.run(
        [*words, "--cluster", cluster.scheduler_address, "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert '"made": 4' in done.stdout
    assert not (tmp_path / "sweep" / "points").exists()


def test_the_command_names_the_url(cluster: Any, tmp_path: Path) -> None:
    scenario = tmp_path / "training.yaml"
    TRAINING.save(scenario)
    url = f"file://{tmp_path}/kept"
    words = [sys.executable, "-m", "netloom", "sweep", str(scenario), "--vary", "balance=ecmp,spray"]
    words += ["-o", url, "--cluster", cluster.scheduler_address]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"folder {url}\n" in done.stdout
    other = subprocess.run([*words, "--seeds", "2"], capture_output=True, text=True, check=False)
    assert other.returncode == 2
    assert f"the folder has another sweep (--seeds 1..1, now 1..2): {url}\n" in other.stderr


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A URL that is a folder of this machine."""
    return f"file://{tmp_path}/study"


def test_a_refused_sweep_changes_nothing_at_its_url(cluster: Any, url: str, tmp_path: Path) -> None:
    def refused(text: str, **options: Any) -> None:
        with pytest.raises(netloom.Error, match=text):
            netloom.sweep(TRAINING, url, client=cluster, progress=False, **options)

    refused("point_limit", point_limit="soon")
    assert not (tmp_path / "study").exists()
    netloom.sweep(TRAINING, url, client=cluster, seeds=2, progress=False)
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "study").rglob("*")}
    refused("point_limit", seeds=2, point_limit="soon")
    refused(rf"has another sweep \(--seeds 1\.\.2, now 1\.\.3\): {url}", seeds=3)
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "study").rglob("*")} == before


def test_a_sweep_at_a_url_is_marked_until_it_is_finished(cluster: Any, url: str, tmp_path: Path) -> None:
    marked: list[bool] = []

    def interrupt(now: netloom.Progress) -> None:
        marked.append((tmp_path / "study" / "UNFINISHED").exists())
        raise KeyboardInterrupt

    with pytest.raises(netloom.Interrupted):
        netloom.sweep(TRAINING, url, client=cluster, seeds=SEEDS, progress=interrupt)
    assert all(marked)
    assert (tmp_path / "study" / "UNFINISHED").exists()
    netloom.sweep(TRAINING, url, client=cluster, seeds=SEEDS, progress=False)
    assert not (tmp_path / "study" / "UNFINISHED").exists()


def test_a_url_that_cannot_be_written_is_named(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    url = f"file://{tmp_path}/file/study"
    with pytest.raises(netloom.StoppedEarly, match=rf"{url} cannot be written \(\w+Error: .*; 0 of 2 points are done"):
        netloom.sweep(TRAINING, url, client=cluster, seeds=2, progress=False)


def test_a_study_at_a_url_says_where_its_run_folders_are(cluster: Any, url: str, tmp_path: Path) -> None:
    made = netloom.sweep(TRAINING, url, client=cluster, seeds=2, progress=False)
    assert repr(made) == f"Study of 2 points with run folders at {url}, 0 failed"
    assert (made.url, made.results and made.results["folder"]) == (url, url)
    with pytest.raises(netloom.InvalidInput, match=rf"`netloom\.open\('{url}'\)` copies them"):
        _ = made.steps
    opened = netloom.open(url)
    assert isinstance(opened, netloom.Study)
    assert opened.points.equals(made.points)
    assert opened.steps.height == 2 * 20
    for folder, digest in made.points.select("folder", "digest").rows():
        assert folder.startswith(f"{url}/points/")
        run = netloom.open(folder)
        assert isinstance(run, netloom.Run)
        assert run.digest == digest
    passed = pickle.loads(pickle.dumps(made))
    assert passed.points.equals(made.points)
    assert made.save(tmp_path / "saved").steps.equals(opened.steps)


@contextlib.contextmanager
def store_server(log: Path) -> Iterator[str]:
    """The address of an object store of its own process, since in this one it would wait for the client."""
    words = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
    with log.open("wb") as output, subprocess.Popen(words, stdout=output, stderr=output) as server:
        try:
            yield address_in(log, server)
        finally:
            server.kill()


def address_in(log: Path, server: subprocess.Popen[bytes], seconds: float = 60.0) -> str:
    """The address that a server writes as soon as it answers there."""
    end = time.monotonic() + seconds
    while (found := re.search(r"Running on (http://\S+)", log.read_text())) is None:
        assert server.poll() is None, log.read_text()
        assert time.monotonic() < end, f"the server has no address after {seconds:g} s"
        time.sleep(0.05)
    return found[1]


@pytest.fixture
def object_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    pytest.importorskip("moto.server")
    s3fs = pytest.importorskip("s3fs")
    with store_server(tmp_path / "store.log") as address:
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        s3fs.S3FileSystem.clear_instance_cache()
        s3fs.S3FileSystem().mkdir("studies")
        yield "s3://studies/policies"


@pytest.fixture
def cluster_of_store(object_store: str) -> Iterator[Any]:
    """Workers that have the variables of the store."""
    assert object_store
    with local_cluster() as made:
        yield made


def test_run_folders_go_to_an_object_store(object_store: str, cluster_of_store: Any, local: netloom.Study) -> None:
    import s3fs

    cluster = cluster_of_store
    killing = threading.Timer(2.0, lambda: os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL))
    killing.start()
    made = sweep(object_store, cluster, STORE_SEEDS)
    killing.cancel()
    assert digests(made) == [row for row in digests(local) if row[1] <= STORE_SEEDS]
    store = s3fs.S3FileSystem()
    store.invalidate_cache()
    assert len(store.glob("studies/policies/points/*/*/*/manifest.json")) == 2 * STORE_SEEDS
    assert not store.exists("studies/policies/UNFINISHED")
    again = sweep(object_store, cluster, STORE_SEEDS)
    assert again.results is not None
    assert (again.results["made"], again.results["kept"]) == (0, 2 * STORE_SEEDS)
    # A client that lost its state finds the run folders.
    store.rm("studies/policies/points.jsonl")
    found = sweep(object_store, cluster, STORE_SEEDS)
    assert found.results is not None
    assert (found.results["made"], found.results["kept"]) == (0, 2 * STORE_SEEDS)
    opened = netloom.open(object_store)
    assert isinstance(opened, netloom.Study)
    assert len(opened.runs) == 2 * STORE_SEEDS
    assert opened[0].digest == local[0].digest

"""The client of cluster_namespaces.sh: a sweep on two workers, one of which is killed, and the same sweep here."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import netloom
from distributed import Client

SEEDS = 30
SCENARIO = netloom.Scenario(
    name="training",
    fabric=netloom.fabric.LeafSpine(leaves=4, spines=2, hosts_per_leaf=4),
    jobs=[netloom.Job(name="training", steps=20, phases=[netloom.collective.RingAllReduce(size="256KiB")])],
)
SECOND = "10.65.0.12"


def sweep(**options):
    vary = {"balance": ["ecmp", "spray"]}
    return netloom.sweep(SCENARIO, vary=vary, seeds=SEEDS, keep="summary", progress=False, **options)


def digests(study):
    return study.points.select("balance", "seed", "status", "digest").rows()


def workers(client):
    return {worker["host"]: address for address, worker in client.scheduler_info()["workers"].items()}


def is_computing(dask_worker):
    return dask_worker.state.executing_count > 0


def kill_second(client, process, killed):
    """Kill the second worker while it computes a point."""
    second = workers(client)[SECOND]
    while not client.run(is_computing, workers=[second])[second]:
        time.sleep(0.01)
    os.kill(process, signal.SIGKILL)
    killed.append(time.monotonic())


def main():
    address, pid_file = sys.argv[1:]
    expected = sweep()
    with Client(address, timeout=60) as client:
        client.wait_for_workers(2, timeout=60)
        before = sorted(workers(client))
        begin, killed = time.monotonic(), []
        killing = threading.Thread(target=kill_second, args=(client, int(Path(pid_file).read_text()), killed))
        killing.start()
        made = sweep(client=client)
        end = time.monotonic()
        killing.join(timeout=60)
        after = sorted(workers(client))
    if not killed or end < killed[0] or SECOND in after:
        sys.exit(f"FAILED: the worker at {SECOND} was not killed during the sweep")
    if digests(made) != digests(expected):
        sys.exit("FAILED: the digests differ from those without a cluster")
    print(
        f"a sweep across namespaces: {made.points.height} points by workers at {', '.join(before)}, "
        f"the last of which was killed after {killed[0] - begin:.1f} s; {end - begin:.1f} s in all, "
        "digests as without a cluster"
    )


if __name__ == "__main__":
    main()

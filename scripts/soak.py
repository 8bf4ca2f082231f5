#!/usr/bin/env python3
"""Runs the command for a long time under everything that goes wrong on real machines.

    scripts/soak.py [--minutes 30] [--netloom target/release/netloom]

One long run simulates from the first minute to the last. Beside it, sweeps are killed at random times and resumed, signalled,
started twice in one folder, and given files that may not grow. After each, the folder must be whole or say that it is not,
nothing that was finished may be computed again, and the table of points must be that of an undisturbed sweep. At the end the
long run must be as large as when it had settled. Prints what was done, and exits with 1 at the first difference.
"""

import argparse
import csv
import json
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

SCENARIO = """
netloom: 1
fabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps}}
jobs: [{name: ring, steps: 40, phases: [{compute: 5us}, {ring_all_reduce: {size: 256KiB}}]}]
background: {mice: {end: 400us, interval: 10us}}
"""
LONG = SCENARIO.replace("steps: 40", "steps: 100000000").replace("end: 400us", "end: 1000s")
SWEEP = ["--vary", "balance=ecmp,spray,adaptive", "--vary", "jobs.0.steps=20,40", "--seeds", "4", "--threads", "1"]
POINTS = 24
# Most bytes of a file where files may not grow: tables of points do not fit.
SMALL_FILE = 8192
# From this share of the time on the memory of the long run may grow by no more than this factor: by then its tables have
# filled what they hold before they write it.
SETTLED = 1 / 3
GROWTH = 1.05


class Failure(Exception):
    pass


class Soak:
    def __init__(self, netloom: Path, home: Path, seed: int) -> None:
        self.netloom, self.home, self.random = netloom, home, random.Random(seed)
        self.done: Counter[str] = Counter()
        self.number = 0
        (home / "small.yaml").write_text(SCENARIO)
        (home / "long.yaml").write_text(LONG)
        self.sweep("reference")
        self.reference = self.table("reference")

    def start(self, *words: str, limit: int | None = None) -> "subprocess.Popen[str]":
        def bounded() -> None:
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen([self.netloom, *words], cwd=self.home, preexec_fn=bounded, **pipes)

    def call(self, *words: str, limit: int | None = None, expected: tuple[int, ...] = (0,)) -> str:
        return self.ended(self.start(*words, limit=limit), expected)

    def ended(self, process: "subprocess.Popen[str]", expected: tuple[int, ...]) -> str:
        out, err = process.communicate(timeout=600)
        if process.returncode not in expected or "panicked" in err:
            raise Failure(f"{process.args}: exit code {process.returncode}, expected {expected}\n{out}{err}")
        return out + err

    def words(self, folder: str, keep: str = "folders") -> list[str]:
        return ["sweep", "small.yaml", *SWEEP, "--keep", keep, "-o", folder]

    def sweep(self, folder: str, keep: str = "folders", expected: tuple[int, ...] = (0,), limit: int | None = None) -> str:
        return self.call(*self.words(folder, keep), expected=expected, limit=limit)

    def table(self, folder: str) -> list[dict[str, str]]:
        """The points without where and how fast they were computed."""
        with (self.home / folder / "points.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        return [{key: row[key] for key in row if key not in ("folder", "wall_time_s")} for row in rows]

    def finished(self, folder: str) -> int:
        """Checks a folder in any state; returns the number of its finished points."""
        if not (self.home / folder / "sweep.json").exists():
            return 0
        out = self.call("check", folder, "--json", expected=(0, 3))
        return json.loads(out)[0]["sweep"]["points"]

    def must_equal_reference(self, folder: str) -> None:
        if self.table(folder) != self.reference:
            raise Failure(f"{folder}: the table of points differs from that of an undisturbed sweep")
        if self.finished(folder) != POINTS:
            raise Failure(f"{folder}: it is not finished")

    def kills(self, folder: str) -> None:
        """Killed again and again, then resumed: what was finished stays so."""
        keep = self.random.choice(["folders", "summary"])
        before = 0
        for _ in range(self.random.randint(1, 5)):
            process = self.start(*self.words(folder, keep))
            time.sleep(self.random.uniform(0.0, 1.5))
            ending = self.random.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
            process.send_signal(ending)
            # A signal before the handlers are there ends the process at once, one after the end changes nothing.
            self.ended(process, (-ending, 0, 3))
            self.done[ending.name] += 1
            now = self.finished(folder)
            if now < before:
                raise Failure(f"{folder}: {before} points were finished, now {now}")
            before = now
        out = self.sweep(folder, keep)
        if f"{POINTS} points, {before} there already" not in out:
            raise Failure(f"{folder}: {before} points were finished, and were computed again:\n{out}")
        self.must_equal_reference(folder)

    def two_writers(self, folder: str) -> None:
        """Started twice at once: one is refused or finds all there, and no point is lost."""
        both = [self.start(*self.words(folder)) for _ in range(2)]
        said = [self.ended(process, (0, 2)) for process in both]
        if all(process.returncode == 2 for process in both):
            raise Failure(f"{folder}: both writers were refused: {said}")
        self.sweep(folder)
        self.must_equal_reference(folder)
        self.done["two writers"] += 1

    def full_disk(self, folder: str) -> None:
        """Files may not grow: the sweep says so, and continues once they may."""
        limit = self.random.choice([0, 512, SMALL_FILE])
        said = self.sweep(folder, expected=(2, 3), limit=limit)
        if "File too large" not in said:
            raise Failure(f"{folder}: no word of the full disk:\n{said}")
        self.finished(folder)
        self.sweep(folder)
        self.must_equal_reference(folder)
        self.done["full disk"] += 1

    def report(self, folder: str) -> None:
        """A report that is killed leaves no half a page, and the next one takes its draft over."""
        self.sweep(folder, "folders")
        page = f"{folder}.html"
        process = self.start("report", folder, "-o", page)
        time.sleep(self.random.uniform(0.0, 1.0))
        process.kill()
        process.communicate()
        self.call("report", folder, "-o", page, "--force")
        if list(self.home.glob("*netloom-draft*")):
            raise Failure(f"{folder}: a draft is left")
        self.done["killed reports"] += 1

    def act_until(self, until: float) -> None:
        acts = [self.kills, self.two_writers, self.full_disk, self.report]
        while time.monotonic() < until:
            folder = f"sweep{self.number}"
            acts[self.number % len(acts)](folder)
            subprocess.run(["rm", "-rf", self.home / folder, self.home / f"{folder}.html"], check=True)
            self.number += 1


def memory_kib(process: "subprocess.Popen[str]") -> int:
    """Least resident memory of a process within ten seconds: what it has just freed is no growth."""

    def now() -> int:
        time.sleep(1)
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])

    return min(now() for _ in range(10))


def soak(netloom: Path, minutes: float, seed: int) -> int:
    with tempfile.TemporaryDirectory() as home:
        begun = time.monotonic()
        until = begun + 60 * minutes
        here = Soak(netloom, Path(home), seed)
        long = here.start("run", "long.yaml", "--threads", "1", "--quiet", "-o", "long")
        try:
            here.act_until(begun + 60 * minutes * SETTLED)
            settled_s, first = time.monotonic() - begun, memory_kib(long)
            here.act_until(until)
            last = memory_kib(long)
        finally:
            long.send_signal(signal.SIGTERM)
        here.ended(long, (3,))
        here.call("check", "long")
        simulated = json.loads((Path(home) / "long" / "manifest.json").read_text())["hops"]
        print(f"{(time.monotonic() - begun) / 60:.1f} minutes: {', '.join(f'{n} {what}' for what, n in sorted(here.done.items()))}")
        print(f"long run: {simulated:,} packet-hops; {first:,} KiB after {settled_s:.0f} s, {last:,} KiB at the end")
        if last > GROWTH * first:
            raise Failure(f"the long run grew by more than {GROWTH - 1:.0%}")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--netloom", type=Path, default=Path("target/release/netloom"))
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    try:
        sys.exit(soak(arguments.netloom.resolve(), arguments.minutes, arguments.seed))
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        sys.exit(1)

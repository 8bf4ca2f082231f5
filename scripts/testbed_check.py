#!/usr/bin/env python3
"""Compares two rings beside an incast: the one that shares its edge is slowed down more. Bounds are wide.

testbed_check.py measured MPI SHARED APART      folders of netloom-field
testbed_check.py simulated SHARED APART         answers of `netloom show interference --json`
"""
import json
import sys
from pathlib import Path


def measured(folder):
    """The mean time of an iteration, by the slowest rank of each, congested over the mean of both baselines."""
    assert "\nstatus complete\n" in Path(folder, "manifest.txt").read_text(), f"{folder} is not complete"
    longest = {}
    for file in sorted(Path(folder).glob("times-*.csv")):
        head, _, *rows = file.read_text().splitlines()
        if " role victim" in head:
            for row in rows:
                words = row.split(",")
                if len(words) == 6 and int(words[2]) >= 1:  # The first iteration is the warm-up.
                    at = int(words[0]), int(words[2])
                    longest[at] = max(longest.get(at, 0), int(words[4]) - int(words[3]))
    means = []
    for segment in range(3):
        times = [time for (of, _), time in longest.items() if of == segment]
        assert len(times) == 5, f"{folder}: segment {segment} has {len(times)} iterations, expected 5"
        means.append(sum(times) / len(times))
    # Each rank receives three parts of a quarter of 1 MiB at 50 Mbit/s; the token bucket allows a burst at the beginning.
    least = (3 / 4 * 2**20 * 8 - 3 * 8 * 6250) / 50e6 * 1e9
    assert means[0] > least, f"{folder}: {means[0]:.0f} ns is less than the link allows, {least:.0f}"
    return means[1] / ((means[0] + means[2]) / 2)


def simulated(file):
    """The same of simulated means: of the point with an aggressor, over its baseline."""
    points = json.loads(Path(file).read_text())["points"]
    (point,) = (point for point in points if point["aggressor"])
    return point["mean_s"] / point["baseline_s"]


kind, *words = sys.argv[1:]
shared, apart = map(simulated if kind == "simulated" else measured, words[-2:])
who = " ".join([kind, *words[:-2]])
print(f"testbed: {who}: beside an incast a ring that shares its edge takes {shared:.2f} times as long, another {apart:.2f}")
if not (shared > 1.5 and shared > 1.2 * apart):
    sys.exit("FAILED: expected more than 1.5 times for the ring that shares an edge, and 1.2 times the other one's ratio")

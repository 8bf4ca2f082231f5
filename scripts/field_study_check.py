#!/usr/bin/env python3
"""Compares a study as it was measured with the same study simulated. Bounds are wide.

field_study_check.py MPI STUDY REPORT      answer of `netloom show interference --json`, page of `netloom report`
"""
import json
import sys
from pathlib import Path

mpi, study, report = sys.argv[1:]
found = json.loads(Path(study).read_text())
cells, beside = found["cells"], found["beside"]
pairs = [(cells[pair["measured"]], cells[pair["simulated"]]) for pair in beside["pairs"]]
assert len(pairs) == 2 and not beside["only_measured"], f"{len(pairs)} pairs, expected the ring alone and beside the incast"
((alone, alone_simulated),) = (pair for pair in pairs if not pair[0]["aggressor"])
((shared, shared_simulated),) = (pair for pair in pairs if pair[0]["aggressor"])
# Each rank receives three parts of a quarter of 1 MiB at 50 Mbit/s; a bucket saves up some at the beginning.
least = (3 / 4 * 2**20 * 8 - 3 * 8 * 6250) / 50e6
for cell in (alone, alone_simulated):
    assert least < cell["mean_s"] < 3 * least, f"a ring alone took {cell['mean_s']:.3f} s, the link allows {least:.3f}"
ratios = [cell["ratio"]["value"] for cell in (shared, shared_simulated)]
print(f"study: {mpi}: beside an incast a ring has {ratios[0]:.2f} of its speed measured, {ratios[1]:.2f} simulated")
if not all(ratio < 0.7 for ratio in ratios):
    sys.exit("FAILED: expected less than 0.7 of the speed, both measured and simulated")
if "Measured beside simulated" not in Path(report).read_text():
    sys.exit("FAILED: the report has no panel of measured and simulated cells")

#!/usr/bin/env python3
"""Compares a study as it was measured with the same study simulated. Bounds are wide.

field_study_check.py MPI STUDY REPORT      answer of `netloom show interference --json`, page of `netloom report`
"""
import base64
import json
import sys
import zlib
from pathlib import Path

mpi, study, report = sys.argv[1:]
found = json.loads(Path(study).read_text())
cells, beside = found["cells"], found["beside"]
pairs = [(cells[pair["measured"]], cells[pair["simulated"]]) for pair in beside["pairs"]]
assert len(pairs) == 4 and not beside["only_measured"], f"{len(pairs)} pairs, expected two sizes in isolation and beside the incast"
for pair in pairs:
    size, aggressor = pair[0]["bytes"], pair[0]["aggressor"]
    if aggressor:
        ratios = [cell["ratio"]["value"] for cell in pair]
        print(f"study: {mpi}: a ring of {size >> 10} KiB beside an incast has {ratios[0]:.2f} of its speed measured, {ratios[1]:.2f} simulated")
        if not all(ratio < 0.8 for ratio in ratios):
            sys.exit("FAILED: expected less than 0.8 of the speed, both measured and simulated")
        continue
    # Each rank receives three of four parts at 50 Mbit/s; the token bucket allows a burst at the beginning.
    least = (3 / 4 * size * 8 - 3 * 8 * 6250) / 50e6
    for cell in pair:
        assert least < cell["mean_s"] < 4 * least, f"a ring in isolation took {cell['mean_s']:.3f} s, the link allows {least:.3f}"
packed = Path(report).read_text().split('id="netloom-data">')[1].split("</script>")[0]
data = json.loads(zlib.decompress(base64.b64decode(packed)))
shown = data["interference"]["beside"]["pairs"]
if len(shown) != len(pairs):
    sys.exit(f"FAILED: the report has {len(shown)} pairs of measured and simulated cells, expected {len(pairs)}")

"""Compares an exported trace with the exported tables of the same run: perfetto_check.py RUN CSV TRACE

The trace is parsed with Perfetto's public schema and read as a viewer reads it. Its expected contents are computed only from
the tables, so that this check shares nothing with the exporter except the run.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

Row = dict[str, str]
Event = schema.TrackEvent
BITS_PER_SECOND = 8 * 10**12  # bytes in a picosecond


class Wrong(Exception):
    """The trace differs from the tables."""


def same(what: str, found: object, expected: object) -> None:
    if found != expected:
        found, expected = differing(found, expected), differing(expected, found)
        raise Wrong(f"{what}:\n  in the trace   {found}\n  in the tables  {expected}")


def differing(these: object, those: object) -> object:
    """The values of the first argument that the second one lacks, if both have many."""
    if isinstance(these, Counter) and isinstance(those, Counter):
        return these - those
    if isinstance(these, dict) and isinstance(those, dict):
        return {key: value for key, value in these.items() if those.get(key) != value}
    if isinstance(these, list) and isinstance(those, list):
        return [value for value in these if value not in those] or these
    return these


def holds(what: str, condition: bool) -> None:
    if not condition:
        raise Wrong(what)


def nanos(picoseconds: int) -> int:
    """Rounds to the nearest nanosecond."""
    return (picoseconds + 500) // 1000


@dataclass
class Slice:
    name: str
    start: int
    end: int
    about: dict[str, Any]
    parent: Slice | None

    @property
    def start_ps(self) -> int:
        return int(self.about["start_ps"])

    @property
    def end_ps(self) -> int | None:
        return None if "unfinished" in self.about else self.start_ps + self.about["duration_ps"]


@dataclass
class Track:
    descriptor: schema.TrackDescriptor
    slices: list[Slice] = field(default_factory=list)
    instants: list[tuple[int, str]] = field(default_factory=list)
    values: list[tuple[int, int]] = field(default_factory=list)

    @property
    def name(self) -> str:
        descriptor = self.descriptor
        return str(descriptor.process.process_name or descriptor.thread.thread_name or descriptor.name)


class Trace:
    """Tracks by number, each with its events."""

    def __init__(self, path: Path, run_end: int) -> None:
        self.tracks: dict[int, Track] = {}
        trace = schema.Trace()
        trace.ParseFromString(path.read_bytes())
        holds("there are packets", len(trace.packet) > 0)
        holds("all fields are known to the schema", not any(strangers(trace)))
        self._check_sequence(trace)
        open_slices: dict[int, list[Slice]] = defaultdict(list)
        last = 0
        for packet in trace.packet:
            if packet.HasField("track_descriptor"):
                self._describe(packet.track_descriptor)
                continue
            holds("packets are in order of time", packet.timestamp >= last)
            last = packet.timestamp
            self._happen(packet.track_event, last, open_slices[packet.track_event.track_uuid])
        holds("every slice ends", not any(open_slices.values()))
        for one in self.slices():
            same(f"start of {one.name}", one.start, nanos(one.start_ps))
            end = run_end if one.end_ps is None else one.end_ps
            same(f"end of {one.name}", one.end, nanos(end))

    @staticmethod
    def _check_sequence(trace: schema.Trace) -> None:
        flags = schema.TracePacket
        sequences = {packet.trusted_packet_sequence_id for packet in trace.packet}
        holds("there is one sequence, and it is not 0", len(sequences) == 1 and 0 not in sequences)
        first, *others = trace.packet
        same("flags of the first packet", first.sequence_flags, flags.SEQ_INCREMENTAL_STATE_CLEARED)
        holds("the first packet says so", first.first_packet_on_sequence)
        rest = {(packet.sequence_flags, packet.first_packet_on_sequence) for packet in others}
        same("flags of the others", rest, {(flags.SEQ_NEEDS_INCREMENTAL_STATE, False)})

    def _describe(self, descriptor: schema.TrackDescriptor) -> None:
        holds("numbers of tracks are unique", descriptor.uuid not in self.tracks and descriptor.uuid != 0)
        if descriptor.HasField("parent_uuid"):
            holds("tracks come after their parents", descriptor.parent_uuid in self.tracks)
        self.tracks[descriptor.uuid] = Track(descriptor)

    def _happen(self, event: schema.TrackEvent, at: int, under_way: list[Slice]) -> None:
        track = self.tracks[event.track_uuid]
        about = {note.name: getattr(note, note.WhichOneof("value")) for note in event.debug_annotations}
        if event.type == Event.TYPE_SLICE_BEGIN:
            parent = under_way[-1] if under_way else None
            under_way.append(Slice(event.name, at, at, about, parent))
        elif event.type == Event.TYPE_SLICE_END:
            holds(f"something ends that began on {track.name}", len(under_way) > 0)
            done = under_way.pop()
            done.end = at
            track.slices.append(done)
        elif event.type == Event.TYPE_INSTANT:
            same("instant", at, nanos(about["start_ps"]))
            track.instants.append((about["start_ps"], event.name))
        elif event.type == Event.TYPE_COUNTER:
            holds("values are of counters", track.descriptor.HasField("counter"))
            track.values.append((at, event.counter_value))
        else:
            raise Wrong(f"an event of type {event.type}")

    def slices(self) -> Iterator[Slice]:
        for track in self.tracks.values():
            yield from track.slices

    def of(self, kind: str) -> list[Track]:
        return [track for track in self.tracks.values() if track.descriptor.HasField(kind)]

    def below(self, parent: Track | None, name: str) -> list[Track]:
        """Tracks of a name below another track, or below none."""
        above = parent.descriptor.uuid if parent else 0
        tracks = self.tracks.values()
        return [track for track in tracks if track.descriptor.parent_uuid == above and track.name == name]


def strangers(message: Message) -> Iterator[int]:
    """Numbers of fields that the schema does not have."""
    yield from (stranger.field_number for stranger in UnknownFieldSet(message))
    for descriptor, value in message.ListFields():
        if descriptor.message_type is not None:
            for part in value if descriptor.is_repeated else [value]:
                yield from strangers(part)


class Tables:
    """The tables of a run, as CSV."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.columns: dict[str, list[str]] = defaultdict(list)
        for row in self._read("columns"):
            holds(f"{row} says what it is", all(row[key] for key in ("unit", "meaning")))
            self.columns[row["table"]].append(row["column"])

    def _read(self, name: str) -> list[Row]:
        with (self.folder / f"{name}.csv").open(newline="") as file:
            return list(csv.DictReader(file, strict=True))

    def __getitem__(self, name: str) -> list[Row]:
        rows = self._read(name)
        for row in rows:
            same(f"columns of {name}", list(row), self.columns[name])
        return rows

    def check(self, manifest: dict[str, Any]) -> None:
        """Checks that all tables exist, with all their rows."""
        names = {path.stem for path in self.folder.iterdir()} - {"columns"}
        same("tables", names, set(manifest["tables"]))
        for name, stated in manifest["tables"].items():
            same(f"rows of {name}", len(self[name]), stated["rows"])


def optional(text: str) -> int | None:
    return int(text) if text else None


def times(slices: list[Slice], *keys: str) -> Counter[tuple[Any, ...]]:
    """Name, start, end and annotations of slices."""
    return Counter((one.name, one.start_ps, one.end_ps, *(one.about.get(key) for key in keys)) for one in slices)


def rows_of(rows: list[Row], name: Callable[[Row], str], *keys: str) -> Counter[tuple[Any, ...]]:
    """The same for rows of a table."""
    return Counter(
        (name(row), int(row["start"]), optional(row["end"]), *(optional(row[key]) for key in keys)) for row in rows
    )


def all_slices(tracks: list[Track]) -> list[Slice]:
    return [one for track in tracks for one in track.slices]


class Names:
    """Names of steps, collectives and spans; those of collectives are the names in the scenario of the run."""

    def __init__(self, manifest: dict[str, Any], tables: Tables) -> None:
        self.phases = [job["phases"] for job in manifest["scenario"]["jobs"]]
        self.hosts = {row["node"]: row["node_name"] for row in tables["ports"]}

    @staticmethod
    def step(row: Row) -> str:
        return f"step {row['step']}"

    def collective(self, row: Row) -> str:
        phase = self.phases[int(row["job"])][int(row["phase"])]["collectives"]
        holds(f"the scenario has the bucket of {row}", int(row["bucket"]) < phase["buckets"])
        return " + ".join(name for each in phase["each"] for name in each)

    def span(self, row: Row) -> str:
        named = {"step": self.step, "collective": self.collective}.get(row["activity"])
        return named(row) if named else row["activity"]

    def rank(self, row: Row) -> str:
        return f"rank {row['rank']} ({self.hosts[row['host']]})"


def check_jobs(trace: Trace, tables: Tables, called: Names) -> None:
    jobs = tables["jobs"]
    processes = trace.of("process")
    names = [f"job {job['job_name']} ({job['ranks']} rank{'s' if job['ranks'] != '1' else ''})" for job in jobs]
    same("processes", [process.name for process in processes], names)
    numbers = [process.descriptor.process.pid for process in processes]
    numbers += [thread.descriptor.thread.tid for thread in trace.of("thread")]
    holds("numbers of processes and threads are unique", len(set(numbers)) == len(numbers))
    for job, process in zip(jobs, processes):
        own: Callable[[Row], bool] = lambda row: row["job"] == job["job"]
        steps = all_slices(trace.below(process, "steps"))
        same("steps", times(steps, "step"), rows_of(list(filter(own, tables["steps"])), called.step, "step"))
        collectives = all_slices(trace.below(process, "collectives"))
        check_collectives(collectives, list(filter(own, tables["collectives"])), called)
        holds("nothing is nested here", all(one.parent is None for one in steps + collectives))
        check_ranks(trace, process, list(filter(own, tables["spans"])), called)


def check_collectives(collectives: list[Slice], rows: list[Row], called: Names) -> None:
    keys = ("step", "phase", "bucket", "ranks")
    same("collectives", times(collectives, *keys), rows_of(rows, called.collective, *keys))
    kept = ("size_bytes", "algbw_bytes_per_second", "busbw_bytes_per_second")
    found = Counter((one.start_ps, one.about["bucket"], *(one.about[key] for key in kept)) for one in collectives)
    whole, real = ("start", "bucket", "size"), ("algbw", "busbw")
    expected = Counter((*(int(row[key]) for key in whole), *(float(row[key]) for key in real)) for row in rows)
    same("sizes and bandwidths of collectives", found, expected)


def check_ranks(trace: Trace, process: Track, spans: list[Row], called: Names) -> None:
    threads = {
        thread.name: thread
        for thread in trace.of("thread")
        if thread.descriptor.thread.pid == process.descriptor.process.pid
    }
    same("ranks", sorted(threads), sorted({called.rank(row) for row in spans}))
    for rank, thread in threads.items():
        own = [row for row in spans if called.rank(row) == rank]
        beside = all_slices(trace.below(thread, "beside"))
        keys = ("step", "phase", "bucket")
        # The comparison includes names, since stages and the barrier after them differ only in their names.
        same(f"spans of {rank}", times(thread.slices + beside, *keys), rows_of(own, called.span, *keys))
        for one in thread.slices:
            check_nesting(one)
        holds("only buckets side by side are beside", all(activity(one) == "collective" for one in beside))


def activity(one: Slice) -> str:
    if "bucket" in one.about:
        return "collective"
    return one.name if "phase" in one.about else "step"


def check_nesting(one: Slice) -> None:
    """Checks that steps contain phases, and phases contain buckets."""
    above = one.parent
    if activity(one) == "step":
        same("what a step is in", above, None)
        return
    holds(f"{one} is inside of a span", above is not None)
    assert above is not None
    same("step", above.about["step"], one.about["step"])
    if activity(one) == "collective":
        same("what a bucket is in", (above.name, above.about["phase"]), ("communicate", one.about["phase"]))
    else:
        same("what a phase is in", activity(above), "step")


def check_counters(trace: Trace, tables: Tables, n_hosts: int, run_end: int) -> None:
    ports = {row["port"]: row for row in tables["ports"] if int(row["node"]) < n_hosts}
    rows: dict[str, dict[int, Row]] = defaultdict(dict)
    for row in tables["series"]:
        begins = int(row["time"]) - int(row["interval"])
        if row["port"] in ports and begins < run_end:
            rows[row["port"]][int(row["time"])] = row
    expected = {}
    for port, samples in rows.items():
        name = f"{ports[port]['node_name']}, link {ports[port]['link_name']}"
        expected[f"{name}: sending"] = ("bit/s", rates(samples, run_end))
        expected[f"{name}: waiting"] = ("B", waiting(samples, run_end))
    counters = {counter.name: counter for counter in trace.of("counter")}
    same("counters", set(counters), set(expected))
    for name, (unit, points) in expected.items():
        counter = counters[name]
        same("unit", counter.descriptor.counter.unit_name, unit)
        instants = [at for at, _ in counter.values]
        same(f"{name}: instants with more than one value", len(instants) - len(set(instants)), 0)
        same(name, changes(counter.values), changes([(nanos(at), value) for at, value in sorted(points.items())]))


def grid(samples: dict[int, Row]) -> tuple[int, range]:
    """The length of intervals, and their ends from the first to the last row."""
    (interval,) = {int(row["interval"]) for row in samples.values()}
    return interval, range(interval, max(samples) + 1, interval)


def rates(samples: dict[int, Row], run_end: int) -> dict[int, int]:
    """The rate from each instant on; the last interval ends with the run."""
    interval, ends = grid(samples)
    points = {min(ends[-1], run_end): 0}
    for end in ends:
        length = min(end, run_end) - (end - interval)
        size = int(samples[end]["size"]) if end in samples else 0
        points[end - interval] = (size * BITS_PER_SECOND + length // 2) // length
    return points


def waiting(samples: dict[int, Row], run_end: int) -> dict[int, int]:
    """The backlog at each sampled instant; it is zero at first."""
    interval, ends = grid(samples)
    after = ends[-1] + interval
    known = {min(end, run_end): int(samples[end]["waiting"]) if end in samples else 0 for end in ends}
    return {0: 0, **known, **({after: 0} if after <= run_end else {})}


def changes(values: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The values of a counter, without those that repeat the one before."""
    before = [None, *(value for _, value in values)]
    return [(at, value) for (at, value), last in zip(values, before) if value != last]


BEGINS = {"down": "down", "flap": "flapping", "degrade": "slow", "errors": "losing packets"}
ENDS = {"up": "down", "steady": "flap", "restore": "degrade", "clear": "errors"}


def check_faults(trace: Trace, tables: Tables, run_end: int) -> None:
    events = tables["events"]
    faults = [row for row in tables["faults"] if int(row["time"]) <= run_end]
    groups = trace.below(None, "faults")
    same("tracks of faults", len(groups), 1 if events or faults else 0)
    if not groups:
        return
    happened = [(row["time"], subject(row), kind_of(row), row["action"] in BEGINS) for row in events]
    check_going_on(trace.below(groups[0], "events"), happened)
    changed = [(row["time"], f"link {row['link_name']}", "down", row["up"] == "false") for row in faults]
    check_going_on(trace.below(groups[0], "links down"), changed)


def subject(row: Row) -> str:
    is_link = row["target"] in ("link", "nic")
    return f"{row['target']} {row['link_name'] if is_link else row['node_name']}"


def kind_of(row: Row) -> str:
    return ENDS.get(row["action"], row["action"])


def check_going_on(tracks: list[Track], happened: list[tuple[str, str, str, bool]]) -> None:
    """Spans from the begin of a fault until its end, or until it begins again."""
    since: dict[tuple[str, str], int] = {}
    expected: Counter[tuple[str, int, int | None]] = Counter()
    instants = 0
    for time, what, kind, begins in happened:
        at = int(time)
        before = since.pop((what, kind), None)
        if before is not None:
            expected[f"{what} {BEGINS[kind]}", before, at] += 1
        if begins:
            since[what, kind] = at
        elif before is None:
            instants += 1
    for (what, kind), before in since.items():
        expected[f"{what} {BEGINS[kind]}", before, None] += 1
    slices = all_slices(tracks)
    same("faults", Counter((one.name, one.start_ps, one.end_ps) for one in slices), expected)
    same("ends without a beginning", sum(len(track.instants) for track in tracks), instants)


def main() -> None:
    run, folder, file = map(Path, sys.argv[1:])
    manifest = json.loads((run / "manifest.json").read_text())
    tables = Tables(folder)
    tables.check(manifest)
    trace = Trace(file, manifest["simulated_ps"])
    check_jobs(trace, tables, Names(manifest, tables))
    check_counters(trace, tables, manifest["engine"]["hosts"], manifest["simulated_ps"])
    check_faults(trace, tables, manifest["simulated_ps"])
    n_slices = sum(1 for _ in trace.slices())
    n_values = sum(len(track.values) for track in trace.tracks.values())
    holds("there is something to compare", n_slices > 0 and n_values > 0)
    print(f"exports of {run.name}: {len(trace.tracks)} tracks, {n_slices} slices, {n_values} values, as in the tables")


if __name__ == "__main__":
    try:
        main()
    except Wrong as wrong:
        sys.exit(f"{sys.argv[3]} differs from the tables: {wrong}")

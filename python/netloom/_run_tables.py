"""The tables of a run as attributes. Generated from the tables of `records` by `make golden`; do not edit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars

TABLES = (
    "flows",
    "collectives",
    "steps",
    "jobs",
    "ports",
    "series",
    "drops",
    "faults",
    "packets",
    "paths",
    "repairs",
    "signals",
    "rates",
    "stages",
    "congestion",
    "congested_flows",
    "classes",
    "traffic",
    "events",
    "reordering",
    "measures",
    "tallies",
    "spans",
    "arbitration",
    "spurious_timeouts",
    "rings",
    "cells",
    "causes",
)
"""Names of all tables."""


class RunTables(ABC):
    """Each table of a run, as a frame of polars."""

    @abstractmethod
    def _frame(self, table: str) -> polars.DataFrame: ...

    @property
    def flows(self) -> polars.DataFrame:
        """One message.

        As stored: start (ps), end (ps), source (id), destination (id), number (number), job (id), step (number), phase
        (number), bucket (number), size (B), packets (packets), hops (links), ideal (ps).
        """
        return self._frame("flows")

    @property
    def collectives(self) -> polars.DataFrame:
        """One bucket of one step over all ranks.

        As stored: start (ps), end (ps), job (id), step (number), phase (number), bucket (number), ranks (ranks), size
        (B), algbw (B/s), busbw (B/s).
        """
        return self._frame("collectives")

    @property
    def steps(self) -> polars.DataFrame:
        """One step of one job.

        As stored: start (ps), end (ps), job (id), step (number).
        """
        return self._frame("steps")

    @property
    def jobs(self) -> polars.DataFrame:
        """One job.

        As stored: job (id), ranks (ranks), start (ps), end (ps), steps (steps), job_name (name).
        """
        return self._frame("jobs")

    @property
    def ports(self) -> polars.DataFrame:
        """One egress port over the whole run.

        As stored: port (id), node (id), index (number), link (id), peer (id), rate (bit/s), packets (packets), size
        (B), busy (ps), peak_packets (packets), peak_size (B), dropped (packets), node_name (name),
        link_name (name), peer_name (name).
        """
        return self._frame("ports")

    @property
    def series(self) -> polars.DataFrame:
        """One interval of one port; intervals in which all values are zero have no row.

        As stored: time (ps), interval (ps), port (id), size (B), waiting (B), paused (ps), dropped (packets).
        """
        return self._frame("series")

    @property
    def drops(self) -> polars.DataFrame:
        """All drops of one reason at one port, or at one node before a port was chosen.

        As stored: node (id), port (id), reason (word), packets (packets), size (B), first (ps), last (ps), node_name
        (name).
        """
        return self._frame("drops")

    @property
    def faults(self) -> polars.DataFrame:
        """One change of state of one link.

        As stored: time (ps), link (id), up (flag), link_name (name).
        """
        return self._frame("faults")

    @property
    def packets(self) -> polars.DataFrame:
        """One hop of one recorded packet: a node at which it arrived, and the link by which it left.

        As stored: arrival (ps), start (ps), sent (ps), end (ps), source (id), destination (id), number (number),
        packet (number), kind (word), hop (links), node (id), port (id), class (number), size (B),
        queue_packets (packets), queue_size (B), fate (word), reason (word), node_name (name).
        """
        return self._frame("packets")

    @property
    def paths(self) -> polars.DataFrame:
        """One link on the paths of one of the slowest messages, summed over its data packets.

        As stored: rank (number), source (id), destination (id), number (number), hop (links), port (id), node (id),
        link (id), peer (id), packets (packets), size (B), waited (ps), longest_wait (ps), serialization
        (ps), propagation (ps), node_name (name), link_name (name), peer_name (name).
        """
        return self._frame("paths")

    @property
    def repairs(self) -> polars.DataFrame:
        """Retransmissions of a message on a queue pair and their causes, until none of its packets is in
        flight.

        As stored: end (ps), source (id), destination (id), number (number), job (id), packets (packets), retransmitted
        (packets), duplicates (packets), nacks (packets), nacks_suppressed (packets), nacks_generated
        (packets), marked (packets), cnps (packets), notifications (packets), timeouts (number), distance
        (packets).
        """
        return self._frame("repairs")

    @property
    def signals(self) -> polars.DataFrame:
        """Congestion signals of an egress port: marks, pauses and filtered NACKs; ports without any have no
        row.

        As stored: port (id), node (id), link (id), peer (id), marked (packets), pauses (packets), paused (ps),
        nacks_forwarded (packets), nacks_suppressed (packets), nacks_generated (packets), node_name (name),
        link_name (name), peer_name (name).
        """
        return self._frame("signals")

    @property
    def rates(self) -> polars.DataFrame:
        """What a recorded flow sent in an interval, and its allowed rate; intervals in which all values are
        zero have no row.

        As stored: time (ps), interval (ps), source (id), destination (id), number (number), packets (packets),
        retransmitted (packets), duplicates (packets), nacks (packets), marked (packets), notifications
        (packets), size (B), queue_pairs (number), rate (bit/s).
        """
        return self._frame("rates")

    @property
    def stages(self) -> polars.DataFrame:
        """Goodput of a staged flow in the measured part of a stage; flows that do not send in that part have
        no row.

        As stored: stage (number), start (ps), measured_from (ps), end (ps), flow (id), source (id), destination (id),
        size (B), throughput (bit/s), flow_name (name).
        """
        return self._frame("stages")

    @property
    def congestion(self) -> polars.DataFrame:
        """One egress port of a link with credits in one interval; only ports with queued packets or without
        credits.

        As stored: start (ps), end (ps), port (id), node (id), peer (id), role (word), occupied (ps), sending (ps),
        credit_stalled (ps), mean_waiting (B), peak_waiting (B), blocked_by (id), blocked_size (B),
        node_name (name), peer_name (name).
        """
        return self._frame("congestion")

    @property
    def congested_flows(self) -> polars.DataFrame:
        """One congested port that data of a pair of hosts crossed or was queued at, in one interval.

        As stored: start (ps), end (ps), source (id), destination (id), part (word), port (id), node (id), peer (id),
        role (word), mean_waiting (B), node_name (name), peer_name (name).
        """
        return self._frame("congested_flows")

    @property
    def classes(self) -> polars.DataFrame:
        """The data of one traffic class at one egress port over the whole run; only if data has several
        classes.

        As stored: port (id), class (number), node (id), link (id), peer (id), packets (packets), size (B), peak_size
        (B), dropped (packets), marked (packets), pauses (packets), paused (ps), node_name (name), link_name
        (name), peer_name (name).
        """
        return self._frame("classes")

    @property
    def traffic(self) -> polars.DataFrame:
        """The kind of traffic of one job, of background traffic or of one staged flow.

        As stored: job (id), step (number), traffic (id), class (number), may_reorder (flag), traffic_name (name).
        """
        return self._frame("traffic")

    @property
    def events(self) -> polars.DataFrame:
        """One event of the faults of a scenario.

        As stored: time (ps), detected (ps), target (word), link (id), node (id), action (word), rate (bit/s), loss
        (number), period (ps), link_name (name), node_name (name).
        """
        return self._frame("events")

    @property
    def reordering(self) -> polars.DataFrame:
        """Order of arrival of the data packets of a message; of each packet the first arrival.

        As stored: end (ps), source (id), destination (id), number (number), job (id), packets (packets), late
        (packets), late_retransmitted (packets), extent (packets), degree (packets), buffered_packets
        (packets), buffered_size (B), extent_1 (packets), extent_2 (packets), extent_4 (packets), extent_8
        (packets), extent_16 (packets), extent_32 (packets), extent_64 (packets), extent_128 (packets).
        """
        return self._frame("reordering")

    @property
    def measures(self) -> polars.DataFrame:
        """The mean step time of a measured job: without its warm-up, or repeated until the mean is known
        precisely.

        As stored: job (id), steps (steps), warm_up (steps), mean (ps), half_interval (ps), precise (flag), job_name
        (name).
        """
        return self._frame("measures")

    @property
    def tallies(self) -> polars.DataFrame:
        """Sums over the messages of one sender and job that arrived and have no rows of their own.

        As stored: job (id), source (id), messages (number), size (B), time (ps), packets (packets), hops (links),
        retransmitted (packets), duplicates (packets), nacks (packets), marked (packets), cnps (packets),
        notifications (packets), timeouts (number), distance (packets), on_queue_pairs (number).
        """
        return self._frame("tallies")

    @property
    def spans(self) -> polars.DataFrame:
        """One activity of a rank in a recorded step; of each job the first step and the slowest of the others
        are recorded.

        As stored: start (ps), end (ps), job (id), step (number), rank (number), host (id), activity (word), phase
        (number), bucket (number).
        """
        return self._frame("spans")

    @property
    def arbitration(self) -> polars.DataFrame:
        """Waiting for one egress port of a switch with credits at the heads of queues; ports that granted no
        transfer have no row.

        As stored: port (id), node (id), link (id), peer (id), transfers (number), most_passes (number), bound
        (number), longest_wait (ps), node_name (name), link_name (name), peer_name (name).
        """
        return self._frame("arbitration")

    @property
    def spurious_timeouts(self) -> polars.DataFrame:
        """One queue pair that retransmitted after a timeout although the network lost nothing; no rows in a
        run in which any packet was dropped.

        As stored: source (id), destination (id), number (number), timeouts (number), unacknowledged (packets), first
        (ps), last (ps).
        """
        return self._frame("spurious_timeouts")

    @property
    def rings(self) -> polars.DataFrame:
        """A host whose switch overwrote sequence numbers in the rings of its queue pairs although a NACK
        caused by them could still arrive.

        As stored: node (id), host (id), overwritten (packets), node_name (name).
        """
        return self._frame("rings")

    @property
    def cells(self) -> polars.DataFrame:
        """One cell of a study of interference: the time of a victim's collective in isolation, or beside an
        aggressor.

        As stored: nodes (number), victim (id), size (B), aggressor (id), aggressor_size (B), burst (ps), pause (ps),
        mean (ps), half_interval (ps), median (ps), steps (steps), warm_up (steps), baseline (ps),
        baseline_half_interval (ps), victim_name (name), aggressor_name (name).
        """
        return self._frame("cells")

    @property
    def causes(self) -> polars.DataFrame:
        """What the completion time of a message that arrived consists of: the causes add up to it.

        As stored: end (ps), source (id), destination (id), number (number), job (id), transmission (ps), earlier (ps),
        turn (ps), window (ps), pacing (ps), timeout (ps), pause (ps), queues (ps), recovery (ps), port_1
        (id), wait_1 (ps), port_2 (id), wait_2 (ps), port_3 (id), wait_3 (ps).
        """
        return self._frame("causes")

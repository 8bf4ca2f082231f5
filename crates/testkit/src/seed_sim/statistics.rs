//! The statistics that the seed simulator reports at the end of a run, under its own names.
//!
//! Models: counts, route lengths, link loads, queue peaks, step times, completion times of mice.
//! Leaves out: echoes of the configuration.
//! Invariant: serialized, a value equals the reported one to the last bit, oddities included: failed links count as
//! capacity, mean queues are over hosts and switches alike, the utilization divides by a time that the mice may
//! prolong.
//! Source: specification of the seed simulator, section 11.

use std::collections::BTreeMap;

use serde::Serialize;

use super::averages::{mean, percentile, sum};
use super::job::JobTimes;
use super::topology::ScalableUnit;
use crate::reference::Network;

/// The report.
#[derive(Clone, Debug, Serialize)]
pub struct Statistics {
    /// Packets, routes, links.
    #[serde(flatten)]
    pub network: NetworkStatistics,
    /// Queues.
    #[serde(flatten)]
    pub queues: QueueStatistics,
    /// Per job, in milliseconds.
    #[serde(rename = "ai_factory_step_time_ms_per_job")]
    pub step_times: BTreeMap<String, StepStatistics>,
    /// Short flows, where there are any.
    #[serde(flatten)]
    pub mice: Option<MiceStatistics>,
}

/// Packets, routes and links. The names in the report give the meanings.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the reported names give the meanings")]
pub struct NetworkStatistics {
    #[serde(rename = "total packets count")]
    pub created: u64,
    #[serde(rename = "total run time (simulator time in seconds)")]
    pub end_s: f64,
    #[serde(rename = "delivered packets count")]
    pub delivered: u64,
    #[serde(rename = "delivered packets percentage")]
    pub delivered_percent: f64,
    #[serde(rename = "dropped packets count")]
    pub dropped: u64,
    #[serde(rename = "dropped packets percentage")]
    pub dropped_percent: f64,
    #[serde(rename = "avg route length")]
    pub route_mean: f64,
    #[serde(rename = "max route length")]
    pub route_max: u32,
    #[serde(rename = "min route length")]
    pub route_min: u32,
    #[serde(rename = "links min delivery time")]
    pub busy_min_s: f64,
    #[serde(rename = "links max delivery time")]
    pub busy_max_s: f64,
    #[serde(rename = "links average delivery time (2 directions)")]
    pub busy_mean_s: f64,
    #[serde(rename = "link average utilization percentage")]
    pub utilization_percent: f64,
    #[serde(rename = "link_min_bytes_transmitted")]
    pub bytes_min: u64,
    #[serde(rename = "link_max_bytes_transmitted")]
    pub bytes_max: u64,
    #[serde(rename = "hosts received counts")]
    pub received: Vec<u64>,
}

/// Peaks of queues, in packets.
#[derive(Clone, Debug, Serialize)]
pub struct QueueStatistics {
    /// The longest queue at any port.
    #[serde(rename = "global_max_port_peak_queue_len (packets)")]
    pub peak_max: usize,
    /// Mean over all nodes of the longest queue at any of its ports.
    #[serde(rename = "avg_node_peak_egress_queue_len (packets)")]
    pub peak_mean: f64,
    /// The same, over hosts only; not in the report.
    #[serde(skip)]
    pub host_peak_mean: f64,
    /// The longest queue at a host; not in the report.
    #[serde(skip)]
    pub host_peak_max: usize,
    /// Mean over switches; not in the report.
    #[serde(skip)]
    pub switch_peak_mean: f64,
    /// The longest queue at a switch; not in the report.
    #[serde(skip)]
    pub switch_peak_max: usize,
}

/// Durations of the finished steps of a job; zero if there are none.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the names give the meanings")]
pub struct StepStatistics {
    #[serde(rename = "step_time_avg_ms")]
    pub mean_ms: f64,
    #[serde(rename = "step_time_p95_ms")]
    pub p95_ms: f64,
    #[serde(rename = "step_time_p99_ms")]
    pub p99_ms: f64,
}

/// Completion times of the short flows that finished in time.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the names give the meanings")]
pub struct MiceStatistics {
    #[serde(rename = "mice_flows")]
    pub flows: usize,
    #[serde(rename = "mice_fct_avg_ms")]
    pub mean_ms: f64,
    #[serde(rename = "mice_fct_p95_ms")]
    pub p95_ms: f64,
    #[serde(rename = "mice_fct_p99_ms")]
    pub p99_ms: f64,
}

impl Statistics {
    pub(super) fn new(
        unit: &ScalableUnit,
        network: &Network<'_>,
        end_s: f64,
        jobs: &[JobTimes],
        mice_s: Option<&[f64]>,
    ) -> Self {
        Statistics {
            network: NetworkStatistics::new(unit, network, end_s),
            queues: QueueStatistics::new(unit, network),
            step_times: jobs.iter().map(|job| (job.name.clone(), StepStatistics::new(job))).collect(),
            mice: mice_s.map(MiceStatistics::new),
        }
    }
}

impl NetworkStatistics {
    fn new(unit: &ScalableUnit, network: &Network<'_>, end_s: f64) -> Self {
        let totals = network.totals();
        let share = |count: u64| count as f64 / totals.created as f64 * 100.0;
        let busy = network.link_busy_s();
        let (route_min, route_max) = totals.hops_range.unwrap_or_default();
        NetworkStatistics {
            created: totals.created,
            end_s,
            delivered: totals.delivered,
            delivered_percent: share(totals.delivered),
            dropped: totals.dropped,
            dropped_percent: share(totals.dropped),
            route_mean: totals.hops as f64 / totals.delivered as f64,
            route_max,
            route_min,
            busy_min_s: busy.iter().copied().fold(f64::INFINITY, f64::min),
            busy_max_s: busy.iter().copied().fold(0.0, f64::max),
            busy_mean_s: mean(busy),
            utilization_percent: utilization_percent(unit, network, end_s),
            bytes_min: network.link_bytes().iter().copied().min().unwrap_or(0),
            bytes_max: network.link_bytes().iter().copied().max().unwrap_or(0),
            received: (0..unit.n_hosts).map(|host| network.consumed(host)).collect(),
        }
    }
}

/// Bytes sent in percent of the capacity of both directions of all links until the end.
fn utilization_percent(unit: &ScalableUnit, network: &Network<'_>, end_s: f64) -> f64 {
    let sent: u64 = network.link_bytes().iter().sum();
    let capacity = sum(unit.fabric.links().iter().map(|link| link.rate_bps / 8.0 * end_s * 2.0));
    sent as f64 / capacity * 100.0
}

impl QueueStatistics {
    fn new(unit: &ScalableUnit, network: &Network<'_>) -> Self {
        let longest = |peaks: &Vec<usize>| peaks.iter().copied().max().unwrap_or(0);
        let peaks: Vec<_> = network.port_peaks().iter().map(longest).collect();
        let (hosts, switches) = peaks.split_at(unit.n_hosts);
        QueueStatistics {
            peak_max: longest(&peaks),
            peak_mean: mean_count(&peaks),
            host_peak_mean: mean_count(hosts),
            host_peak_max: longest(&hosts.to_vec()),
            switch_peak_mean: mean_count(switches),
            switch_peak_max: longest(&switches.to_vec()),
        }
    }
}

fn mean_count(counts: &[usize]) -> f64 {
    counts.iter().sum::<usize>() as f64 / counts.len() as f64
}

/// Mean, 95th and 99th percentile in milliseconds of times in seconds; zeros if there are none.
fn summary_ms(times_s: &[f64]) -> [f64; 3] {
    if times_s.is_empty() {
        return [0.0; 3];
    }
    [mean(times_s), percentile(times_s, 95.0), percentile(times_s, 99.0)].map(|time_s| time_s * 1000.0)
}

impl StepStatistics {
    fn new(job: &JobTimes) -> Self {
        let times_s: Vec<_> = job.steps.iter().map(|step| step.end_s - step.start_s).collect();
        let [mean_ms, p95_ms, p99_ms] = summary_ms(&times_s);
        StepStatistics { mean_ms, p95_ms, p99_ms }
    }
}

impl MiceStatistics {
    fn new(times_s: &[f64]) -> Self {
        let [mean_ms, p95_ms, p99_ms] = summary_ms(times_s);
        MiceStatistics { flows: times_s.len(), mean_ms, p95_ms, p99_ms }
    }
}

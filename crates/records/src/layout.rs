//! The layout of a job in the manifest: its groups of ranks, its phases, and the bytes of its collectives.
//!
//! Models: what readers of table `spans` need to know of a job, as the compiled scenario has it.
//! Leaves out: hosts of ranks, which table `spans` has; orders of ranks and parameters of collectives.
//!
//! Invariants: group kinds and phases are numbered as in the tables; the fields follow the rules of the manifest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A job that computes or has groups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobLayout {
    /// Its number.
    pub job: u16,
    /// Number of ranks.
    pub ranks: u32,
    /// Kinds of groups of ranks.
    pub groups: Vec<GroupLayout>,
    /// Phases of a step.
    pub phases: Vec<PhaseLayout>,
    /// Rate between ranks of one host, in bit/s; absent if no host has several ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_rate: Option<u64>,
}

/// A kind of groups, such as those of tensor parallelism.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupLayout {
    /// Its name.
    pub name: String,
    /// The ranks of each group.
    pub lists: Vec<Vec<u32>>,
}

/// A phase of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseLayout {
    /// Its name: `compute`, `barrier`, `point_to_point`, `pipeline`, or its collectives.
    pub name: String,
    /// Its buckets; empty unless it has collectives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<BucketLayout>,
    /// The number of the kind of groups that are its pipelines; absent without stages, and where stages are not groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<u16>,
}

/// Equal buckets, one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BucketLayout {
    /// Number of buckets.
    pub count: u32,
    /// The collectives of each of them, those of one kind of groups together.
    pub collectives: Vec<CollectiveLayout>,
}

/// The collectives of a bucket in one kind of groups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectiveLayout {
    /// The number of the kind; absent for one communicator of all ranks.
    pub group: Option<u16>,
    /// Bytes that bus bandwidth counts, by the number of ranks of a communicator.
    pub bus_bytes: BTreeMap<u32, u64>,
    /// What a set of members lacks, by the number of ranks of a communicator; absent where a collective does not say.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lacked: BTreeMap<u32, LackedBytes>,
}

/// The bytes that a set of `g` of the `n` members of a communicator lacks: `whole + (shared + g each)(n - g)/n`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LackedBytes {
    /// Of broadcasts and of reductions by switches.
    pub whole: u64,
    /// Of all-gathers, reduce-scatters and all-reduces.
    pub shared: u64,
    /// Of all-to-alls, for each member.
    pub each: u64,
}

impl LackedBytes {
    /// The bytes that a set of this many of `n_ranks` members lacks.
    pub fn of(self, n_members: u32, n_ranks: u32) -> f64 {
        let outside = f64::from(n_ranks - n_members) / f64::from(n_ranks);
        self.whole as f64 + (self.shared as f64 + f64::from(n_members) * self.each as f64) * outside
    }

    /// With those of another collective of the same communicator.
    #[must_use]
    pub fn plus(self, other: LackedBytes) -> LackedBytes {
        LackedBytes {
            whole: self.whole + other.whole,
            shared: self.shared + other.shared,
            each: self.each + other.each,
        }
    }
}

impl JobLayout {
    /// The name of a kind of groups; `all` for all ranks.
    pub fn group_name(&self, group: Option<u16>) -> &str {
        let found = group.map(|kind| self.groups.get(usize::from(kind)));
        found.map_or("all", |kind| kind.map_or("unknown", |kind| &kind.name))
    }

    /// The communicators of a kind of groups: lists of ranks.
    pub fn communicators(&self, group: Option<u16>) -> Vec<Vec<u32>> {
        let Some(kind) = group else { return vec![(0..self.ranks).collect()] };
        self.groups.get(usize::from(kind)).map(|kind| kind.lists.clone()).unwrap_or_default()
    }

    /// The collectives of a bucket.
    pub fn collectives(&self, phase: u16, bucket: u16) -> &[CollectiveLayout] {
        let phase = self.phases.get(usize::from(phase));
        phase.and_then(|phase| phase.bucket(bucket.into())).map_or(&[], |bucket| &bucket.collectives)
    }
}

impl PhaseLayout {
    fn bucket(&self, number: u32) -> Option<&BucketLayout> {
        let mut end = 0;
        self.buckets.iter().find(|bucket| {
            end += bucket.count;
            number < end
        })
    }

    /// The kinds of groups of its collectives, each once.
    pub fn groups(&self) -> Vec<Option<u16>> {
        let all = self.buckets.iter().flat_map(|bucket| &bucket.collectives);
        let mut kinds: Vec<Option<u16>> = all.map(|found| found.group).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_found_among_equal_ones() {
        let bucket = |count, group| BucketLayout {
            count,
            collectives: vec![CollectiveLayout {
                group,
                bus_bytes: BTreeMap::from([(2, 100)]),
                lacked: BTreeMap::from([(2, LackedBytes { shared: 100, ..LackedBytes::default() })]),
            }],
        };
        let phases = vec![PhaseLayout {
            name: "two".to_owned(),
            buckets: vec![bucket(3, None), bucket(2, Some(0))],
            stages: None,
        }];
        let groups = vec![GroupLayout { name: "tp".to_owned(), lists: vec![vec![0, 1]] }];
        let layout = JobLayout { job: 0, ranks: 4, groups, phases, local_rate: None };
        let kinds: Vec<_> =
            (0..6).map(|number| layout.collectives(0, number).first().map(|found| found.group)).collect();
        assert_eq!(kinds, [Some(None), Some(None), Some(None), Some(Some(0)), Some(Some(0)), None]);
        assert_eq!(layout.phases[0].groups(), [None, Some(0)]);
        assert_eq!([layout.group_name(None), layout.group_name(Some(0))], ["all", "tp"]);
        let text = serde_json::to_string(&layout).unwrap();
        assert_eq!(serde_json::from_str::<JobLayout>(&text).unwrap(), layout);
    }
}

//! Checks that the program supports a collective in this form and size.

use netloom_scenario::resolved;
use netloom_units::Value;

use super::{Draft, Pair};

/// The role of a group of ranks in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Victim,
    Aggressor,
}

impl Part {
    fn word(self) -> &'static str {
        match self {
            Part::Victim => "victim",
            Part::Aggressor => "aggressor",
        }
    }

    /// The collectives that the program supports in this role.
    fn collectives(self) -> &'static [&'static str] {
        match self {
            Part::Victim => {
                &["ring_all_gather", "all_to_all_linear", "all_to_all_pairwise", "ring_all_reduce"]
            }
            Part::Aggressor => &["incast", "all_to_all_linear", "all_to_all_pairwise"],
        }
    }
}

/// Maximum number of bytes of a message: MPI counts in 32 bits.
pub(super) const MOST_OF_A_MESSAGE: u64 = i32::MAX as u64;
/// Bytes of a word that an all-reduce adds.
pub(super) const WORD: u64 = 8;
/// Minimum number of ranks of a group.
const FEWEST_RANKS: usize = 2;

impl Draft<'_> {
    /// Refuses a collective that the program does not support on these ranks.
    pub(super) fn check_collective(&mut self, one: &resolved::Collective, part: Part, n_ranks: usize) {
        let collective = one.algorithm.spec.name;
        if !part.collectives().contains(&collective) {
            self.object(
                one.algorithm.location,
                format!("the program on the machine does not support the {} `{collective}`", part.word()),
                &format!("expected one of {}", part.collectives().join(", ")),
                "",
            );
            return;
        }
        self.check_settings(one, n_ranks as u64);
        self.check_size(one, n_ranks as u64);
    }

    /// Refuses a job with too few ranks, or with settings that the program does not support.
    pub(super) fn check_job(&mut self, job: Pair<'_>) {
        let n_ranks = job.compiled.ranks.len();
        if n_ranks < FEWEST_RANKS {
            let name = &job.written.name.value;
            self.object(
                job.written.name.location,
                format!("the job `{name}` has {n_ranks} rank"),
                "a group on a machine needs at least 2 ranks",
                "use more hosts",
            );
        }
        if job.compiled.start.0 > 0 {
            self.object(
                job.written.name.location,
                format!("the job `{}` starts after the run", job.written.name.value),
                "segments on a machine begin immediately",
                "remove `start`",
            );
        }
        if job.written.ranks_per_host.value > 1 {
            self.object(
                job.written.ranks_per_host.location,
                "a host of the study is one process on the machine",
                "expected one rank on each host",
                "remove `ranks_per_host`",
            );
        }
        if job.written.share_hosts.value {
            self.object(
                job.written.share_hosts.location,
                "a process on the machine belongs to one job",
                "expected `false`",
                "remove `share_hosts`",
            );
        }
    }

    fn check_settings(&mut self, one: &resolved::Collective, n_ranks: u64) {
        let (common, own) = (&one.common, &one.algorithm);
        if let Some(group) = &one.group {
            let message = "the program on the machine runs a collective on all ranks";
            self.object(group.location, message, "expected no group", "remove it");
        }
        if !common.settings.flag("dependent") {
            let message = "the program on the machine sends data only after it has received it";
            self.object(common.location_of("dependent"), message, "expected `true`", "remove it");
        }
        if common.settings.choice("order") != "rank" {
            let message = "the program on the machine uses ranks in ascending order";
            self.object(common.location_of("order"), message, "expected `rank`", "remove it");
        }
        if own.spec.parameter("volume").is_some() && own.settings.choice("volume") != "full" {
            let message = "the program on the machine supports only full all-reduces";
            self.object(own.location_of("volume"), message, "expected `full`", "remove it");
        }
        if own.spec.parameter("chunk").is_some() && own.settings.optional("chunk").is_some() {
            let message =
                "the program on the machine sends a part of a ring only after it has received all of it";
            self.object(own.location_of("chunk"), message, "expected `none`", "remove it");
        }
        if own.spec.parameter("senders").is_some() {
            let senders = own.settings.optional("senders");
            if matches!(senders, Some(Value::Count(n)) if n + 1 != n_ranks) {
                let message =
                    "in an incast of the program on the machine all ranks except the first one send";
                self.object(own.location_of("senders"), message, "expected `none`", "remove it");
            }
        }
    }

    fn check_size(&mut self, one: &resolved::Collective, n_ranks: u64) {
        let bytes = one.common.settings.size("size").0;
        let location = one.common.location_of("size");
        let collective = one.algorithm.spec.name;
        if bytes == 0 {
            self.object(location, "nothing is sent", "expected at least one byte", "write `2MiB`");
        }
        if collective == "ring_all_reduce" && !bytes.is_multiple_of(WORD) {
            let message =
                format!("{bytes} B is not a whole number of the 8-byte words that the program adds");
            self.object(location, message, "expected a multiple of 8 B", "write `1MiB`");
        }
        let message = if collective == "incast" { bytes } else { bytes.div_ceil(n_ranks.max(1)) };
        if message > MOST_OF_A_MESSAGE {
            let text = format!("a message has {message} B, and MPI counts in 32 bits");
            self.object(location, text, &format!("expected messages of at most {MOST_OF_A_MESSAGE} B"), "");
        }
    }

    /// Notes a different order of posting.
    pub(super) fn note_posting(&mut self, one: &resolved::Collective, job: &str) {
        let has_posting = one.algorithm.spec.parameter("posting").is_some();
        if has_posting && one.algorithm.settings.choice("posting") != "same" {
            self.note(format!(
                "The all-to-all of the job `{job}` posts its messages rotated in the scenario, and in the order of ranks on \
                 the machine: `posting: same` simulates that."
            ));
        }
    }

    /// Notes that parts of an all-reduce differ if words do not divide evenly.
    pub(super) fn note_words(&mut self, collective: &str, bytes: u64, n_ranks: usize) {
        if collective == "ring_all_reduce" && !bytes.is_multiple_of(WORD * n_ranks as u64) {
            self.note(
                "Parts of an all-reduce are whole 8-byte words on the machine, and whole bytes in simulation.",
            );
        }
    }
}

/// The collective of a phase, if the phase is a single collective.
pub(super) fn only_collective(phase: &resolved::Phase) -> Option<&resolved::Collective> {
    let resolved::Phase::Collectives { settings, each } = phase else { return None };
    let [one] = each.as_slice() else { return None };
    (settings.settings.count("buckets") == 1).then_some(one)
}

//! Words that users bring from configurations of switches, NICs and other simulators, and the keys that mean them here.
//!
//! Models: an answer for each such word, given where it is refused as an unknown key or name.
//! Leaves out: misspelled words (`suggest`) and keys of earlier versions (`former`).

/// Words in lower case, and the answer.
const ADVICE: &[(&[&str], &str)] = &[
    (&["pfc", "lossless", "priority_flow_control"], "PFC is `queues: { buffer: 32MiB, pause: true }`"),
    (&["xoff", "pfc_threshold"], "the threshold of PFC follows from `alpha` of `queues`"),
    (&["ecn", "red", "wred"], "ECN is `queues: { marking: { minimum: 100KB, maximum: 400KB } }`"),
    (&["kmin", "min_threshold", "ecn_low"], "Kmin is `minimum` of `queues.marking`"),
    (&["kmax", "max_threshold", "ecn_high"], "Kmax is `maximum` of `queues.marking`"),
    (&["pmax", "max_probability"], "Pmax is `probability` of `queues.marking`"),
    (
        &["rtt", "base_rtt_us", "basertt"],
        "the round trip without queues is `base_rtt` of `congestion`; it is computed if not set",
    ),
    (
        &["min_rto", "rto", "rto_min", "retransmission_timeout"],
        "the retransmission timeout is `timeout` of `transport`",
    ),
    (&["payload", "max_payload", "mss"], "the payload of a data packet is `mtu` of `transport`"),
    (&["bdp", "cwnd", "initial_window"], "the limit of bytes in flight is `window` of `transport: irn`"),
    (&["fsize", "flow_size", "flowsize"], "the bytes of a flow are its `size`, in `flows`"),
    (
        &["allreduce"],
        "an all-reduce is `all_reduce`, which chooses an algorithm, or one such as `ring_all_reduce`",
    ),
    (
        &["tree", "double_binary_tree", "two_tree", "double_tree", "dbtree", "tree_allreduce"],
        "NCCL's two trees are `tree_all_reduce`; a tree from one root is `broadcast_tree`",
    ),
    (
        &["rhd", "recursive_halving_doubling", "halving_doubling", "recursive_doubling", "rabenseifner"],
        "recursive halving and doubling is `halving_doubling_all_reduce`",
    ),
    (
        &["sharp", "nvls", "collnet", "in_network", "in_network_reduction", "switchml"],
        "reduction in switches is bounded by `in_network_all_reduce`",
    ),
    (
        &["hierarchical", "two_level", "hierarchical_allreduce", "2d_ring", "blueconnect"],
        "an all-reduce in two levels is `hierarchical_all_reduce`, with `server` ranks in each",
    ),
    (&["pxn", "rail_all_to_all"], "PXN of NCCL is `pxn_all_to_all`, with `server` ranks in each server"),
    (&["bruck"], "Bruck's algorithms are `bruck_all_to_all` and `bruck_all_gather`"),
    (
        &["alltoallv", "all_to_all_vector", "moe", "expert_parallel", "imbalanced_all_to_all"],
        "an all-to-all of unequal messages is `all_to_all_v`, with an `imbalance`",
    ),
    (&["all_gather", "allgather"], "an all-gather is `ring_all_gather` or `bruck_all_gather`"),
    (&["reduce_scatter", "reducescatter"], "a reduce-scatter is `ring_reduce_scatter`"),
    (&["all_to_all", "alltoall"], "an all-to-all is `all_to_all_linear` or `all_to_all_pairwise`"),
    (&["broadcast", "bcast"], "a broadcast is `broadcast_chain` or `broadcast_tree`"),
    (
        &["clos", "folded_clos", "spine_leaf"],
        "a Clos network is `leaf_spine` (two tiers) or `fat_tree` (three tiers)",
    ),
    (
        &["latency", "link_delay", "propagation_delay"],
        "delays of links are `host_delay`, `fabric_delay` and so on, one for each tier",
    ),
    (
        &["bandwidth", "link_speed", "speed"],
        "rates of links are `host_rate`, `fabric_rate` and so on, one for each tier",
    ),
    (&["gbn", "rocev2", "roce"], "RoCE is `transport: go_back_n`, or `nic_sr` for selective repeat"),
    (&["selective_repeat", "sr"], "selective repeat is `transport: nic_sr` (commodity NICs) or `irn`"),
    (
        &["rps", "packet_spray", "packet_spraying", "spraying"],
        "packet spraying is `spray` (random) or `round_robin`",
    ),
    (&["letflow", "conga"], "flowlet switching is `flowlet`"),
    (
        &[
            "communicator",
            "communicators",
            "tp",
            "pp",
            "dp",
            "ep",
            "cp",
            "tensor_parallel",
            "data_parallel",
            "pipeline_parallel",
            "tensor_model_parallel_size",
            "pipeline_model_parallel_size",
            "expert_model_parallel_size",
            "context_parallel_size",
            "parallelism",
        ],
        "parallel dimensions are `groups: { tp: 8, pp: 4, dp: auto }` of a job; a collective names one as its `group`",
    ),
    (
        &["gpus_per_node", "ranks_per_node", "ppn"],
        "GPUs of a server are `gpus_per_server` of a `rail`, a host each; ranks on one host are `ranks_per_host` of a job",
    ),
    (&["ugal"], "UGAL is `ugal_l` (local queues) or `ugal_g` (queues of all global links)"),
    (&["program"], "a program is passed to the run: `netloom.run(..., balance=...)` in Python"),
    (
        &["vc", "virtual_channels", "num_vcs", "vls", "num_vls"],
        "virtual lanes are `data_vl` and `control_vl` of `queues.credits`",
    ),
];

/// The answer to a word, if users bring it from elsewhere.
pub(crate) fn advice(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase().replace('-', "_");
    ADVICE.iter().find(|(words, _)| words.contains(&word.as_str())).map(|(_, advice)| *advice)
}

/// Whether the answer to a word names this key first.
pub(crate) fn means(word: &str, key: &str) -> bool {
    advice(word).is_some_and(|advice| advice.split('`').nth(1) == Some(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_word_has_one_answer() {
        let words: Vec<&str> = ADVICE.iter().flat_map(|(words, _)| words.iter().copied()).collect();
        assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), words.len());
    }

    #[test]
    fn answers_name_keys_and_words_of_the_language() {
        let reference = crate::reference();
        for (words, advice) in ADVICE {
            let names: Vec<&str> = advice.split('`').skip(1).step_by(2).collect();
            assert!(!names.is_empty(), "{words:?}");
            let parts =
                names.iter().flat_map(|name| name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
            for part in parts.filter(|part| part.starts_with(|c: char| c.is_ascii_lowercase())) {
                assert!(reference.contains(part), "{words:?}: {part}");
            }
        }
    }

    #[test]
    fn letter_case_and_hyphens_cost_nothing() {
        assert_eq!(advice("Min-RTO"), advice("min_rto"));
        assert!(advice("PFC").is_some() && advice("leaves").is_none());
    }
}

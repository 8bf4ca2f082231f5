//! The waits of messages for which those ahead are recorded.
//!
//! Models: of each message the waits at the NIC of its sender and the longest three in queues; of a list of messages the
//! longest wait of each, then the longest others.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::ahead::MessageWait;
use super::chain::Member;
use super::parts::{Key, Parts, Wait, key};

/// Most waits for which those ahead are recorded.
const MOST_WAITS: usize = 64;

/// The waits of these messages for which those ahead are recorded, the longest first.
pub(super) fn longest_waits(members: &[Member], parts: &BTreeMap<Key, Parts>) -> Vec<MessageWait> {
    let waits = |(message, member): (usize, &Member)| {
        let mut of_it: Vec<MessageWait> = of_message(message, member, &parts[&key(&member.row)]).collect();
        of_it.sort_by_key(by_length);
        of_it.into_iter().enumerate().map(|(rank, wait)| (rank == 0, wait))
    };
    let mut all: Vec<(bool, MessageWait)> = members.iter().enumerate().flat_map(waits).collect();
    // Of each message the longest one comes first, so that every message has one as far as they suffice.
    all.sort_by_key(|(is_first, wait)| (!is_first, by_length(wait)));
    let mut kept: Vec<MessageWait> = all.into_iter().map(|(_, wait)| wait).take(MOST_WAITS).collect();
    kept.sort_by_key(by_length);
    kept
}

/// The longest first; of equal ones the order of messages, then of ports.
fn by_length(wait: &MessageWait) -> impl Ord + use<> {
    (Reverse(wait.length), wait.message, wait.wait.port)
}

/// All waits of a message, at the NIC of its sender and in queues.
fn of_message<'a>(
    message: usize,
    member: &'a Member,
    parts: &'a Parts,
) -> impl Iterator<Item = MessageWait> + use<'a> {
    let key = key(&member.row);
    let Parts { causes, nic, queues } = parts;
    let at_nic = nic.map(|nic| MessageWait {
        message,
        key,
        job: member.row.job,
        wait: Wait { from: member.row.start, ..nic },
        hop: None,
        length: causes.turn.0 + causes.earlier.0,
    });
    // Rows of causes have the ports of the longest waits in queues, so that those are known beforehand if the first run recorded causes.
    let is_listed = |(_, wait): &(usize, &Wait)| causes.waits().any(|(port, _)| port == wait.port);
    let in_queue = move |(hop, wait): (usize, &Wait)| MessageWait {
        message,
        key,
        job: member.row.job,
        wait: *wait,
        hop: Some(hop),
        length: wait.length(),
    };
    at_nic
        .into_iter()
        .chain(queues.iter().enumerate().filter(is_listed).map(in_queue))
        .filter(|wait| wait.length > 0)
}

//! Channels: several copies of a collective that run side by side, each over a part of the vector.
//!
//! Models: the channels of NCCL, each a collective of its own; where ranks form servers, the ring of each channel enters
//! and leaves the servers at other ranks, so that all their NICs are used.
//! Leaves out: how NCCL searches rings for the topology of a server.
//!
//! Invariants: the parts of the channels sum to the vector. Between two servers a ring stays on one rail; only if the
//! number of servers is odd, it changes it once. Source: NCCL, `NCCL_MAX_NCHANNELS` and `NCCL_CROSS_NIC`; the order of
//! ranks inside servers is a modelling assumption.

use netloom_model::{Collective, Order};
use netloom_units::{Bytes, Kind, Parameter, Settings, Value};

use super::servers::Servers;
use super::{Frame, all_reduce};

/// The `channels` parameter.
pub(super) const CHANNELS: Parameter = Parameter {
    name: "channels",
    kind: Kind::Count { minimum: 1, maximum: 16 },
    default: Some(Value::Count(1)),
    meaning: "number of copies that run side by side, each over a part of the vector",
};

/// The `server` parameter of collectives with channels.
pub(super) const CHANNEL_SERVER: Parameter = Parameter {
    name: "server",
    kind: Kind::Optional(&Kind::Count { minimum: 1, maximum: u32::MAX as u64 }),
    default: Some(Value::Absent),
    meaning: "number of consecutive ranks that form a server: each channel enters and leaves servers at other ranks; \
              `none`: all channels have the order of the ranks",
};

/// The channels of a collective in groups of these sizes; `None` if it has one. An error is a sentence about a parameter.
///
/// # Errors
/// When `server` does not divide the number of ranks, groups differ in size, or `server` has no effect.
pub(in crate::workload) fn channels(
    collective: &Collective,
    sizes: &[u32],
) -> Result<Option<Vec<Collective>>, String> {
    let n_channels = number(&collective.settings);
    refuse_server_without_effect(collective, n_channels)?;
    if n_channels == 1 {
        return Ok(None);
    }
    let largest = sizes.iter().copied().max().unwrap_or(1);
    let settings = all_reduce::with_algorithm_chosen(collective, largest);
    let parts = Frame { n_ranks: n_channels, size: collective.size.0, dependent: true };
    let settings = || settings.clone().with(CHANNELS.name, Value::Count(1));
    let channel = |number: u32| {
        let (size, order) = (Bytes(parts.part(number)), order(collective, sizes, (number, n_channels))?);
        Ok(Collective { size, settings: settings(), order, ..collective.clone() })
    };
    (0..n_channels).map(channel).collect::<Result<_, _>>().map(Some)
}

/// Number of channels; 1 for collectives without that parameter.
pub fn number(settings: &Settings) -> u32 {
    given(settings).unwrap_or(1)
}

fn given(settings: &Settings) -> Option<u32> {
    settings.iter().find_map(|(key, value)| match value {
        Value::Count(number) if key == CHANNELS.name => Some(number as u32),
        _ => None,
    })
}

/// Only channels enter and leave servers at different ranks, and only in the order of ranks.
fn refuse_server_without_effect(collective: &Collective, n_channels: u32) -> Result<(), String> {
    if given(&collective.settings).is_none() || collective.settings.optional(CHANNEL_SERVER.name).is_none() {
        return Ok(());
    }
    match n_channels {
        1 => Err(String::from("`server` needs `channels` of at least two")),
        _ if collective.order != Order::Rank => Err(String::from("`server` needs `order: rank`")),
        _ => Ok(()),
    }
}

/// The order of the ranks in a channel.
fn order(collective: &Collective, sizes: &[u32], channel: (u32, u32)) -> Result<Order, String> {
    let is_plain = collective.settings.optional(CHANNEL_SERVER.name).is_none();
    if is_plain {
        return Ok(collective.order.clone());
    }
    let &[n_ranks] = sizes else {
        return Err(String::from("`server` with `channels` needs groups of one size"));
    };
    let frame = Frame { n_ranks, size: collective.size.0, dependent: collective.dependent };
    let servers = Servers::new(frame, &collective.settings)?;
    Ok(Order::Given(vec![through(servers, channel)]))
}

/// The ranks by position: into a server at one rank, through all of it, and out at the rank before; back in the next one.
fn through(servers: Servers, (channel, n_channels): (u32, u32)) -> Vec<u32> {
    let Servers { size, count } = servers;
    let first = (u64::from(channel) * u64::from(size) / u64::from(n_channels.min(size))) as u32 % size;
    let index = |server: u32, step: u32| {
        if server.is_multiple_of(2) { (first + step) % size } else { (first + 2 * size - 1 - step) % size }
    };
    (0..count)
        .flat_map(|server| (0..size).map(move |step| servers.position(server, index(server, step))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_stay_on_a_rail_and_use_all_of_them() {
        for (size, count, n_channels) in [(8, 4, 8), (8, 6, 4), (4, 2, 8), (1, 5, 3), (8, 3, 8)] {
            let servers = Servers { size, count };
            let n = (size * count) as usize;
            let mut used = vec![0; size as usize];
            for channel in 0..n_channels {
                let order = through(servers, (channel, n_channels));
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..n as u32), "every rank once");
                let mut changes = 0;
                for position in 0..n {
                    let (from, to) = (servers.of(order[position]), servers.of(order[(position + 1) % n]));
                    if from.0 != to.0 {
                        used[from.1 as usize] += 1;
                        changes += usize::from(from.1 != to.1);
                    }
                }
                let is_odd = count % 2 == 1 && size > 1;
                assert_eq!(changes, usize::from(is_odd), "{size} {count} {n_channels}");
            }
            if n_channels >= size {
                let (least, most) = (used.iter().min(), used.iter().max());
                assert!(least > Some(&0) && (count % 2 == 1 || least == most), "{used:?}");
            }
        }
    }
}

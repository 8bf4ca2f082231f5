//! Lines of a summary about waiting: heads of queues at switches with credits, and timeouts without losses.

use netloom_lab::summary::{ArbitrationSummary, HeadWait, TimedOut, TimeoutSummary};
use netloom_lab::words;

/// Largest number of ports or queue pairs named in a line.
const NAMED: usize = 5;

/// The queue pairs that retransmitted after timeouts although no packet was lost.
pub fn timeouts(found: &TimeoutSummary) -> String {
    let name = |pair: &TimedOut| {
        let [source, destination] = [&pair.source, &pair.destination].map(|host| words::harmless(host));
        format!("{source}->{destination} #{} ({})", pair.number, words::some(pair.timeouts, "timeout"))
    };
    format!(
        "timeouts    {} retransmitted after {} ({} unacknowledged), although no packet was lost: {}",
        words::some(found.queue_pairs.len() as u64, "queue pair"),
        words::some(found.timeouts, "timeout"),
        words::some(found.unacknowledged, "packet"),
        first_of(&found.queue_pairs, name),
    )
}

/// The longest waits at the heads of queues, and the ports where the number of passes exceeds the bound.
pub fn arbitration(found: &ArbitrationSummary) -> Vec<String> {
    let HeadWait { passes, bound, .. } = found.most_passes;
    let mut lines = vec![format!(
        "arbitration a head waited for at most {} to other ingresses (bound {}, {}), and at most {} ({})",
        words::some(passes, "transfer"),
        words::count(bound),
        port(&found.most_passes),
        words::span(found.longest.longest_s),
        port(&found.longest),
    )];
    if !found.beyond.is_empty() {
        let name = |wait: &HeadWait| {
            let [passes, bound] = [wait.passes, wait.bound].map(words::count);
            format!("{} ({passes} transfers, bound {bound})", port(wait))
        };
        let ports = words::some(found.beyond.len() as u64, "port");
        lines.push(format!("arbitration beyond the bound at {ports}: {}", first_of(&found.beyond, name)));
    }
    lines
}

fn port(wait: &HeadWait) -> String {
    format!("{} towards {}", words::harmless(&wait.node), words::harmless(&wait.towards))
}

/// The first entries of a list, and the number of those left out.
fn first_of<T>(all: &[T], name: impl Fn(&T) -> String) -> String {
    let mut named: Vec<String> = all.iter().take(NAMED).map(name).collect();
    if all.len() > NAMED {
        named.push(format!("and {} more", words::count((all.len() - NAMED) as u64)));
    }
    named.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(port: u32, passes: u64, longest_s: f64) -> HeadWait {
        let (node, towards) = (format!("leaf{port}"), format!("host{port}"));
        HeadWait { port, node, towards, passes, bound: 34, longest_s }
    }

    #[test]
    fn ports_within_the_bound_take_one_line() {
        let found = ArbitrationSummary {
            transfers: 100,
            most_passes: wait(0, 12, 1e-6),
            longest: wait(1, 3, 2.1e-6),
            beyond: Vec::new(),
        };
        let expected = "arbitration a head waited for at most 12 transfers to other ingresses (bound 34, leaf0 \
                        towards host0), and at most 2.1 us (leaf1 towards host1)";
        assert_eq!(arbitration(&found), [expected]);
    }

    #[test]
    fn ports_beyond_the_bound_are_named_up_to_five() {
        let most = wait(6, 41, 2e-6);
        let beyond = (0..7).map(|port| wait(port, 35 + u64::from(port), 1e-6)).collect();
        let found = ArbitrationSummary { transfers: 1, most_passes: most.clone(), longest: most, beyond };
        let expected = "arbitration beyond the bound at 7 ports: leaf0 towards host0 (35 transfers, bound 34), leaf1 \
                        towards host1 (36 transfers, bound 34), leaf2 towards host2 (37 transfers, bound 34), leaf3 \
                        towards host3 (38 transfers, bound 34), leaf4 towards host4 (39 transfers, bound 34), and 2 more";
        assert_eq!(arbitration(&found)[1], expected);
    }

    #[test]
    fn queue_pairs_are_named_up_to_five() {
        let pair = |number| TimedOut {
            source: "leaf2.host0".to_owned(),
            destination: "leaf0.host1".to_owned(),
            number,
            timeouts: 1,
        };
        let of = |n: u32| TimeoutSummary {
            timeouts: u64::from(n),
            unacknowledged: 120,
            queue_pairs: (0..n).map(pair).collect(),
        };
        let one = "timeouts    1 queue pair retransmitted after 1 timeout (120 packets unacknowledged), although no \
                   packet was lost: leaf2.host0->leaf0.host1 #0 (1 timeout)";
        assert_eq!(timeouts(&of(1)), one);
        assert!(timeouts(&of(7)).ends_with("#4 (1 timeout), and 2 more"));
        assert!(timeouts(&of(5)).ends_with("#4 (1 timeout)"));
    }
}

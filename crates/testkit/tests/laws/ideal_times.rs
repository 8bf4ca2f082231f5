//! A message in isolation takes exactly its ideal time; with competition it never takes less on a single path.

use netloom_model::{LeafSpine, Model, TransportKind};
use netloom_records::FlowRow;
use netloom_testkit::fixture::{
    Cable, Clos, ListedWork, Sending, ThreeTiers, Wiring, chain, model, pair, policy, simulate, star,
};
use netloom_units::{Bytes, Duration, Random, Rate};

/// Odd rates, whole ones, slow ones; zero delay among the delays.
const CABLES: [Cable; 5] = [
    Cable::new(25_000_000_000, 1_000_000),
    Cable::new(400_000_000_000, 0),
    Cable::new(7_000_000_000, 333_333),
    Cable::new(99_999_999_977, 1),
    Cable::new(1_600_000_000_001, 70),
];

/// One byte, about a packet, many packets with and without a shorter last one.
const SIZES: [u64; 9] = [1, 999, 1000, 1001, 1999, 2000, 2001, 57_000, 123_457];

fn flows(model: &Model, sendings: &[Sending]) -> Vec<FlowRow> {
    simulate(model, ListedWork::new(sendings)).records.flows
}

fn taken(row: &FlowRow) -> Duration {
    row.end.expect("the message arrives").since(row.start)
}

/// Sends one message after the other, each in an idle network.
fn assert_alone(model: &Model, pairs: &[(u32, u32)], pace: Option<u64>) {
    let quiet = 50_000_000_000;
    let sizes = SIZES.iter().flat_map(|size| pairs.iter().map(move |pair| (pair, size)));
    let sendings: Vec<Sending> = (0..)
        .zip(sizes)
        .map(|(number, (&(from, to), &size))| {
            let sending = Sending::new(number * quiet, from, to, size);
            pace.map_or(sending, |rate| sending.paced(rate))
        })
        .collect();
    let rows = flows(model, &sendings);
    assert_eq!(rows.len(), sendings.len());
    for row in rows {
        assert_eq!(Some(taken(&row)), row.ideal, "{} B from {:?}", row.size.0, row.source);
    }
}

#[test]
fn a_single_message_takes_its_ideal_time_on_any_chain() {
    for n_links in 1..=CABLES.len() {
        for first in 0..CABLES.len() {
            let cables: Vec<Cable> = (0..n_links).map(|link| CABLES[(first + link) % CABLES.len()]).collect();
            assert_alone(&model(chain(&cables)), &[(0, 1), (1, 0)], None);
        }
    }
}

#[test]
fn a_single_paced_message_takes_its_ideal_time_below_and_above_the_bottleneck() {
    for pace in [1_000_000_000, 6_999_999_999, 7_000_000_000, 7_000_000_001, 11_000_000_007, 800_000_000_000]
    {
        assert_alone(&model(chain(&[CABLES[0], CABLES[2], CABLES[3]])), &[(0, 1)], Some(pace));
        let mut paced = model(chain(&[CABLES[1], CABLES[2]]));
        paced.transport.kind = TransportKind::OpenLoop { rate: Some(Rate(pace)) };
        assert_alone(&paced, &[(1, 0)], None);
    }
}

#[test]
fn a_single_message_takes_its_ideal_time_between_any_two_hosts_under_every_policy() {
    let mut clos = Clos::new(3, 2, 2);
    clos.fabric = Cable::new(40_000_000_000, 700_000);
    let tables = {
        let Wiring { fabric, .. } = clos.wiring();
        let routing = netloom_model::Routing::Tables(netloom_model::reroute::tables(&fabric));
        Wiring { fabric, routing }
    };
    let mut tree = ThreeTiers::new(4);
    tree.leaf = Cable::new(40_000_000_000, 700_000);
    tree.core = Cable::new(25_000_000_000, 1_900_000);
    for wiring in [clos.wiring(), tables, tree.wiring(), star(6, CABLES[2]), pair(CABLES[0])] {
        let n_hosts = wiring.fabric.n_hosts() as u32;
        let pairs: Vec<_> = (0..n_hosts).flat_map(|from| (0..n_hosts).map(move |to| (from, to))).collect();
        let pairs: Vec<_> = pairs.into_iter().filter(|(from, to)| from != to).collect();
        assert_alone(&model(wiring), &pairs, None);
    }
}

#[test]
fn a_window_that_covers_the_path_keeps_the_ideal_time() {
    let mut windowed = model(chain(&[CABLES[0], CABLES[0]]));
    windowed.transport.kind = TransportKind::Window { packets: 1_000, acknowledgement: Bytes(64) };
    assert_alone(&windowed, &[(0, 1)], None);
}

#[test]
fn no_competing_message_is_faster_than_its_ideal_time_on_a_single_path() {
    let mut random = Random::stream(4, 4, 4);
    let sendings: Vec<Sending> = (0..2_000)
        .map(|_| {
            let (from, to) = (random.below(8), random.below(7));
            let to = if to >= from { to + 1 } else { to };
            Sending::new(random.next_u64() % 100_000_000, from, to, 1 + u64::from(random.below(50_000)))
        })
        .collect();
    let rows = flows(&model(Clos::new(2, 4, 4).wiring()), &sendings);
    assert!(rows.iter().all(|row| Some(taken(row)) >= row.ideal));
    assert!(rows.iter().any(|row| Some(taken(row)) > row.ideal));
}

#[test]
fn two_nic_ports_may_beat_the_single_path() {
    let shape = LeafSpine { leaves: 2, spines: 2, hosts_per_leaf: 2, host_links: 2, fabric_links: 1 };
    let mut spread = model(Clos { shape, ..Clos::new(2, 2, 2) }.wiring());
    spread.balances.host = policy("round_robin", &[]);
    spread.balances.switch = policy("round_robin", &[]);
    let row = flows(&spread, &[Sending::new(0, 0, 3, 1_000_000)])[0];
    assert!(Some(taken(&row)) < row.ideal);
}

#[test]
fn the_ideal_time_uses_the_best_of_unequal_next_hops() {
    let mut builder = netloom_model::FabricBuilder::new(2, 2);
    for (switch, rate) in [(2, 10_000_000_000), (3, 40_000_000_000)] {
        Cable::new(rate, 1_000).lay(&mut builder, 0, switch);
        Cable::new(rate, 1_000).lay(&mut builder, switch, 1);
    }
    let row = flows(&model(Wiring::shortest(builder)), &[Sending::new(0, 0, 1, 1000)])[0];
    assert_eq!(row.ideal, Some(Duration(2 * (200_000 + 1_000))));
}

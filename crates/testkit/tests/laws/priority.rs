//! Strict priority: a packet of a higher class waits for the one packet on the wire and for its own class, never for a
//! lower class.

use netloom_engine::packet::{Packet, PacketKind};
use netloom_engine::{Extensions, Options};
use netloom_model::{Model, TransportKind};
use netloom_testkit::fixture::{Cable, Clos, ListedWork, Sending, model, simulate_with};
use netloom_units::{Bytes, Time};

use crate::doubles::{Passed, port_forms, watched};

/// Two leaves, one spine; both directions full of data, so that ACKs share every port with data.
fn both_directions(control: u8) -> (Model, ListedWork) {
    let mut clos = Clos::new(2, 1, 3);
    clos.fabric = Cable::new(40_000_000_000, 700_000);
    let mut model = model(clos.wiring());
    model.transport.kind = TransportKind::Window { packets: 40, acknowledgement: Bytes(64) };
    model.classes.control = control;
    let sendings: Vec<Sending> = (0..3)
        .flat_map(|host| {
            let at = 13_337 * u64::from(host);
            [Sending::new(at, host, 3 + host, 150_000), Sending::new(at + 7, 3 + host, host, 150_000)]
        })
        .collect();
    (model, ListedWork::new(&sendings))
}

fn name(packet: &Packet) -> (u32, u32) {
    (packet.entropy, packet.sequence)
}

/// Of all ACKs at a switch, the number that waited, and how often a data packet started at the same port while an ACK
/// was waiting.
fn overtaken(arrivals: &[Passed], starts: &[Passed]) -> (usize, usize) {
    let is_control = |packet: &Packet| packet.kind() == PacketKind::Acknowledgement;
    let (mut n_waited, mut n_overtaken) = (0, 0);
    for (start, port, packet) in starts.iter().filter(|passed| is_control(&passed.2)) {
        let came = arrivals.iter().find(|passed| is_control(&passed.2) && name(&passed.2) == name(packet));
        let came: Time = came.expect("a packet that starts has arrived").0;
        n_waited += usize::from(came < *start);
        let between = |passed: &&Passed| passed.1 == *port && came <= passed.0 && passed.0 < *start;
        n_overtaken += starts.iter().filter(between).filter(|passed| !is_control(&passed.2)).count();
    }
    (n_waited, n_overtaken)
}

#[test]
fn a_packet_of_the_high_class_waits_only_for_the_packet_on_the_wire() {
    let (model, work) = both_directions(7);
    for switch in 6..9 {
        let (run, arrivals, starts) = watched(&model, &work, switch);
        let (n_waited, n_overtaken) = overtaken(&arrivals, &starts);
        assert!(n_waited > 100, "switch {switch}: only {n_waited} ACKs waited");
        assert_eq!(n_overtaken, 0, "switch {switch}");
        for options in port_forms() {
            let plain = simulate_with(&model, work.clone(), options, Extensions::default());
            assert!(plain.results() == run.clone().results(), "{options:?}");
        }
    }
}

#[test]
fn in_the_same_class_acks_wait_behind_data() {
    let (model, work) = both_directions(0);
    let (_, arrivals, starts) = watched(&model, &work, 6);
    assert!(overtaken(&arrivals, &starts).1 > 100);
}

#[test]
fn priority_of_acks_shortens_the_run_of_a_window_transport() {
    let last = |control| {
        let (model, work) = both_directions(control);
        simulate_with(&model, work, Options::default(), Extensions::default()).outcome.end
    };
    assert!(last(7) < last(0));
}

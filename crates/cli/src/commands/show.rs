//! `netloom show`: fabrics and their nodes; single packets and the slowest messages of a run; forwarding tables, and the
//! ingress ports that share an egress port by these tables; the memory of Themis.

use netloom_lab::show::arbitration::{Arbitration, Span, arbitration};
use netloom_lab::show::fabric;
use netloom_lab::show::nodes::{self, NodeRow};
use netloom_lab::show::routes::{self, RouteRow, RouteTables, Selection};
use netloom_lab::show::themis::{self, ThemisMemory};
use netloom_lab::show::{self, Hop, Journey, PacketLife, RecordedFlow, SlowFlow};
use netloom_lab::{ExitCode, LabError, Overrides, Source, text, words};

use crate::arguments::{
    Show, ShowArbitration, ShowNodes, ShowPackets, ShowPaths, ShowRoutes, ShowThemis, Subject,
};
use crate::output::Output;
use crate::table::{Lean, Table};
use crate::terminal;

/// Largest number of flows listed; of the rest only the number is printed.
const MOST_FLOWS: usize = 50;
/// Largest number of nodes listed.
const MOST_NODES: usize = 1_000;
/// Largest number of rows of forwarding tables listed.
const MOST_ROUTES: usize = 1_000;

/// Shows the requested subject.
pub fn show(arguments: &Show, output: &mut Output) -> Result<ExitCode, LabError> {
    let Some(subject) = &arguments.subject else {
        show_fabric(arguments, output)?;
        return Ok(ExitCode::Good);
    };
    match subject {
        Subject::Packets(packets) => show_packets(packets, output)?,
        Subject::Paths(paths) => show_paths(paths, output)?,
        Subject::Interference(arguments) => super::interference::show(arguments, output)?,
        Subject::Nodes(nodes) => show_nodes(nodes, output)?,
        Subject::Routes(routes) => show_routes(routes, output)?,
        Subject::Arbitration(arguments) => show_arbitration(arguments, output)?,
        Subject::Themis(themis) => show_themis(themis, output)?,
    }
    Ok(ExitCode::Good)
}

/// Draws the fabric of a scenario or of a run.
fn show_fabric(arguments: &Show, output: &mut Output) -> Result<(), LabError> {
    let path = arguments.fabric.clone().unwrap_or_default();
    let overrides = Overrides { set: arguments.set.clone(), ..Overrides::default() };
    let shown = fabric::of_path(&path, &overrides)?;
    if arguments.json {
        return output.json(&shown.outline);
    }
    output.drawing(&text::fabric(&shown, terminal::look()));
    Ok(())
}

fn show_packets(arguments: &ShowPackets, output: &mut Output) -> Result<(), LabError> {
    let Some(flow) = &arguments.flow else {
        let flows = show::flows(&arguments.run)?;
        if arguments.json {
            return output.json(&flows);
        }
        print_flows(&flows, output);
        return Ok(());
    };
    let life = show::packet(&arguments.run, flow, arguments.packet)?;
    if arguments.json {
        return output.json(&life);
    }
    print_life(&life, output);
    Ok(())
}

fn show_paths(arguments: &ShowPaths, output: &mut Output) -> Result<(), LabError> {
    let flows = show::paths(&arguments.run)?;
    if arguments.json {
        return output.json(&flows);
    }
    for (number, flow) in flows.iter().enumerate() {
        if number > 0 {
            output.line("");
        }
        print_path(flow, output);
    }
    Ok(())
}

fn show_themis(arguments: &ShowThemis, output: &mut Output) -> Result<(), LabError> {
    let setup = themis::Setup {
        n_paths: arguments.paths,
        rate: arguments.rate,
        round_trip: arguments.round_trip,
        n_nics: arguments.nics,
        n_queue_pairs: arguments.queue_pairs,
        packet: arguments.mtu,
        factor_thousandths: arguments.factor,
    };
    let memory = themis::themis_memory(&setup, arguments.buffer);
    if arguments.json {
        return output.json(&memory);
    }
    print_themis(&memory, output);
    Ok(())
}

fn show_routes(arguments: &ShowRoutes, output: &mut Output) -> Result<(), LabError> {
    let overrides = Overrides { set: arguments.set.clone(), ..Overrides::default() };
    let ShowRoutes { at, from, to, .. } = arguments;
    let selection = Selection { at: at.clone(), from: from.clone(), to: to.clone() };
    let tables = routes::routes(&Source::file(&arguments.scenario), &overrides, &selection)?;
    if arguments.json {
        return output.json(&tables);
    }
    print_routes(&tables, output);
    Ok(())
}

fn show_nodes(arguments: &ShowNodes, output: &mut Output) -> Result<(), LabError> {
    let overrides = Overrides { set: arguments.set.clone(), ..Overrides::default() };
    let found = nodes::nodes(&fabric::of_path(&arguments.fabric, &overrides)?);
    if arguments.json {
        return output.json(&found);
    }
    if arguments.csv {
        output.line(NODE_COLUMNS.map(|(title, _)| title).join(","));
        for row in &found {
            output.line(node_cells(row).map(|cell| words::csv_cell(&cell)).join(","));
        }
        return Ok(());
    }
    let mut table = Table::new(NODE_COLUMNS);
    for row in found.iter().take(MOST_NODES) {
        table.row(node_cells(row));
    }
    output.lines(table.lines());
    if found.len() > MOST_NODES {
        let more = words::some((found.len() - MOST_NODES) as u64, "more node");
        output.line(format!("... and {more}; --csv and --json print all of them"));
    }
    Ok(())
}

/// The columns of a table of nodes.
const NODE_COLUMNS: [(&str, Lean); 8] = [
    ("node", Lean::Right),
    ("name", Lean::Left),
    ("kind", Lean::Left),
    ("tier", Lean::Right),
    ("block", Lean::Left),
    ("rail", Lean::Left),
    ("server", Lean::Left),
    ("slot", Lean::Right),
];

fn node_cells(row: &NodeRow) -> [String; 8] {
    let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    [
        row.node.to_string(),
        row.name.clone(),
        row.kind.clone(),
        number(row.tier),
        text(&row.block),
        text(&row.rail),
        text(&row.server),
        number(row.slot),
    ]
}

fn show_arbitration(arguments: &ShowArbitration, output: &mut Output) -> Result<(), LabError> {
    let overrides = Overrides { set: arguments.set.clone(), ..Overrides::default() };
    let found = arbitration(&Source::file(&arguments.scenario), &overrides)?;
    if arguments.json {
        return output.json(&found);
    }
    output.line(&found.policy);
    output.line("");
    output.lines(kinds(&found).lines());
    if arguments.ports {
        output.line("");
        output.lines(egress_ports(&found).lines());
    }
    Ok(())
}

/// A line for each tier and direction; columns without any ingress port are left out.
fn kinds(found: &Arbitration) -> Table {
    let numbers = ["egress ports", "ingress ports each", "from above", "from beside", "from below"];
    let titles = [("egress", Lean::Left)].into_iter().chain(numbers.map(|title| (title, Lean::Right)));
    let mut table = Table::new(titles);
    let beside = |span: Span| if span.most == 0 { String::new() } else { spanned(span) };
    for kind in &found.kinds {
        table.row([
            kind.name(),
            words::count(u64::from(kind.egress_ports)),
            spanned(kind.all),
            spanned(kind.from_above),
            beside(kind.from_beside),
            spanned(kind.from_below),
        ]);
    }
    table
}

fn spanned(span: Span) -> String {
    match span {
        Span { least, most } if least == most => most.to_string(),
        Span { least, most } => format!("{least} to {most}"),
    }
}

fn egress_ports(found: &Arbitration) -> Table {
    let titles = ["switch", "link", "from above", "from beside", "from below"];
    let mut table = Table::new(titles.map(|title| (title, Lean::Left)));
    for port in &found.ports {
        let sides = [&port.from_above, &port.from_beside, &port.from_below].map(|links| links.join(", "));
        table.row([port.at.clone(), port.link.clone()].into_iter().chain(sides));
    }
    table
}

fn print_routes(tables: &RouteTables, output: &mut Output) {
    let on_source =
        if tables.depends_on_source { "; one of several links by source, see --from" } else { "" };
    output.line(format!("{}{on_source}", tables.policy));
    let mut n_left = MOST_ROUTES;
    for table in &tables.switches {
        let rows = &table.rows[..table.rows.len().min(n_left)];
        n_left -= rows.len();
        if !rows.is_empty() {
            output.line("");
            output.line(&table.at);
            output.lines(route_rows(rows).lines());
        }
    }
    let n_rows: usize = tables.switches.iter().map(|table| table.rows.len()).sum();
    if n_rows > MOST_ROUTES {
        let more = words::count((n_rows - MOST_ROUTES) as u64);
        output.line(format!("and {more} more rows: --at SWITCH or --to HOST shows them, --json all"));
    }
}

fn route_rows(rows: &[RouteRow]) -> Table {
    let mut table = Table::new(["to", "from", "by", "entry"].map(|title| (title, Lean::Left)));
    for row in rows {
        let to = match row.hosts {
            1 => row.to.clone(),
            hosts => format!("{} ... {} ({hosts})", row.to, row.to_last),
        };
        let by = match row.links.as_slice() {
            [] => "no path".to_owned(),
            [first, _, .., last] => format!("{first} ... {last} ({})", row.links.len()),
            few => few.join(", "),
        };
        let listed = if row.is_static { "static" } else { "" };
        table.row([to, row.from.clone().unwrap_or_default(), by, listed.to_owned()]);
    }
    table
}

fn print_themis(memory: &ThemisMemory, output: &mut Output) {
    let numbers = ["bytes each", "number", "bytes"].map(|title| (title, Lean::Right));
    let mut table = Table::new([("part", Lean::Left)].into_iter().chain(numbers));
    for part in &memory.parts {
        let cells = [part.each, part.number, part.bytes].map(words::count);
        table.row([part.part.to_owned()].into_iter().chain(cells));
    }
    table.row(["all".to_owned(), String::new(), String::new(), words::count(memory.total)]);
    output.lines(table.lines());
    output.line("");
    let entries = words::count(memory.entries);
    output.line(format!("entries of a ring: {} = {entries}", memory.entries_from));
    output.line(format!("each queue pair: {} B", words::count(memory.queue_pair)));
    let (share, buffer) = (words::percent(memory.share), words::count(memory.buffer));
    output.line(format!("of a buffer of {buffer} B: {share}"));
    if memory.is_the_papers {
        output.line("the paper's example; it says 0.6 % of 64 MB, which does not follow from its numbers");
    }
}

/// A number of picoseconds as a rounded span.
fn span(picoseconds: u64) -> String {
    words::span(picoseconds as f64 / 1e12)
}

fn print_flows(flows: &[RecordedFlow], output: &mut Output) {
    let numbers = ["packets", "ACKs", "hops", "dropped", "longest wait"].map(|title| (title, Lean::Right));
    let mut table = Table::new([("flow", Lean::Left)].into_iter().chain(numbers));
    for flow in flows.iter().take(MOST_FLOWS) {
        let counts = [flow.packets, flow.acknowledgements, flow.hops, flow.dropped].map(words::count);
        table.row([flow.flow.clone()].into_iter().chain(counts).chain([span(flow.longest_wait_ps)]));
    }
    output.lines(table.lines());
    if flows.len() > MOST_FLOWS {
        output.line(format!("and {} more", words::count((flows.len() - MOST_FLOWS) as u64)));
    }
}

fn print_life(life: &PacketLife, output: &mut Output) {
    let chosen = if life.is_last { ", the last one delivered or dropped" } else { "" };
    output.line(format!("packet {} of {}{chosen}", life.packet, life.flow));
    output.line(flow_line(life));
    for (title, journey) in [("data", &life.data), ("its ACK", &life.acknowledgement)] {
        if let Some(journey) = journey {
            output.line("");
            print_journey(title, journey, output);
        }
    }
}

fn flow_line(life: &PacketLife) -> String {
    match (life.flow_start_ps, life.flow_end_ps) {
        (Some(start), Some(end)) => {
            let exact = words::exact_micros(&[start, end, end - start]);
            format!("the flow: from {} to {} us, {} us in total", exact[0], exact[1], exact[2])
        }
        (Some(start), None) => {
            format!("the flow: from {} us, never complete", words::exact_micros(&[start])[0])
        }
        _ => "the flow never started".to_owned(),
    }
}

fn print_journey(title: &str, journey: &Journey, output: &mut Output) {
    output.line(format!("{title}, {} B: {}; times in us", words::count(journey.bytes), journey.fate));
    output.lines(hops(&journey.hops).lines());
    if !journey.is_whole {
        output.line("other hops were not recorded");
    } else if let Some(total) = journey.total_ps {
        let rest = journey.unexplained_ps().unwrap_or_default();
        let parts = [journey.waited_ps, journey.serialization_ps, journey.propagation_ps, rest, total];
        let exact = words::exact_micros(&parts);
        let lost = if rest == 0 { String::new() } else { format!(" + {} until it was dropped", exact[3]) };
        output.line(format!(
            "{} waited + {} on the wire + {} over links{lost} = {} in total",
            exact[0], exact[1], exact[2], exact[4]
        ));
    }
}

fn hops(hops: &[Hop]) -> Table {
    let times = ["arrived", "waited", "on the wire", "over the link"];
    let locations = ["hop", "node", "link", "to"].map(|title| (title, Lean::Left));
    let numbers = times.into_iter().chain(["queued packets", "queued bytes", "class"]);
    let numbers = numbers.map(|title| (title, Lean::Right));
    let mut table = Table::new(locations.into_iter().chain(numbers).chain([("fate", Lean::Left)]));
    let cells = times_of(hops);
    for (hop, times) in hops.iter().zip(cells) {
        let locations = [
            hop.hop.to_string(),
            hop.node.clone(),
            hop.link.clone().unwrap_or_default(),
            hop.to.clone().unwrap_or_default(),
        ];
        let count = |number: Option<u64>| number.map_or_else(String::new, words::count);
        let found = [count(hop.queue_packets.map(u64::from)), count(hop.queue_bytes), hop.class.to_string()];
        table.row(locations.into_iter().chain(times).chain(found).chain([fate(hop)]));
    }
    table
}

/// Arrival and the three spans of each hop, all with the same number of decimals; absent values are empty.
fn times_of(hops: &[Hop]) -> Vec<Vec<String>> {
    let times = |hop: &Hop| [Some(hop.arrival_ps), hop.waited_ps, hop.serialization_ps, hop.propagation_ps];
    let known: Vec<u64> = hops.iter().flat_map(|hop| times(hop).into_iter().flatten()).collect();
    let mut exact = words::exact_micros(&known).into_iter();
    let mut cell = |time: Option<u64>| time.and_then(|_| exact.next()).unwrap_or_default();
    hops.iter().map(|hop| times(hop).map(&mut cell).to_vec()).collect()
}

fn fate(hop: &Hop) -> String {
    match hop.reason {
        Some(reason) => format!("{} ({})", hop.fate, reason.replace('_', " ")),
        None => hop.fate.to_owned(),
    }
}

fn print_path(flow: &SlowFlow, output: &mut Output) {
    output.line(format!(
        "{}. {}: {} in {}, from {}",
        flow.rank + 1,
        flow.flow,
        words::size(flow.bytes as f64),
        span(flow.time_ps),
        span(flow.start_ps),
    ));
    let locations = ["hop", "node", "link", "to"].map(|title| (title, Lean::Left));
    let numbers = ["packets", "size", "waited, mean", "longest", "on the wire, mean", "over the link"];
    let mut table = Table::new(locations.into_iter().chain(numbers.map(|title| (title, Lean::Right))));
    for link in &flow.links {
        let mean = |sum: u64| span(sum / u64::from(link.packets.max(1)));
        table.row([
            link.hop.to_string(),
            link.node.clone(),
            link.link.clone(),
            link.to.clone(),
            words::count(u64::from(link.packets)),
            words::size(link.bytes as f64),
            mean(link.waited_ps),
            span(link.longest_wait_ps),
            mean(link.serialization_ps),
            mean(link.propagation_ps),
        ]);
    }
    output.lines(table.lines());
}

//! Files of flows: what is read, and every mistake with its line and column.

use std::io::{Cursor, Read};

use netloom_units::{Bytes, Duration};

use super::*;
use crate::diagnostic::Diagnostics;
use crate::{Origin, Overrides, Style, compile, resolve_from};

const TEXT: &str = "netloom: 1\nfabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 2, host_rate: 100Gbps}}\n\
                    transport: ideal\nflows: {file: flows.csv}\n";

/// A scenario and the only file that it may name.
#[derive(Clone)]
struct Beside(&'static str, Vec<u8>);

impl Origin for Beside {
    fn name(&self) -> String {
        "scenario.yaml".to_owned()
    }

    fn base(&self, _: &str) -> Result<Beside, String> {
        Err("there is no base".to_owned())
    }

    fn read(&self) -> Result<Vec<u8>, String> {
        Ok(self.0.as_bytes().to_vec())
    }

    fn is_same(&self, _: &Beside) -> bool {
        true
    }

    fn rows(&self, path: &str) -> Result<(String, Box<dyn Read>), String> {
        match path {
            "flows.csv" => Ok((path.to_owned(), Box::new(Cursor::new(self.1.clone())))),
            _ => Err(format!("there is no such file: {path}")),
        }
    }
}

fn table(rows: impl AsRef<[u8]>) -> Result<Arc<FlowTable>, Diagnostics> {
    of_scenario(TEXT, rows)
}

fn of_scenario(text: &'static str, rows: impl AsRef<[u8]>) -> Result<Arc<FlowTable>, Diagnostics> {
    let origin = Beside(text, rows.as_ref().to_vec());
    let resolved = resolve_from(text.as_bytes(), &origin, &Overrides::default())?;
    compile(&resolved)?;
    Ok(resolved.flows.expect("there are flows").file.expect("there is a file").table.expect("it is read"))
}

/// Each mistake as `line:column message | label`.
fn mistakes(rows: impl AsRef<[u8]>) -> Vec<String> {
    let wrong = table(rows).expect_err("it has mistakes");
    let one = |problem: &crate::Problem| {
        let (line, column) = problem.line_and_column();
        format!("{line}:{column} {} | {}", problem.message(), problem.label())
    };
    wrong.problems().iter().map(one).collect()
}

#[test]
fn rows_are_read_with_units_in_cells_or_columns() {
    let plain =
        "src,dst,size,start\nleaf0.host0,leaf1.host0,1MiB,0s\n 2 , \"leaf0.host0\" ,1.5KiB,10us\r\n\n";
    let read = table(plain).expect("it is right");
    let rows: Vec<_> =
        read.flows.iter().map(|flow| (flow.start, flow.size, flow.source, flow.destination)).collect();
    let us = Duration::from_micros;
    assert_eq!(rows, [(us(0), Bytes(1 << 20), 0, 1), (us(10), Bytes(1536), 2, 0)]);
    let named: Vec<_> = read.hosts.iter().map(|host| host.value.as_str()).collect();
    assert_eq!(named, ["leaf0.host0", "leaf1.host0", "2"]);
    assert_eq!(read.digest, blake3::hash(plain.as_bytes()).to_hex().as_str());
    let in_columns =
        table("\u{feff}start_ns,size_bytes,after,dst,src\n0,1048576,,2,0\n10000.5,7,0,0,2\n").expect("right");
    let rows: Vec<_> =
        in_columns.flows.iter().map(|flow| (flow.start.0, flow.size.0, flow.waits_for())).collect();
    assert_eq!(rows, [(0, 1_048_576, None), (10_000_500, 7, Some(0))]);
}

#[test]
fn every_mistake_is_reported_by_line_and_column() {
    let found = mistakes(
        "src,dst,size,start,after\n0,leaf1.host9,1KiB,0s,\n0,1,-1KiB,1us,\n0,1,1KiB,2us,\n0,1,1KiB,1us,\n0,1,1KiB,0s,9\n\
         0,1,1024,3us,\n0,1,0B,3us,\n0,0,1B,3us,\n0,1,1B\n0,1,1B,3,\n0,,1B,3us,\n0,1,1B,3us,8x\n",
    );
    assert_eq!(
        found,
        [
            "2:3 there is no host `leaf1.host9` | unknown host",
            "3:5 `-1KiB` is negative | expected a size that is not negative",
            "5:10 this row starts before one above it | expected 2us or later",
            "6:13 there is no row 9 before this one, which is row 4 | expected a number from 0 to 3",
            "7:5 `1024` has no unit | expected a size",
            "8:5 a flow has at least one byte | expected a size above zero",
            "9:3 a flow goes from one host to another | source and destination are the same",
            "10:1 3 cells where the heading has 5 | differs from the heading",
            "11:8 `3` has no unit | expected a span of time",
            "12:1 this row has no `dst` | `dst` is empty",
            "13:12 `8x` is not the number of a row | expected a number from 0 to 10",
        ]
    );
    let hosts = mistakes(
        "src,dst,size,start\n0,1,1KiB,0s\n0,leaf1.host9,1KiB,0s\n0,4,1KiB,0s\nleaf0.host0,0,1B,0s\n",
    );
    assert_eq!(
        hosts,
        [
            "3:3 there is no host `leaf1.host9` | unknown host",
            "4:3 there is no host 4 | expected a name, or a number from 0 to 3",
        ]
    );
}

#[test]
fn rows_that_state_their_numbers_need_not_be_sorted() {
    let read =
        table("number,src,dst,size,start_ps\n0,0,1,1KiB,3\n1,1,0,1KiB,2\n2,0,2,1KiB,2\n").expect("right");
    assert_eq!(read.flows.iter().map(|flow| flow.start.0).collect::<Vec<_>>(), [3, 2, 2]);
    let found = mistakes("number,src,dst,size,start\n0,0,1,1KiB,3us\n2,1,0,1KiB,2us\n,0,2,1KiB,2us\n");
    assert_eq!(
        found,
        [
            "3:1 `2` is not the number of this row | expected 1",
            "4:1 this row has no `number` | `number` is empty"
        ]
    );
}

#[test]
fn mistakes_in_the_heading_are_reported() {
    assert_eq!(
        mistakes("src,dst,sise,start,start\n0,1,1KiB,0s,\n"),
        [
            "1:9 there is no column `sise` | unknown column",
            "1:20 there are two columns `start` | the second one",
        ]
    );
    // A column by another tool's name is not reported as missing, too; one that is missing is.
    assert_eq!(
        mistakes("source,Dst-Host,start\n0,1,0s\n"),
        [
            "1:1 there is no column `source` | unknown column",
            "1:1 there is no column `size` | expected `src`, `dst`, `size`, `start`",
            "1:8 there is no column `Dst-Host` | unknown column",
        ]
    );
    for line in ["src;dst;size;start", "source\tdestination\tbytes\ttime"] {
        let Err(found) = table(line) else { panic!("{line}") };
        assert!(found.render(Style::Plain).contains("separate cells by commas"), "{line}");
    }
    let nameless = mistakes("0,1,1KiB,0s\n");
    assert_eq!(
        nameless,
        ["1:1 the first line does not name the columns | expected `src`, `dst`, `size`, `start`"]
    );
    assert_eq!(mistakes("")[0], nameless[0]);
    assert!(mistakes("src,dst,size,start\n")[0].ends_with("flows.csv has no flows | a heading without rows"));
    assert_eq!(mistakes("src,dst,size,start\n0,1,1B,0s\n\n0,1,1B,0s\n").len(), 1);
    let bytes = b"src,dst,size,start\n0,\xff1,1B,0s\n\0,1,1B,0s\n";
    assert_eq!(mistakes(bytes)[0], "2:3 this `dst` is no text | expected text in UTF-8");
    let unit = mistakes("src,dst,size_bytes,start\n0,1,1KiB,0s\n");
    assert_eq!(unit, ["2:5 `1KiB` has a unit, and so has its column | expected a number of B"]);
}

#[test]
fn a_flow_that_cannot_know_of_the_one_before_is_refused() {
    let found =
        mistakes("src,dst,size,start,after\n0,1,1KiB,0s,\n2,3,1KiB,0s,0\n1,3,1KiB,0s,0\n0,3,1KiB,0s,0\n");
    let label = "neither sends nor receives it";
    assert_eq!(
        found,
        [format!("3:13 `leaf1.host0` cannot know when the flow before has completed | {label}")]
    );
    // A number and a name of one host.
    assert!(table("src,dst,size,start,after\n0,1,1KiB,0s,\nleaf0.host1,2,1KiB,0s,0\n").is_ok());
    let itself = mistakes("src,dst,size,start,after\n0,leaf0.host0,1KiB,0s,\n");
    assert_eq!(itself.len(), 1);
    assert!(itself[0].contains("line 2: a flow goes from one host to another"), "{itself:?}");
    let open = "netloom: 1\nfabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 2}}\nflows: {file: flows.csv}\n";
    let wrong =
        of_scenario(open, "src,dst,size,start,after\n0,1,1KiB,0s,\n0,1,1KiB,0s,0\n").expect_err("open loop");
    assert!(wrong.render(Style::Plain).contains("without acknowledgements"));
}

#[test]
fn mistakes_without_number_are_counted_in_bounded_memory() {
    let rows = "src,dst,size,start\n".to_owned() + &"0,1,-1KiB,0s\n".repeat(5_000);
    let wrong = table(rows).expect_err("all are wrong");
    assert!(wrong.to_string().contains("more than 1000 mistakes in flows.csv"), "{wrong}");
    assert!(table("x".repeat(1 << 17)).is_err());
}

#[test]
fn a_digest_pins_the_file() {
    let right = "netloom: 1\nfabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 2}}\nflows: {file: flows.csv, \
                 digest: 0000000000000000000000000000000000000000000000000000000000000000}\n";
    let wrong = of_scenario(right, "src,dst,size,start\n0,1,1KiB,0s\n").expect_err("another file");
    assert!(wrong.render(Style::Plain).contains("flows.csv has another digest"));
}

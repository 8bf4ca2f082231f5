//! Reasons why a testbed cannot be created, with hints.
//!
//! Invariants: all of them are found before anything is created, except those of the kernel and of counters, after
//! which
//! nothing remains.

use std::io;
use std::path::PathBuf;

use netloom_units::{Bytes, Rate};

use crate::plan::{MOST_LINKS, MOST_NODES};

/// See the module.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// More nodes than one machine can forward for.
    #[error(
        "the fabric has {0} nodes, and a testbed has at most {MOST_NODES}\nhint: choose a smaller fabric, as in --set \
         fabric.leaf_spine.leaves=4"
    )]
    TooManyNodes(usize),
    /// More links than there are addresses.
    #[error(
        "the fabric has {0} links, and a testbed has at most {MOST_LINKS}\nhint: choose a smaller fabric"
    )]
    TooManyLinks(usize),
    /// A topology whose routing the kernel's tables cannot imitate.
    #[error(
        "a testbed cannot be built from this fabric: {0}\nhint: `single_switch`, `leaf_spine`, `fat_tree` and lists of \
         nodes and links can be built"
    )]
    Topology(&'static str),
    /// A host with several links, or none.
    #[error(
        "host `{host}` has {n_links} links, and a host of a testbed has one\nhint: use one link per host"
    )]
    HostLinks {
        /// The host.
        host: String,
        /// Its number of links.
        n_links: usize,
    },
    /// Two hosts without a switch between them.
    #[error("a link joins the hosts `{0}` and `{1}`\nhint: put a switch between them")]
    HostToHost(String, String),
    /// A name that cannot be used for a namespace and a host.
    #[error(
        "`{0}` cannot be the name of a host on a network: expected at most 63 letters, digits, `-`, `_` or `.`, the first \
         one a letter or digit\nhint: rename the node in the scenario"
    )]
    Name(String),
    /// Rates that the token buckets cannot limit well.
    #[error(
        "scaled by {scale}, links have rates from {} to {} bit/s, and a testbed takes 100 kbit/s to 10 Gbit/s\nhint: \
         choose another --scale or --rate",
        slowest.0, fastest.0
    )]
    Rates {
        /// The factor.
        scale: String,
        /// The slowest link.
        slowest: Rate,
        /// The fastest link.
        fastest: Rate,
    },
    /// A queue that is too small.
    #[error(
        "a queue of {0} bytes does not hold two packets of 1,514 bytes\nhint: --queue 3028B is the least"
    )]
    Queue(u64),
    /// Another operating system.
    #[error("a testbed needs Linux: it is made from network namespaces\nhint: --explain works everywhere")]
    NotLinux,
    /// Programs that are not installed.
    #[error("a testbed needs {}, which this machine lacks\nhint: apt-get install {packages}", listed(.tools))]
    Tools {
        /// Their names.
        tools: Vec<&'static str>,
        /// The Debian packages that contain them.
        packages: String,
    },
    /// Neither root nor user namespaces.
    #[error(
        "this user may not create namespaces ({reason})\nhint: run as root, or allow user namespaces (sysctl \
         kernel.unprivileged_userns_clone=1, user.max_user_namespaces=1000)"
    )]
    NotAllowed {
        /// The system's error.
        reason: String,
    },
    /// The command does not exist.
    #[error("there is no such command: `{0}`")]
    NoCommand(String),
    /// There is no command to run.
    #[error(
        "no command was given, and standard input is no terminal for a shell\nhint: netloom field testbed FABRIC.yaml -- \
         COMMAND"
    )]
    NothingToRun,
    /// The kernel refused a part of the network.
    #[error("the network could not be created: {message}\nhint: the kernel may lack {needs}")]
    Kernel {
        /// The message of the failing command.
        message: String,
        /// The feature that it needs.
        needs: &'static str,
    },
    /// The hosts sent less than expected.
    #[error(
        "the hosts sent {} bytes, and at least {} were expected: the traffic did not cross the network\nhint: ranks on one \
         host share memory, and so does an MPI library that does not use TCP; see NETLOOM_TESTBED_HOSTFILE and UCX_TLS",
        sent.0, expected.0
    )]
    NotCrossed {
        /// Bytes that the hosts sent.
        sent: Bytes,
        /// Bytes that were expected.
        expected: Bytes,
    },
    /// A folder for results that is replaced by a private one inside.
    #[error(
        "the results cannot go to a folder that is private inside of the testbed: {}\nhint: choose a folder outside of /run, \
         /dev and /proc",
        .0.display()
    )]
    PrivateFolder(PathBuf),
    /// A counter of the kernel cannot be read.
    #[error("a counter of the network cannot be read ({reason}): {path}")]
    Counter {
        /// The file.
        path: String,
        /// The reason.
        reason: String,
    },
    /// A process could not be started or waited for.
    #[error("`{program}` cannot be run: {source}")]
    Start {
        /// The program.
        program: &'static str,
        /// The system's error.
        source: io::Error,
    },
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

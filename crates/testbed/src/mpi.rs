//! What MPI launchers find inside, so that a plain `mpiexec` places one rank on each host and sends over the network.
//!
//! Models: a launch agent that takes the role of `ssh`, and the environment that makes Open MPI and MPICH use it, list the
//! hosts by address, and send by TCP.
//! Leaves out: other libraries; they may use the agent and the host file by their own options.
//!
//! Invariants: a rank has the name of its host and shared memory of its own, so no library takes two hosts for one. What a
//! user passes on the command line of `mpiexec` comes before the environment.

use std::ffi::OsString;

use crate::address;
use crate::script::FOLDER;

/// Takes the role of `ssh`: options without values are dropped, the command is one text for a shell.
pub const AGENT: &str = r#"
# launch-agent [OPTION...] HOST COMMAND...: what launchers of MPI call in place of ssh.
cat > /run/netloom/bin/launch-agent << 'END'
#!/bin/sh
while :; do
    case ${1:-} in -*) shift ;; *) break ;; esac
done
host=${1:?usage: launch-agent HOST COMMAND...}
shift
exec on-host "$host" sh -c "$*"
END
chmod 755 /run/netloom/bin/launch-agent
"#;

/// The environment of the command.
pub fn environment() -> Vec<(&'static str, OsString)> {
    let (agent, hostfile) = (format!("{FOLDER}/bin/launch-agent"), format!("{FOLDER}/hostfile"));
    let own = |pairs: &[(&'static str, &str)]| {
        pairs.iter().map(|(name, value)| (*name, OsString::from(value))).collect::<Vec<_>>()
    };
    let open_mpi = own(&[
        // Inside of its own namespaces nobody else is harmed by root.
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("OMPI_MCA_plm_rsh_agent", &agent),
        ("OMPI_MCA_orte_default_hostfile", &hostfile),
        ("OMPI_MCA_rmaps_base_mapping_policy", "node"),
        ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
        ("OMPI_MCA_hwloc_base_binding_policy", "none"),
        // All hosts share the cores of this machine.
        ("OMPI_MCA_mpi_yield_when_idle", "1"),
        ("OMPI_MCA_pml", "ob1"),
        ("OMPI_MCA_btl", "tcp,self"),
        ("OMPI_MCA_btl_tcp_if_include", address::HOSTS),
        ("OMPI_MCA_oob_tcp_if_include", address::HOSTS),
    ]);
    let mpich = own(&[
        ("HYDRA_LAUNCHER", "ssh"),
        ("HYDRA_LAUNCHER_EXEC", &agent),
        ("HYDRA_HOST_FILE", &hostfile),
        ("HYDRA_IFACE", "eth0"),
        // Without these MPICH passes the network by.
        ("UCX_TLS", "tcp,self"),
        ("UCX_NET_DEVICES", "eth0"),
    ]);
    [open_mpi, mpich].concat()
}

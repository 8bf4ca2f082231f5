//! The environment of MPI launchers inside, with which a plain `mpiexec` places one rank on each host and sends over
//! the
//! network.
//!
//! Models: a launch agent in place of `ssh`, and the environment that makes Open MPI and MPICH use it, list the hosts
//! by
//! address, and send by TCP.
//! Leaves out: other libraries; their own options may refer to the agent and the host file.
//!
//! Invariants: a rank has the name of its host and its own shared memory, so no library regards two hosts as one.
//! Options on
//! the command line of `mpiexec` take precedence over the environment.

use std::ffi::OsString;

use crate::address;
use crate::script::FOLDER;

/// Replaces `ssh`: options without values are ignored, the command is one argument for a shell.
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
        // Root inside the namespaces has no access to anything outside of them.
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
        // Without these MPICH does not use the network.
        ("UCX_TLS", "tcp,self"),
        ("UCX_NET_DEVICES", "eth0"),
    ]);
    [open_mpi, mpich].concat()
}

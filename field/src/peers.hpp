// Watches the other ranks of this host, so that a rank ends when one of them has died and the launcher does not react.
//
// Models: a descriptor for each process (`pidfd_open` of Linux), which becomes readable when the process has ended.
// Leaves out: other hosts, whose ranks end with the deadline at the latest; the report, which the witness makes.
// Invariants: calls no MPI after construction. Processes of another PID namespace are not watched, since their PIDs are
// not
// valid in this one.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace field {

class Peers {
public:
    // Collective among the ranks of this host.
    Peers(MPI_Comm local, int rank);
    ~Peers();
    Peers(const Peers&) = delete;
    Peers& operator=(const Peers&) = delete;

    // Sleeps at most this long, or until `wake` is readable; returns a rank that has ended, such as `rank 3 (pid
    // 4711)`, or
    // nothing.
    std::string wait(int milliseconds, int wake);

private:
    struct Peer {
        int rank;
        int pid;
        int descriptor;
    };
    std::vector<Peer> peers;
};

} // namespace field

// The other ranks of this host, watched so that a rank ends when one of them has died and the launcher does nothing.
//
// Models: a descriptor for each process (`pidfd_open` of Linux), which becomes readable when it has ended.
// Leaves out: other hosts, whose ranks end with the deadline at the latest; the report, which is the witness's.
// Invariants: calls no MPI after it was made. Processes of another PID namespace are not watched: their numbers mean
// something else here.
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

    // Sleeps this long at most, or until `wake` is readable; one that has ended, such as `rank 3 (pid 4711)`, or nothing.
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

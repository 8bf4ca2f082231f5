// The other ranks of this host, watched so that the one that dies is named.
//
// Models: a descriptor for each process (`pidfd_open` of Linux), which becomes readable when it has ended.
// Leaves out: other hosts; a rank that is alone on its host is named by the launcher only.
// Invariants: calls no MPI after it was made. Processes of another PID namespace are not watched: their numbers mean
// something else here.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace field {

class Peers {
public:
    // Collective.
    explicit Peers(MPI_Comm world);
    ~Peers();
    Peers(const Peers&) = delete;
    Peers& operator=(const Peers&) = delete;

    // Sleeps this long at most; those that have ended, such as `rank 3 (pid 4711)`, or nothing. Several are named where
    // this thread was not scheduled before the launcher killed more.
    std::string wait(int milliseconds);

private:
    struct Peer {
        int rank;
        int pid;
        int descriptor;
    };
    std::vector<Peer> peers;
};

} // namespace field

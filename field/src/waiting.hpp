// Waiting of a rank.
//
// Models: loops of tests, never a blocking call of MPI, which in some libraries occupies the core that the awaited rank
// needs. If each rank has a core of its own, a loop yields only after many unsuccessful tests; if ranks share cores,
// after
// every eighth. Outside of timed sections a rank sleeps between two tests.
// Leaves out: the deadline of a wait, which the watchdog enforces; interrupts.
// Invariants: no rank sleeps in a timed section. The manifest records which of the two loops was used.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace field {

class Waiting {
public:
    // Collective. Ranks share cores if some host has more ranks (`local`) than cores that they may use.
    Waiting(MPI_Comm world, MPI_Comm local);

    // Collective. The ranks of this host. To be created once, since MPICH takes 0.25 s if ranks share cores.
    static MPI_Comm local_ranks(MPI_Comm world);

    bool yields() const { return is_crowded; }

    // Waits for the first `n` requests.
    void all(std::vector<MPI_Request>& requests, std::size_t n) const;
    void one(MPI_Request& request) const;
    void barrier(MPI_Comm group) const;
    // Broadcasts a number of the group's first rank.
    std::int64_t broadcast(std::int64_t number, MPI_Comm group) const;
    // The maximum of the group's numbers.
    std::int64_t maximum(std::int64_t number, MPI_Comm group) const;

    // Number of cores that this rank may use.
    static int own_cores();

    // Called after the `n`-th unsuccessful test in a row in a timed section.
    void between_tests(std::uint64_t n) const;

    // The same outside of timed sections; sleeps between two tests.
    static void wait_asleep(MPI_Request& request);
    static void barrier_asleep(MPI_Comm group);
    static void broadcast_asleep(void* data, int n, MPI_Datatype type, int root, MPI_Comm group);
    static void reduction_asleep(void* data, int n, MPI_Datatype type, MPI_Op operation, MPI_Comm group);
    static void send_asleep(int number, int to, int tag, MPI_Comm group);

private:
    bool is_crowded = false;
};

// Makes the calling thread sleep.
void sleep_ns(std::int64_t nanoseconds);

} // namespace field

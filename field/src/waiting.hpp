// How a rank waits.
//
// Models: loops of tests, never a blocking call of MPI, which on some libraries keeps the core from the rank that is
// waited for. Where each rank has a core of its own a loop yields only after many tests that found nothing; where ranks
// share cores, after every eighth. Outside of what is timed a rank sleeps between two tests.
// Leaves out: the deadline of a wait, which is the watchdog's; interrupts.
// Invariants: nothing that is timed sleeps. The manifest says which of the two loops was used.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace field {

class Waiting {
public:
    // Collective. Ranks are crowded where those of some host, `local`, are more than the cores they may use.
    Waiting(MPI_Comm world, MPI_Comm local);

    // Collective. The ranks of this host. To be made once: MPICH takes a quarter of a second where ranks share cores.
    static MPI_Comm local_ranks(MPI_Comm world);

    bool yields() const { return is_crowded; }

    // Waits for the first `n` requests.
    void all(std::vector<MPI_Request>& requests, std::size_t n) const;
    void one(MPI_Request& request) const;
    void barrier(MPI_Comm group) const;
    // A number that the first rank of a group sends to all.
    std::int64_t broadcast(std::int64_t number, MPI_Comm group) const;
    // The largest of the group's numbers.
    std::int64_t maximum(std::int64_t number, MPI_Comm group) const;

    // The cores that this rank may use.
    static int own_cores();

    // After the `n`-th test in a row that found nothing, inside what is timed.
    void between_tests(std::uint64_t n) const;

    // The same outside of it, asleep between two tests.
    static void wait_asleep(MPI_Request& request);
    static void barrier_asleep(MPI_Comm group);
    static void broadcast_asleep(void* data, int n, MPI_Datatype type, int root, MPI_Comm group);
    static void reduction_asleep(void* data, int n, MPI_Datatype type, MPI_Op operation, MPI_Comm group);
    static void send_asleep(int number, int to, int tag, MPI_Comm group);

private:
    bool is_crowded = false;
};

// The calling thread sleeps.
void sleep_ns(std::int64_t nanoseconds);

} // namespace field

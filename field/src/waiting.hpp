// How a rank waits.
//
// Models: spinning inside MPI, where each rank has a core of its own; looking and yielding, where several share one;
// looking and sleeping, for ranks that have nothing to do for long.
// Leaves out: interrupts.
// Invariants: nothing that is timed sleeps. The manifest tells which of the two was used.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace field {

class Waiting {
public:
    // Collective. Ranks are crowded where those of some host are more than the cores they may use.
    explicit Waiting(MPI_Comm world);

    bool yields() const { return is_crowded; }

    // Waits for the first `n` requests.
    void all(std::vector<MPI_Request>& requests, std::size_t n) const;
    void one(MPI_Request& request) const;
    void barrier(MPI_Comm group) const;
    // A number that the first rank of a group tells all.
    std::int64_t broadcast(std::int64_t number, MPI_Comm group) const;

    // Between two looks that found nothing, inside what is timed.
    void between_looks() const;

    // The same outside of it, asleep between two looks.
    static void patiently(MPI_Request& request);
    static void patient_barrier(MPI_Comm group);
    static void patient_broadcast(void* data, int n, MPI_Datatype type, int root, MPI_Comm group);
    static void patient_reduction(void* data, int n, MPI_Datatype type, MPI_Op operation, MPI_Comm group);

private:
    bool is_crowded = false;
};

// The calling thread sleeps.
void sleep_ns(std::int64_t nanoseconds);

} // namespace field

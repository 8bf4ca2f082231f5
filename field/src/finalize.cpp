#include "finalize.hpp"

#include <mpi.h>

#include <vector>

#include "clock.hpp"
#include "rank_state.hpp"
#include "waiting.hpp"
#include "watchdog.hpp"

namespace field {

// Before the end each rank sends an empty message to every other one, and all pause briefly: with MPICH 4.0 over UCX
// and
// TCP, MPI_Finalize waits for ever for connections that were never used, and for messages that others have not yet
// read.
static void connect_all_pairs([[maybe_unused]] int n) {
#ifdef MPICH_VERSION
    std::vector<MPI_Request> requests(2 * static_cast<std::size_t>(n));
    for (int peer = 0; peer < n; ++peer) {
        MPI_Irecv(nullptr, 0, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[2 * static_cast<std::size_t>(peer)]);
        MPI_Isend(nullptr, 0, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[2 * static_cast<std::size_t>(peer) + 1]);
    }
    for (auto& request : requests) {
        Waiting::wait_asleep(request);
    }
    Waiting::barrier_asleep(MPI_COMM_WORLD);
    sleep_ns(100'000'000);
#endif
}

void end_mpi(int n, int status, int longest_s) {
    const Watchdog watchdog({now_ns() + longest_s * std::int64_t{1'000'000'000}, "the time to end MPI is over", status});
    rank_state().activity.store("MPI ends; what was measured is complete");
    connect_all_pairs(n);
    MPI_Finalize();
}

} // namespace field

// Compares the program's ring all-gather with the library's own MPI_Allgather, over all ranks: five pairs, one after
// the
// other.
//
//     mpiexec -n 8 field-against-mpi [BYTES [ITERATIONS]]
//
// The time of an iteration is that of its slowest rank, from a barrier on; the result of a pair is the ratio of the
// means.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "clock.hpp"
#include "victim/ring_all_gather.hpp"

using namespace field;

namespace {

double mean_ns(const Waiting& waiting, int n_iterations, const std::function<void()>& run) {
    double sum = 0;
    for (int iteration = -2; iteration < n_iterations; ++iteration) {
        waiting.barrier(MPI_COMM_WORLD);
        const auto start = now_ns();
        run();
        const auto time = waiting.maximum(now_ns() - start, MPI_COMM_WORLD);
        sum += iteration < 0 ? 0.0 : static_cast<double>(time); // the first two are the warm-up
    }
    return sum / n_iterations;
}

} // namespace

int main(int n_words, char** words) {
    const auto bytes = n_words > 1 ? std::strtoull(words[1], nullptr, 10) : 1'048'576;
    const auto n_iterations = n_words > 2 ? std::atoi(words[2]) : 20;
    MPI_Init(nullptr, nullptr);
    Group group;
    group.comm = MPI_COMM_WORLD;
    MPI_Comm_rank(MPI_COMM_WORLD, &group.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &group.n);
    auto local = Waiting::local_ranks(MPI_COMM_WORLD);
    const Waiting waiting(MPI_COMM_WORLD, local);
    MPI_Comm_free(&local);
    const auto part = bytes / static_cast<std::uint64_t>(group.n);
    const auto whole = part * static_cast<std::uint64_t>(group.n);
    RingAllGather ring(whole, group, waiting);
    Buffer vector(whole);
    double ratios[5];
    for (auto& ratio : ratios) {
        ring.prepare(1);
        const auto ours = mean_ns(waiting, n_iterations, [&] { ring.run(); });
        const auto theirs = mean_ns(waiting, n_iterations, [&] {
            MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, vector.at(0), static_cast<int>(part), MPI_BYTE, MPI_COMM_WORLD);
        });
        ratio = ours / theirs;
        if (group.rank == 0) {
            std::printf("ring %.3f ms MPI_Allgather %.3f ms ratio %.3f\n", ours / 1e6, theirs / 1e6, ratio);
        }
    }
    std::sort(std::begin(ratios), std::end(ratios));
    const bool is_whole = !ring.check(1);
    if (group.rank == 0) {
        std::printf("median ratio %.3f\n", ratios[2]);
    }
    MPI_Finalize();
    return is_whole ? 0 : 1;
}

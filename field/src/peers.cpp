#include "peers.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "waiting.hpp"

namespace field {

// Rank, PID, and the number of the PID namespace; three for each rank of this host.
static std::vector<std::int64_t> processes_here(MPI_Comm world) {
    int rank = 0;
    MPI_Comm_rank(world, &rank);
    MPI_Comm here;
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here);
    int n = 0;
    MPI_Comm_size(here, &n);
    struct stat name_space {};
    const auto has_number = stat("/proc/self/ns/pid", &name_space) == 0;
    const std::int64_t own[3] = {rank, getpid(), has_number ? static_cast<std::int64_t>(name_space.st_ino) : -1 - rank};
    std::vector<std::int64_t> all(3 * static_cast<std::size_t>(n));
    MPI_Request request;
    MPI_Iallgather(own, 3, MPI_INT64_T, all.data(), 3, MPI_INT64_T, here, &request);
    Waiting::wait_asleep(request);
    MPI_Comm_free(&here);
    all.insert(all.end(), own, own + 3);
    return all;
}

Peers::Peers(MPI_Comm world) {
    const auto all = processes_here(world);
    const auto* own = all.data() + all.size() - 3;
    for (const auto* one = all.data(); one != own; one += 3) {
        if (one[0] == own[0] || one[2] != own[2]) {
            continue;
        }
#ifdef SYS_pidfd_open
        const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(one[1]), 0));
        if (descriptor >= 0) {
            peers.push_back({static_cast<int>(one[0]), static_cast<int>(one[1]), descriptor});
        }
#endif
    }
}

Peers::~Peers() {
    for (const auto& peer : peers) {
        close(peer.descriptor);
    }
}

std::string Peers::wait(int milliseconds) {
    std::vector<pollfd> looks;
    for (const auto& peer : peers) {
        looks.push_back({peer.descriptor, POLLIN, 0});
    }
    if (poll(looks.data(), looks.size(), milliseconds) <= 0) {
        return "";
    }
    for (std::size_t at = 0; at < looks.size(); ++at) {
        if ((looks[at].revents & POLLIN) != 0) {
            return "rank " + std::to_string(peers[at].rank) + " (pid " + std::to_string(peers[at].pid) + ")";
        }
    }
    return "";
}

} // namespace field

#include "peers.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "waiting.hpp"

namespace field {

// Rank, PID, and number of the PID namespace: three values for each rank of this host.
static std::vector<std::int64_t> local_processes(MPI_Comm local, int rank) {
    int n = 0;
    MPI_Comm_size(local, &n);
    struct stat name_space {};
    const auto has_number = stat("/proc/self/ns/pid", &name_space) == 0;
    const std::int64_t own[3] = {rank, getpid(), has_number ? static_cast<std::int64_t>(name_space.st_ino) : -1 - rank};
    std::vector<std::int64_t> all(3 * static_cast<std::size_t>(n));
    MPI_Request request;
    MPI_Iallgather(own, 3, MPI_INT64_T, all.data(), 3, MPI_INT64_T, local, &request);
    Waiting::wait_asleep(request);
    all.insert(all.end(), own, own + 3);
    return all;
}

Peers::Peers(MPI_Comm local, int rank) {
    const auto all = local_processes(local, rank);
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

std::string Peers::wait(int milliseconds, int wake) {
    std::vector<pollfd> polled;
    for (const auto& peer : peers) {
        polled.push_back({peer.descriptor, POLLIN, 0});
    }
    polled.push_back({wake, POLLIN, 0});
    if (poll(polled.data(), polled.size(), milliseconds) <= 0) {
        return "";
    }
    for (std::size_t at = 0; at < peers.size(); ++at) {
        if ((polled[at].revents & POLLIN) != 0) {
            return "rank " + std::to_string(peers[at].rank) + " (pid " + std::to_string(peers[at].pid) + ")";
        }
    }
    return "";
}

} // namespace field

#include "waiting.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

namespace field {

MPI_Comm Waiting::local_ranks(MPI_Comm world) {
    MPI_Comm local;
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    return local;
}

Waiting::Waiting(MPI_Comm world, MPI_Comm local) {
    int n_local = 1;
    MPI_Comm_size(local, &n_local);
    // The cores that any rank of this host may use: a container or a launcher may allow fewer than the host has.
    cpu_set_t cores;
    CPU_ZERO(&cores);
    const bool has_cores = sched_getaffinity(0, sizeof cores, &cores) == 0;
    reduction_asleep(&cores, sizeof cores, MPI_BYTE, MPI_BOR, local);
    // If the host has more cores than fit in a CPU set, all of them count.
    is_crowded = n_local > (has_cores ? CPU_COUNT(&cores) : sysconf(_SC_NPROCESSORS_ONLN));
    int anywhere = is_crowded ? 1 : 0;
    reduction_asleep(&anywhere, 1, MPI_INT, MPI_MAX, world);
    is_crowded = anywhere != 0;
}

int Waiting::own_cores() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

// Number of unsuccessful tests in a row before a rank with a core of its own yields.
constexpr std::uint64_t spin_limit = 10'000;
// The same for ranks that share cores. A rank that yields loses its time slice if another program is busy, and Open MPI
// also yields within each test: with one test per yield a ring of 8 ranks on 2 cores took 1.4 times as long as that of
// the
// library, with eight tests 1.2 times.
constexpr std::uint64_t crowded_limit = 8;

void Waiting::between_tests(std::uint64_t n) const {
    if (is_crowded ? n % crowded_limit == 0 : n >= spin_limit) {
        sched_yield();
    }
}

void Waiting::all(std::vector<MPI_Request>& requests, std::size_t n) const {
    int is_done = 0;
    for (std::uint64_t n_tests = 1;; ++n_tests) {
        MPI_Testall(static_cast<int>(n), requests.data(), &is_done, MPI_STATUSES_IGNORE);
        if (is_done != 0) {
            return;
        }
        between_tests(n_tests);
    }
}

void Waiting::one(MPI_Request& request) const {
    int is_done = 0;
    for (std::uint64_t n_tests = 1;; ++n_tests) {
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        if (is_done != 0) {
            return;
        }
        between_tests(n_tests);
    }
}

void Waiting::barrier(MPI_Comm group) const {
    MPI_Request request;
    MPI_Ibarrier(group, &request);
    one(request);
}

std::int64_t Waiting::broadcast(std::int64_t number, MPI_Comm group) const {
    MPI_Request request;
    MPI_Ibcast(&number, 1, MPI_INT64_T, 0, group, &request);
    one(request);
    return number;
}

std::int64_t Waiting::maximum(std::int64_t number, MPI_Comm group) const {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_MAX, group, &request);
    one(request);
    return number;
}

void Waiting::wait_asleep(MPI_Request& request) {
    for (int is_done = 0; is_done == 0;) {
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        if (is_done == 0) {
            sleep_ns(200'000);
        }
    }
}

void Waiting::barrier_asleep(MPI_Comm group) {
    MPI_Request request;
    MPI_Ibarrier(group, &request);
    wait_asleep(request);
}

void Waiting::broadcast_asleep(void* data, int n, MPI_Datatype type, int root, MPI_Comm group) {
    MPI_Request request;
    MPI_Ibcast(data, n, type, root, group, &request);
    wait_asleep(request);
}

void Waiting::reduction_asleep(void* data, int n, MPI_Datatype type, MPI_Op operation, MPI_Comm group) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, data, n, type, operation, group, &request);
    wait_asleep(request);
}

void Waiting::send_asleep(int number, int to, int tag, MPI_Comm group) {
    MPI_Request request;
    MPI_Isend(&number, 1, MPI_INT, to, tag, group, &request);
    wait_asleep(request);
}

void sleep_ns(std::int64_t nanoseconds) {
    timespec time{};
    time.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000);
    time.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000);
    nanosleep(&time, nullptr);
}

} // namespace field

#include "waiting.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

namespace field {

Waiting::Waiting(MPI_Comm world) {
    MPI_Comm here;
    int n_here = 1;
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &n_here);
    // The cores that any rank of this host may use: a container or a launcher may leave it fewer than there are.
    cpu_set_t cores;
    CPU_ZERO(&cores);
    const bool is_told = sched_getaffinity(0, sizeof cores, &cores) == 0;
    patient_reduction(&cores, sizeof cores, MPI_BYTE, MPI_BOR, here);
    // More cores than such a set has room for: then there are as many as the host has.
    is_crowded = n_here > (is_told ? CPU_COUNT(&cores) : sysconf(_SC_NPROCESSORS_ONLN));
    MPI_Comm_free(&here);
    int anywhere = is_crowded ? 1 : 0;
    patient_reduction(&anywhere, 1, MPI_INT, MPI_MAX, world);
    is_crowded = anywhere != 0;
}

void Waiting::between_looks() const {
    if (is_crowded) {
        sched_yield();
    }
}

void Waiting::all(std::vector<MPI_Request>& requests, std::size_t n) const {
    const auto count = static_cast<int>(n);
    if (!is_crowded) {
        MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
        return;
    }
    for (int is_done = 0; is_done == 0;) {
        MPI_Testall(count, requests.data(), &is_done, MPI_STATUSES_IGNORE);
        if (is_done == 0) {
            sched_yield();
        }
    }
}

void Waiting::one(MPI_Request& request) const {
    if (!is_crowded) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return;
    }
    for (int is_done = 0; is_done == 0;) {
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        if (is_done == 0) {
            sched_yield();
        }
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

void Waiting::patiently(MPI_Request& request) {
    for (int is_done = 0; is_done == 0;) {
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        if (is_done == 0) {
            sleep_ns(200'000);
        }
    }
}

void Waiting::patient_barrier(MPI_Comm group) {
    MPI_Request request;
    MPI_Ibarrier(group, &request);
    patiently(request);
}

void Waiting::patient_broadcast(void* data, int n, MPI_Datatype type, int root, MPI_Comm group) {
    MPI_Request request;
    MPI_Ibcast(data, n, type, root, group, &request);
    patiently(request);
}

void Waiting::patient_reduction(void* data, int n, MPI_Datatype type, MPI_Op operation, MPI_Comm group) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, data, n, type, operation, group, &request);
    patiently(request);
}

void sleep_ns(std::int64_t nanoseconds) {
    timespec time{};
    time.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000);
    time.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000);
    nanosleep(&time, nullptr);
}

} // namespace field

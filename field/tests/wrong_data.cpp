// An MPI that delivers wrong data: these receives replace the library's, through the profiling interface of the
// standard.
// The 40th sufficiently long receive of rank 2 is corrupted after its arrival, by the value of FIELD_FAULT:
// `byte` flips one bit of its middle byte; `stale` restores the previous contents, the data of an earlier iteration;
// `offset` shifts it by a word; `rank` replaces it with the data after it in memory, the part of another rank.
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int the_rank = 2;
constexpr int the_receive = 40;
constexpr std::size_t word = 8;

int n_receives = 0;
unsigned char* target = nullptr;
std::vector<unsigned char> before;

void spoil() {
    if (target == nullptr) {
        return;
    }
    const auto* given = std::getenv("FIELD_FAULT");
    const std::string fault = given == nullptr ? "byte" : given;
    const auto size = before.size();
    if (fault == "byte") {
        target[size / 2] ^= 1;
    } else if (fault == "stale") {
        std::memcpy(target, before.data(), size);
    } else if (fault == "offset") {
        std::memmove(target, target + word, size - word);
    } else if (fault == "rank") {
        std::memcpy(target, target + size, size - 1); // the next part may be a byte shorter
    }
    target = nullptr;
}

} // namespace

extern "C" int MPI_Irecv(void* memory, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == the_rank && count >= 64 && ++n_receives == the_receive) {
        target = static_cast<unsigned char*>(memory);
        before.assign(target, target + count);
    }
    return PMPI_Irecv(memory, count, type, from, tag, comm, request);
}

extern "C" int MPI_Testall(int n, MPI_Request* requests, int* is_done, MPI_Status* statuses) {
    const int result = PMPI_Testall(n, requests, is_done, statuses);
    if (*is_done != 0) {
        spoil();
    }
    return result;
}

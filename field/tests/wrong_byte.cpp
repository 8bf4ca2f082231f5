// An MPI that delivers a wrong byte: the receives of the program pass through here, by the profiling names of the
// standard, and the 40th one of rank 2 that is long enough finds its middle byte changed once it has arrived.
#include <mpi.h>

namespace {

constexpr int the_rank = 2;
constexpr int the_receive = 40;

int n_receives = 0;
unsigned char* target = nullptr;

void spoil() {
    if (target != nullptr) {
        *target ^= 1;
        target = nullptr;
    }
}

} // namespace

extern "C" int MPI_Irecv(void* memory, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == the_rank && count >= 64 && ++n_receives == the_receive) {
        target = static_cast<unsigned char*>(memory) + count / 2;
    }
    return PMPI_Irecv(memory, count, type, from, tag, comm, request);
}

extern "C" int MPI_Waitall(int n, MPI_Request* requests, MPI_Status* statuses) {
    const int result = PMPI_Waitall(n, requests, statuses);
    spoil();
    return result;
}

extern "C" int MPI_Testall(int n, MPI_Request* requests, int* is_done, MPI_Status* statuses) {
    const int result = PMPI_Testall(n, requests, is_done, statuses);
    if (*is_done != 0) {
        spoil();
    }
    return result;
}

// An operation that a group of ranks repeats.
//
// Models: prepare, meet, run, check; only `run` is timed.
// Leaves out: when and how often it runs, which victim and aggressor decide.
// Invariants: all memory is allocated and touched by the constructor; `run` allocates nothing, and copies nothing from
// one
// buffer to another.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "collective/pattern.hpp"
#include "plan/plan.hpp"
#include "waiting.hpp"

namespace field {

// The group, from the view of one of its ranks.
struct Group {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;
    int n = 0;
};

class Collective {
public:
    virtual ~Collective() = default;

    // Writes the data that this rank sends in an iteration.
    virtual void prepare(std::uint64_t iteration) = 0;
    // Synchronizes ranks once more after the barrier, if the barrier is not precise enough.
    virtual void meet() {}
    virtual void run() = 0;
    // Checks the received data.
    virtual std::optional<WrongBytes> check(std::uint64_t iteration) = 0;
    // Time spent in the reduction during the latest run.
    virtual std::int64_t reduce_ns() const { return 0; }
};

// Upper bound on the bytes of one rank's buffers, before anything is allocated.
std::uint64_t bytes_needed(Shape shape, std::uint64_t size, bool is_per_peer, const Group& group);

// Pair streams are created elsewhere.
std::unique_ptr<Collective> make_collective(Shape shape, std::uint64_t size, bool is_per_peer, const Group& group,
                                            const Waiting& waiting);

// Posts a message, unless it is empty: empty ones are neither sent nor received.
class Posts {
public:
    Posts(const Group& in, std::size_t most) : group(in), requests(most, MPI_REQUEST_NULL) {}

    void receive(unsigned char* memory, std::uint64_t size, int from) {
        if (size > 0) {
            MPI_Irecv(memory, static_cast<int>(size), MPI_BYTE, from, 0, group.comm, &requests[n++]);
        }
    }
    void send(const unsigned char* memory, std::uint64_t size, int to) {
        if (size > 0) {
            MPI_Isend(memory, static_cast<int>(size), MPI_BYTE, to, 0, group.comm, &requests[n++]);
        }
    }
    void wait(const Waiting& waiting) {
        waiting.all(requests, n);
        n = 0;
    }

private:
    Group group;
    std::vector<MPI_Request> requests;
    std::size_t n = 0;
};

} // namespace field

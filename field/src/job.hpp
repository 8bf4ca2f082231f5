// The ranks of this run and their shared state.
//
// Models: one world, split into a group of victims and one of aggressors; a deadline that all ranks share.
// Leaves out: ranks that join or leave.
// Invariants: all ranks have the same plan and roles. Times count from the release of one barrier, by each rank's own
// clock.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "clock.hpp"
#include "collective/collective.hpp"
#include "plan/plan.hpp"
#include "waiting.hpp"

namespace field {

class Job {
public:
    // Collective. `begun_ns` is the time at which this rank's program started; the deadline counts from the earliest of
    // them.
    Job(Plan with, std::string text, MPI_Comm world, std::int64_t begun_ns);
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    ~Job();

    const Plan plan;
    const std::string plan_text;
    const MPI_Comm world;
    MPI_Comm local; // ranks of this host
    MPI_Comm control; // messages between groups, apart from data
    int rank = 0;
    int n = 0;
    std::vector<Role> roles;
    std::vector<int> victims;    // world ranks
    std::vector<int> aggressors; // world ranks
    Role role = Role::idle;
    Group group; // this rank's own
    Waiting waiting;

    int victim_root() const { return victims.front(); }
    bool is_late() const { return field::now_ns() >= deadline_at; }
    std::int64_t deadline_at_ns() const { return deadline_at; }
    // Nanoseconds since the release of the first barrier.
    std::int64_t since(std::int64_t clock_ns) const { return clock_ns - zero; }

    // Bytes that this rank will allocate for buffers and records.
    std::uint64_t needed() const;
    // Largest number of iterations of a segment with a precision; 0 without one.
    std::uint64_t most_precise() const;
    // Collective. A message on too little memory, at one rank of each such host; otherwise empty.
    std::string missing_memory() const;

private:
    std::int64_t zero = 0;
    std::int64_t deadline_at = 0;
};

// Bytes of streams are recorded per interval of this length.
constexpr std::int64_t stretch_ns = 100'000'000;

} // namespace field

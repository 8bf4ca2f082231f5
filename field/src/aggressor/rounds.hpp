// The group that disturbs the victim.
//
// Models: rounds of a collective, one after the other, with or without bursts, until the victim has finished.
// Leaves out: barriers between rounds: a rank continues as soon as its own messages permit.
// Invariants: all ranks do the same number of rounds. The first rank of the group, its leader, checks for the victim's
// message and for the deadline after each round, and broadcasts its decision: with bursts at once, since every rank
// must
// know whether the burst continues; without bursts a few rounds ahead, so that no rank waits for it. No rank waits for
// a
// message that is not sent: all decisions reach all ranks. Times are written between rounds, if there is no room for
// the
// next one.
#pragma once

#include <array>
#include <memory>

#include "aggressor/burst.hpp"
#include "job.hpp"
#include "record/times.hpp"
#include "record/wrong_data.hpp"

namespace field {

// Messages between victims and aggressors.
enum Tag { tag_ready = 1, tag_stop = 2 };

class Aggressor {
public:
    explicit Aggressor(const Job& in);

    // Runs rounds until the victim or the deadline ends them; then waits for the victim's message in any case.
    // Returns the number of rounds.
    std::uint64_t run(std::size_t segment, Times& times, WrongData& wrong);

private:
    // Number of rounds that may begin before it is known whether one of them was the last.
    static constexpr std::uint64_t ahead = 4;

    bool is_leader() const { return job.group.rank == 0; }
    bool should_stop();
    bool goes_on(std::uint64_t round);
    bool goes_on_steadily(std::uint64_t round);
    void pause(std::int64_t length_ns);

    const Job& job;
    std::unique_ptr<Collective> collective;
    Bursts bursts;
    int stop_message = 0;
    int stop_arrived = 0;
    MPI_Request stop = MPI_REQUEST_NULL;
    std::array<std::int64_t, ahead> answers{};
    std::array<MPI_Request, ahead> pending{};
};

} // namespace field

// The group that is in the way.
//
// Models: rounds of a collective, one after the other, with or without bursts, until the victim has done.
// Leaves out: barriers between rounds: ranks go on as what they wait for lets them.
// Invariants: all ranks do equally many rounds. The first rank of the group, its leader, looks for the victim's message
// and for the deadline after each round, and broadcasts the answer: with bursts at once, as every rank must know whether
// the burst goes on; without them a few rounds ahead, so that no rank waits for it. No rank waits for a message that
// is not sent: all answers reach all ranks. Times are written between rounds, where there is no room for the next one.
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

    // Rounds until the victim, or the deadline, ends them; then waits for the victim's message in any case.
    // Answers how many rounds there were.
    std::uint64_t run(std::size_t segment, Times& times, WrongData& wrong);

private:
    // Rounds that may begin before it is known whether one has been the last.
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

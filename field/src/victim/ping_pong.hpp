// Idea: each rank of one half sends a message to a partner, which sends one back; the latency is half of the round
// trip.
// Source: the latency tests of the OSU micro-benchmarks.
// Parameters: bytes of the message.
// Invariants: rank i of the first half is the partner of rank i of the second half. An empty message in each direction
// before the timed section ensures that both are ready.
// When it misleads: the time of a rank of the second half is from its release to its reply, which is not a latency; use
// those of the first half. All pairs run at the same time: several pairs share the network.
#pragma once

#include "collective/collective.hpp"

namespace field {

class PingPong : public Collective {
public:
    PingPong(std::uint64_t size, const Group& in, const Waiting& how);
    void prepare(std::uint64_t iteration) override;
    void meet() override;
    void run() override;
    std::optional<WrongBytes> check(std::uint64_t iteration) override;

private:
    bool is_first() const { return group.rank < group.n / 2; }
    void there_and_back(int size);

    Group group;
    const Waiting& waiting;
    int partner;
    Buffer outgoing;
    Buffer incoming;
};

} // namespace field

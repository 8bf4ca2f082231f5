// Idea: half of the ranks send a message to a partner each, who sends one back; one way is half of the way there and
// back.
// Source: the latency tests of the OSU micro-benchmarks.
// Parameters: bytes of the message.
// Invariants: rank i of the first half is partner of rank i of the second half. Both are known to wait for each other
// before the time begins, by an empty message there and back.
// When it misleads: the time of a rank of the second half is that from its release to its answer, which is no latency;
// read those of the first half. All pairs run at the same time: with more than one they share the network.
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

// Idea: every rank has a part of a vector; parts go round the ring until every rank has all of them.
// Source: the ring algorithm of MPI libraries.
// Parameters: bytes of the whole vector.
// Invariants: n - 1 steps; in each a rank sends to the next one what it received in the step before. In place.
// When it misleads: with less than one byte per rank some ranks have no part, and their messages are not sent.
#pragma once

#include "collective/collective.hpp"

namespace field {

class RingAllGather : public Collective {
public:
    RingAllGather(std::uint64_t size, const Group& in, const Waiting& how);
    void prepare(std::uint64_t iteration) override;
    void run() override;
    std::optional<WrongBytes> check(std::uint64_t iteration) override;

private:
    Group group;
    const Waiting& waiting;
    Parts parts;
    Buffer vector;
    Posts posts;
};

} // namespace field

// Idea: every rank has a part for every other one, and exchanges them with one partner in each step.
// Source: the pairwise exchange of MPI libraries.
// Parameters: bytes of the whole vector, the own part included.
// Invariants: n - 1 steps; in step k a rank sends to the rank k places after it and receives from the one k places
// before it, and waits for both before the next step. Its own part stays where it is, uncopied.
// When it misleads: nothing keeps ranks in the same step, so a late one has two senders at a time.
#pragma once

#include "collective/collective.hpp"

namespace field {

class AllToAllPairwise : public Collective {
public:
    AllToAllPairwise(std::uint64_t size, const Group& in, const Waiting& how);
    void prepare(std::uint64_t iteration) override;
    void run() override;
    std::optional<Wrong> check(std::uint64_t iteration) override;

private:
    // What every other rank sends to this one.
    std::uint64_t own_length() const { return parts.length(static_cast<std::uint64_t>(group.rank)); }

    Group group;
    const Waiting& waiting;
    Parts parts;
    Buffer goes;
    Buffer comes;
    Posts posts;
};

} // namespace field

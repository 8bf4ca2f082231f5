// Idea: every rank has a part for every other one, and posts all receives and sends at once.
// Source: the linear algorithm of MPI libraries; it is the pattern of published measurements of interference.
// Parameters: bytes of the whole vector, the own part included.
// Invariants: every rank posts rank 0 first, then 1, 2 and so on (`posting: same` in netloom), and passes over itself;
// its own part stays where it is, uncopied. One wait at the end.
// When it misleads: it begins as an incast that moves from rank to rank.
#pragma once

#include "collective/collective.hpp"

namespace field {

class AllToAllLinear : public Collective {
public:
    AllToAllLinear(std::uint64_t size, const Group& in, const Waiting& how);
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

// Idea: sum of a vector over all ranks, at every rank: a ring reduce-scatter, then a ring all-gather.
// Source: Patarasuk and Yuan 2009.
// Parameters: bytes of the vector, a multiple of 8; it is divided into whole words of 64 bits.
// Invariants: 2 (n - 1) steps. The numbers are integers, so sums are exact in any order. The time of the additions is
// recorded separately, and is included in the whole time.
// When it misleads: one core does the additions; accelerators reduce elsewhere and faster.
#pragma once

#include "collective/collective.hpp"

namespace field {

class RingAllReduce : public Collective {
public:
    RingAllReduce(std::uint64_t size, const Group& in, const Waiting& how);
    void prepare(std::uint64_t iteration) override;
    void run() override;
    std::optional<WrongBytes> check(std::uint64_t iteration) override;
    std::int64_t reduce_ns() const override { return reduced_ns; }

private:
    void exchange(std::uint64_t goes, unsigned char* into, std::uint64_t comes);
    void add(std::uint64_t part);

    Group group;
    const Waiting& waiting;
    Parts parts;
    Buffer vector;
    Buffer arrived;
    Posts posts;
    std::int64_t reduced_ns = 0;
};

} // namespace field

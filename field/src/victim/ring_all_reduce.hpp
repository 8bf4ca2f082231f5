// Idea: sum of a vector over all ranks, at every rank: a ring reduce-scatter, then a ring all-gather.
// Source: Patarasuk and Yuan 2009.
// Parameters: bytes of the vector, a multiple of 8; it is cut in whole words of 64 bits.
// Invariants: 2 (n - 1) steps. The numbers are whole, so sums are exact in any order. The time of the additions is kept
// apart, and is part of the whole time.
// When it misleads: the additions are done by one core; accelerators add elsewhere and faster.
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

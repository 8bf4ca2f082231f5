// Lengths of an aggressor's bursts and pauses.
//
// Models: continuous rounds, bursts of equal length, bursts whose lengths and pauses are exponentially distributed.
// Leaves out: the rounds; a burst is a whole number of rounds, at least one, however long they take.
// Invariants: only the leader of the group draws samples, so all ranks agree; equal seeds give equal bursts.
#pragma once

#include <cstdint>

#include "plan/plan.hpp"
#include "random.hpp"

namespace field {

class Bursts {
public:
    explicit Bursts(const Plan& plan);

    bool are_steady() const { return kind == BurstKind::steady; }

    // A burst begins.
    void begin(std::int64_t now_ns);

    // After a round: 0 to continue, otherwise the pause before the next burst, at least 1 ns.
    std::int64_t pause_after_round(std::int64_t now_ns);

private:
    std::int64_t sample(std::int64_t mean_ns);

    BurstKind kind;
    std::int64_t length_mean_ns;
    std::int64_t pause_mean_ns;
    Random random;
    std::int64_t ends_ns = 0;
};

} // namespace field

// Checks whether the mean of a victim's iterations is precise enough.
//
// Models: ten batches of equal length; half of the 95 % interval is 2.262 (Student's t, nine degrees of freedom) times
// the standard error of their means, as in netloom's jobs with `precision`.
// Leaves out: correlation between batches; repeated checks make intervals slightly too narrow.
// Invariants: adding a time allocates nothing. Equal times give equal results at all ranks.
#pragma once

#include <cstdint>
#include <vector>

namespace field {

class MeanPrecision {
public:
    static constexpr std::uint64_t n_batches = 10;

    // Allocates room for this number of times.
    explicit MeanPrecision(std::uint64_t at_most) : sums(at_most + 1) {}

    // Begins a new mean. `wanted_ppb` is the target of half of the interval over the mean, in billionths.
    void begin(std::uint64_t wanted_ppb, std::uint64_t at_least);

    // Whether the mean is precise enough after this iteration; checked at multiples of ten.
    bool add(std::int64_t time_ns);

    double mean_ns() const;
    double half_interval_ns() const;

private:
    double wanted = 0;
    std::uint64_t least = 0;
    std::vector<std::int64_t> sums; // of the first 0, 1, 2, ... times
    std::uint64_t n = 0;
};

} // namespace field

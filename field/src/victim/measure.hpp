// The group whose times are wanted.
//
// Models: prepare, meet at a barrier, run, check; again for each iteration.
// Leaves out: what comes before and after a segment.
// Invariants: between the two readings of the clock there is nothing but the collective. The iteration in which the
// deadline fell is not kept, because aggressors stop then; all ranks keep the same iterations. Times are written
// between iterations, and only where there is no room for the next one.
#pragma once

#include "job.hpp"
#include "record/times.hpp"
#include "record/wrong_data.hpp"
#include "victim/precision.hpp"

namespace field {

// One size in one segment.
struct Series {
    std::size_t segment = 0;
    std::uint64_t bytes = 0;
    std::uint64_t first = 0; // the number from which iterations are counted in what is sent
};

struct SeriesEnd {
    std::uint64_t n_kept = 0;
    bool was_cut = false; // by the deadline
};

// `precision` is null where all iterations are done.
SeriesEnd measure(const Job& job, Collective& collective, const Series& series, Times& times, WrongData& wrong,
                 MeanPrecision* precision);

} // namespace field

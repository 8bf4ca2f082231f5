// The group whose times are measured.
//
// Models: for each iteration prepare, meet at a barrier, run, check.
// Leaves out: everything before and after a segment.
// Invariants: only the collective runs between the two readings of the clock. The iteration during which the deadline
// passes is not kept, because aggressors stop then; all ranks keep the same iterations. Times are written between
// iterations, and only if there is no room for the next one.
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
    std::uint64_t first = 0; // number of the first iteration in the pattern of the data
};

struct SeriesEnd {
    std::uint64_t n_kept = 0;
    bool was_cut = false; // whether the deadline ended it early
};

// `precision` is null if all iterations are run.
SeriesEnd measure(const Job& job, Collective& collective, const Series& series, Times& times, WrongData& wrong,
                 MeanPrecision* precision);

} // namespace field

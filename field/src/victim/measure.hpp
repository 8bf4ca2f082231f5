// The group whose times are wanted.
//
// Models: prepare, meet at a barrier, run, check; again for each iteration.
// Leaves out: what comes before and after a segment.
// Invariants: between the two readings of the clock there is nothing but the collective. The iteration in which the
// deadline fell is not kept, because aggressors stop then; all ranks keep the same iterations.
#pragma once

#include "job.hpp"
#include "record/records.hpp"

namespace field {

// Measures one size in one segment. `first` is the number from which iterations are counted in what is sent.
void measure(const Job& job, Collective& collective, std::size_t segment, std::uint64_t first, Rows& times, Rows& wrong);

} // namespace field

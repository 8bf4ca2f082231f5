// The segments of a run, one after the other in the same job.
//
// Models: baseline, congested, baseline, or other segments of the plan.
// Leaves out: the collectives of victim and aggressor.
// Invariants: all memory is allocated before the first segment. A congested segment begins when the aggressor has
// completed
// a round, and ends for the aggressor with a message of the victim. The network is idle between segments.
#pragma once

#include "job.hpp"
#include "record/output.hpp"

namespace field {

// Collective. Returns `complete`, `deadline` or `failed REASON`, the same at all ranks.
std::string run_segments(const Job& job, Output& output);

} // namespace field

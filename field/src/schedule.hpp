// The segments of a run, one after the other in the same job.
//
// Models: baseline, congested, baseline, or whatever the plan says.
// Leaves out: what a victim or an aggressor does.
// Invariants: all memory is there before the first segment. A congested segment begins when the aggressor has done a
// round, and ends for the aggressor when the victim says so. The network is silent between segments.
#pragma once

#include "job.hpp"
#include "record/output.hpp"

namespace field {

// Collective: `complete`, `deadline` or `failed REASON`; equal at all ranks.
std::string run_segments(const Job& job, Output& output);

} // namespace field

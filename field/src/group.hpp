// The roles of ranks: victim, aggressor or idle.
//
// Models: half of the ranks each, assigned as in netloom's studies of interference, or a list.
// Leaves out: which rank runs on which host; the launcher decides that, and the manifest records it.
// Invariants: the ranks of the victim do not depend on the aggressor. With an odd number of ranks the last one is idle.
// Equal seeds give equal groups.
#pragma once

#include <vector>

#include "plan/plan.hpp"

namespace field {

// The role of each rank.
std::vector<Role> give_roles(const Plan& plan, int n_ranks);

// The ranks with a role, in order; the first aggressor is the root of an incast.
std::vector<int> ranks_of(const std::vector<Role>& roles, Role role);

const char* name_of(Role role);

} // namespace field

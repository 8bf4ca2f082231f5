// Who is victim, who aggressor.
//
// Models: half of the ranks each, as netloom's studies of interference give them out, or a list.
// Leaves out: which rank runs on which host; that is the launcher's business, and the manifest records it.
// Invariants: where the victim runs does not depend on the aggressor. An odd rank, the last one, is idle. Equal seeds
// draw equal groups.
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

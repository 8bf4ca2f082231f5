#include "group.hpp"

#include <utility>

#include "random.hpp"

namespace field {

std::vector<Role> give_roles(const Plan& plan, int n_ranks) {
    if (plan.grouping == Grouping::listed) {
        return plan.roles;
    }
    const auto n = static_cast<std::size_t>(n_ranks);
    const auto half = n / 2;
    std::vector<Role> roles(n, Role::idle);
    for (std::size_t rank = 0; rank < 2 * half; ++rank) {
        const bool is_victim = plan.grouping == Grouping::interleaved ? rank % 2 == 0 : rank < half;
        roles[rank] = is_victim ? Role::victim : Role::aggressor;
    }
    if (plan.grouping == Grouping::random) {
        Random random(plan.seed);
        for (std::size_t left = n; left > 1; --left) {
            std::swap(roles[left - 1], roles[random.below(left)]);
        }
    }
    return roles;
}

std::vector<int> ranks_of(const std::vector<Role>& roles, Role role) {
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < roles.size(); ++rank) {
        if (roles[rank] == role) {
            ranks.push_back(static_cast<int>(rank));
        }
    }
    return ranks;
}

const char* name_of(Role role) {
    return role == Role::victim ? "victim" : role == Role::aggressor ? "aggressor" : "idle";
}

} // namespace field

#include "aggressor/burst.hpp"

#include <algorithm>
#include <cmath>

namespace field {

Bursts::Bursts(const Plan& plan)
    : kind(plan.burst), length_mean_ns(plan.burst_ns), pause_mean_ns(plan.pause_ns), random(mixed(plan.seed)) {}

std::int64_t Bursts::sample(std::int64_t mean_ns) {
    if (kind != BurstKind::exponential) {
        return mean_ns;
    }
    return static_cast<std::int64_t>(-std::log(random.unit()) * static_cast<double>(mean_ns));
}

void Bursts::begin(std::int64_t now_ns) { ends_ns = now_ns + sample(length_mean_ns); }

std::int64_t Bursts::pause_after_round(std::int64_t now_ns) {
    if (kind == BurstKind::steady || now_ns < ends_ns) {
        return 0;
    }
    return std::max<std::int64_t>(sample(pause_mean_ns), 1);
}

} // namespace field

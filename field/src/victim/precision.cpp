#include "victim/precision.hpp"

#include <cmath>

namespace field {

void MeanPrecision::begin(std::uint64_t wanted_ppb, std::uint64_t at_least) {
    wanted = static_cast<double>(wanted_ppb) * 1e-9;
    least = at_least;
    n = 0;
}

bool MeanPrecision::add(std::int64_t time_ns) {
    sums[n + 1] = sums[n] + time_ns;
    ++n;
    return n % n_batches == 0 && n >= least && half_interval_ns() <= wanted * mean_ns();
}

double MeanPrecision::mean_ns() const { return static_cast<double>(sums[n]) / static_cast<double>(n); }

double MeanPrecision::half_interval_ns() const {
    constexpr double student_t = 2.262;
    const auto length = n / n_batches;
    const auto first = n - length * n_batches; // the latest ones, if n is not a multiple of ten
    double squares = 0;
    const auto mean = static_cast<double>(sums[n] - sums[first]) / static_cast<double>(length * n_batches);
    for (std::uint64_t batch = 0; batch < n_batches; ++batch) {
        const auto begin = first + batch * length;
        const auto of_batch = static_cast<double>(sums[begin + length] - sums[begin]) / static_cast<double>(length);
        squares += (of_batch - mean) * (of_batch - mean);
    }
    const auto variance = squares / static_cast<double>(n_batches - 1);
    return student_t * std::sqrt(variance / static_cast<double>(n_batches));
}

} // namespace field

#include "clock.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <limits>

namespace field {

std::int64_t now_ns() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

Resolution measure_clock() {
    constexpr int n_readings = 100'000;
    auto least = std::numeric_limits<std::int64_t>::max();
    const auto begin = now_ns();
    auto last = begin;
    // A coarse clock may not advance for many readings, so read until it has advanced at least once.
    std::int64_t n_done = 0;
    while (n_done < n_readings || last == begin) {
        const auto next = now_ns();
        if (next > last) {
            least = std::min(least, next - last);
        }
        last = next;
        ++n_done;
    }
    return {least, static_cast<double>(last - begin) / static_cast<double>(n_done)};
}

std::string wall_time() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
    const auto whole_seconds = static_cast<std::time_t>(milliseconds / 1000);
    std::tm parts{};
    gmtime_r(&whole_seconds, &parts);
    char text[32];
    const auto length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    char fraction[8];
    std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>(milliseconds % 1000));
    return std::string(text, length) + fraction;
}

} // namespace field

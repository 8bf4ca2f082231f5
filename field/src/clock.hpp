// The clock of all measurements, and its resolution.
//
// Models: the monotonic clock of the standard library, per host.
// Leaves out: offsets between clocks of different hosts; times are compared only within a rank.
// Invariants: never decreases. Reading it allocates nothing.
#pragma once

#include <cstdint>
#include <string>

namespace field {

// Nanoseconds since an arbitrary time of this host.
std::int64_t now_ns();

struct Resolution {
    std::int64_t step_ns; // smallest observed difference between two readings that differ
    double read_ns;       // time of one reading
};

// Measured, not requested from the system.
Resolution measure_clock();

// The wall clock, such as 2026-01-31T12:00:00.123Z.
std::string wall_time();

} // namespace field

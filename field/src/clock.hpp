// The clock that everything is measured with, and how fine it is.
//
// Models: the monotonic clock of the standard library, per host.
// Leaves out: clocks of different hosts against each other; times are compared within a rank only.
// Invariants: never goes back. Reading it allocates nothing.
#pragma once

#include <cstdint>
#include <string>

namespace field {

// Nanoseconds since some moment of this host.
std::int64_t now_ns();

struct Resolution {
    std::int64_t step_ns; // the smallest difference seen between two readings that differ
    double read_ns;       // what one reading takes
};

// Measured, not asked for.
Resolution measure_clock();

// The wall clock, such as 2026-01-31T12:00:00.123Z.
std::string wall_time();

} // namespace field

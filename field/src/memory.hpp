// How much memory there is to be had.
//
// Models: what the kernel says is available, and the limit of this process's control group where there is one.
// Leaves out: what others take later.
// Invariants: nothing is allocated to find out.
#pragma once

#include <cstdint>
#include <optional>

namespace field {

// Bytes available on this host, where it says so.
std::optional<std::uint64_t> available_memory();

} // namespace field

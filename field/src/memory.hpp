// Available memory.
//
// Models: the kernel's value of available memory, and the limit of this process's control group if there is one.
// Leaves out: memory that other processes allocate later.
// Invariants: the check allocates nothing.
#pragma once

#include <cstdint>
#include <optional>

namespace field {

// Bytes available on this host, if the kernel reports them.
std::optional<std::uint64_t> available_memory();

} // namespace field

// The version in manifests and in the output of `--version`, and how the program was built.
#pragma once

namespace field {

constexpr const char* program_version = "1.0";

// Compiler and flags, from CMake.
#ifdef NETLOOM_FIELD_BUILD
constexpr const char* build = NETLOOM_FIELD_BUILD;
#else
constexpr const char* build = "unknown";
#endif

} // namespace field

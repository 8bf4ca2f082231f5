// The version that manifests and `--version` tell.
#pragma once

namespace field {

constexpr const char* program_version = "1.0";

} // namespace field

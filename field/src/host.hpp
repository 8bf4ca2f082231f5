// The name of this host, for people and for files.
#pragma once

#include <string>

namespace field {

// The value of NETLOOM_FIELD_HOST, or what the system says.
std::string host_name();

} // namespace field

// The name of this host, for messages and files.
#pragma once

#include <string>

namespace field {

// The value of NETLOOM_FIELD_HOST, or the system's name.
std::string host_name();

} // namespace field

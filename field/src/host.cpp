#include "host.hpp"

#include <unistd.h>

#include <cstdlib>

namespace field {

std::string host_name() {
    if (const auto* given = std::getenv("NETLOOM_FIELD_HOST"); given != nullptr && *given != '\0') {
        return given;
    }
    char name[256] = {};
    return gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "unknown";
}

} // namespace field

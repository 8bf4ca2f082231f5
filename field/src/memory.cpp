#include "memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include "plan/text.hpp"

namespace field {

static std::optional<std::uint64_t> number_in(const char* path) {
    std::ifstream file(path);
    std::string word;
    if (!(file >> word)) {
        return std::nullopt;
    }
    return whole(word); // `max` is not a number: no limit
}

std::optional<std::uint64_t> available_memory() {
    std::optional<std::uint64_t> available;
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);) {
        const auto found = words(line);
        if (found.size() >= 2 && found[0].text == "MemAvailable:") {
            if (const auto kibibytes = whole(found[1].text)) {
                available = *kibibytes * 1024;
            }
        }
    }
    const auto limit = number_in("/sys/fs/cgroup/memory.max");
    const auto used = number_in("/sys/fs/cgroup/memory.current");
    if (limit && used) {
        const auto left = *limit - std::min(*limit, *used);
        available = available ? std::min(*available, left) : left;
    }
    return available;
}

} // namespace field

// What all ranks must have alike: the command, and the plan, which rank 0 reads.
#pragma once

#include <string>

#include "command.hpp"

namespace field {

struct File {
    bool is_there = false;
    std::string text;
};

File read_file(const std::string& path);

// Collective. Whether all ranks were given the same command; the first that was not reports it.
bool same_command(const Command& command, int rank, int n);

// Collective. Rank 0 reads, all ranks know.
File shared_file(const std::string& path, int rank);

} // namespace field

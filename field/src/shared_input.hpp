// Input that must be the same at all ranks: the command, and the plan, which rank 0 reads.
#pragma once

#include <string>

#include "command.hpp"

namespace field {

struct File {
    bool is_there = false;
    std::string text;
};

File read_file(const std::string& path);

// Collective. Returns whether all ranks have the same command; the first rank that differs reports it.
bool same_command(const Command& command, int rank, int n);

// Collective. Rank 0 reads the file and sends it to all ranks.
File shared_file(const std::string& path, int rank);

} // namespace field

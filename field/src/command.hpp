// The command line.
#pragma once

#include <string>
#include <vector>

namespace field {

constexpr const char* usage = "usage: netloom-field PLAN --out FOLDER      measure; started by mpirun or srun\n"
                              "       netloom-field PLAN --check RANKS     only check a plan; no MPI is needed\n"
                              "       netloom-field --version\n";

struct Command {
    std::string words; // as given
    std::string plan;
    std::string out;
    int check = 0;
    bool asks_version = false;
    std::string mistake; // empty if there is none
};

Command read_command(const std::vector<std::string>& words);

} // namespace field

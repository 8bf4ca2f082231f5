// The times of one rank: each iteration of a victim, each round of an aggressor.
//
// Models: one file for each rank, `times-RANK.csv` (FORMATS.md).
// Leaves out: statistics.
// Invariants: those of a RowFile. All ranks of a group add the same number of rows, so they flush at the same
// iteration.
#pragma once

#include <string>

#include "record/row_file.hpp"

namespace field {

class Times {
public:
    Times(const std::string& folder, int rank, const char* role, std::uint64_t room)
        : file(folder + "/times-" + std::to_string(rank) + ".csv",
               "netloom-field times 1 rank " + std::to_string(rank) + " role " + role,
               "segment,bytes,iteration,start_ns,end_ns,reduce_ns", width, room) {}

    static constexpr std::size_t width = 6;

    std::string open() { return file.open(); }
    void close() { file.close(); }

    // Before an iteration, outside of the timed section.
    void make_room() {
        if (file.is_full()) {
            file.flush();
        }
    }
    void add(std::size_t segment, std::uint64_t bytes, std::uint64_t iteration, std::int64_t start_ns, std::int64_t end_ns,
             std::int64_t reduce_ns) {
        file.add({static_cast<std::int64_t>(segment), static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(iteration),
                  start_ns, end_ns, reduce_ns});
    }
    // Between segments.
    void flush() { file.flush(); }

private:
    RowFile file;
};

} // namespace field

// The current activity of a rank, in memory that it shares with its witness, so that it outlives the rank.
//
// Models: one page; the rank writes, its watchdog and its witness read.
// Leaves out: measurements.
// Invariants: no locks, since a rank may die between any two instructions. Strings are literals of the program, which
// have
// the same addresses in the witness, since both processes run the same image.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>

namespace field {

struct RankState {
    std::atomic<int> rank{-1}; // not yet known
    std::atomic<pid_t> parent{0}; // the witness
    std::atomic<const char*> activity{"it starts"};
    // The rank ends as intended, or has itself reported the reason.
    std::atomic<bool> ends_on_purpose{false};
    // `folder` is complete.
    std::atomic<bool> has_folder{false};
    char folder[4096] = {}; // the draft of the results

    // A folder whose name is too long is left out; then the report goes only to standard error.
    void write_into(const std::string& draft);
};

// The state of this rank. The first call must come before the rank is forked.
RankState& rank_state();

} // namespace field

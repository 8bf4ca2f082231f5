// What a rank is doing, in memory that it shares with its witness: there it outlives the rank.
//
// Models: one page; the rank writes, its watchdog and its witness read.
// Leaves out: what is measured.
// Invariants: no locks, since a rank may die between any two instructions. Strings are literals of the program, which has
// the same addresses in the witness, as both are one image.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>

namespace field {

struct RankState {
    std::atomic<int> rank{-1}; // not yet known
    std::atomic<pid_t> parent{0}; // the witness
    std::atomic<const char*> activity{"it starts"};
    // The rank ends because it wants to, or has itself reported why it must.
    std::atomic<bool> ends_on_purpose{false};
    // `folder` is complete.
    std::atomic<bool> has_folder{false};
    char folder[4096] = {}; // the draft of the results

    // A folder whose name is too long is left out: then the report is on the standard error only.
    void write_into(const std::string& draft);
};

// That of this rank. The first call must come before the rank is forked.
RankState& rank_state();

} // namespace field

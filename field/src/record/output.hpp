// The folder that a run leaves.
//
// Models: plain files (FORMATS.md), gathered by rank 0 after each segment, in FOLDER.tmp until the run has ended.
// Leaves out: statistics; they are made of these files later.
// Invariants: FOLDER is there whole or not at all, and nothing that was there before is overwritten. What FOLDER.tmp
// holds after a run that died says so itself.
#pragma once

#include <string>
#include <vector>

#include "job.hpp"
#include "record/records.hpp"

namespace field {

class Output {
public:
    Output(const Job& in, std::string folder);

    // Collective: empty, or why there can be no output. Afterwards the manifest tells a run that died.
    std::string begin();

    // Collective, after a segment: the rows of this rank.
    void times(std::size_t segment, std::size_t size, const Rows& rows);
    void rounds(std::size_t segment, const Rows& rows);
    void streams(std::size_t segment, const std::vector<std::int64_t>& rows);
    // Collective, at the end. Says how many checks found something wrong.
    std::uint64_t checks(const Rows& wrong);

    // At rank 0: the last manifest, and the folder gets its name.
    void end(const std::string& status);
    // At rank 0, by the watchdog.
    void give_up(const std::string& reason);

private:
    // At rank 0: the rows of each of `ranks`.
    std::vector<std::vector<std::int64_t>> gathered(std::vector<std::int64_t> own, const std::vector<int>& ranks) const;
    void write(const std::string& name, const std::string& text) const;
    void write_rows(const std::string& name, const std::string& head, const std::vector<int>& ranks,
                    const std::vector<std::vector<std::int64_t>>& rows, bool has_reduction) const;
    std::string manifest(const std::string& status) const;
    void describe_ranks();

    const Job& job;
    const std::string folder;
    const std::string draft;
    std::string rank_lines;
    std::string segment_lines;
    std::string begun;
};

} // namespace field

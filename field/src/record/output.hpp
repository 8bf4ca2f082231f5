// The folder that a run leaves.
//
// Models: plain files (FORMATS.md): those of each rank, which it writes itself, and a header, `manifest.txt`, written by rank 0; in
// FOLDER.tmp until the run has ended.
// Leaves out: statistics.
// Invariants: FOLDER is there whole or not at all, and nothing that was there before is overwritten. The header of a run
// that died says so: it is written first as `failed`, and as `complete` only when every file of every rank is closed.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "job.hpp"
#include "record/row_file.hpp"
#include "record/times.hpp"
#include "record/wrong_data.hpp"

namespace field {

class Output {
public:
    // `arguments` is the command line.
    Output(const Job& in, std::string folder, std::string arguments);

    // Collective: whether there can be an output. Where there can be none, one rank says why.
    bool begin();

    // This rank's own files.
    Times times;
    RowFile streams; // only of ranks that receive streams

    // Collective, after a segment: how many iterations of each size, and how many rounds, were kept at this rank.
    void end_segment(std::size_t segment, std::vector<std::int64_t> iterations, std::int64_t rounds);
    // Collective, at the end: closes the files; how many checks found something wrong.
    std::uint64_t close(const WrongData& wrong);

    // At rank 0: the last manifest, and the folder gets its name.
    void end(const std::string& status);
    // At rank 0, by the watchdog.
    void give_up(const std::string& reason);

    // The folder until the run has ended.
    const std::string& draft() const { return draft_folder; }

private:
    std::string make_folder() const;
    std::string open_files();
    void describe_ranks();
    void add_lines(std::size_t segment, const std::vector<std::int64_t>& kept);
    void write(const std::string& name, const std::string& text) const;
    void write_checks(const std::vector<std::int64_t>& rows, const std::vector<int>& lengths) const;
    std::string manifest(const std::string& status) const;

    const Job& job;
    const std::string folder;
    const std::string draft_folder;
    const std::string command;
    std::string rank_lines;
    std::string segment_lines;
    std::string begun;
    bool has_streams = false;
    std::timed_mutex writing; // the manifest is written by the watchdog, too
};

} // namespace field

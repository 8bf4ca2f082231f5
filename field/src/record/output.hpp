// The folder of results of a run.
//
// Models: plain files (FORMATS.md): those of each rank, which it writes itself, and a header, `manifest.txt`, written
// by
// rank 0; in FOLDER.tmp until the run has ended.
// Leaves out: statistics.
// Invariants: FOLDER is complete or does not exist, and no existing file is overwritten. The header of a run that died
// says
// so: it is written first as `failed`, and as `complete` only after every file of every rank is closed.
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

    // Collective. Returns whether output is possible; if not, one rank reports the reason.
    bool begin();

    // The files of this rank.
    Times times;
    RowFile streams; // only of ranks that receive streams

    // Collective, after a segment: the number of iterations of each size, and of rounds, that this rank kept.
    void end_segment(std::size_t segment, std::vector<std::int64_t> iterations, std::int64_t rounds);
    // Collective, at the end: closes the files; returns the number of checks that found wrong data.
    std::uint64_t close(const WrongData& wrong);

    // At rank 0: writes the last manifest, and renames the folder.
    void end(const std::string& status);
    // At rank 0, called by the watchdog.
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

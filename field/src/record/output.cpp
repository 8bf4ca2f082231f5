#include "record/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "group.hpp"
#include "host.hpp"
#include "version.hpp"

namespace field {
namespace files = std::filesystem;

Output::Output(const Job& in, std::string into, std::string arguments)
    : times(into + ".tmp", in.rank, name_of(in.role), in.plan.room),
      streams(into + ".tmp/streams-" + std::to_string(in.rank) + ".csv",
              "netloom-field streams 1 rank " + std::to_string(in.rank), "segment,stream,start_ns,end_ns,bytes", 5, 1000),
      job(in), folder(std::move(into)), draft_folder(folder + ".tmp"), command(std::move(arguments)), begun(wall_time()) {
    for (const auto& stream : job.plan.streams) {
        has_streams = has_streams || stream.to == job.rank;
    }
}

void Output::describe_ranks() {
    const auto clock = measure_clock();
    char line[320] = {};
    std::snprintf(line, sizeof line, "rank %d %s host %.120s pid %ld cores %d clock_step_ns %lld clock_read_ns %.1f\n", job.rank,
                  name_of(job.role), host_name().c_str(), static_cast<long>(getpid()), Waiting::own_cores(),
                  static_cast<long long>(clock.step_ns), clock.read_ns);
    std::vector<char> lines(job.rank == 0 ? sizeof line * static_cast<std::size_t>(job.n) : 0);
    MPI_Request request;
    MPI_Igather(line, sizeof line, MPI_CHAR, lines.data(), sizeof line, MPI_CHAR, 0, job.world, &request);
    Waiting::wait_asleep(request);
    for (std::size_t at = 0; at < lines.size(); at += sizeof line) {
        rank_lines += lines.data() + at;
    }
}

std::string Output::make_folder() const {
    std::error_code error;
    for (const auto& path : {folder, draft_folder}) {
        if (files::exists(path, error)) {
            return "`" + path + "` exists already\n    expected: a new folder\n    hint: nothing is overwritten; " +
                   (path == folder ? "name another one" : "a run failed here, or is still running: examine it and remove it");
        }
    }
    if (!files::create_directories(draft_folder, error) || error) {
        return "`" + draft_folder + "` cannot be created: " + error.message() + "\n    expected: a folder that can be written";
    }
    return "";
}

std::string Output::open_files() {
    auto problem = times.open();
    if (problem.empty() && has_streams) {
        problem = streams.open();
    }
    return problem.empty() ? problem : problem + " (on " + host_name() + ")\n    expected: a folder that all ranks can write";
}

// The first rank that has a problem reports it; returns at all ranks whether there is one.
static bool agree(const Job& job, const std::string& problem) {
    int first = problem.empty() ? job.n : job.rank;
    Waiting::reduction_asleep(&first, 1, MPI_INT, MPI_MIN, job.world);
    if (first == job.rank) {
        std::cerr << "netloom-field: error: rank " << job.rank << ": " << problem << "\n";
    }
    return first == job.n;
}

bool Output::begin() {
    describe_ranks();
    if (!agree(job, job.rank == 0 ? make_folder() : "")) {
        return false;
    }
    if (!agree(job, open_files())) {
        if (job.rank == 0) {
            std::error_code ignored;
            files::remove_all(draft_folder, ignored);
        }
        return false;
    }
    if (job.rank == 0) {
        // Launchers such as MPICH's report only the PID of a process that died.
        std::cerr << rank_lines;
        write("plan.txt", job.plan_text);
        give_up("the program ended before its results were written");
    }
    return true;
}

void Output::write(const std::string& name, const std::string& text) const {
    const auto path = draft_folder + "/" + name;
    std::ofstream file(path + ".new", std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) {
        throw std::runtime_error("`" + path + "` cannot be written: " + std::strerror(errno));
    }
    files::rename(path + ".new", path);
}

void Output::end_segment(std::size_t segment, std::vector<std::int64_t> kept, std::int64_t rounds) {
    times.flush();
    kept.push_back(rounds);
    Waiting::reduction_asleep(kept.data(), static_cast<int>(kept.size()), MPI_INT64_T, MPI_MAX, job.world);
    if (job.rank != 0) {
        return;
    }
    add_lines(segment, kept);
    give_up("the program ended before its results were written");
}

void Output::add_lines(std::size_t segment, const std::vector<std::int64_t>& kept) {
    const std::lock_guard<std::timed_mutex> lock(writing);
    const auto& planned = job.plan.segments[segment];
    const auto place = std::to_string(segment) + " " + planned.name;
    for (std::size_t size = 0; size + 1 < kept.size(); ++size) {
        const auto bytes = job.plan.sizes.empty() ? "-" : std::to_string(job.plan.sizes[size]);
        segment_lines += "segment " + place + " bytes " + bytes + " warm_up " + std::to_string(planned.warm_up) + " planned " +
                         std::to_string(planned.all()) + " kept " + std::to_string(kept[size]) + "\n";
    }
    if (planned.is_congested()) {
        segment_lines += "rounds " + place + " kept " + std::to_string(kept.back()) + "\n";
    }
}

std::uint64_t Output::close(const WrongData& wrong) {
    times.close();
    if (has_streams) {
        streams.close();
    }
    auto n_wrong = wrong.found();
    Waiting::reduction_asleep(&n_wrong, 1, MPI_UINT64_T, MPI_SUM, job.world);
    if (n_wrong == 0) {
        return 0;
    }
    const auto n = static_cast<std::size_t>(job.n);
    auto length = static_cast<int>(wrong.kept().size());
    std::vector<int> lengths(n);
    MPI_Request request;
    MPI_Igather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, job.world, &request);
    Waiting::wait_asleep(request);
    std::vector<int> places(n);
    for (std::size_t rank = 1; rank < n; ++rank) {
        places[rank] = places[rank - 1] + lengths[rank - 1];
    }
    std::vector<std::int64_t> rows(job.rank == 0 ? static_cast<std::size_t>(places.back() + lengths.back()) : 0);
    MPI_Igatherv(wrong.kept().data(), length, MPI_INT64_T, rows.data(), lengths.data(), places.data(), MPI_INT64_T, 0, job.world,
                 &request);
    Waiting::wait_asleep(request);
    if (job.rank == 0) {
        write_checks(rows, lengths);
    }
    return n_wrong;
}

void Output::write_checks(const std::vector<std::int64_t>& rows, const std::vector<int>& lengths) const {
    std::string text = "segment,iteration,rank,role,offset,expected,found,wrong_bytes\n";
    const auto* number = rows.data();
    for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
        for (int at = 0; at < lengths[rank]; at += static_cast<int>(WrongData::width), number += WrongData::width) {
            text += std::to_string(number[0]) + "," + std::to_string(number[1]) + "," + std::to_string(rank) + "," +
                    name_of(job.roles[rank]);
            for (std::size_t column = 2; column < WrongData::width; ++column) {
                text += "," + std::to_string(number[column]);
            }
            text += "\n";
        }
    }
    write("checks.csv", text);
}

static std::string library() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING + 1];
    int length = 0;
    MPI_Get_library_version(text, &length);
    // The first line of the version, which may be long; libraries differ in whether they count the zero at the end.
    std::string first;
    for (const char* letter = text; *letter >= ' ' || *letter == '\t'; ++letter) {
        first += *letter == '\t' || *letter == '#' ? ' ' : *letter;
    }
    return first;
}

std::string Output::manifest(const std::string& status) const {
    int version = 0;
    int subversion = 0;
    MPI_Get_version(&version, &subversion);
    std::string text = "netloom-field manifest 1\n";
    const auto line = [&](const char* key, const std::string& value) { text += std::string(key) + " " + value + "\n"; };
    line("study", job.plan.study);
    line("status", status);
    line("program", std::string("netloom-field ") + program_version);
    line("build", build);
    line("mpi_library", library());
    line("mpi_standard", std::to_string(version) + "." + std::to_string(subversion));
    line("arguments", command);
    line("clock", "steady");
    line("waiting", job.waiting.yields() ? "yield" : "spin");
    line("room_rows", std::to_string(job.plan.room));
    line("grace_ns", std::to_string(job.plan.grace_ns));
    line("begin", begun);
    line("end", wall_time());
    line("n_ranks", std::to_string(job.n));
    return text + rank_lines + segment_lines;
}

void Output::give_up(const std::string& reason) {
    // The watchdog does not wait for a rank that hangs while writing.
    const std::unique_lock<std::timed_mutex> lock(writing, std::chrono::seconds(2));
    if (lock.owns_lock()) {
        write("manifest.txt", manifest("failed " + reason));
    }
}

void Output::end(const std::string& status) {
    const std::lock_guard<std::timed_mutex> lock(writing);
    write("manifest.txt", manifest(status));
    files::rename(draft_folder, folder);
}

} // namespace field

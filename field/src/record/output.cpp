#include "record/output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "group.hpp"
#include "version.hpp"

namespace field {
namespace files = std::filesystem;

Output::Output(const Job& in, std::string into)
    : job(in), folder(std::move(into)), draft(folder + ".tmp"), begun(wall_time()) {}

static std::string host_name() {
    if (const auto* given = std::getenv("NETLOOM_FIELD_HOST"); given != nullptr && *given != '\0') {
        return given;
    }
    char name[MPI_MAX_PROCESSOR_NAME + 1];
    int length = 0;
    MPI_Get_processor_name(name, &length);
    return std::string(name, static_cast<std::size_t>(length));
}

void Output::describe_ranks() {
    const auto clock = measure_clock();
    char line[256] = {};
    std::snprintf(line, sizeof line, "rank %d %s host %.120s pid %ld clock_step_ns %lld clock_read_ns %.1f\n", job.rank,
                  name_of(job.role), host_name().c_str(), static_cast<long>(getpid()), static_cast<long long>(clock.step_ns),
                  clock.read_ns);
    std::vector<char> lines(job.rank == 0 ? sizeof line * static_cast<std::size_t>(job.n) : 0);
    MPI_Request request;
    MPI_Igather(line, sizeof line, MPI_CHAR, lines.data(), sizeof line, MPI_CHAR, 0, job.world, &request);
    Waiting::patiently(request);
    for (std::size_t at = 0; at < lines.size(); at += sizeof line) {
        rank_lines += lines.data() + at;
    }
}

std::string Output::begin() {
    describe_ranks();
    std::string problem;
    if (job.rank == 0) {
        std::error_code error;
        for (const auto& path : {folder, draft}) {
            if (files::exists(path, error)) {
                problem = "`" + path + "` is there already\n    expected: a new folder\n    hint: nothing is overwritten; " +
                          (path == draft ? "an earlier run died here, look at it and remove it" : "name another one");
            }
        }
        if (problem.empty() && (!files::create_directories(draft, error) || error)) {
            problem = "`" + draft + "` cannot be made: " + error.message();
        }
        if (problem.empty()) {
            write("plan.txt", job.plan_text);
            give_up("the program ended before its results were written");
        }
    }
    int has_problem = problem.empty() ? 0 : 1;
    Waiting::patient_broadcast(&has_problem, 1, MPI_INT, 0, job.world);
    return has_problem != 0 && problem.empty() ? "no output" : problem;
}

std::vector<std::vector<std::int64_t>> Output::gathered(std::vector<std::int64_t> own, const std::vector<int>& ranks) const {
    std::vector<std::vector<std::int64_t>> all;
    for (const auto rank : ranks) {
        auto length = static_cast<std::int64_t>(own.size());
        if (rank == job.rank && rank != 0) {
            MPI_Send(&length, 1, MPI_INT64_T, 0, 0, job.world);
            MPI_Send(own.data(), static_cast<int>(length), MPI_INT64_T, 0, 0, job.world);
        }
        if (job.rank != 0) {
            continue;
        }
        if (rank == 0) {
            all.push_back(std::move(own));
            continue;
        }
        MPI_Recv(&length, 1, MPI_INT64_T, rank, 0, job.world, MPI_STATUS_IGNORE);
        std::vector<std::int64_t> rows(static_cast<std::size_t>(length));
        MPI_Recv(rows.data(), static_cast<int>(length), MPI_INT64_T, rank, 0, job.world, MPI_STATUS_IGNORE);
        all.push_back(std::move(rows));
    }
    return all;
}

void Output::write(const std::string& name, const std::string& text) const {
    const auto path = draft + "/" + name;
    std::ofstream file(path + ".new", std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) {
        throw std::runtime_error("`" + path + "` cannot be written: " + std::strerror(errno));
    }
    files::rename(path + ".new", path);
}

void Output::write_rows(const std::string& name, const std::string& head, const std::vector<int>& ranks,
                        const std::vector<std::vector<std::int64_t>>& rows, bool has_reduction) const {
    std::size_t n_rows = 0;
    for (const auto& of_rank : rows) {
        n_rows = std::max(n_rows, of_rank.size() / times_width);
    }
    std::string text = head + "\n";
    for (std::size_t row = 0; row < n_rows; ++row) {
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if ((row + 1) * times_width > rows[i].size()) {
                continue;
            }
            const auto* number = rows[i].data() + row * times_width;
            text += std::to_string(row) + "," + std::to_string(ranks[i]) + "," + std::to_string(number[0]) + "," +
                    std::to_string(number[1]) + (has_reduction ? "," + std::to_string(number[2]) : "") + "\n";
        }
    }
    write(name, text);
}

// Such as `3-congested`.
static std::string place_of(const Plan& plan, std::size_t segment) {
    return std::to_string(segment) + "-" + plan.segments[segment].name;
}

void Output::times(std::size_t segment, std::size_t size, const Rows& rows) {
    const auto all = gathered(job.role == Role::victim ? rows.taken() : std::vector<std::int64_t>(), job.victims);
    if (job.rank != 0) {
        return;
    }
    const auto place = place_of(job.plan, segment);
    const auto of_size = job.plan.is_latency ? "-" + std::to_string(job.plan.sizes[size]) : "";
    write_rows("times-" + place + of_size + ".csv", "iteration,rank,start_ns,end_ns,reduce_ns", job.victims, all, true);
    const auto n_kept = all.front().size() / times_width;
    const auto bytes = job.plan.sizes.empty() ? "-" : std::to_string(job.plan.sizes[size]);
    segment_lines += "segment " + std::to_string(segment) + " " + job.plan.segments[segment].name + " bytes " + bytes +
                     " planned " + std::to_string(job.plan.segments[segment].all()) + " kept " + std::to_string(n_kept) + "\n";
}

void Output::rounds(std::size_t segment, const Rows& rows) {
    const auto all = gathered(rows.taken(), job.aggressors);
    const auto n_added = gathered({static_cast<std::int64_t>(rows.added())}, job.aggressors);
    if (job.rank != 0) {
        return;
    }
    const auto place = place_of(job.plan, segment);
    write_rows("aggressor-" + place + ".csv", "round,rank,start_ns,end_ns", job.aggressors, all, false);
    segment_lines += "rounds " + std::to_string(segment) + " " + job.plan.segments[segment].name + " all " +
                     std::to_string(n_added.front().front()) + " kept " + std::to_string(all.front().size() / times_width) + "\n";
}

void Output::streams(std::size_t segment, const std::vector<std::int64_t>& rows) {
    const auto all = gathered(rows, job.victims);
    if (job.rank != 0) {
        return;
    }
    std::string text = "stream,rank,start_ns,end_ns,bytes\n";
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t at = 0; at < all[i].size(); at += streams_width) {
            const auto* number = all[i].data() + at;
            text += std::to_string(number[0]) + "," + std::to_string(job.victims[i]) + "," + std::to_string(number[1]) + "," +
                    std::to_string(number[2]) + "," + std::to_string(number[3]) + "\n";
        }
    }
    write("streams-" + place_of(job.plan, segment) + ".csv", text);
}

std::uint64_t Output::checks(const Rows& wrong) {
    std::vector<int> ranks;
    for (int rank = 0; rank < job.n; ++rank) {
        ranks.push_back(rank);
    }
    const auto all = gathered(wrong.taken(), ranks);
    auto n_wrong = wrong.added();
    Waiting::patient_reduction(&n_wrong, 1, MPI_UINT64_T, MPI_SUM, job.world);
    if (job.rank != 0 || n_wrong == 0) {
        return n_wrong;
    }
    std::string text = "segment,iteration,rank,role,offset,expected,found,wrong_bytes\n";
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        for (std::size_t at = 0; at < all[rank].size(); at += wrong_width) {
            const auto* number = all[rank].data() + at;
            text += std::to_string(number[0]) + "," + std::to_string(number[1]) + "," + std::to_string(rank) + "," +
                    name_of(job.roles[rank]);
            for (std::size_t column = 2; column < wrong_width; ++column) {
                text += "," + std::to_string(number[column]);
            }
            text += "\n";
        }
    }
    write("checks.csv", text);
    return n_wrong;
}

static std::string library() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING + 1];
    int length = 0;
    MPI_Get_library_version(text, &length);
    // Of what may be a page, the first line; libraries differ in whether they count the zero at the end.
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
    return std::string("netloom-field manifest 1\n") + "study " + job.plan.study + "\n" + "status " + status + "\n" +
           "program netloom-field " + program_version + "\n" + "mpi_library " + library() + "\n" + "mpi_standard " +
           std::to_string(version) + "." + std::to_string(subversion) + "\n" + "clock steady\n" + "waiting " +
           (job.waiting.yields() ? "yield" : "spin") + "\n" + "grace_ns " + std::to_string(job.plan.grace_ns) +
           "\n" + "begin " + begun + "\n" + "end " + wall_time() + "\n" + "n_ranks " + std::to_string(job.n) + "\n" +
           rank_lines + segment_lines;
}

void Output::give_up(const std::string& reason) { write("manifest.txt", manifest("failed " + reason)); }

void Output::end(const std::string& status) {
    write("manifest.txt", manifest(status));
    files::rename(draft, folder);
}

} // namespace field

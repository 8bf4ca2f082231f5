// netloom-field: times a victim's collectives on a real machine, in isolation and beside an aggressor.
//
// Models: the plan (FORMATS.md).
// Leaves out: scenarios, statistics and pictures, which belong to netloom.
// Invariants: statuses are 0 (complete, or ended by its deadline), 1 (data was wrong, or output failed), 2 (the plan or
// the command is invalid) and 4 (ended by force). Invalid input is refused before anything is timed, by one rank.
#include <mpi.h>

#include <unistd.h>

#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include "command.hpp"
#include "finalize.hpp"
#include "job.hpp"
#include "peers.hpp"
#include "rank_state.hpp"
#include "record/output.hpp"
#include "schedule.hpp"
#include "shared_input.hpp"
#include "version.hpp"
#include "watchdog.hpp"
#include "witness.hpp"

// Time limit in seconds for the end of MPI; a test uses a shorter one.
#ifndef NETLOOM_FIELD_END_S
#define NETLOOM_FIELD_END_S 30
#endif

// Time limit in seconds until all ranks have started and have read the plan.
#ifndef NETLOOM_FIELD_START_S
#define NETLOOM_FIELD_START_S 300
#endif

namespace {

using namespace field;

constexpr std::int64_t second = 1'000'000'000;
void report_unreadable(const std::string& path) {
    std::cerr << path << ": error: this plan cannot be read\n    expected: a file that rank 0 can open\n";
}

// Reports all mistakes; returns whether there are any.
bool report(const Reading& reading, const std::string& path, const std::string& text) {
    for (const auto& mistake : reading.mistakes) {
        std::cerr << formatted(mistake, path, text);
    }
    return !reading.mistakes.empty();
}

int check_only(const Command& command) {
    const auto file = read_file(command.plan);
    if (!file.is_there) {
        report_unreadable(command.plan);
        return 2;
    }
    return report(read_plan(file.text, command.check), command.plan, file.text) ? 2 : 0;
}

// Returns whether some host has too little memory; each such host reports it.
bool lacks_memory(const Job& job) {
    const auto missing = job.missing_memory();
    if (!missing.empty()) {
        std::cerr << "netloom-field: error: rank " << job.rank << ": " << missing;
    }
    int is_missing = missing.empty() ? 0 : 1;
    Waiting::reduction_asleep(&is_missing, 1, MPI_INT, MPI_MAX, job.world);
    return is_missing != 0;
}

// Measures, under a watchdog; returns the exit status.
int measure_job(const Job& job, Output& output, const std::string& folder) {
    const auto on_end = [&](const std::string& reason) {
        if (job.rank == 0) {
            output.give_up(reason);
        }
    };
    const auto is_written = [&] { return access(output.draft().c_str(), F_OK) != 0; };
    Peers peers(job.local, job.rank);
    const Watchdog watchdog({job.deadline_at_ns() + job.plan.grace_ns, "deadline and grace are over"}, on_end, &peers, is_written);
    const auto status = run_segments(job, output);
    if (job.rank == 0) {
        output.end(status);
        std::cerr << "netloom-field: " << status << ": " << folder << "\n";
    }
    Waiting::barrier_asleep(job.world);
    return status.rfind("failed", 0) == 0 ? 1 : 0;
}

int measure_plan(const Command& command, int rank, int n, std::int64_t begun_ns, std::unique_ptr<Watchdog>& starting) {
    const auto file = shared_file(command.plan, rank);
    if (!file.is_there) {
        if (rank == 0) {
            report_unreadable(command.plan);
        }
        return 2;
    }
    const auto reading = read_plan(file.text, n);
    if (!reading.mistakes.empty()) {
        if (rank == 0) {
            report(reading, command.plan, file.text);
        }
        return 2;
    }
    const Job job(reading.plan, file.text, MPI_COMM_WORLD, begun_ns);
    if (lacks_memory(job)) {
        return 2;
    }
    Output output(job, command.out, command.words);
    if (!output.begin()) {
        return 2;
    }
    rank_state().write_into(output.draft());
    starting.reset();
    return measure_job(job, output, command.out);
}

int run(const Command& command, int rank, int n, std::int64_t begun_ns, std::unique_ptr<Watchdog>& starting) {
    try {
        if (!same_command(command, rank, n)) {
            return 2;
        }
        if (!command.mistake.empty()) {
            if (rank == 0) {
                std::cerr << "netloom-field: error: " << command.mistake << "\n" << usage;
            }
            return 2;
        }
        return measure_plan(command, rank, n, begun_ns, starting);
    } catch (const std::exception& error) {
        std::cerr << "netloom-field: error: rank " << rank << ": " << error.what() << "\n";
        rank_state().ends_on_purpose.store(true);
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
}

} // namespace

int main(int n_words, char** words) {
    const auto begun_ns = now_ns();
    const auto command = read_command({words + 1, words + n_words});
    if (command.asks_version) {
        std::cout << "netloom-field " << program_version << "\n";
        return 0;
    }
    if (command.mistake.empty() && command.check > 0) {
        return check_only(command);
    }
    begin_as_rank();
    auto starting = std::make_unique<Watchdog>(
        Watchdog::Limits{begun_ns + NETLOOM_FIELD_START_S * second, "the time in which all ranks must have started is over"});
    // The watchdog is a thread, but only the main thread calls MPI.
    int level = 0;
    int rank = 0;
    int n = 0;
    MPI_Init_thread(&n_words, &words, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    rank_state().rank.store(rank);
    const auto status = run(command, rank, n, begun_ns, starting);
    starting.reset();
    end_mpi(n, status, NETLOOM_FIELD_END_S);
    rank_state().ends_on_purpose.store(true);
    return status;
}

#include "schedule.hpp"

#include <algorithm>
#include <memory>

#include "aggressor/rounds.hpp"
#include "victim/pair_streams.hpp"
#include "victim/measure.hpp"
#include "watchdog.hpp"

namespace field {
namespace {

// What this rank needs for all segments.
class Stage {
public:
    Stage(const Job& in, Output& into)
        : job(in), output(into), n_sizes(std::max<std::size_t>(in.plan.sizes.size(), 1)), wrong(wrong_width, wrong_kept),
          nothing(times_width, 0) {
        std::uint64_t most = 1;
        for (const auto& segment : job.plan.segments) {
            most = std::max(most, segment.all());
        }
        if (job.role == Role::victim) {
            times.assign(n_sizes, Rows(times_width, most));
            for (const auto size : job.plan.sizes) {
                collectives.push_back(make_collective(job.plan.victim, size, job.plan.is_per_peer, job.group, job.waiting));
            }
            if (job.plan.victim == Shape::pair_streams) {
                streams = std::make_unique<PairStreams>(job);
            }
        } else if (job.role == Role::aggressor && job.plan.aggressor != Shape::none) {
            aggressor = std::make_unique<Aggressor>(job);
        }
    }

    void run(std::size_t segment) {
        const auto is_congested = job.plan.segments[segment].is_congested();
        if (job.role == Role::victim) {
            Watchdog::doing("the victim is measured");
            if (is_congested) {
                await_aggressor();
            }
            measure_all(segment);
            if (is_congested) {
                stop_aggressor();
            }
        } else if (job.role == Role::aggressor && is_congested) {
            Watchdog::doing("the aggressor does its rounds");
            aggressor->run(segment, wrong);
        }
        Watchdog::doing("it waits for the others at the end of a segment");
        Waiting::patient_barrier(job.world);
    }

    void write(std::size_t segment) {
        Watchdog::doing("results are gathered");
        for (std::size_t size = 0; size < n_sizes; ++size) {
            output.times(segment, size, job.role == Role::victim ? times[size] : nothing);
        }
        if (job.plan.segments[segment].is_congested()) {
            output.rounds(segment, aggressor ? aggressor->rounds() : nothing);
        }
        if (job.plan.victim == Shape::pair_streams) {
            output.streams(segment, streams ? streams->arrived() : std::vector<std::int64_t>());
        }
    }

    // Whether the deadline took something of this segment; told by a victim.
    bool was_cut(std::size_t segment) const {
        const auto is_short = [&](const Rows& rows) { return rows.kept() < job.plan.segments[segment].all(); };
        return streams ? job.is_late() : std::any_of(times.begin(), times.end(), is_short);
    }

    std::uint64_t check() { return output.checks(wrong); }

private:
    void measure_all(std::size_t segment) {
        if (streams) {
            streams->run(segment, times[0], wrong);
            return;
        }
        for (std::size_t size = 0; size < n_sizes; ++size) {
            const auto first = static_cast<std::uint64_t>(segment * n_sizes + size) << 32;
            measure(job, *collectives[size], segment, first, times[size], wrong);
        }
    }

    // Only the first victim hears of it; the others wait for that one anyway.
    void await_aggressor() {
        if (job.rank == job.victim_root()) {
            int message = 0;
            MPI_Request ready;
            MPI_Irecv(&message, 1, MPI_INT, job.aggressors.front(), tag_ready, job.control, &ready);
            Waiting::patiently(ready);
        }
        Waiting::patient_barrier(job.group.comm);
    }

    void stop_aggressor() {
        const int message = 1;
        for (const auto rank : job.aggressors) {
            if (job.rank == job.victim_root()) {
                MPI_Send(&message, 1, MPI_INT, rank, tag_stop, job.control);
            }
        }
    }

    const Job& job;
    Output& output;
    const std::size_t n_sizes;
    std::vector<Rows> times;
    std::vector<std::unique_ptr<Collective>> collectives;
    std::unique_ptr<PairStreams> streams;
    std::unique_ptr<Aggressor> aggressor;
    Rows wrong;
    const Rows nothing;
};

} // namespace

std::string run_segments(const Job& job, Output& output) {
    Stage stage(job, output);
    int is_late = 0;
    for (std::size_t segment = 0; segment < job.plan.segments.size() && is_late == 0; ++segment) {
        Waiting::patient_barrier(job.world);
        stage.run(segment);
        is_late = stage.was_cut(segment) ? 1 : 0;
        stage.write(segment);
        Waiting::patient_broadcast(&is_late, 1, MPI_INT, job.victim_root(), job.world);
    }
    if (const auto n_wrong = stage.check(); n_wrong > 0) {
        return "failed data was wrong in " + std::to_string(n_wrong) + " checks";
    }
    return is_late != 0 ? "deadline" : "complete";
}

} // namespace field

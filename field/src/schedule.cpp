#include "schedule.hpp"

#include <algorithm>
#include <memory>

#include "aggressor/rounds.hpp"
#include "rank_state.hpp"
#include "victim/pair_streams.hpp"
#include "victim/measure.hpp"

namespace field {
namespace {

// The objects that this rank needs for all segments.
class SegmentRunner {
public:
    SegmentRunner(const Job& in, Output& into)
        : job(in), output(into), precision(in.role == Role::victim ? in.most_precise() : 0),
          n_kept(std::max<std::size_t>(in.plan.sizes.size(), 1)) {
        if (job.role == Role::victim && job.plan.victim == Shape::pair_streams) {
            streams = std::make_unique<PairStreams>(job);
        } else if (job.role == Role::victim) {
            for (const auto size : job.plan.sizes) {
                collectives.push_back(make_collective(job.plan.victim, size, job.plan.is_per_peer, job.group, job.waiting));
            }
        } else if (job.role == Role::aggressor && job.plan.aggressor != Shape::none) {
            aggressor = std::make_unique<Aggressor>(job);
        }
    }

    // Whether the deadline ended this segment early; set at victims.
    bool run(std::size_t segment) {
        const auto is_congested = job.plan.segments[segment].is_congested();
        std::fill(n_kept.begin(), n_kept.end(), 0);
        n_rounds = 0;
        if (job.role == Role::victim) {
            rank_state().activity.store("the victim is measured");
            if (is_congested) {
                await_aggressor();
            }
            measure_all(segment);
            if (is_congested) {
                stop_aggressor();
            }
        } else if (aggressor && is_congested) {
            rank_state().activity.store("the aggressor runs its rounds");
            n_rounds = static_cast<std::int64_t>(aggressor->run(segment, output.times, wrong));
        }
        rank_state().activity.store("it waits for the others at the end of a segment");
        Waiting::barrier_asleep(job.world);
        rank_state().activity.store("results are written");
        if (streams) {
            streams->write(segment, output.streams);
        }
        output.end_segment(segment, n_kept, n_rounds);
        return was_cut;
    }

    std::uint64_t close() { return output.close(wrong); }

private:
    void measure_all(std::size_t segment) {
        if (streams) {
            streams->run(segment, output.times, wrong);
            n_kept[0] = 1;
            was_cut = job.is_late();
            return;
        }
        const auto& planned = job.plan.segments[segment];
        for (std::size_t size = 0; size < collectives.size() && !was_cut; ++size) {
            const auto first = static_cast<std::uint64_t>(segment * collectives.size() + size) << 32;
            precision.begin(planned.precision_ppb, planned.at_least);
            const auto measured = measure(job, *collectives[size], {segment, job.plan.sizes[size], first}, output.times, wrong,
                                          planned.precision_ppb > 0 ? &precision : nullptr);
            n_kept[size] = static_cast<std::int64_t>(measured.n_kept);
            was_cut = measured.was_cut;
        }
    }

    // Only the first victim receives the message; the others wait for the first victim in any case.
    void await_aggressor() {
        if (job.rank == job.victim_root()) {
            int message = 0;
            MPI_Request ready;
            MPI_Irecv(&message, 1, MPI_INT, job.aggressors.front(), tag_ready, job.control, &ready);
            Waiting::wait_asleep(ready);
        }
        Waiting::barrier_asleep(job.group.comm);
    }

    void stop_aggressor() {
        for (const auto rank : job.aggressors) {
            if (job.rank == job.victim_root()) {
                Waiting::send_asleep(1, rank, tag_stop, job.control);
            }
        }
    }

    const Job& job;
    Output& output;
    WrongData wrong;
    MeanPrecision precision;
    std::vector<std::unique_ptr<Collective>> collectives; // one for each size
    std::unique_ptr<PairStreams> streams;
    std::unique_ptr<Aggressor> aggressor;
    std::vector<std::int64_t> n_kept; // iterations of each size
    std::int64_t n_rounds = 0;
    bool was_cut = false;
};

} // namespace

std::string run_segments(const Job& job, Output& output) {
    SegmentRunner runner(job, output);
    int is_late = 0;
    for (std::size_t segment = 0; segment < job.plan.segments.size() && is_late == 0; ++segment) {
        Waiting::barrier_asleep(job.world);
        is_late = runner.run(segment) ? 1 : 0;
        Waiting::broadcast_asleep(&is_late, 1, MPI_INT, job.victim_root(), job.world);
    }
    if (const auto n_wrong = runner.close(); n_wrong > 0) {
        return "failed data was wrong in " + std::to_string(n_wrong) + " checks";
    }
    return is_late != 0 ? "deadline" : "complete";
}

} // namespace field

#include "victim/measure.hpp"

namespace field {

// Whether the deadline has passed, by the clock of the group's first rank.
static bool is_late(const Job& job) { return job.waiting.broadcast(job.is_late() ? 1 : 0, job.group.comm) != 0; }

SeriesEnd measure(const Job& job, Collective& collective, const Series& series, Times& times, WrongData& wrong,
                 MeanPrecision* precision) {
    const auto& segment = job.plan.segments[series.segment];
    for (std::uint64_t iteration = 0; iteration < segment.all(); ++iteration) {
        times.make_room();
        collective.prepare(series.first + iteration);
        if (is_late(job)) {
            return {iteration, true};
        }
        job.waiting.barrier(job.group.comm);
        collective.meet();
        const auto start = now_ns();
        collective.run();
        const auto end = now_ns();
        if (const auto found = collective.check(series.first + iteration)) {
            wrong.add(series.segment, iteration, *found);
        }
        if (is_late(job)) {
            return {iteration, true};
        }
        times.add(series.segment, series.bytes, iteration, job.since(start), job.since(end), collective.reduce_ns());
        if (precision != nullptr && iteration >= segment.warm_up &&
            precision->add(job.waiting.maximum(end - start, job.group.comm))) {
            return {iteration + 1, false};
        }
    }
    return {segment.all(), false};
}

} // namespace field

#include "victim/measure.hpp"

namespace field {

// Whether the deadline is over, as the group's first rank sees it.
static bool is_late(const Job& job) { return job.waiting.broadcast(job.is_late() ? 1 : 0, job.group.comm) != 0; }

void measure(const Job& job, Collective& collective, std::size_t segment, std::uint64_t first, Rows& times, Rows& wrong) {
    times.clear();
    const auto n = job.plan.segments[segment].all();
    for (std::uint64_t iteration = 0; iteration < n; ++iteration) {
        collective.prepare(first + iteration);
        if (is_late(job)) {
            break;
        }
        job.waiting.barrier(job.group.comm);
        collective.meet();
        const auto start = now_ns();
        collective.run();
        const auto end = now_ns();
        times.add({job.since(start), job.since(end), collective.reduce_ns()});
        if (const auto found = collective.check(first + iteration)) {
            wrong.add({static_cast<std::int64_t>(segment), static_cast<std::int64_t>(iteration),
                       static_cast<std::int64_t>(found->offset), found->expected, found->found,
                       static_cast<std::int64_t>(found->n_bytes)});
        }
        if (is_late(job)) {
            times.cut(iteration);
            break;
        }
    }
}

} // namespace field

#include "aggressor/rounds.hpp"

#include <algorithm>

namespace field {

Aggressor::Aggressor(const Job& in)
    : job(in), collective(make_collective(in.plan.aggressor, in.plan.aggressor_size, in.plan.is_per_peer, in.group, in.waiting)),
      bursts(in.plan) {
    pending.fill(MPI_REQUEST_NULL);
}

bool Aggressor::should_stop() {
    if (stop_arrived == 0) {
        MPI_Test(&stop, &stop_arrived, MPI_STATUS_IGNORE);
    }
    return stop_arrived != 0 || job.is_late();
}

// Wakes a hundred times per second, so that a long pause does not delay the end.
void Aggressor::pause(std::int64_t length_ns) {
    constexpr std::int64_t longest_ns = 10'000'000;
    const auto until = now_ns() + length_ns;
    for (auto left = length_ns; left > 0 && !should_stop(); left = until - now_ns()) {
        sleep_ns(std::min(left, longest_ns));
    }
}

bool Aggressor::goes_on_steadily(std::uint64_t round) {
    answers[round % ahead] = is_leader() && should_stop() ? 0 : 1;
    MPI_Ibcast(&answers[round % ahead], 1, MPI_INT64_T, 0, job.group.comm, &pending[round % ahead]);
    // The next round's decision will overwrite that of `ahead` rounds before it.
    const auto oldest = (round + 1) % ahead;
    if (round + 1 < ahead) {
        return true;
    }
    job.waiting.one(pending[oldest]);
    return answers[oldest] != 0;
}

bool Aggressor::goes_on(std::uint64_t round) {
    if (bursts.are_steady()) {
        return goes_on_steadily(round);
    }
    std::int64_t length_ns = 0;
    if (is_leader()) {
        length_ns = should_stop() ? -1 : bursts.pause_after_round(now_ns());
    }
    length_ns = job.waiting.broadcast(length_ns, job.group.comm);
    if (length_ns > 0) {
        pause(length_ns);
        bursts.begin(now_ns());
    }
    return length_ns >= 0;
}

std::uint64_t Aggressor::run(std::size_t segment, Times& times, WrongData& wrong) {
    const auto number = static_cast<std::uint64_t>(segment);
    collective->prepare(~number);
    stop_arrived = 0;
    MPI_Irecv(&stop_message, 1, MPI_INT, job.victim_root(), tag_stop, job.control, &stop);
    bursts.begin(now_ns());
    std::uint64_t round = 0;
    for (bool is_over = false; !is_over; ++round) {
        times.make_room();
        const auto start = now_ns();
        collective->run();
        const auto end = now_ns();
        times.add(segment, job.plan.aggressor_size, round, job.since(start), job.since(end), 0);
        if (round == 0 && is_leader()) {
            Waiting::send_asleep(1, job.victim_root(), tag_ready, job.control);
        }
        is_over = !goes_on(round);
    }
    for (auto& request : pending) {
        job.waiting.one(request);
    }
    if (stop_arrived == 0) {
        Waiting::wait_asleep(stop);
    }
    if (const auto found = collective->check(~number)) {
        wrong.add(segment, round - 1, *found);
    }
    return round;
}

} // namespace field

#include "job.hpp"

#include "group.hpp"
#include "memory.hpp"
#include "record/times.hpp"
#include "record/wrong_data.hpp"
#include "victim/pair_streams.hpp"

namespace field {

Job::Job(Plan with, std::string text, MPI_Comm in, std::int64_t begun_ns)
    : plan(std::move(with)), plan_text(std::move(text)), world(in), local(Waiting::local_ranks(in)), waiting(in, local) {
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &n);
    MPI_Comm_dup(world, &control);
    roles = give_roles(plan, n);
    victims = ranks_of(roles, Role::victim);
    aggressors = ranks_of(roles, Role::aggressor);
    role = roles[static_cast<std::size_t>(rank)];
    MPI_Comm_split(world, static_cast<int>(role), rank, &group.comm);
    MPI_Comm_rank(group.comm, &group.rank);
    MPI_Comm_size(group.comm, &group.n);
    // Ranks sleep until all have arrived, then a barrier releases them as close together as it can.
    Waiting::barrier_asleep(world);
    waiting.barrier(world);
    zero = field::now_ns();
    std::int64_t left = begun_ns + plan.deadline_ns - zero;
    Waiting::reduction_asleep(&left, 1, MPI_INT64_T, MPI_MIN, world);
    deadline_at = zero + left;
}

Job::~Job() {
    MPI_Comm_free(&local);
    MPI_Comm_free(&group.comm);
    MPI_Comm_free(&control);
}

std::uint64_t Job::most_precise() const {
    std::uint64_t most = 0;
    for (const auto& segment : plan.segments) {
        most = segment.precision_ppb > 0 ? std::max(most, segment.iterations) : most;
    }
    return most;
}

std::uint64_t Job::needed() const {
    constexpr std::uint64_t number = sizeof(std::int64_t);
    std::uint64_t bytes = plan.room * Times::width * number + WrongData::room * WrongData::width * number;
    if (role == Role::victim) {
        for (const auto size : plan.sizes) {
            bytes += bytes_needed(plan.victim, size, plan.is_per_peer, group);
        }
        if (plan.victim == Shape::pair_streams) {
            bytes += PairStreams::bytes_needed(plan, rank);
        }
        bytes += most_precise() * number;
    }
    if (role == Role::aggressor && plan.aggressor != Shape::none) {
        bytes += bytes_needed(plan.aggressor, plan.aggressor_size, plan.is_per_peer, group);
    }
    return bytes;
}

std::string Job::missing_memory() const {
    int number = 0;
    MPI_Comm_rank(local, &number);
    std::uint64_t wanted = needed();
    Waiting::reduction_asleep(&wanted, 1, MPI_UINT64_T, MPI_SUM, local);
    const auto available = available_memory();
    if (number != 0 || !available || wanted <= *available / 10 * 9) {
        return "";
    }
    const auto mebibytes = [](std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; };
    return "the plan needs " + mebibytes(wanted) + " of this host, which has " + mebibytes(*available) +
           " left\n    expected: at most nine tenths of it\n    hint: smaller sizes, or fewer ranks on a host\n";
}

} // namespace field

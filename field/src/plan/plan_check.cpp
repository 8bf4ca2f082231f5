// Mistakes that can be found only with the whole plan, or the number of ranks.
#include "group.hpp"
#include "collective/pattern.hpp"
#include "plan/plan.hpp"

#include <algorithm>
#include <limits>

namespace field {
namespace {

constexpr auto most_of_a_message = static_cast<std::uint64_t>(std::numeric_limits<int>::max());

Mistake on_line(std::size_t line, std::string text, std::string expected, std::string hint = "") {
    return {line, 0, 0, std::move(text), std::move(expected), std::move(hint)};
}

void check_segments(const Plan& plan, std::vector<Mistake>& mistakes) {
    for (const auto& segment : plan.segments) {
        if (segment.is_congested() && plan.aggressor == Shape::none) {
            mistakes.push_back(on_line(plan.lines.segment, "a segment is congested, but there is no aggressor",
                                       "`segment baseline`, or another `aggressor`"));
            break;
        }
    }
    // Interference is a ratio to the baseline of the same ranks, and the second baseline shows whether conditions
    // changed.
    const auto& all = plan.segments;
    const auto is_congested = [](const Segment& segment) { return segment.is_congested(); };
    if (std::any_of(all.begin(), all.end(), is_congested) && (all.front().is_congested() || all.back().is_congested())) {
        mistakes.push_back(on_line(plan.lines.segment, "a congested segment without a baseline before and after it",
                                   "`segment baseline` as the first and as the last segment"));
    }
    for (const auto& segment : plan.segments) {
        if (plan.victim == Shape::pair_streams && (segment.warm_up != 0 || segment.iterations != 1 || segment.precision_ppb != 0)) {
            mistakes.push_back(on_line(plan.lines.segment, "streams are run once in a segment", "`0 1` in each segment",
                                       "a segment lasts as long as its streams"));
            break;
        }
    }
}

void check_sizes(const Plan& plan, std::vector<Mistake>& mistakes) {
    for (const auto size : plan.sizes) {
        if (plan.victim == Shape::ring_all_reduce && size % 8 != 0) {
            mistakes.push_back(on_line(plan.lines.victim, "a reduction of " + std::to_string(size) + " bytes",
                                       "a multiple of 8", "it adds whole numbers of 64 bits"));
        }
    }
    if (plan.is_latency) {
        auto sorted = plan.sizes;
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
            mistakes.push_back(on_line(plan.lines.victim, "a size occurs twice", "each size once"));
        }
    }
}

// The largest message of a collective.
std::uint64_t largest(Shape shape, std::uint64_t size, bool is_per_peer, std::uint64_t n) {
    switch (shape) {
    case Shape::ring_all_gather:
        return Parts{size, n}.length(0);
    case Shape::all_to_all_linear:
    case Shape::all_to_all_pairwise:
        return is_per_peer ? size : Parts{size, n}.length(0);
    case Shape::ring_all_reduce:
        return Parts{size, n, 8}.length(0);
    default:
        return size;
    }
}

void check_messages(const Plan& plan, std::uint64_t n_victims, std::uint64_t n_aggressors, std::vector<Mistake>& mistakes) {
    const auto look = [&](std::size_t line, std::uint64_t message) {
        if (message > most_of_a_message) {
            mistakes.push_back(on_line(line, "a message of " + std::to_string(message) + " bytes",
                                       "at most " + std::to_string(most_of_a_message) + " bytes in a message",
                                       "MPI counts in 32 bits; use a smaller size or more ranks"));
        }
    };
    for (const auto size : plan.sizes) {
        look(plan.lines.victim, largest(plan.victim, size, plan.is_per_peer, n_victims));
    }
    for (std::size_t i = 0; i < plan.streams.size(); ++i) {
        look(plan.lines.streams[i], plan.streams[i].bytes);
    }
    if (plan.aggressor != Shape::none) {
        look(plan.lines.aggressor, largest(plan.aggressor, plan.aggressor_size, plan.is_per_peer, n_aggressors));
    }
}

void check_streams(const Plan& plan, const std::vector<Role>& roles, std::vector<Mistake>& mistakes) {
    for (std::size_t i = 0; i < plan.streams.size(); ++i) {
        const auto& stream = plan.streams[i];
        const auto line = plan.lines.streams[i];
        if (stream.from == stream.to) {
            mistakes.push_back(on_line(line, "a stream from a rank to itself", "two ranks"));
        }
        if (stream.stop_ns <= stream.start_ns) {
            mistakes.push_back(on_line(line, "a stream that ends before it begins", "an end later than the start"));
        }
        for (const auto rank : {stream.from, stream.to}) {
            const auto at = static_cast<std::size_t>(rank);
            if (!roles.empty() && (at >= roles.size() || roles[at] != Role::victim)) {
                mistakes.push_back(on_line(line, "rank " + std::to_string(rank) + " is no victim",
                                           "ranks of the victim's group, counted among all ranks",
                                           "`groups listed v v v ...` makes all of them victims"));
            }
        }
    }
}

} // namespace

std::vector<Mistake> check_plan(const Plan& plan, int n_ranks) {
    std::vector<Mistake> mistakes;
    check_segments(plan, mistakes);
    check_sizes(plan, mistakes);
    if ((plan.victim == Shape::pair_streams) != !plan.streams.empty()) {
        const auto line = plan.streams.empty() ? plan.lines.victim : plan.lines.streams[0];
        mistakes.push_back(on_line(line, plan.streams.empty() ? "there are no streams" : "this victim has no streams",
                                   "lines of `stream` with `victim pair_streams`, and only there"));
    }
    if (n_ranks == 0) {
        check_streams(plan, {}, mistakes);
        return mistakes;
    }
    if (plan.grouping == Grouping::listed && plan.roles.size() != static_cast<std::size_t>(n_ranks)) {
        mistakes.push_back(on_line(plan.lines.groups, std::to_string(plan.roles.size()) + " roles are listed for " +
                                                           std::to_string(n_ranks) + " ranks", "one role for each rank"));
        return mistakes;
    }
    const auto roles = give_roles(plan, n_ranks);
    const auto n_victims = ranks_of(roles, Role::victim).size();
    const auto n_aggressors = ranks_of(roles, Role::aggressor).size();
    check_streams(plan, roles, mistakes);
    if (n_victims < 2) {
        mistakes.push_back(on_line(plan.lines.groups, "the victim has " + std::to_string(n_victims) + " of " +
                                                           std::to_string(n_ranks) + " ranks", "at least 2", "start more ranks"));
    } else if (plan.victim == Shape::pairs && n_victims % 2 != 0) {
        mistakes.push_back(on_line(plan.lines.groups, std::to_string(n_victims) + " victims make no pairs", "an even number"));
    }
    if (plan.aggressor != Shape::none && n_aggressors < 2) {
        mistakes.push_back(on_line(plan.lines.groups, "the aggressor has " + std::to_string(n_aggressors) + " of " +
                                                           std::to_string(n_ranks) + " ranks", "at least 2", "start more ranks"));
    }
    if (mistakes.empty()) {
        check_messages(plan, n_victims, n_aggressors, mistakes);
    }
    return mistakes;
}

} // namespace field

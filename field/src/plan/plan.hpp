// The plan of a measurement.
//
// Models: plan format 1 (FORMATS.md): lines of a key and its values, in any order.
// Leaves out: scenarios; this program knows nothing of them.
// Invariants: a plan that was read whole obeys its format; what depends on the number of ranks is reported by `check_plan`.
// All mistakes are reported, not only the first.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace field {

// What a group of ranks does.
enum class Shape { none, ring_all_gather, all_to_all_linear, all_to_all_pairwise, ring_all_reduce, incast, pairs, pair_streams };

enum class Grouping { interleaved, contiguous, random, listed };
enum class Role { victim, aggressor, idle };
enum class BurstKind { steady, regular, exponential };

// One stretch of the measurement.
struct Segment {
    std::string name; // `baseline` or `congested`
    std::uint64_t warm_up = 0;
    std::uint64_t iterations = 0; // the most of them, where a precision ends the segment
    std::uint64_t precision_ppb = 0; // of the mean, in billionths; 0: all iterations are done
    std::uint64_t at_least = 0;

    bool is_congested() const { return name == "congested"; }
    std::uint64_t all() const { return warm_up + iterations; }
};

// Messages from one rank to another while time lasts.
struct Stream {
    int from = 0;
    int to = 0;
    std::int64_t start_ns = 0;
    std::int64_t stop_ns = 0;
    std::uint64_t bytes = 0;
};

struct Plan {
    std::string study = "-";
    std::uint64_t seed = 0;
    Grouping grouping = Grouping::interleaved;
    std::vector<Role> roles; // of `groups listed`
    Shape victim = Shape::none;
    bool is_latency = false;          // the victim takes one size after the other
    std::vector<std::uint64_t> sizes; // of the victim: one, unless it is a latency
    std::vector<Stream> streams;
    Shape aggressor = Shape::none;
    std::uint64_t aggressor_size = 0;
    bool is_per_peer = false;
    BurstKind burst = BurstKind::steady;
    std::int64_t burst_ns = 0;
    std::int64_t pause_ns = 0;
    std::vector<Segment> segments;
    std::int64_t deadline_ns = 0;
    std::int64_t grace_ns = 30'000'000'000;
    std::uint64_t room = 65'536; // rows of times in memory, of each rank

    // Line numbers, for mistakes found later.
    struct LineNumbers {
        std::size_t groups = 0, victim = 0, aggressor = 0, segment = 0;
        std::vector<std::size_t> streams;
    } lines;
};

// Something wrong with a plan.
struct Mistake {
    std::size_t line = 0; // from 1; 0 where something is missing
    std::size_t column = 0;
    std::size_t length = 0; // 0: the whole line
    std::string text;
    std::string expected; // what would be right there
    std::string hint;
};

// A plan as far as it could be read, and everything that is wrong with it.
struct Reading {
    Plan plan;
    std::vector<Mistake> mistakes;
};

// Reads a plan. `n_ranks` of 0: what depends on their number is not checked.
Reading read_plan(std::string_view text, int n_ranks);

// Mistakes that show only when the whole plan and the number of ranks are known.
std::vector<Mistake> check_plan(const Plan& plan, int n_ranks);

// A mistake as it is printed, with the line it concerns.
std::string formatted(const Mistake& mistake, const std::string& file, std::string_view text);

} // namespace field

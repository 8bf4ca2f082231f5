// The plan of a measurement.
//
// Models: plan format 1 (FORMATS.md): lines of a key and its values, in any order.
// Leaves out: scenarios, which this program does not use.
// Invariants: a plan that was read without mistakes obeys its format; mistakes that depend on the number of ranks are
// reported by `check_plan`. All mistakes are reported, not only the first.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace field {

// The communication pattern of a group of ranks.
enum class Shape { none, ring_all_gather, all_to_all_linear, all_to_all_pairwise, ring_all_reduce, incast, pairs, pair_streams };

enum class Grouping { interleaved, contiguous, random, listed };
enum class Role { victim, aggressor, idle };
enum class BurstKind { steady, regular, exponential };

// One segment of the measurement.
struct Segment {
    std::string name; // `baseline` or `congested`
    std::uint64_t warm_up = 0;
    std::uint64_t iterations = 0; // the largest number, if a precision ends the segment
    std::uint64_t precision_ppb = 0; // of the mean, in billionths; 0: all iterations are run
    std::uint64_t at_least = 0;

    bool is_congested() const { return name == "congested"; }
    std::uint64_t all() const { return warm_up + iterations; }
};

// Messages from one rank to another, for a span of time.
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
    bool is_latency = false;          // the victim runs one size after the other
    std::vector<std::uint64_t> sizes; // of the victim: one, unless it is a latency test
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

// An error in a plan.
struct Mistake {
    std::size_t line = 0; // from 1; 0 if something is missing
    std::size_t column = 0;
    std::size_t length = 0; // 0: the whole line
    std::string text;
    std::string expected; // what is expected there
    std::string hint;
};

// A plan as far as it could be read, and all its mistakes.
struct Reading {
    Plan plan;
    std::vector<Mistake> mistakes;
};

// Reads a plan. If `n_ranks` is 0, mistakes that depend on the number of ranks are not reported.
Reading read_plan(std::string_view text, int n_ranks);

// Mistakes that can be found only with the whole plan and the number of ranks.
std::vector<Mistake> check_plan(const Plan& plan, int n_ranks);

// The text of a mistake, with the line that it concerns.
std::string formatted(const Mistake& mistake, const std::string& file, std::string_view text);

} // namespace field

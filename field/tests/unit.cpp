// Tests of the code without MPI: plans, groups, patterns, bursts.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "aggressor/burst.hpp"
#include "clock.hpp"
#include "group.hpp"
#include "collective/pattern.hpp"
#include "plan/plan.hpp"
#include "plan/text.hpp"
#include "random.hpp"
#include "victim/precision.hpp"

using namespace field;

static int n_failed = 0;

#define EXPECT(what)                                                                                                   \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #what);                                    \
            ++n_failed;                                                                                                \
        }                                                                                                              \
    } while (false)

static const std::string head = "netloom-field plan 1\nstudy " + std::string(64, 'a') +
                                "\nseed 1\ngroups interleaved\nsize_of vector\nbursts steady\ndeadline_s 60\n";
static const std::string good = head + "victim ring_all_gather 1024\naggressor incast 1024\nsegment baseline 1 2\n";

// All messages about a plan; checks the number of mistakes.
static std::string all_reported(const std::string& text, int n_ranks, std::size_t n_expected) {
    const auto reading = read_plan(text, n_ranks);
    std::string all;
    for (const auto& mistake : reading.mistakes) {
        all += formatted(mistake, "plan.txt", text);
    }
    if (reading.mistakes.size() != n_expected) {
        std::fprintf(stderr, "%zu mistakes, not %zu:\n%s", reading.mistakes.size(), n_expected, all.c_str());
        ++n_failed;
    }
    return all;
}

static bool has(const std::string& text, const std::string& part) {
    if (text.find(part) == std::string::npos) {
        std::fprintf(stderr, "no `%s` in:\n%s", part.c_str(), text.c_str());
        return false;
    }
    return true;
}

static void numbers_are_read_exactly() {
    EXPECT(whole("18446744073709551615") == ~std::uint64_t{0});
    EXPECT(!whole("18446744073709551616") && !whole("-1") && !whole("+1") && !whole("") && !whole("1e3") && !whole("1 "));
    EXPECT(seconds("1.5") == 1'500'000'000 && seconds("0.000000001") == 1 && seconds("3") == 3'000'000'000);
    EXPECT(!seconds("1.") && !seconds("1.0000000001") && !seconds(".5") && !seconds("1.-5") && !seconds("99999999999"));
}

static void a_good_plan_is_read() {
    const auto reading = read_plan("# a comment\n\n" + good + "segment congested 3 4 # and another\r\nsegment baseline 1 1\n", 4);
    EXPECT(reading.mistakes.empty());
    EXPECT(reading.plan.victim == Shape::ring_all_gather && reading.plan.sizes.at(0) == 1024);
    EXPECT(reading.plan.segments.size() == 3 && reading.plan.segments[1].is_congested() && reading.plan.segments[1].all() == 7);
    EXPECT(reading.plan.grace_ns == 30'000'000'000);
}

static void all_mistakes_are_reported() {
    const auto text = all_reported("netloom-field plan 1\nstudy abc\nvictim ring_allgather 1024\naggressor incast 1KiB\nsegmnt x\n"
                               "seed 1 2\nseed 3\nbursts regular 5\n", 4, 11);
    EXPECT(has(text, "plan.txt:2:7: error: this is no digest"));
    EXPECT(has(text, "plan.txt:3:8: error: `ring_allgather` is no victim\n    victim ring_allgather 1024\n           ^^^^^^^^^^^^^^\n"));
    EXPECT(has(text, "hint: did you mean `ring_all_gather`?"));
    EXPECT(has(text, "plan.txt:4:18: error: `1KiB` is no whole number"));
    EXPECT(has(text, "hint: did you mean `segment`?"));
    EXPECT(has(text, "plan.txt:6:8: error: `2` is one word too many"));
    EXPECT(has(text, "plan.txt:7:1: error: `seed` occurs twice"));
    EXPECT(has(text, "error: `bursts` ends too early"));
    EXPECT(has(text, "plan.txt: error: `deadline_s` is missing"));
}

static void a_file_that_is_no_plan_is_reported() {
    EXPECT(has(all_reported("", 4, 1), "the plan is empty"));
    EXPECT(has(all_reported("hosts: 16\n", 4, 1), "this is no plan"));
    EXPECT(has(all_reported("netloom-field plan 2\n", 4, 1), "this is no plan"));
}

static void what_does_not_fit_the_ranks_is_reported() {
    EXPECT(has(all_reported(good, 3, 2), "the victim has 1 of 3 ranks"));
    const auto swapped = [](const std::string& from, const std::string& to) {
        auto text = good;
        return text.replace(text.find(from), from.size(), to);
    };
    EXPECT(has(all_reported(swapped("interleaved", "listed v v a"), 4, 1), "3 roles are listed for 4 ranks"));
    EXPECT(has(all_reported(swapped("incast 1024", "none") + "segment congested 0 1\nsegment baseline 0 1\n", 4, 1), "there is no aggressor"));
    EXPECT(has(all_reported(swapped("ring_all_gather 1024", "ring_all_reduce 1023"), 4, 1), "a multiple of 8"));
    EXPECT(has(all_reported(swapped("ring_all_gather 1024", "latency pairs 8 8"), 4, 1), "a size occurs twice"));
    EXPECT(has(all_reported(swapped("ring_all_gather 1024", "latency pairs 8"), 6, 1), "3 victims make no pairs"));
    EXPECT(has(all_reported(swapped("ring_all_gather 1024", "ring_all_gather 1099511627776"), 4, 1), "MPI counts in 32 bits"));
    EXPECT(has(all_reported(swapped("ring_all_gather 1024", "ring_all_gather 1099511627777"), 4, 1), "is too large"));
    EXPECT(has(all_reported(swapped("ring_all_gather 1024", "pair_streams"), 4, 2), "there are no streams"));
    EXPECT(has(all_reported(good + "stream 0 2 0 1 64\n", 4, 1), "this victim has no streams"));
    const auto streams = swapped("ring_all_gather 1024", "pair_streams");
    auto once = streams;
    once.replace(once.find("baseline 1 2"), 12, "baseline 0 1");
    all_reported(once + "stream 0 2 0.25 1 64\n", 4, 0);
    EXPECT(has(all_reported(once + "stream 0 1 2 1 64\n", 4, 2), "rank 1 is no victim"));
    EXPECT(has(all_reported(once + "stream 2 2 0 1 7\n", 4, 1), "`7` is too small"));
}

static void precision_and_baselines_are_read() {
    const auto segments = [](const std::string& lines) {
        return head + "victim ring_all_gather 1024\naggressor incast 1024\n" + lines;
    };
    const auto reading = read_plan(segments("segment baseline 5 precision 0.014 200 10000\n"), 4);
    EXPECT(reading.mistakes.empty());
    const auto& segment = reading.plan.segments.at(0);
    EXPECT(segment.precision_ppb == 14'000'000 && segment.at_least == 200 && segment.all() == 10'005);
    EXPECT(has(all_reported(segments("segment baseline 5 precision 2% 200 300\n"), 4, 1), "`2%` is no such number"));
    EXPECT(has(all_reported(segments("segment baseline 5 precision 0.1 200 100\n"), 4, 1), "`100` is too small"));
    EXPECT(has(all_reported(segments("segment baseline 5 precision 0.1 200\n"), 4, 1), "ends too early"));
    const std::string lacking = "a baseline before and after it";
    EXPECT(has(all_reported(segments("segment congested 0 1\n"), 4, 1), lacking));
    EXPECT(has(all_reported(segments("segment baseline 0 1\nsegment congested 0 1\n"), 4, 1), lacking));
    all_reported(segments("segment baseline 0 1\nsegment congested 0 1\nsegment baseline 0 1\n"), 4, 0);
}

// Compares with the formula, batch by batch, on random times; the mean is precise exactly when the formula says so.
static void a_mean_is_known_by_ten_batches() {
    Random random(9);
    MeanPrecision precision(1000);
    precision.begin(20'000'000, 50); // 2 %
    std::vector<double> times;
    for (bool is_known = false; !is_known && times.size() < 1000;) {
        times.push_back(static_cast<double>(1'000'000 + random.below(400'000)));
        is_known = precision.add(static_cast<std::int64_t>(times.back()));
        const auto n = times.size();
        if (n % 10 != 0) {
            EXPECT(!is_known);
            continue;
        }
        double means[10] = {}, mean = 0, squares = 0;
        for (std::size_t at = 0; at < n; ++at) {
            means[at / (n / 10)] += times[at] / static_cast<double>(n / 10);
            mean += times[at] / static_cast<double>(n);
        }
        for (const auto of_batch : means) {
            squares += (of_batch - mean) * (of_batch - mean);
        }
        const auto half = 2.262 * std::sqrt(squares / 90);
        EXPECT(std::abs(half - precision.half_interval_ns()) < 1e-6 * mean);
        EXPECT(is_known == (n >= 50 && half <= 0.02 * mean));
    }
    EXPECT(times.size() >= 50 && times.size() < 1000);
    precision.begin(1, 10);
    for (int i = 0; i < 9; ++i) {
        EXPECT(!precision.add(7));
    }
    EXPECT(precision.add(7) && precision.half_interval_ns() == 0);
}

static void groups_are_halves() {
    Plan plan;
    using Roles = std::vector<Role>;
    const auto v = Role::victim, a = Role::aggressor, idle = Role::idle;
    EXPECT((give_roles(plan, 5) == Roles{v, a, v, a, idle}));
    plan.grouping = Grouping::contiguous;
    EXPECT((give_roles(plan, 5) == Roles{v, v, a, a, idle}));
    plan.grouping = Grouping::random;
    plan.seed = 3;
    const auto sampled = give_roles(plan, 64);
    EXPECT(ranks_of(sampled, v).size() == 32 && ranks_of(sampled, a).size() == 32);
    EXPECT(sampled == give_roles(plan, 64));
    plan.seed = 4;
    EXPECT(sampled != give_roles(plan, 64));
}

static void parts_cover_the_vector() {
    for (const std::uint64_t size : {0, 1, 7, 8, 64, 1000}) {
        for (const std::uint64_t unit : {1, 8}) {
            const Parts parts{size / unit * unit, 3, unit};
            EXPECT(parts.begin(0) == 0 && parts.begin(1) == parts.length(0));
            EXPECT(parts.begin(2) + parts.length(2) == parts.size);
        }
    }
}

static void every_changed_byte_is_found() {
    Buffer buffer(1003);
    fill(buffer.at(1), 1001, pattern_key(5, 1, 2));
    std::optional<WrongBytes> wrong;
    check(buffer.at(1), 1001, pattern_key(5, 1, 2), 0, wrong);
    EXPECT(!wrong);
    for (std::uint64_t at = 0; at < 1001; ++at) {
        wrong.reset();
        *buffer.at(1 + at) ^= 16;
        check(buffer.at(1), 1001, pattern_key(5, 1, 2), 100, wrong);
        EXPECT(wrong && wrong->offset == 100 + at && wrong->n_bytes == 1 && (wrong->expected ^ wrong->found) == 16);
        *buffer.at(1 + at) ^= 16;
    }
    for (const auto key : {pattern_key(4, 1, 2), pattern_key(5, 2, 1), pattern_key(5, 1, 3)}) {
        wrong.reset();
        check(buffer.at(1), 1001, key, 0, wrong);
        EXPECT(wrong && wrong->n_bytes > 900);
    }
    wrong.reset();
    check(buffer.at(9), 993, pattern_key(5, 1, 2), 0, wrong); // shifted by a word
    EXPECT(wrong && wrong->n_bytes > 700);
}

static void bursts_have_their_means() {
    Plan plan;
    plan.burst = BurstKind::exponential;
    plan.burst_ns = 1000;
    plan.pause_ns = 3000;
    Bursts bursts(plan);
    double pauses = 0;
    double lengths = 0;
    for (int i = 0; i < 20'000; ++i) {
        bursts.begin(0);
        std::int64_t now = 0;
        std::int64_t pause = 0;
        while ((pause = bursts.pause_after_round(now)) == 0) {
            now += 10;
        }
        lengths += static_cast<double>(now);
        pauses += static_cast<double>(pause);
    }
    // Rounds of 10 ns: a burst is longer by half a round on average.
    EXPECT(lengths / 20'000 > 970 && lengths / 20'000 < 1040);
    EXPECT(pauses / 20'000 > 2900 && pauses / 20'000 < 3100);
    plan.burst = BurstKind::regular;
    Bursts regular(plan);
    regular.begin(50);
    EXPECT(regular.pause_after_round(1049) == 0 && regular.pause_after_round(1050) == 3000);
    plan.burst = BurstKind::steady;
    Bursts steady(plan);
    EXPECT(steady.pause_after_round(1'000'000'000'000) == 0);
}

static void the_clock_is_measured() {
    const auto clock = measure_clock();
    EXPECT(clock.step_ns >= 1 && clock.step_ns < 20'000'000 && clock.read_ns > 0);
    EXPECT(wall_time().size() == 24 && wall_time().back() == 'Z');
}

int main() {
    numbers_are_read_exactly();
    a_good_plan_is_read();
    all_mistakes_are_reported();
    a_file_that_is_no_plan_is_reported();
    what_does_not_fit_the_ranks_is_reported();
    precision_and_baselines_are_read();
    a_mean_is_known_by_ten_batches();
    groups_are_halves();
    parts_cover_the_vector();
    every_changed_byte_is_found();
    bursts_have_their_means();
    the_clock_is_measured();
    std::printf(n_failed == 0 ? "unit: ok\n" : "unit: %d expectations failed\n", n_failed);
    return n_failed == 0 ? 0 : 1;
}

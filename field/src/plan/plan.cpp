#include "plan/plan.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "plan/line.hpp"

namespace field {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;
constexpr std::uint64_t most_iterations = 100'000'000;
constexpr std::uint64_t most_room = 100'000'000;
constexpr std::uint64_t most_precise = 1'000'000; // their sums are kept in memory

const std::vector<std::pair<std::string, Shape>> victims = {
    {"ring_all_gather", Shape::ring_all_gather},
    {"all_to_all_linear", Shape::all_to_all_linear},
    {"all_to_all_pairwise", Shape::all_to_all_pairwise},
    {"ring_all_reduce", Shape::ring_all_reduce},
    {"pair_streams", Shape::pair_streams},
    {"latency", Shape::pairs},
};
const std::vector<std::pair<std::string, Shape>> latencies = {
    {"pairs", Shape::pairs},
    {"ring_all_gather", Shape::ring_all_gather},
    {"all_to_all_linear", Shape::all_to_all_linear},
    {"all_to_all_pairwise", Shape::all_to_all_pairwise},
    {"ring_all_reduce", Shape::ring_all_reduce},
};
const std::vector<std::pair<std::string, Shape>> aggressors = {
    {"none", Shape::none},
    {"all_to_all_linear", Shape::all_to_all_linear},
    {"all_to_all_pairwise", Shape::all_to_all_pairwise},
    {"incast", Shape::incast},
};
const std::vector<std::pair<std::string, Grouping>> groupings = {
    {"interleaved", Grouping::interleaved},
    {"contiguous", Grouping::contiguous},
    {"random", Grouping::random},
    {"listed", Grouping::listed},
};
const std::vector<std::pair<std::string, Role>> roles = {
    {"v", Role::victim}, {"a", Role::aggressor}, {"-", Role::idle}};
const std::vector<std::pair<std::string, BurstKind>> bursts = {
    {"steady", BurstKind::steady}, {"regular", BurstKind::regular}, {"exponential", BurstKind::exponential}};
const std::vector<std::pair<std::string, bool>> sizes_of = {{"vector", false}, {"per_peer", true}};
const std::vector<std::pair<std::string, bool>> segment_names = {{"baseline", false}, {"congested", true}};

void read_study(Line& line, Plan& plan) {
    const std::string expected = "64 hexadecimal digits";
    if (const auto* word = line.next(expected)) {
        const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
        if (word->text.size() != 64 || !std::all_of(word->text.begin(), word->text.end(), is_digit)) {
            line.mistake(*word, "this is no digest of a study", expected);
        }
        plan.study = word->text;
    }
}

void read_groups(Line& line, Plan& plan) {
    plan.lines.groups = line.number;
    const auto kind = line.choice(groupings, "grouping");
    plan.grouping = kind.value_or(Grouping::interleaved);
    if (kind == Grouping::listed) {
        while (line.has_more()) {
            plan.roles.push_back(line.choice(roles, "role").value_or(Role::idle));
        }
    } else if (!kind) {
        while (line.has_more()) {
            line.next("");
        }
    }
}

void read_victim(Line& line, Plan& plan) {
    plan.lines.victim = line.number;
    const auto begin = line.has_more();
    const auto shape = line.choice(victims, "victim");
    if (!begin || !shape) {
        while (line.has_more()) {
            line.next("");
        }
        return;
    }
    plan.victim = *shape;
    plan.is_latency = plan.victim == Shape::pairs;
    if (plan.is_latency) {
        plan.victim = line.choice(latencies, "latency").value_or(Shape::pairs);
        do {
            if (const auto size = line.count("a size in bytes", 1, most_bytes)) {
                plan.sizes.push_back(*size);
            }
        } while (line.has_more());
    } else if (plan.victim != Shape::pair_streams) {
        plan.sizes.push_back(line.count("a size in bytes", 1, most_bytes).value_or(8));
    }
}

void read_aggressor(Line& line, Plan& plan) {
    plan.lines.aggressor = line.number;
    const auto shape = line.choice(aggressors, "aggressor");
    if (!shape) {
        while (line.has_more()) {
            line.next("");
        }
        return;
    }
    plan.aggressor = *shape;
    if (plan.aggressor != Shape::none) {
        plan.aggressor_size = line.count("a size in bytes", 1, most_bytes).value_or(8);
    }
}

void read_bursts(Line& line, Plan& plan) {
    const auto kind = line.choice(bursts, "kind of burst");
    plan.burst = kind.value_or(BurstKind::steady);
    if (kind && *kind != BurstKind::steady) {
        const std::string mean = *kind == BurstKind::exponential ? "the mean " : "the ";
        const auto most = static_cast<std::uint64_t>(longest_ns);
        plan.burst_ns = static_cast<std::int64_t>(line.count(mean + "length in nanoseconds", 0, most).value_or(0));
        plan.pause_ns = static_cast<std::int64_t>(line.count(mean + "pause in nanoseconds", 0, most).value_or(0));
    }
}

void read_segment(Line& line, Plan& plan) {
    plan.lines.segment = line.number;
    Segment segment;
    const auto is_congested = line.choice(segment_names, "segment");
    segment.name = is_congested.value_or(false) ? "congested" : "baseline";
    segment.warm_up = line.count("warm-up iterations", 0, most_iterations).value_or(0);
    if (line.take("precision")) {
        segment.precision_ppb = line.fraction("half of the mean's 95 % interval over the mean").value_or(1);
        segment.at_least = line.count("the smallest number of measured iterations", 10, most_iterations).value_or(10);
        segment.iterations = line.count("the largest number of measured iterations", segment.at_least, most_precise).value_or(segment.at_least);
    } else {
        segment.iterations = line.count("measured iterations", 1, most_iterations).value_or(1);
    }
    plan.segments.push_back(segment);
}

void read_stream(Line& line, Plan& plan) {
    Stream stream;
    stream.from = static_cast<int>(line.count("the rank that sends", 0, 1'000'000).value_or(0));
    stream.to = static_cast<int>(line.count("the rank that receives", 0, 1'000'000).value_or(1));
    stream.start_ns = line.time("the start", 0).value_or(0);
    stream.stop_ns = line.time("the end", 1).value_or(stream.start_ns + 1);
    stream.bytes = line.count("the size of a message in bytes", 8, most_bytes).value_or(8);
    plan.streams.push_back(stream);
    plan.lines.streams.push_back(line.number);
}

struct Key {
    std::string name;
    bool is_repeated;
    bool is_needed;
    std::string form;
    std::function<void(Line&, Plan&)> read;
};

const std::vector<Key>& keys() {
    static const std::vector<Key> all = {
        {"study", false, false, "study DIGEST", read_study},
        {"seed", false, true, "seed NUMBER",
         [](Line& line, Plan& plan) { plan.seed = line.count("a seed", 0, ~std::uint64_t{0}).value_or(0); }},
        {"groups", false, true, "groups interleaved", read_groups},
        {"victim", false, true, "victim ring_all_gather BYTES", read_victim},
        {"aggressor", false, true, "aggressor incast BYTES", read_aggressor},
        {"size_of", false, true, "size_of vector",
         [](Line& line, Plan& plan) { plan.is_per_peer = line.choice(sizes_of, "size").value_or(false); }},
        {"bursts", false, true, "bursts steady", read_bursts},
        {"segment", true, true, "segment baseline WARM_UP ITERATIONS", read_segment},
        {"stream", true, false, "stream FROM TO START STOP BYTES", read_stream},
        {"deadline_s", false, true, "deadline_s SECONDS",
         [](Line& line, Plan& plan) { plan.deadline_ns = line.time("the deadline", 1).value_or(1); }},
        {"grace_s", false, false, "grace_s SECONDS",
         [](Line& line, Plan& plan) { plan.grace_ns = line.time("the grace", 1).value_or(plan.grace_ns); }},
        {"room", false, false, "room ROWS",
         [](Line& line, Plan& plan) { plan.room = line.count("rows of times in memory", 1, most_room).value_or(plan.room); }},
    };
    return all;
}

void read_line(Line& line, Reading& reading, std::map<std::string, std::size_t>& seen) {
    std::vector<std::string> names;
    for (const auto& key : keys()) {
        names.push_back(key.name);
        if (key.name != line.key().text) {
            continue;
        }
        const auto [first, is_new] = seen.emplace(key.name, line.number);
        if (!is_new && !key.is_repeated) {
            line.mistake(line.key(), "`" + key.name + "` occurs twice", "one line of it",
                         "the first one is line " + std::to_string(first->second));
            return;
        }
        key.read(line, reading.plan);
        line.end();
        return;
    }
    const auto near = meant(line.key().text, names);
    line.mistake(line.key(), "`" + line.key().text + "` is no key of a plan", listed(names),
                 near ? "did you mean `" + *near + "`?" : "");
}

} // namespace

Reading read_plan(std::string_view text, int n_ranks) {
    Reading reading;
    std::map<std::string, std::size_t> seen;
    bool has_head = false;
    std::size_t number = 0;
    while (!text.empty()) {
        const auto length = std::min(text.find('\n'), text.size());
        const auto found = words(text.substr(0, length));
        text.remove_prefix(std::min(length + 1, text.size()));
        ++number;
        if (found.empty()) {
            continue;
        }
        if (!has_head) {
            has_head = true;
            if (found.size() == 3 && found[0].text == "netloom-field" && found[1].text == "plan" && found[2].text == "1") {
                continue;
            }
            reading.mistakes.push_back({number, 0, 0, "this is no plan that this program reads", "`netloom-field plan 1`",
                                        "field/FORMATS.md documents plans"});
            return reading;
        }
        Line line(number, found, reading.mistakes);
        read_line(line, reading, seen);
    }
    if (!has_head) {
        reading.mistakes.push_back({0, 0, 0, "the plan is empty", "`netloom-field plan 1` and what follows", ""});
        return reading;
    }
    for (const auto& key : keys()) {
        if (key.is_needed && seen.count(key.name) == 0) {
            reading.mistakes.push_back({0, 0, 0, "`" + key.name + "` is missing", "a line such as `" + key.form + "`", ""});
        }
    }
    if (reading.mistakes.empty()) {
        reading.mistakes = check_plan(reading.plan, n_ranks);
    }
    return reading;
}

} // namespace field

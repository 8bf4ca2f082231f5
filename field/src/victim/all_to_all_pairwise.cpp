#include "victim/all_to_all_pairwise.hpp"

namespace field {

AllToAllPairwise::AllToAllPairwise(std::uint64_t size, const Group& in, const Waiting& how)
    : group(in), waiting(how), parts{size, static_cast<std::uint64_t>(in.n)}, goes(size),
      comes(own_length() * static_cast<std::uint64_t>(in.n)), posts(in, 2) {}

void AllToAllPairwise::prepare(std::uint64_t iteration) {
    for (int to = 0; to < group.n; ++to) {
        const auto part = static_cast<std::uint64_t>(to);
        fill(goes.at(parts.begin(part)), parts.length(part), pattern_key(iteration, group.rank, to));
    }
}

void AllToAllPairwise::run() {
    for (int step = 1; step < group.n; ++step) {
        const auto to = (group.rank + step) % group.n;
        const auto from = (group.rank + group.n - step) % group.n;
        const auto part = static_cast<std::uint64_t>(to);
        posts.receive(comes.at(static_cast<std::uint64_t>(from) * own_length()), own_length(), from);
        posts.send(goes.at(parts.begin(part)), parts.length(part), to);
        posts.wait(waiting);
    }
}

std::optional<Wrong> AllToAllPairwise::check(std::uint64_t iteration) {
    std::optional<Wrong> wrong;
    for (int from = 0; from < group.n; ++from) {
        if (from != group.rank) {
            const auto begin = static_cast<std::uint64_t>(from) * own_length();
            field::check(comes.at(begin), own_length(), pattern_key(iteration, from, group.rank), begin, wrong);
        }
    }
    return wrong;
}

} // namespace field

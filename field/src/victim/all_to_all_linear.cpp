#include "victim/all_to_all_linear.hpp"

namespace field {

AllToAllLinear::AllToAllLinear(std::uint64_t size, const Group& in, const Waiting& how)
    : group(in), waiting(how), parts{size, static_cast<std::uint64_t>(in.n)}, goes(size),
      comes(own_length() * static_cast<std::uint64_t>(in.n)), posts(in, 2 * static_cast<std::size_t>(in.n)) {}

void AllToAllLinear::prepare(std::uint64_t iteration) {
    for (int to = 0; to < group.n; ++to) {
        const auto part = static_cast<std::uint64_t>(to);
        fill(goes.at(parts.begin(part)), parts.length(part), pattern_key(iteration, group.rank, to));
    }
}

void AllToAllLinear::run() {
    for (int peer = 0; peer < group.n; ++peer) {
        if (peer == group.rank) {
            continue;
        }
        const auto part = static_cast<std::uint64_t>(peer);
        posts.receive(comes.at(part * own_length()), own_length(), peer);
        posts.send(goes.at(parts.begin(part)), parts.length(part), peer);
    }
    posts.wait(waiting);
}

std::optional<Wrong> AllToAllLinear::check(std::uint64_t iteration) {
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

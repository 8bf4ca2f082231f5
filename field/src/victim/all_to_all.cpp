#include "victim/all_to_all.hpp"

namespace field {

AllToAll::AllToAll(Exchange order, std::uint64_t size, const Group& in, const Waiting& how)
    : exchange(order), group(in), waiting(how), parts{size, static_cast<std::uint64_t>(in.n)}, outgoing(size),
      incoming(own_length() * static_cast<std::uint64_t>(in.n)),
      posts(in, order == Exchange::linear ? 2 * static_cast<std::size_t>(in.n) : 2) {}

void AllToAll::prepare(std::uint64_t iteration) {
    for (int to = 0; to < group.n; ++to) {
        const auto part = static_cast<std::uint64_t>(to);
        fill(outgoing.at(parts.begin(part)), parts.length(part), pattern_key(iteration, group.rank, to));
    }
}

void AllToAll::receive_from(int peer) {
    posts.receive(incoming.at(static_cast<std::uint64_t>(peer) * own_length()), own_length(), peer);
}

void AllToAll::send_to(int peer) {
    const auto part = static_cast<std::uint64_t>(peer);
    posts.send(outgoing.at(parts.begin(part)), parts.length(part), peer);
}

void AllToAll::run_linear() {
    for (int peer = 0; peer < group.n; ++peer) {
        if (peer != group.rank) {
            receive_from(peer);
            send_to(peer);
        }
    }
    posts.wait(waiting);
}

void AllToAll::run_pairwise() {
    for (int step = 1; step < group.n; ++step) {
        receive_from((group.rank + group.n - step) % group.n);
        send_to((group.rank + step) % group.n);
        posts.wait(waiting);
    }
}

void AllToAll::run() {
    if (exchange == Exchange::linear) {
        run_linear();
    } else {
        run_pairwise();
    }
}

std::optional<WrongBytes> AllToAll::check(std::uint64_t iteration) {
    std::optional<WrongBytes> wrong;
    for (int from = 0; from < group.n; ++from) {
        if (from != group.rank) {
            const auto begin = static_cast<std::uint64_t>(from) * own_length();
            field::check(incoming.at(begin), own_length(), pattern_key(iteration, from, group.rank), begin, wrong);
        }
    }
    return wrong;
}

} // namespace field

#include "aggressor/incast.hpp"

namespace field {

Incast::Incast(std::uint64_t bytes, const Group& in, const Waiting& how)
    : group(in), waiting(how), size(bytes), buffer(in.rank == 0 ? bytes * static_cast<std::uint64_t>(in.n - 1) : bytes),
      posts(in, static_cast<std::size_t>(in.n)) {}

void Incast::prepare(std::uint64_t iteration) {
    if (group.rank != 0) {
        fill(buffer.at(0), size, pattern_key(iteration, group.rank, 0));
    }
}

void Incast::run() {
    if (group.rank == 0) {
        for (int from = 1; from < group.n; ++from) {
            posts.receive(buffer.at(static_cast<std::uint64_t>(from - 1) * size), size, from);
        }
    } else {
        posts.send(buffer.at(0), size, 0);
    }
    posts.wait(waiting);
}

std::optional<WrongBytes> Incast::check(std::uint64_t iteration) {
    std::optional<WrongBytes> wrong;
    for (int from = 1; group.rank == 0 && from < group.n; ++from) {
        const auto begin = static_cast<std::uint64_t>(from - 1) * size;
        field::check(buffer.at(begin), size, pattern_key(iteration, from, 0), begin, wrong);
    }
    return wrong;
}

} // namespace field

#include "victim/ring_all_reduce.hpp"

#include "clock.hpp"

namespace field {

RingAllReduce::RingAllReduce(std::uint64_t size, const Group& in, const Waiting& how)
    : group(in), waiting(how), parts{size, static_cast<std::uint64_t>(in.n), 8}, vector(size), arrived(parts.length(0)),
      posts(in, 2) {}

void RingAllReduce::prepare(std::uint64_t iteration) {
    fill(vector.at(0), vector.size(), pattern_key(iteration, group.rank, -1));
}

void RingAllReduce::exchange(std::uint64_t goes, unsigned char* into, std::uint64_t comes) {
    posts.receive(into, parts.length(comes), (group.rank + group.n - 1) % group.n);
    posts.send(vector.at(parts.begin(goes)), parts.length(goes), (group.rank + 1) % group.n);
    posts.wait(waiting);
}

void RingAllReduce::add(std::uint64_t part) {
    // Both buffers begin at a page and parts are whole words, so these pointers are aligned.
    auto* sum = reinterpret_cast<std::uint64_t*>(vector.at(parts.begin(part)));
    const auto* more = reinterpret_cast<const std::uint64_t*>(arrived.at(0));
    const auto n_words = parts.length(part) / 8;
    for (std::uint64_t word = 0; word < n_words; ++word) {
        sum[word] += more[word];
    }
}

void RingAllReduce::run() {
    const auto n = group.n;
    const auto part = [&](int steps_back) { return static_cast<std::uint64_t>((group.rank + 2 * n - steps_back) % n); };
    reduced_ns = 0;
    for (int step = 0; step + 1 < n; ++step) {
        exchange(part(step), arrived.at(0), part(step + 1));
        const auto begin = now_ns();
        add(part(step + 1));
        reduced_ns += now_ns() - begin;
    }
    // Now this rank has the complete sum of the part after its own.
    for (int step = 0; step + 1 < n; ++step) {
        const auto comes = part(step);
        exchange(part(step - 1), vector.at(parts.begin(comes)), comes);
    }
}

std::optional<WrongBytes> RingAllReduce::check(std::uint64_t iteration) {
    std::uint64_t key = 0;
    for (int rank = 0; rank < group.n; ++rank) {
        key += pattern_key(iteration, rank, -1);
    }
    std::optional<WrongBytes> wrong;
    const auto step = static_cast<std::uint64_t>(group.n) * pattern_step;
    field::check(vector.at(0), vector.size(), key, 0, wrong, step);
    return wrong;
}

} // namespace field

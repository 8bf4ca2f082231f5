#include "victim/ring_all_gather.hpp"

namespace field {

RingAllGather::RingAllGather(std::uint64_t size, const Group& in, const Waiting& how)
    : group(in), waiting(how), parts{size, static_cast<std::uint64_t>(in.n)}, vector(size), posts(in, 2) {}

void RingAllGather::prepare(std::uint64_t iteration) {
    const auto own = static_cast<std::uint64_t>(group.rank);
    fill(vector.at(parts.begin(own)), parts.length(own), pattern_key(iteration, group.rank, -1));
}

void RingAllGather::run() {
    const auto next = (group.rank + 1) % group.n;
    const auto before = (group.rank + group.n - 1) % group.n;
    for (int step = 0; step + 1 < group.n; ++step) {
        const auto goes = static_cast<std::uint64_t>((group.rank + group.n - step) % group.n);
        const auto comes = static_cast<std::uint64_t>((group.rank + 2 * group.n - step - 1) % group.n);
        posts.receive(vector.at(parts.begin(comes)), parts.length(comes), before);
        posts.send(vector.at(parts.begin(goes)), parts.length(goes), next);
        posts.wait(waiting);
    }
}

std::optional<WrongBytes> RingAllGather::check(std::uint64_t iteration) {
    std::optional<WrongBytes> wrong;
    for (int rank = 0; rank < group.n; ++rank) {
        const auto part = static_cast<std::uint64_t>(rank);
        const auto begin = parts.begin(part);
        field::check(vector.at(begin), parts.length(part), pattern_key(iteration, rank, -1), begin, wrong);
    }
    return wrong;
}

} // namespace field

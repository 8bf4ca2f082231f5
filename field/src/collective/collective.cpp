#include "collective/collective.hpp"

#include <stdexcept>

#include "aggressor/incast.hpp"
#include "victim/all_to_all.hpp"
#include "victim/ping_pong.hpp"
#include "victim/ring_all_gather.hpp"
#include "victim/ring_all_reduce.hpp"

namespace field {

std::uint64_t bytes_needed(Shape shape, std::uint64_t size, bool is_per_peer, const Group& group) {
    const auto n = static_cast<std::uint64_t>(group.n);
    switch (shape) {
    case Shape::ring_all_gather:
        return size;
    case Shape::all_to_all_linear:
    case Shape::all_to_all_pairwise:
        return 2 * (is_per_peer ? size * n : size + n);
    case Shape::ring_all_reduce:
        return size + Parts{size, n, 8}.length(0);
    case Shape::incast:
        return group.rank == 0 ? size * (n - 1) : size;
    case Shape::pairs:
        return 2 * size;
    default:
        return 0;
    }
}

std::unique_ptr<Collective> make_collective(Shape shape, std::uint64_t size, bool is_per_peer, const Group& group,
                                            const Waiting& waiting) {
    const auto vector_size = is_per_peer ? size * static_cast<std::uint64_t>(group.n) : size; // of an all-to-all
    switch (shape) {
    case Shape::ring_all_gather:
        return std::make_unique<RingAllGather>(size, group, waiting);
    case Shape::all_to_all_linear:
        return std::make_unique<AllToAll>(Exchange::linear, vector_size, group, waiting);
    case Shape::all_to_all_pairwise:
        return std::make_unique<AllToAll>(Exchange::pairwise, vector_size, group, waiting);
    case Shape::ring_all_reduce:
        return std::make_unique<RingAllReduce>(size, group, waiting);
    case Shape::incast:
        return std::make_unique<Incast>(size, group, waiting);
    case Shape::pairs:
        return std::make_unique<PingPong>(size, group, waiting);
    default:
        throw std::logic_error("an unknown collective");
    }
}

} // namespace field

#include "victim/ping_pong.hpp"

namespace field {

PingPong::PingPong(std::uint64_t size, const Group& in, const Waiting& how)
    : group(in), waiting(how), partner((in.rank + in.n / 2) % in.n), outgoing(size), incoming(size) {}

void PingPong::prepare(std::uint64_t iteration) {
    fill(outgoing.at(0), outgoing.size(), pattern_key(iteration, group.rank, partner));
}

void PingPong::there_and_back(int size) {
    MPI_Request receive;
    MPI_Request send;
    MPI_Irecv(incoming.at(0), size, MPI_BYTE, partner, 0, group.comm, &receive);
    if (!is_first()) {
        waiting.one(receive);
    }
    MPI_Isend(outgoing.at(0), size, MPI_BYTE, partner, 0, group.comm, &send);
    waiting.one(send);
    if (is_first()) {
        waiting.one(receive);
    }
}

void PingPong::meet() { there_and_back(0); }

void PingPong::run() { there_and_back(static_cast<int>(outgoing.size())); }

std::optional<WrongBytes> PingPong::check(std::uint64_t iteration) {
    std::optional<WrongBytes> wrong;
    field::check(incoming.at(0), incoming.size(), pattern_key(iteration, partner, group.rank), 0, wrong);
    return wrong;
}

} // namespace field

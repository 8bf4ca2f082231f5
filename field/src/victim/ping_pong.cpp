#include "victim/ping_pong.hpp"

namespace field {

PingPong::PingPong(std::uint64_t size, const Group& in, const Waiting& how)
    : group(in), waiting(how), partner((in.rank + in.n / 2) % in.n), goes(size), comes(size) {}

void PingPong::prepare(std::uint64_t iteration) {
    fill(goes.at(0), goes.size(), pattern_key(iteration, group.rank, partner));
}

void PingPong::there_and_back(int size) {
    MPI_Request receive;
    MPI_Request send;
    MPI_Irecv(comes.at(0), size, MPI_BYTE, partner, 0, group.comm, &receive);
    if (!is_first()) {
        waiting.one(receive);
    }
    MPI_Isend(goes.at(0), size, MPI_BYTE, partner, 0, group.comm, &send);
    waiting.one(send);
    if (is_first()) {
        waiting.one(receive);
    }
}

void PingPong::meet() { there_and_back(0); }

void PingPong::run() { there_and_back(static_cast<int>(goes.size())); }

std::optional<Wrong> PingPong::check(std::uint64_t iteration) {
    std::optional<Wrong> wrong;
    field::check(comes.at(0), comes.size(), pattern_key(iteration, partner, group.rank), 0, wrong);
    return wrong;
}

} // namespace field

// Idea: every rank has a part for every other one. Linear: it posts all receives and sends at once. Pairwise: it
// exchanges
// parts with one partner in each step.
// Source: the linear algorithm and the pairwise exchange of MPI libraries; the linear one is the pattern of published
// measurements of interference.
// Parameters: bytes of the whole vector, including the rank's own part; the order of the exchange.
// Invariants: a rank's own part is not copied. Linear: every rank posts rank 0 first, then 1, 2 and so on (`posting:
// same`
// in netloom), skips itself, and waits once. Pairwise: n - 1 steps; in step k a rank sends to the rank k positions
// after it
// and receives from the one k positions before it, and waits for both before the next step.
// When it misleads: the linear one begins as an incast that moves from rank to rank; nothing keeps the ranks of the
// pairwise one in the same step, so a late rank has two senders at a time.
#pragma once

#include "collective/collective.hpp"

namespace field {

enum class Exchange { linear, pairwise };

class AllToAll : public Collective {
public:
    AllToAll(Exchange exchange, std::uint64_t size, const Group& in, const Waiting& how);
    void prepare(std::uint64_t iteration) override;
    void run() override;
    std::optional<WrongBytes> check(std::uint64_t iteration) override;

private:
    void run_linear();
    void run_pairwise();
    void receive_from(int peer);
    void send_to(int peer);
    // Receive buffer for the parts of all other ranks.
    std::uint64_t own_length() const { return parts.length(static_cast<std::uint64_t>(group.rank)); }

    const Exchange exchange;
    Group group;
    const Waiting& waiting;
    Parts parts;
    Buffer outgoing;
    Buffer incoming;
    Posts posts;
};

} // namespace field

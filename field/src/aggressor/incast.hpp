// Idea: all ranks of a group send to its first one at the same time.
// Source: the k-to-1 pattern of storage and of parameter servers.
// Parameters: bytes of one sender's message.
// Invariants: the root posts all its receives before it waits; every sender's message has a buffer of its own.
// When it misleads: small messages are sent before the root has posted their receives, so senders run ahead of it.
#pragma once

#include "collective/collective.hpp"

namespace field {

class Incast : public Collective {
public:
    Incast(std::uint64_t size, const Group& in, const Waiting& how);
    void prepare(std::uint64_t iteration) override;
    void run() override;
    std::optional<WrongBytes> check(std::uint64_t iteration) override;

private:
    Group group;
    const Waiting& waiting;
    std::uint64_t size;
    Buffer buffer;
    Posts posts;
};

} // namespace field

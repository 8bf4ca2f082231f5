// Random numbers that are equal on every machine.
//
// Models: SplitMix64 (Steele, Lea, Flood 2014).
// Leaves out: cryptography; and the library's distributions, whose numbers differ between libraries.
// Invariants: equal seeds give equal sequences.
#pragma once

#include <cstddef>
#include <cstdint>

namespace field {

// One step of SplitMix64: every bit of the output depends on every bit of the input.
inline std::uint64_t mixed(std::uint64_t z) {
    z += 0x9e37'79b9'7f4a'7c15;
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
    return z ^ (z >> 31);
}

class Random {
public:
    explicit Random(std::uint64_t seed) : state(seed) {}

    std::uint64_t next() {
        const auto number = mixed(state);
        state += 0x9e37'79b9'7f4a'7c15;
        return number;
    }

    // From 0 to `limit` - 1; the bias of the remainder is below 2^-40 for realistic numbers of ranks.
    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }

    // More than 0, at most 1.
    double unit() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

private:
    std::uint64_t state;
};

} // namespace field

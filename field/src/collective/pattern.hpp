// The pattern of sent data, by which received data is checked.
//
// Models: 64-bit words that begin at a key and grow by a step; the key depends on iteration, sender and receiver, the
// word on its offset.
// Leaves out: errors that are not visible to the program.
// Invariants: data of an earlier iteration, another rank or another offset differs from the expected data. Sums of such
// words over ranks have the same form, so a reduction is checked without repeating it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace field {

constexpr std::uint64_t pattern_step = 0x9e37'79b9'7f4a'7c15;

// The first word that `from` sends to `to` in an iteration.
std::uint64_t pattern_key(std::uint64_t iteration, int from, int to);

// Memory of whole pages, touched when it is allocated.
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::uint64_t size);

    unsigned char* at(std::uint64_t offset) { return bytes.get() + offset; }
    std::uint64_t size() const { return length; }

private:
    struct Free {
        void operator()(unsigned char* memory) const;
    };
    std::unique_ptr<unsigned char, Free> bytes;
    std::uint64_t length = 0;
};

void fill(unsigned char* memory, std::uint64_t size, std::uint64_t key, std::uint64_t step = pattern_step);

// A byte that differs from the expected one.
struct WrongBytes {
    std::uint64_t offset = 0; // of the first wrong byte
    unsigned expected = 0;
    unsigned found = 0;
    std::uint64_t n_bytes = 0;
};

// Adds errors to `wrong`; `base` is added to offsets.
void check(const unsigned char* memory, std::uint64_t size, std::uint64_t key, std::uint64_t base,
           std::optional<WrongBytes>& wrong, std::uint64_t step = pattern_step);

// A vector divided into one part for each rank: the first S mod n of them have one unit more.
struct Parts {
    std::uint64_t size;
    std::uint64_t n;
    std::uint64_t unit = 1;

    std::uint64_t units() const { return size / unit; }
    std::uint64_t length(std::uint64_t part) const { return unit * (units() / n + (part < units() % n ? 1 : 0)); }
    std::uint64_t begin(std::uint64_t part) const {
        const auto longer = units() % n;
        return unit * (part * (units() / n) + (part < longer ? part : longer));
    }
};

} // namespace field

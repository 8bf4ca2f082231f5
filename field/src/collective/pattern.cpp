#include "collective/pattern.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "random.hpp"

namespace field {

std::uint64_t pattern_key(std::uint64_t iteration, int from, int to) {
    const auto ranks = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(static_cast<std::uint32_t>(to));
    return mixed(mixed(iteration) ^ ranks);
}

void Buffer::Free::operator()(unsigned char* memory) const { std::free(memory); }

Buffer::Buffer(std::uint64_t size) : length(size) {
    constexpr std::uint64_t page = 4096;
    const auto whole_pages = (size + page) / page * page;
    bytes.reset(static_cast<unsigned char*>(std::aligned_alloc(page, whole_pages)));
    if (!bytes) {
        throw std::bad_alloc();
    }
    std::memset(bytes.get(), 0x5a, whole_pages);
}

void fill(unsigned char* memory, std::uint64_t size, std::uint64_t key, std::uint64_t step) {
    auto word = key;
    std::uint64_t at = 0;
    for (; at + 8 <= size; at += 8) {
        std::memcpy(memory + at, &word, 8);
        word += step;
    }
    std::memcpy(memory + at, &word, size - at);
}

// Compares byte by byte, once an error is known.
static void record_wrong_bytes(const unsigned char* memory, std::uint64_t size, std::uint64_t key, std::uint64_t base,
                        std::optional<WrongBytes>& wrong, std::uint64_t step) {
    for (std::uint64_t at = 0; at < size; ++at) {
        const auto word = key + at / 8 * step;
        unsigned char bytes[8];
        std::memcpy(bytes, &word, 8);
        const auto expected = bytes[at % 8];
        if (memory[at] == expected) {
            continue;
        }
        if (!wrong) {
            wrong = WrongBytes{base + at, expected, memory[at], 0};
        }
        ++wrong->n_bytes;
    }
}

void check(const unsigned char* memory, std::uint64_t size, std::uint64_t key, std::uint64_t base,
           std::optional<WrongBytes>& wrong, std::uint64_t step) {
    auto word = key;
    std::uint64_t difference = 0;
    std::uint64_t at = 0;
    for (; at + 8 <= size; at += 8) {
        std::uint64_t found;
        std::memcpy(&found, memory + at, 8);
        difference |= found ^ word;
        word += step;
    }
    if (difference != 0 || std::memcmp(memory + at, &word, size - at) != 0) {
        record_wrong_bytes(memory, size, key, base, wrong, step);
    }
}

} // namespace field

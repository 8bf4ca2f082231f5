// Wrong received data that a rank found.
//
// Models: a row for each check that found wrong data, up to a limit; the others are counted.
// Leaves out: files; rank 0 collects the rows at the end.
// Invariants: adding a row allocates nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/pattern.hpp"

namespace field {

class WrongData {
public:
    // Segment, iteration, offset, expected, found, number of wrong bytes.
    static constexpr std::size_t width = 6;
    static constexpr std::size_t room = 1000;

    WrongData() { rows.reserve(width * room); }

    void add(std::size_t segment, std::uint64_t iteration, const WrongBytes& wrong) {
        if (++n_found <= room) {
            rows.insert(rows.end(), {static_cast<std::int64_t>(segment), static_cast<std::int64_t>(iteration),
                                     static_cast<std::int64_t>(wrong.offset), wrong.expected, wrong.found,
                                     static_cast<std::int64_t>(wrong.n_bytes)});
        }
    }

    std::uint64_t found() const { return n_found; }
    const std::vector<std::int64_t>& kept() const { return rows; }

private:
    std::vector<std::int64_t> rows;
    std::uint64_t n_found = 0;
};

} // namespace field

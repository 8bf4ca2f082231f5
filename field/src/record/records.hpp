// What a rank remembers of a segment until it is gathered.
//
// Models: numbers in rows of equal width, in memory made before anything is timed.
// Leaves out: files.
// Invariants: adding a row allocates nothing; rows beyond what was made room for are counted, not kept.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace field {

class Rows {
public:
    Rows(std::uint64_t row_width, std::uint64_t most_rows) : width(row_width), numbers(row_width * most_rows) {}

    void add(std::initializer_list<std::int64_t> row) {
        if ((n_added + 1) * width <= numbers.size()) {
            auto* into = numbers.data() + n_added * width;
            for (const auto number : row) {
                *into++ = number;
            }
        }
        ++n_added;
    }
    void clear() { n_added = 0; }
    // Only the first `n` rows remain.
    void cut(std::uint64_t n) { n_added = n; }

    std::uint64_t added() const { return n_added; }
    std::uint64_t kept() const { return n_added * width <= numbers.size() ? n_added : numbers.size() / width; }
    // The numbers of all rows kept, one after the other.
    std::vector<std::int64_t> taken() const {
        return {numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(kept() * width)};
    }

private:
    std::uint64_t width;
    std::vector<std::int64_t> numbers;
    std::uint64_t n_added = 0;
};

// Columns of the rows: iterations and rounds have start, end and time in the reduction, by the rank's own clock.
constexpr std::uint64_t times_width = 3;
// Stream, start, end, bytes.
constexpr std::uint64_t streams_width = 4;
// Segment, iteration, offset, expected, found, wrong bytes.
constexpr std::uint64_t wrong_width = 6;
constexpr std::uint64_t wrong_kept = 1000;

} // namespace field

// Words of a line, numbers, and suggestions for misspelt words.
//
// Models: lines of words separated by blanks; `#` begins a comment.
// Leaves out: quotes and escapes.
// Invariants: a number out of range is not a number; nothing is rounded or truncated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace field {

// A word and its position in the line, from 0.
struct Word {
    std::string text;
    std::size_t column;
};

// The words of a line before its comment.
std::vector<Word> words(std::string_view line);

// A whole number, decimal, without sign.
std::optional<std::uint64_t> whole(std::string_view text);

// Seconds with at most nine decimals, as nanoseconds.
std::optional<std::int64_t> seconds(std::string_view text);

// The word of `known` that was probably intended, or nothing.
std::optional<std::string> meant(std::string_view text, const std::vector<std::string>& known);

// `a`, `b` or `c`.
std::string listed(const std::vector<std::string>& known);

} // namespace field

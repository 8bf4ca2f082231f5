#include "plan/text.hpp"

#include <algorithm>
#include <charconv>

namespace field {

std::vector<Word> words(std::string_view line) {
    const auto end = std::min(line.find('#'), line.size());
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    std::vector<Word> found;
    for (std::size_t at = 0; at < end;) {
        if (is_blank(line[at])) {
            ++at;
            continue;
        }
        const auto begin = at;
        while (at < end && !is_blank(line[at])) {
            ++at;
        }
        found.push_back({std::string(line.substr(begin, at - begin)), begin});
    }
    return found;
}

std::optional<std::uint64_t> whole(std::string_view text) {
    std::uint64_t number = 0;
    const auto end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end) {
        return std::nullopt;
    }
    return number;
}

std::optional<std::int64_t> seconds(std::string_view text) {
    const auto point = std::min(text.find('.'), text.size());
    const auto before = whole(text.substr(0, point));
    std::string after(point < text.size() ? text.substr(point + 1) : "0");
    if (!before || *before > 1'000'000'000 || after.empty() || after.size() > 9) {
        return std::nullopt;
    }
    after.resize(9, '0');
    const auto nanoseconds = whole(after);
    if (!nanoseconds) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(*before * 1'000'000'000 + *nanoseconds);
}

// The edit distance: number of letters to insert, delete or change.
static std::size_t distance(std::string_view one, std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= one.size(); ++i) {
        auto diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j < row.size(); ++j) {
            const auto change = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
        }
    }
    return row.back();
}

std::optional<std::string> meant(std::string_view text, const std::vector<std::string>& known) {
    std::optional<std::string> best;
    auto least = 1 + text.size() / 3;
    for (const auto& word : known) {
        if (const auto away = distance(text, word); away <= least && (!best || away < least)) {
            best = word;
            least = away;
        }
    }
    return best;
}

std::string listed(const std::vector<std::string>& known) {
    std::string all;
    for (std::size_t i = 0; i < known.size(); ++i) {
        all += i == 0 ? "" : i + 1 == known.size() ? " or " : ", ";
        all += "`" + known[i] + "`";
    }
    return all;
}

} // namespace field

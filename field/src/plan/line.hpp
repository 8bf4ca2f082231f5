// One line of a plan, whose words are read one after the other.
//
// Models: choices, numbers, times and fractions; an invalid word becomes a mistake with its position.
// Leaves out: the meaning of the words.
// Invariants: a word is read once; a line that ends too early is reported once.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.hpp"
#include "plan/text.hpp"

namespace field {

constexpr std::int64_t longest_ns = 30 * 86'400 * std::int64_t{1'000'000'000};

class Line {
public:
    Line(std::size_t line, std::vector<Word> its_words, std::vector<Mistake>& all_mistakes)
        : number(line), words(std::move(its_words)), mistakes(all_mistakes) {}

    const std::size_t number;

    const Word& key() const { return words.front(); }
    bool has_more() const { return at < words.size(); }

    void mistake(const Word& word, std::string text, std::string expected, std::string hint = "") {
        mistakes.push_back({number, word.column, word.text.size(), std::move(text), std::move(expected), std::move(hint)});
    }

    const Word* next(const std::string& what) {
        if (has_more()) {
            return &words[at++];
        }
        if (!was_short) {
            mistakes.push_back({number, 0, 0, "`" + key().text + "` ends too early", what, ""});
        }
        was_short = true;
        return nullptr;
    }

    template <class T>
    std::optional<T> choice(const std::vector<std::pair<std::string, T>>& known, const std::string& what) {
        std::vector<std::string> names;
        for (const auto& [name, value] : known) {
            names.push_back(name);
        }
        const auto* word = next(what + ": " + listed(names));
        if (word == nullptr) {
            return std::nullopt;
        }
        for (const auto& [name, value] : known) {
            if (name == word->text) {
                return value;
            }
        }
        const auto near = meant(word->text, names);
        mistake(*word, "`" + word->text + "` is no " + what, listed(names), near ? "did you mean `" + *near + "`?" : "");
        return std::nullopt;
    }

    std::optional<std::uint64_t> count(const std::string& what, std::uint64_t least, std::uint64_t most) {
        const auto expected = what + ", a whole number from " + std::to_string(least) + " to " + std::to_string(most);
        const auto* word = next(expected);
        if (word == nullptr) {
            return std::nullopt;
        }
        const auto number_read = whole(word->text);
        if (!number_read) {
            mistake(*word, "`" + word->text + "` is no whole number that this program can hold", expected,
                    "units are not written here: bytes and nanoseconds are plain numbers");
            return std::nullopt;
        }
        if (*number_read < least || *number_read > most) {
            mistake(*word, "`" + word->text + "` is too " + (*number_read < least ? "small" : "large"), expected);
            return std::nullopt;
        }
        return number_read;
    }

    std::optional<std::int64_t> time(const std::string& what, std::int64_t least) {
        const auto expected = what + ", seconds with at most nine decimals, at most 30 days";
        const auto* word = next(expected);
        if (word == nullptr) {
            return std::nullopt;
        }
        const auto nanoseconds = seconds(word->text);
        if (!nanoseconds || *nanoseconds > longest_ns || *nanoseconds < least) {
            mistake(*word, "`" + word->text + "` is no such time", expected, least > 0 ? "it must be more than 0" : "");
            return std::nullopt;
        }
        return nanoseconds;
    }

    // A number between 0 and 1, in billionths.
    std::optional<std::uint64_t> fraction(const std::string& what) {
        const auto expected = what + ", more than 0 and at most 1, with at most nine decimals";
        const auto* word = next(expected);
        if (word == nullptr) {
            return std::nullopt;
        }
        const auto billionths = seconds(word->text);
        if (!billionths || *billionths <= 0 || *billionths > 1'000'000'000) {
            mistake(*word, "`" + word->text + "` is no such number", expected, "2 % is 0.02");
            return std::nullopt;
        }
        return static_cast<std::uint64_t>(*billionths);
    }

    // Whether the next word is this one; if so, it is read.
    bool take(const char* word) {
        const auto is_next = has_more() && words[at].text == word;
        at += is_next ? 1 : 0;
        return is_next;
    }

    void end() {
        if (has_more() && !was_short) {
            mistake(words[at], "`" + words[at].text + "` is one word too many", "the end of the line");
        }
    }

private:
    std::vector<Word> words;
    std::vector<Mistake>& mistakes;
    std::size_t at = 1;
    bool was_short = false;
};

} // namespace field

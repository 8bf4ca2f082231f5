#include "plan/plan.hpp"

#include <algorithm>

namespace field {

std::string formatted(const Mistake& mistake, const std::string& file, std::string_view text) {
    auto all = file;
    if (mistake.line > 0) {
        all += ":" + std::to_string(mistake.line) + ":" + std::to_string(mistake.column + 1);
    }
    all += ": error: " + mistake.text + "\n";
    if (mistake.line > 0) {
        for (std::size_t number = 1; number < mistake.line; ++number) {
            text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
        }
        const auto line = text.substr(0, text.find('\n'));
        const auto length = mistake.length > 0 ? mistake.length : std::max<std::size_t>(line.size(), 1);
        all += "    " + std::string(line) + "\n    " + std::string(mistake.column, ' ') + std::string(length, '^') + "\n";
    }
    all += mistake.expected.empty() ? "" : "    expected: " + mistake.expected + "\n";
    all += mistake.hint.empty() ? "" : "    hint: " + mistake.hint + "\n";
    return all;
}

} // namespace field

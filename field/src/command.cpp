#include "command.hpp"

#include "plan/text.hpp"

namespace field {

Command read_command(const std::vector<std::string>& words) {
    Command command;
    for (const auto& word : words) {
        command.words += command.words.empty() ? word : " " + word;
    }
    for (std::size_t at = 0; at < words.size(); ++at) {
        const auto& word = words[at];
        if (word == "--version") {
            command.asks_version = true;
            return command;
        }
        if (word == "--out" && at + 1 < words.size()) {
            command.out = words[++at];
            while (command.out.size() > 1 && command.out.back() == '/') {
                command.out.pop_back();
            }
        } else if (word == "--check" && at + 1 < words.size()) {
            const auto n = whole(words[++at]);
            command.check = n && *n > 0 && *n <= 1'000'000 ? static_cast<int>(*n) : 0;
            command.mistake = command.check == 0 ? "`--check` needs a number of ranks" : "";
        } else if (word.rfind("--", 0) == 0 || !command.plan.empty()) {
            command.mistake = "`" + word + "` was not expected";
        } else {
            command.plan = word;
        }
    }
    if (command.mistake.empty() && (command.plan.empty() || command.out.empty() == (command.check == 0))) {
        command.mistake = "a plan, and one of `--out` and `--check`, are needed";
    }
    return command;
}

} // namespace field

// Ends the program where it cannot end itself.
//
// Models: a thread of its own that looks at the clock and at the parent process.
// Leaves out: which rank is to blame; a rank that waits for another one cannot know.
// Invariants: calls no MPI. A program whose time is over, or whose launcher has died, ends with a message and status 4; the
// launcher then ends the other ranks, and if it does not, their own watchdogs do.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace field {

class Watchdog {
public:
    // `over` says what is over after `last_ns`; `on_end` is called before the program ends, with the reason.
    Watchdog(std::int64_t last_ns, const char* over, int rank, std::function<void(const std::string&)> on_end);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // What the program is doing, for the message. The text must live on.
    static void doing(const char* what);

private:
    void watch(std::int64_t last_ns, const char* over, int rank);
    [[noreturn]] void end(int rank, const std::string& reason);

    std::function<void(const std::string&)> on_end;
    std::atomic<bool> is_over{false};
    std::thread thread;
};

} // namespace field

// Ends the program where it cannot end itself.
//
// Models: a thread of its own that watches the clock, the parent process and the other ranks of this host.
// Leaves out: which rank is to blame where all of them live; a rank that waits for another one cannot know.
// Invariants: calls no MPI. A program whose time is over, whose launcher has died, or which has lost a rank of its host
// ends with a message and status 4; the launcher then ends the other ranks, and if it does not, their own watchdogs do.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "peers.hpp"

namespace field {

class Watchdog {
public:
    struct Limits {
        std::int64_t last_ns;
        std::string over; // what is over after `last_ns`
        int status = 4; // of a program that is ended
    };
    // Before the program ends, with the reason.
    using OnEnd = std::function<void(const std::string&)>;
    // Whether the results are written, so that ranks may end.
    using IsWritten = std::function<bool()>;

    explicit Watchdog(Limits limits, OnEnd on_end = {}, Peers* peers = nullptr, IsWritten is_written = {});
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

private:
    void watch();
    void wait();
    void lose(const std::string& who);
    [[noreturn]] void end(const std::string& reason);

    const Limits limits;
    const OnEnd on_end;
    Peers* peers;
    const IsWritten is_written;
    const int wake; // readable when it is over, so that no end waits for the next look of the thread
    std::atomic<bool> is_over{false};
    std::thread thread;
};

} // namespace field

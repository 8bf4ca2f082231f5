// Ends the program if it cannot end by itself.
//
// Models: a separate thread that watches the clock, the parent process and the other ranks of this host.
// Leaves out: which rank is the cause if all of them are alive; a rank that waits for another one cannot determine
// that.
// Invariants: calls no MPI. If its time limit is over, its launcher has died, or a rank of its host has died, the
// program
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
        std::string over; // the limit that is over after `last_ns`, in words
        int status = 4; // exit status of a program that is ended
    };
    // Called before the program ends, with the reason.
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
    const int wake; // readable when the watchdog is no longer needed, so that the thread ends at once
    std::atomic<bool> is_over{false};
    std::thread thread;
};

} // namespace field

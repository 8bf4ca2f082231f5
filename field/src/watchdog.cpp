#include "watchdog.hpp"

#include <unistd.h>

#include <cstdio>

#include "clock.hpp"
#include "waiting.hpp"

namespace field {

static std::atomic<const char*> current{"it starts"};

void Watchdog::doing(const char* what) { current.store(what, std::memory_order_relaxed); }

Watchdog::Watchdog(Limits with, OnEnd at_end, Peers* watched, OnDeath at_death)
    : limits(std::move(with)), on_end(std::move(at_end)), peers(watched), on_death(std::move(at_death)),
      thread([this] { watch(); }) {}

Watchdog::~Watchdog() {
    is_over.store(true);
    thread.join();
}

void Watchdog::watch() {
    // The first rank speaks first; the others follow where that ended nothing.
    const auto own_last_ns = limits.last_ns + (limits.rank <= 0 ? 0 : 2'000'000'000);
    const auto parent = getppid();
    while (!is_over.load()) {
        wait();
        if (getppid() != parent) {
            end("the process that started it has died", false);
        }
        if (now_ns() >= own_last_ns) {
            end(limits.over + ", and the program could not end by itself", false);
        }
    }
}

void Watchdog::wait() {
    constexpr int longest_ms = 100;
    if (peers == nullptr) {
        sleep_ns(longest_ms * 1'000'000);
    } else if (const auto who = peers->wait(longest_ms); !who.empty()) {
        lose(who);
    }
}

void Watchdog::lose(const std::string& who) {
    const auto reason = who + " has died";
    const auto report = on_death(reason);
    if (report == Report::over) {
        peers = nullptr;
        return;
    }
    if (report == Report::mine) {
        std::fprintf(stderr, "netloom-field: error: %s, while %s\n", reason.c_str(), current.load(std::memory_order_relaxed));
        std::fflush(stderr);
    }
    sleep_ns(2'000'000'000); // the launcher ends the job, as a rule
    end(reason, true);
}

void Watchdog::end(const std::string& reason, bool is_reported) {
    const auto whole = reason + ", while " + current.load(std::memory_order_relaxed);
    if (!is_reported) {
        const auto who = limits.rank < 0 ? "" : "rank " + std::to_string(limits.rank) + ": ";
        std::fprintf(stderr, "netloom-field: %s%s\n", who.c_str(), whole.c_str());
        std::fflush(stderr);
    }
    if (on_end) {
        on_end(whole);
    }
    _exit(limits.status);
}

} // namespace field

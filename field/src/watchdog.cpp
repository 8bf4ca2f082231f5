#include "watchdog.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdio>

#include "clock.hpp"
#include "rank_state.hpp"
#include "waiting.hpp"

namespace field {

Watchdog::Watchdog(Limits with, OnEnd at_end, Peers* watched, IsWritten look)
    : limits(std::move(with)), on_end(std::move(at_end)), peers(watched), is_written(std::move(look)),
      wake(eventfd(0, EFD_CLOEXEC)), thread([this] { watch(); }) {}

Watchdog::~Watchdog() {
    is_over.store(true);
    eventfd_write(wake, 1);
    thread.join();
    close(wake);
}

void Watchdog::watch() {
    // The first rank reports first; the others follow if that did not end the job.
    const auto own_last_ns = limits.last_ns + (rank_state().rank.load() <= 0 ? 0 : 2'000'000'000);
    while (!is_over.load()) {
        wait();
        if (getppid() != rank_state().parent.load()) {
            end("the process that started it has died");
        }
        if (now_ns() >= own_last_ns) {
            end(limits.over + ", and the program could not end by itself");
        }
    }
}

void Watchdog::wait() {
    constexpr int longest_ms = 100;
    if (peers == nullptr) {
        pollfd until{wake, POLLIN, 0};
        poll(&until, 1, longest_ms);
    } else if (const auto who = peers->wait(longest_ms, wake); !who.empty()) {
        lose(who);
    }
}

void Watchdog::lose(const std::string& who) {
    if (is_written()) {
        peers = nullptr;
        return;
    }
    sleep_ns(5'000'000'000); // its witness reports the death, and launchers usually end a job within three seconds
    end("it cannot go on, because " + who + " has died");
}

void Watchdog::end(const std::string& reason) {
    auto& state = rank_state();
    const auto whole = reason + ", while " + state.activity.load();
    const auto rank = state.rank.load();
    std::fprintf(stderr, "netloom-field: %s%s\n", rank < 0 ? "" : ("rank " + std::to_string(rank) + ": ").c_str(), whole.c_str());
    std::fflush(stderr);
    if (on_end) {
        on_end(whole);
    }
    state.ends_on_purpose.store(true);
    _exit(limits.status);
}

} // namespace field

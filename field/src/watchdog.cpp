#include "watchdog.hpp"

#include <unistd.h>

#include <cstdio>

#include "clock.hpp"
#include "waiting.hpp"

namespace field {

static std::atomic<const char*> current{"beginning"};

void Watchdog::doing(const char* what) { current.store(what, std::memory_order_relaxed); }

Watchdog::Watchdog(std::int64_t last_ns, const char* over, int rank, std::function<void(const std::string&)> before_end)
    : on_end(std::move(before_end)), thread([this, last_ns, over, rank] { watch(last_ns, over, rank); }) {}

Watchdog::~Watchdog() {
    is_over.store(true);
    thread.join();
}

void Watchdog::watch(std::int64_t last_ns, const char* over, int rank) {
    // The first rank speaks first; the others follow where that ended nothing.
    const auto own_last_ns = last_ns + (rank == 0 ? 0 : 2'000'000'000);
    const auto parent = getppid();
    while (!is_over.load()) {
        sleep_ns(100'000'000);
        if (getppid() != parent) {
            end(rank, "the process that started it has died");
        }
        if (now_ns() >= own_last_ns) {
            end(rank, std::string(over) + ", and it could not end by itself");
        }
    }
}

void Watchdog::end(int rank, const std::string& reason) {
    const auto whole = reason + ", while " + current.load(std::memory_order_relaxed);
    std::fprintf(stderr, "netloom-field: rank %d: %s\n    hint: a rank may have died, or an iteration may take longer than `grace_s`\n",
                 rank, whole.c_str());
    std::fflush(stderr);
    on_end(whole);
    _exit(4);
}

} // namespace field

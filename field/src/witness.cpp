#include "witness.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>

#include "host.hpp"
#include "rank_state.hpp"

// For a test: the time for which the witness sleeps before it reports.
#ifndef NETLOOM_FIELD_REPORT_AFTER_S
#define NETLOOM_FIELD_REPORT_AFTER_S 0
#endif

namespace field {

// Before MPI has started, the rank is known only from environment variables of launchers.
static int rank_of_launcher() {
    for (const auto* name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
        if (const auto* value = std::getenv(name); value != nullptr && *value != '\0') {
            return std::atoi(value);
        }
    }
    return -1;
}

static std::string description(pid_t pid, int status) {
    const auto& state = rank_state();
    const auto rank = state.rank.load() >= 0 ? state.rank.load() : rank_of_launcher();
    auto text = (rank >= 0 ? "rank " + std::to_string(rank) : std::string("a rank")) + " (pid " + std::to_string(pid) +
                ", host " + host_name() + ") has died";
    if (WIFSIGNALED(status)) {
        const auto signal = WTERMSIG(status);
        text += " of signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
    } else {
        text += ": it ended with status " + std::to_string(WEXITSTATUS(status));
    }
    return text + ", while " + state.activity.load();
}

// Whether this death is the first one in the job, and so the cause of the others: the first one creates the file.
static bool is_first_death(const std::string& text) {
    const auto& state = rank_state();
    if (!state.has_folder.load()) {
        return true;
    }
    const auto file = open((std::string(state.folder) + "/died.txt").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) {
        return errno != EEXIST;
    }
    const auto line = text + "\n";
    [[maybe_unused]] const auto n_written = write(file, line.data(), line.size());
    close(file);
    return true;
}

static void report(pid_t pid, int status) {
    if (rank_state().ends_on_purpose.load()) {
        return;
    }
    sleep(NETLOOM_FIELD_REPORT_AFTER_S);
    const auto text = description(pid, status);
    if (is_first_death(text)) {
        // One write, so that reports of several hosts do not mix.
        const auto line = "netloom-field: error: " + text + "\n";
        [[maybe_unused]] const auto n_written = write(STDERR_FILENO, line.data(), line.size());
    }
}

// Ends such that the launcher sees the same as without a witness.
[[noreturn]] static void end_likewise(int status) {
    if (WIFSIGNALED(status)) {
        const rlimit no_core{0, 0}; // the core dump of the rank is sufficient
        setrlimit(RLIMIT_CORE, &no_core);
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 4);
}

// `of_child` is blocked, so that a child that ends between a check and a sleep ends the sleep.
[[noreturn]] static void watch(pid_t rank, pid_t launcher, const sigset_t& of_child) {
    for (;;) {
        int status = 0;
        if (waitpid(rank, &status, WNOHANG) == rank) {
            report(rank, status);
            end_likewise(status);
        }
        if (getppid() != launcher) {
            _exit(4); // the rank's watchdog detects that, and ends with a message
        }
        const timespec second{1, 0};
        sigtimedwait(&of_child, nullptr, &second);
    }
}

void begin_as_rank() {
    auto& state = rank_state();
    const auto launcher = getppid();
    state.parent.store(getpid());
    signal(SIGCHLD, SIG_DFL); // if the parent had set it to be ignored, there would be no status
    sigset_t of_child;
    sigset_t before;
    sigemptyset(&of_child);
    sigaddset(&of_child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &of_child, &before);
    const auto rank = fork();
    if (rank > 0) {
        watch(rank, launcher, of_child);
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    if (rank < 0) {
        std::fprintf(stderr, "netloom-field: error: a process for a rank cannot be started: %s\n", std::strerror(errno));
        std::exit(2);
    }
}

} // namespace field

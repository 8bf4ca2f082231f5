#include "victim/pair_streams.hpp"

#include <algorithm>
#include <cstring>

namespace field {

// Number of intervals until the watchdog would have ended the program.
static std::uint64_t n_stretches(const Plan& plan) {
    return static_cast<std::uint64_t>((plan.deadline_ns + plan.grace_ns) / stretch_ns + 1);
}

std::uint64_t PairStreams::bytes_needed(const Plan& plan, int rank) {
    std::uint64_t bytes = 0;
    for (const auto& stream : plan.streams) {
        if (stream.from == rank || stream.to == rank) {
            bytes += window * stream.bytes + (stream.to == rank ? n_stretches(plan) * 5 * sizeof(std::int64_t) : 0);
        }
    }
    return bytes;
}

PairStreams::PairStreams(const Job& in) : job(in) {
    // A communicator of all victims, so that ranks need not be translated for each message.
    MPI_Comm_dup(job.group.comm, &comm);
    for (std::size_t number = 0; number < job.plan.streams.size(); ++number) {
        const auto& stream = job.plan.streams[number];
        if (job.rank != stream.from && job.rank != stream.to) {
            continue;
        }
        StreamEnd end{number, stream, job.rank == stream.from, Buffer(window * stream.bytes), {}, 0, 0, false, {}, {}};
        const auto in_group = [&](int rank) {
            return static_cast<int>(std::lower_bound(job.victims.begin(), job.victims.end(), rank) - job.victims.begin());
        };
        end.stream.from = in_group(stream.from);
        end.stream.to = in_group(stream.to);
        end.requests.assign(window, MPI_REQUEST_NULL);
        end.bytes.resize(end.is_sender ? 0 : n_stretches(job.plan));
        ends.push_back(std::move(end));
    }
}

PairStreams::~PairStreams() { MPI_Comm_free(&comm); }

static std::uint64_t key_of(std::size_t number) { return pattern_key(number, -2, -2); }

void PairStreams::post(StreamEnd& end) {
    MPI_Irecv(end.slot(), static_cast<int>(end.stream.bytes), MPI_BYTE, end.stream.from, static_cast<int>(end.number), comm,
              &end.requests[end.next % window]);
}

void PairStreams::begin(StreamEnd& end) {
    end.next = 0;
    end.n_last = 0;
    end.is_stopping = false;
    end.wrong.reset();
    std::fill(end.bytes.begin(), end.bytes.end(), 0);
    for (std::size_t at = 0; at < window; ++at) {
        if (end.is_sender) {
            fill(end.slot(at), end.stream.bytes, key_of(end.number));
        } else {
            std::memset(end.slot(at), 0, end.stream.bytes);
            end.next = at;
            post(end);
        }
    }
    end.next = 0;
}

bool PairStreams::send(StreamEnd& end, std::int64_t since) {
    end.is_stopping = end.is_stopping || since >= end.stream.stop_ns || job.is_late();
    if (since < end.stream.start_ns && !end.is_stopping) {
        return false;
    }
    std::memcpy(end.slot(), &end.next, sizeof end.next);
    MPI_Isend(end.slot(), end.is_stopping ? 0 : static_cast<int>(end.stream.bytes), MPI_BYTE, end.stream.to,
              static_cast<int>(end.number), comm, &end.requests[end.next % window]);
    end.n_last += end.is_stopping ? 1 : 0;
    ++end.next;
    return true;
}

bool PairStreams::receive(StreamEnd& end, int n_bytes, std::int64_t since) {
    if (n_bytes == 0) {
        ++end.n_last;
        ++end.next;
        return true;
    }
    std::uint64_t number;
    std::memcpy(&number, end.slot(), sizeof number);
    if (number != end.next || static_cast<std::uint64_t>(n_bytes) != end.stream.bytes) {
        end.wrong = end.wrong ? end.wrong : WrongBytes{0, static_cast<unsigned>(end.next & 255), static_cast<unsigned>(number & 255), 0};
        ++end.wrong->n_bytes;
    }
    const auto stretch = static_cast<std::size_t>(since / stretch_ns);
    end.bytes[std::min(stretch, end.bytes.size() - 1)] += n_bytes;
    post(end);
    ++end.next;
    return true;
}

// Checks only the message at the head: messages match in order, and a reposted receive comes after all others.
bool PairStreams::advance(StreamEnd& end) {
    int is_done = 0;
    MPI_Status status;
    MPI_Test(&end.requests[end.next % window], &is_done, &status);
    if (is_done == 0) {
        return false;
    }
    const auto since = now_ns() - start;
    if (end.is_sender) {
        return send(end, since);
    }
    int n_bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &n_bytes);
    return receive(end, n_bytes, since);
}

void PairStreams::finish(StreamEnd& end) {
    if (end.is_sender) {
        job.waiting.all(end.requests, window);
        return;
    }
    // Slots without a message were never written.
    const auto n_messages = end.next - window;
    for (std::size_t at = 0; at < std::min<std::uint64_t>(n_messages, window); ++at) {
        constexpr std::uint64_t number = sizeof(std::uint64_t);
        check(end.slot(at) + number, end.stream.bytes - number, key_of(end.number) + pattern_step, number, end.wrong);
    }
}

void PairStreams::run(std::size_t segment, Times& times, WrongData& wrong) {
    times.make_room();
    for (auto& end : ends) {
        begin(end);
    }
    job.waiting.barrier(job.group.comm);
    start = now_ns();
    std::uint64_t n_idle = 0;
    for (bool is_over = false; !is_over;) {
        is_over = true;
        bool has_moved = false;
        for (auto& end : ends) {
            if (!end.is_over()) {
                has_moved = advance(end) || has_moved;
                is_over = false;
            }
        }
        n_idle = has_moved ? 0 : n_idle + 1;
        if (n_idle > 0) {
            job.waiting.between_tests(n_idle);
        }
    }
    for (auto& end : ends) {
        finish(end);
    }
    times.add(segment, 0, 0, job.since(start), job.since(now_ns()), 0);
    for (const auto& end : ends) {
        if (end.wrong) {
            wrong.add(segment, end.number, *end.wrong);
        }
    }
}

void PairStreams::write(std::size_t segment, RowFile& file) const {
    for (const auto& end : ends) {
        const auto is_full = [](std::int64_t bytes) { return bytes > 0; };
        const auto last = std::find_if(end.bytes.rbegin(), end.bytes.rend(), is_full).base() - end.bytes.begin();
        for (std::ptrdiff_t stretch = end.stream.start_ns / stretch_ns; stretch < last; ++stretch) {
            if (file.is_full()) {
                file.flush();
            }
            const auto from = job.since(start) + stretch * stretch_ns;
            file.add({static_cast<std::int64_t>(segment), static_cast<std::int64_t>(end.number), from, from + stretch_ns,
                      end.bytes[static_cast<std::size_t>(stretch)]});
        }
    }
    file.flush();
}

} // namespace field

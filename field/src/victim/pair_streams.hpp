// Idea: some ranks send messages to others, each pair from its own start to its own stop.
// Source: staged flows between pairs of hosts, as in measurements of fairness and of congestion trees.
// Parameters: lines `stream` of the plan.
// Invariants: a stream keeps `window` messages in flight. The last messages are empty and end it, so that a receiver
// never
// waits for a message that is not sent. Each message carries its number, which is checked on arrival; the other data of
// the
// last messages is checked at the end.
// When it misleads: bytes count when a whole message has arrived, so rates over intervals shorter than a message
// fluctuate.
#pragma once

#include <memory>
#include <vector>

#include "job.hpp"
#include "record/times.hpp"
#include "record/wrong_data.hpp"

namespace field {

class PairStreams {
public:
    static std::uint64_t bytes_needed(const Plan& plan, int rank);

    explicit PairStreams(const Job& in);
    ~PairStreams();

    // Runs all streams once, each until its stop or the deadline.
    void run(std::size_t segment, Times& times, WrongData& wrong);
    // After a segment: the bytes that arrived here in each interval, as rows of `segment,stream,start_ns,end_ns,bytes`.
    void write(std::size_t segment, RowFile& file) const;

private:
    static constexpr std::size_t window = 4;

    // One end of a stream.
    struct StreamEnd {
        std::size_t number;
        Stream stream;
        bool is_sender;
        Buffer buffers;
        std::vector<MPI_Request> requests;
        std::uint64_t next = 0;   // number of the message in the slot at the head
        std::size_t n_last = 0;   // number of empty messages so far
        bool is_stopping = false; // at a sender
        std::vector<std::int64_t> bytes; // at a receiver, of each interval
        std::optional<WrongBytes> wrong;

        unsigned char* slot() { return slot(next % window); }
        unsigned char* slot(std::size_t at) { return buffers.at(at * stream.bytes); }
        bool is_over() const { return n_last == window; }
    };

    void begin(StreamEnd& end);
    bool advance(StreamEnd& end);
    bool send(StreamEnd& end, std::int64_t since);
    bool receive(StreamEnd& end, int n_bytes, std::int64_t since);
    void post(StreamEnd& end);
    void finish(StreamEnd& end);

    const Job& job;
    MPI_Comm comm;
    std::vector<StreamEnd> ends;
    std::int64_t start = 0;
};

} // namespace field

// A file of rows that one rank writes.
//
// Models: whole numbers in rows of equal width, kept in memory of a stated size, and written where that is full.
// Leaves out: what the numbers mean.
// Invariants: adding a row allocates and writes nothing; only `flush` and `close` write. The last line of a file that is
// whole says how many rows it has, so a file without that line is not whole.
#pragma once

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace field {

class RowFile {
public:
    // `head` is the first line, `columns` the second.
    RowFile(std::string path, std::string head, std::string columns, std::size_t width, std::uint64_t room);

    // Creates the file: empty, or why it cannot be.
    std::string open();
    // The caller flushes a full file first.
    void add(std::initializer_list<std::int64_t> row);
    bool is_full() const { return n_held == room; }
    // Writes what is held. Throws where it cannot.
    void flush();
    // Writes the rest and the last line.
    void close();

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    void refuse() const;

    const std::string path;
    const std::string head;
    const std::string columns;
    const std::size_t width;
    const std::uint64_t room;
    std::vector<std::int64_t> numbers;
    std::uint64_t n_held = 0;
    std::uint64_t n_written = 0;
    std::unique_ptr<std::FILE, Close> file;
};

} // namespace field

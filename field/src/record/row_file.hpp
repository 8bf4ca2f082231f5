// A file of rows that one rank writes.
//
// Models: whole numbers in rows of equal width, kept in memory of a given size, and written when that is full.
// Leaves out: the meaning of the numbers.
// Invariants: adding a row allocates and writes nothing; only `flush` and `close` write. The last line of a complete
// file
// has its number of rows, so a file without that line is incomplete.
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

    // Creates the file; returns the reason if that is impossible, otherwise an empty string.
    std::string open();
    // The caller must flush a full file first.
    void add(std::initializer_list<std::int64_t> row);
    bool is_full() const { return n_held == room; }
    // Writes the rows in memory. Throws if that is impossible.
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

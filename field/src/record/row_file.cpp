#include "record/row_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <stdexcept>

namespace field {

// Fills the memory with zeros, so that it is touched before anything is timed.
RowFile::RowFile(std::string at, std::string first, std::string second, std::size_t row_width, std::uint64_t rows)
    : path(std::move(at)), head(std::move(first)), columns(std::move(second)), width(row_width), room(rows),
      numbers(row_width * rows) {}

std::string RowFile::open() {
    file.reset(std::fopen(path.c_str(), "wx"));
    if (!file || std::fprintf(file.get(), "%s\n%s\n", head.c_str(), columns.c_str()) < 0 || std::fflush(file.get()) != 0) {
        return "`" + path + "` cannot be written: " + std::strerror(errno);
    }
    return "";
}

void RowFile::add(std::initializer_list<std::int64_t> row) {
    std::copy(row.begin(), row.end(), numbers.begin() + static_cast<std::ptrdiff_t>(n_held * width));
    ++n_held;
}

void RowFile::refuse() const { throw std::runtime_error("`" + path + "` cannot be written: " + std::strerror(errno)); }

void RowFile::flush() {
    for (std::uint64_t at = 0; at < n_held * width; ++at) {
        const char after = (at + 1) % width == 0 ? '\n' : ',';
        if (std::fprintf(file.get(), "%" PRId64 "%c", numbers[at], after) < 0) {
            refuse();
        }
    }
    if (std::fflush(file.get()) != 0) {
        refuse();
    }
    n_written += n_held;
    n_held = 0;
}

void RowFile::close() {
    flush();
    if (std::fprintf(file.get(), "end %" PRIu64 "\n", n_written) < 0 || std::fclose(file.release()) != 0) {
        refuse();
    }
}

} // namespace field

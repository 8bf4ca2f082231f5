#include "shared_input.hpp"

#include <mpi.h>

#include <fstream>
#include <iostream>
#include <iterator>

#include "waiting.hpp"

namespace field {

File read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const auto is_open = file.is_open();
    std::string text{std::istreambuf_iterator<char>(file), {}};
    return {is_open && !file.bad(), std::move(text)};
}

// Sends a text of rank 0 to all ranks.
static std::string shared_text(const std::string& of_first, int rank) {
    auto length = static_cast<std::int64_t>(of_first.size());
    Waiting::broadcast_asleep(&length, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    auto text = of_first;
    text.resize(static_cast<std::size_t>(length));
    if (length > 0) {
        Waiting::broadcast_asleep(text.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    return rank == 0 ? of_first : text;
}

bool same_command(const Command& command, int rank, int n) {
    const auto of_first = shared_text(command.words, rank);
    int first = of_first == command.words ? n : rank;
    Waiting::reduction_asleep(&first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == rank) {
        std::cerr << "netloom-field: error: rank " << rank << " was given `" << command.words << "`, rank 0 `" << of_first
                  << "`\n    expected: the same arguments for all ranks\n";
    }
    return first == n;
}

File shared_file(const std::string& path, int rank) {
    File file;
    if (rank == 0) {
        file = read_file(path);
    }
    int is_there = file.is_there ? 1 : 0;
    Waiting::broadcast_asleep(&is_there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    file.is_there = is_there != 0;
    file.text = shared_text(file.text, rank);
    return file;
}

} // namespace field

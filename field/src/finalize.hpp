// The end of MPI.
#pragma once

namespace field {

// Collective. Ends MPI, with a time limit: results are written before, and MPI_Finalize may wait for ever (see
// docs/concepts/field.md). After the limit the program ends with `status`.
void end_mpi(int n, int status, int longest_s);

} // namespace field

// The end of MPI.
#pragma once

namespace field {

// Collective. Ends MPI, with a bound: what was measured is written before, and MPI_Finalize may wait for ever (see
// docs/concepts/field.md). Where the bound is over, the program ends with `status`.
void end_mpi(int n, int status, int longest_s);

} // namespace field

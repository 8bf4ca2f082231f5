// The process that reports how a rank died.
//
// Models: the process that the launcher starts is the witness; the rank is its child. The witness waits for it, reports an
// end that the rank did not announce, and ends in the same manner.
// Why this way round: a launcher that loses a process kills the others at once, and whoever watches from beside it (the
// other ranks, or a child of the rank) may be killed, or may see several dead, before it is scheduled. Here the launcher
// waits for the witness, as it does for a script around an MPI program, and the witness also holds the descriptors that the
// launcher watches (MPICH's PMI socket, the standard output). So it learns of a death only after it was reported, however
// busy the machine is. The witness also sees the signal, and needs no second name for the process it watches.
// Leaves out: a witness that is itself killed. Its rank then ends like one whose launcher has died.
// Invariants: nothing of MPI, no thread; sleeps but for one look per second at its own parent; ends when its rank or its
// launcher has ended, so it cannot outlive a job.
#pragma once

namespace field {

// Forks. Returns in the rank only; call it before MPI starts and before there are threads.
void begin_as_rank();

} // namespace field

// The process that reports how a rank died.
//
// Models: the process that the launcher starts is the witness; the rank is its child. The witness waits for it, reports
// an
// end that the rank did not announce, and ends in the same manner.
// Why the rank is the child: a launcher that loses a process kills the others at once, so a process beside the rank
// (another
// rank, or a child of the rank) may be killed, or may find several ranks dead, before it is scheduled. With this order
// the
// launcher waits for the witness, as it does for a script around an MPI program, and the witness also holds the
// descriptors
// that the launcher watches (MPICH's PMI socket, the standard output). So the launcher detects a death only after it
// was
// reported, however busy the machine is. The witness also sees the signal, and identifies the process without a PID.
// Leaves out: a witness that is itself killed. Its rank then ends like one whose launcher has died.
// Invariants: no MPI, no threads; sleeps except for one check per second of its own parent; ends when its rank or its
// launcher has ended, so it cannot outlive a job.
#pragma once

namespace field {

// Forks. Returns only in the rank; to be called before MPI starts and before there are threads.
void begin_as_rank();

} // namespace field

// A transport whose ranks are MPI processes. Its library is kogge::mpi; this header needs no mpi.h.
#pragma once

#include <cstddef>
#include <memory>

#include "kogge/distributed/communicator.hpp"

namespace kogge {

namespace detail {
/// `comm` points to an MPI_Comm.
std::unique_ptr<communicator> communicator_over_mpi(const void* comm, std::size_t bytes,
                                                    const communicator_options& options);
}  // namespace detail

/// The ranks of an MPI_Comm, of which it makes a duplicate; collective. MPI has been initialised, and is finalised only
/// after the communicator has been destroyed. Memory goes through the host's: of a device it is staged there.
///
/// When a rank ends, mpirun ends the others, unless it is told otherwise. A rank that is late makes the others throw
/// rank_error; messages to it may still be on their way, so that the memory which was to be exchanged must not be given
/// back before the rank has come. A process then best ends by MPI_Abort.
template <class MpiComm>
std::unique_ptr<communicator> communicator_over_mpi(MpiComm comm, const communicator_options& options = {}) {
    return detail::communicator_over_mpi(&comm, sizeof comm, options);
}

}  // namespace kogge

// A transport over NCCL, whose ranks each have a device: device memory goes straight between the devices. Its library
// is kogge::nccl; this header needs no nccl.h.
#pragma once

#include <memory>

#include "kogge/distributed/communicator.hpp"

struct ncclComm;

namespace kogge {

/// The ranks of an ncclComm_t, which outlives it and has no other use during a call. One that does not block
/// (ncclConfig_t::blocking = 0) lets a first exchange end by its timeout, too. Host memory goes through the
/// device, which is the current one. NCCL does not say which rank keeps the others waiting: rank_error::rank() is −1
/// then. A communicator whose exchange has failed is aborted (ncclCommAbort): the owner must not use or destroy it any
/// more.
std::unique_ptr<communicator> communicator_over_nccl(ncclComm* comm, const communicator_options& = {});

/// The ranks of another group (of MPI, or of threads), each on the current device; collective. Host memory goes through
/// that group, which outlives it; a call's memory is of one kind on all ranks, host or device. So a rank that is late
/// is named wherever ranks meet before an exchange of device memory, as they do in all distributed calls.
std::unique_ptr<communicator> communicator_over_nccl(communicator& control, const communicator_options& = {});

}  // namespace kogge

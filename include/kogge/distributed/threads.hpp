// A transport whose ranks are threads of one process: on host memory, or each on a device of its own. Memory is copied
// by the rank that receives it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kogge/distributed/communicator.hpp"

namespace kogge {

/// `ranks` communicators of one group, in the order of their ranks; each is used by a thread of its own. When one is
/// destroyed, the others' exchanges with it throw rank_error.
std::vector<std::unique_ptr<communicator>> communicators_of_threads(int ranks, const communicator_options& = {});

/// Calls body(communicator) on `ranks` threads, and returns when all have returned. If some have thrown, an exception
/// is thrown that is the first rank's among those that were not told of another rank's.
void run_on_threads(int ranks, const std::function<void(communicator&)>& body, const communicator_options& = {});

/// The same with one rank per device, which is the current one of its thread. From then on the devices reach each
/// other's scratch, where they are connected, so that it is copied straight between them.
void run_on_devices(const std::vector<int>& devices, const std::function<void(communicator&)>& body,
                    const communicator_options& = {});

}  // namespace kogge

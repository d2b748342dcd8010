// The simt interface on the emulator: the twin of cuda.cuh, name by name, for any host compiler. A kernel's
// threads are fibers that switch only inside these functions. Every operation that synchronises or
// communicates knows its `Site`, which failure reports name and mutation tests switch off.
#pragma once

#include "kogge/simt/emulated/atomics.hpp"  // IWYU pragma: export
#include "kogge/simt/emulated/bulk.hpp"     // IWYU pragma: export
#include "kogge/simt/emulated/thread.hpp"   // IWYU pragma: export
#include "kogge/simt/emulated/warp.hpp"     // IWYU pragma: export

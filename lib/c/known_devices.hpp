// Cards whose properties are known without them, so that plans can be made for them anywhere.
#pragma once

#include "kogge/simt/runtime.hpp"

namespace kogge::c {

/// The name of the i-th card; null past the last.
const char* known_device(int i);
/// Of the current device if the name is null; else of the card of this name, or of the first card of an architecture
/// ("sm_90"). Throws errc::invalid_argument for a name that is not known.
device_properties properties_of(const char* call, const char* name);

}  // namespace kogge::c

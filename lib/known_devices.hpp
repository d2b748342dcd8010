// Cards whose properties are known without them, so that plans can be made for them anywhere.
#pragma once

#include <string_view>

#include "kogge/simt/runtime.hpp"

namespace kogge::detail {

/// The name of the i-th card; null past the last.
const char* known_device_name(int i);
/// Of the card of this name, or of the first card of an architecture ("sm_90"). Throws errc::invalid_argument for a
/// name that is not known.
device_properties known_device(const char* call, std::string_view name);

}  // namespace kogge::detail

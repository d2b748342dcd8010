// Devices for the emulator to pretend to be.
#pragma once

#include <string>

#include "kogge/simt/runtime.hpp"

namespace fuzz {

class Case;

/// Of the kinds that there are, or of any shape between them, with few multiprocessors, so that few items go every way
/// that plans choose from.
kogge::device_properties random_device(Case& of);
std::string describe(const kogge::device_properties& device);

}  // namespace fuzz

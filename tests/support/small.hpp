#pragma once

#include <cstdlib>

namespace tests {

/// Under sanitizers sizes shrink.
inline bool small() { return std::getenv("KOGGE_TEST_SMALL") != nullptr; }

}  // namespace tests

// The border of the C interface: no exception crosses it, and what was wrong is remembered for the thread.
#pragma once

#include "kogge/error.hpp"
#include "kogge/kogge.h"

namespace kogge::c {

/// Remembers what was wrong for kogge_message() and kogge_device_code(). Allocates nothing.
kogge_status fail(kogge_status status, const char* message, int device_code = 0) noexcept;
/// The status of the exception that is being handled.
kogge_status fail_with_current_exception(const char* call) noexcept;

/// Calls body(), whose exceptions become statuses.
template <class Body>
kogge_status guard(const char* call, const Body& body) noexcept {
    try {
        body();
        return KOGGE_OK;
    } catch (...) {
        return fail_with_current_exception(call);
    }
}

}  // namespace kogge::c

#include "c/guard.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>

namespace kogge::c {
namespace {

struct Failure {
    char message[1024];
    int device_code;
};
thread_local Failure last_failure{};

kogge_status status_of(errc code) {
    switch (code) {
        case errc::invalid_argument:
            return KOGGE_INVALID_ARGUMENT;
        case errc::overlap:
            return KOGGE_OVERLAP;
        case errc::unreachable:
            return KOGGE_UNREACHABLE;
        case errc::out_of_memory:
            return KOGGE_OUT_OF_MEMORY;
        case errc::not_built:
            return KOGGE_NOT_BUILT;
        case errc::device:
            return KOGGE_DEVICE_FAILED;
    }
    return KOGGE_INTERNAL;
}

/// "call: what" in the words of kogge::error.
kogge_status fail_in(const char* call, kogge_status status, const char* what) noexcept {
    char message[sizeof(Failure::message)];
    std::snprintf(message, sizeof message, "kogge::%s: %s", call, what);
    return fail(status, message);
}

/// Without the advice for C++: to compile the file with nvcc.
kogge_status fail_not_built(const char* what) noexcept {
    const std::string_view all = what;
    char message[sizeof(Failure::message)];
    const int length = static_cast<int>(std::min(all.find("; compile this file"), all.size()));
    std::snprintf(message, sizeof message, "%.*s", length, what);
    return fail(KOGGE_NOT_BUILT, message);
}

}  // namespace

kogge_status fail(kogge_status status, const char* message, int device_code) noexcept {
    std::snprintf(last_failure.message, sizeof last_failure.message, "%s", message);
    last_failure.device_code = device_code;
    return status;
}

kogge_status fail_with_current_exception(const char* call) noexcept {
    try {
        throw;
    } catch (const error& failure) {
        if (failure.code() == errc::not_built) return fail_not_built(failure.what());
        return fail(status_of(failure.code()), failure.what(), failure.device_code());
    } catch (const std::bad_alloc&) {
        return fail_in(call, KOGGE_OUT_OF_MEMORY, "the host has no memory for it");
    } catch (const std::exception& failure) {
        return fail_in(call, KOGGE_INTERNAL, failure.what());
    } catch (...) {
        return fail_in(call, KOGGE_INTERNAL, "an exception of an unknown type");
    }
}

}  // namespace kogge::c

extern "C" {

const char* kogge_message(void) { return kogge::c::last_failure.message; }
int kogge_device_code(void) { return kogge::c::last_failure.device_code; }

const char* kogge_status_name(kogge_status status) {
    switch (status) {
        case KOGGE_OK:
            return "KOGGE_OK";
        case KOGGE_INVALID_ARGUMENT:
            return "KOGGE_INVALID_ARGUMENT";
        case KOGGE_OVERLAP:
            return "KOGGE_OVERLAP";
        case KOGGE_UNREACHABLE:
            return "KOGGE_UNREACHABLE";
        case KOGGE_OUT_OF_MEMORY:
            return "KOGGE_OUT_OF_MEMORY";
        case KOGGE_NOT_BUILT:
            return "KOGGE_NOT_BUILT";
        case KOGGE_DEVICE_FAILED:
            return "KOGGE_DEVICE_FAILED";
        case KOGGE_INTERNAL:
            return "KOGGE_INTERNAL";
        case KOGGE_STATUS_MAX:
            break;
    }
    return "unknown status";
}

}  // extern "C"

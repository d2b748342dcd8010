// The one exception type of the library.
#pragma once

#include <stdexcept>
#include <string>

namespace kogge {

enum class errc {
    invalid_argument,  ///< null with items, a negative count, a bit range outside the key, …
    overlap,           ///< input and output share memory in a way that would corrupt the result
    unreachable,       ///< the chosen backend cannot reach a pointer, or there is no device
    out_of_memory,     ///< scratch could not be had
    not_built,         ///< this combination of types needs device code that this program was built without
    device,            ///< the device or its runtime reported a failure; see device_code()
};

/// Thrown by every function of the library. what() names the call, what was wrong and what to do about it.
/// Errors found in arguments are thrown before anything is launched: no byte has changed.
class error : public std::runtime_error {
public:
    error(errc code, const std::string& call, const std::string& what, int device_code = 0)
        : std::runtime_error("kogge::" + call + ": " + what), code_(code), device_code_(device_code) {}

    errc code() const noexcept { return code_; }
    /// The cudaError_t behind errc::device and errc::out_of_memory, otherwise 0.
    int device_code() const noexcept { return device_code_; }

private:
    errc code_;
    int device_code_;
};

}  // namespace kogge

// The exception type of the library.
#pragma once

#include <stdexcept>
#include <string>

namespace kogge {

enum class errc {
    invalid_argument,  ///< null with items, a negative count, a bit range outside the key, …
    overlap,           ///< input and output share memory in a way that would corrupt the result
    unreachable,       ///< the chosen backend cannot reach a pointer, or there is no device
    out_of_memory,     ///< scratch could not be allocated
    not_built,         ///< this program has no device code for these types
    device,            ///< the device or its runtime reported a failure; see device_code()
};

/// Thrown by every function of the library. what() names the call, the fault and a remedy. Errors in arguments are
/// thrown before anything is launched: no byte has changed.
class error : public std::runtime_error {
public:
    error(errc code, const std::string& call, const std::string& what, int device_code = 0)
        : std::runtime_error("kogge::" + call + ": " + what), code_(code), device_code_(device_code) {}

    errc code() const noexcept { return code_; }
    /// The cudaError_t that caused errc::device or errc::out_of_memory, otherwise 0.
    int device_code() const noexcept { return device_code_; }

private:
    errc code_;
    int device_code_;
};

}  // namespace kogge

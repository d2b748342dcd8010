// What the command says when it cannot go on: one line, and a hint on what to do.
#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace kogge::command {

inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

struct Failure : std::runtime_error {
    explicit Failure(const std::string& what, std::string advice = {}, int code = kExitFailure)
        : std::runtime_error(what), hint(std::move(advice)), exit_code(code) {}

    std::string hint;
    int exit_code;
};

/// Whoever reads the output has read enough, as head does: there is nothing to say.
struct ReaderGone : Failure {
    using Failure::Failure;
};

inline Failure usage_failure(const std::string& what, const std::string& hint = {}) {
    return Failure(what, hint, kExitUsage);
}

/// "what: No such file or directory", from errno.
inline Failure system_failure(const std::string& what, const std::string& hint = {}) {
    return Failure(what + ": " + std::strerror(errno), hint);
}

}  // namespace kogge::command

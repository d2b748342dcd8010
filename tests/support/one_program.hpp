// The same calls for a plain C++ file and for a CUDA file of one program.
#pragma once

#include <cstdint>

#include "kogge/partition.hpp"
#include "kogge/runs.hpp"

namespace one_program {

struct Odd {
    KOGGE_HOST_DEVICE bool operator()(int item) const { return item % 2 != 0; }
};
struct Found {
    std::uint64_t runs, odd;
};

/// Each file's own: an inline function of the same name would be one for both.
static inline Found find(const int* in, std::uint64_t n, int* out) {
    const std::uint64_t runs = kogge::unique(in, out, n);
    return {runs, kogge::compact(in, out, n, Odd{})};
}

Found find_on_host(const int* in, std::uint64_t n, int* out);

}  // namespace one_program

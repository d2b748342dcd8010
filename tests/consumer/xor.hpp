#pragma once

#include <cstdint>

/// An operator that the library does not know.
struct Xor {
    __host__ __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a ^ b; }
};

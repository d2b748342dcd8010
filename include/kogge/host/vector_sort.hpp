// Sorts of keys alone by vector instructions: faster than digits, and not stable, which nobody can see where equal keys
// have the same bits.
#pragma once

#include <cstdint>

#include "kogge/keys.hpp"

namespace kogge::host {

/// What sorts by vectors in this build on this machine: "Highway (AVX2)"; empty: nothing does.
const char* vector_sort_name();

/// Sorts keys to `out`, which may be `in`, by all bits of their codes. Returns false, and has done nothing, where keys
/// of one code may differ (zeros that are equal, NaNs that come last), and where nothing sorts by vectors.
bool sort_by_vectors(const std::uint32_t* in, std::uint32_t* out, std::uint64_t n,
                     const kogge::detail::NumberCodec<std::uint32_t>& codec, int threads);
bool sort_by_vectors(const std::uint64_t* in, std::uint64_t* out, std::uint64_t n,
                     const kogge::detail::NumberCodec<std::uint64_t>& codec, int threads);

}  // namespace kogge::host

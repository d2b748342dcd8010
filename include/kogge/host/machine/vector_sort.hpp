// Vector sorts of keys without values: faster than digits, and not stable, which cannot be observed where equal keys
// have the same bits.
#pragma once

#include <cstdint>

#include "kogge/keys.hpp"

namespace kogge::host {

/// The vector sort of this build on this machine, such as "Highway (AVX2)"; empty: there is none.
const char* vector_sort_name();

/// Sorts keys to `out`, which may be `in`, by all bits of their codes. Returns false, without any effect, if keys with
/// equal codes may differ (equal zeros, NaNs that come last), or if there is no vector sort.
bool sort_by_vectors(const std::uint32_t* in, std::uint32_t* out, std::uint64_t n,
                     const kogge::detail::NumberCodec<std::uint32_t>& codec, int threads);
bool sort_by_vectors(const std::uint64_t* in, std::uint64_t* out, std::uint64_t n,
                     const kogge::detail::NumberCodec<std::uint64_t>& codec, int threads);

}  // namespace kogge::host

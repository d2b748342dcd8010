// kogge-parts: 4
#include "kogge/histogram/launch.cuh"
#include "parts.hpp"

#define KOGGE_HISTOGRAM_0(X, Y) X(std::uint8_t) Y(std::uint8_t) X(std::uint16_t) Y(std::uint16_t)
#define KOGGE_HISTOGRAM_1(X, Y) X(std::uint32_t) Y(std::uint32_t) X(std::int32_t)
#define KOGGE_HISTOGRAM_2(X, Y) X(std::uint64_t) Y(std::uint64_t) X(std::int64_t)
#define KOGGE_HISTOGRAM_3(X, Y) X(float) X(double)
#define KOGGE_HISTOGRAM_ALL(X, Y) KOGGE_BINNED_NUMBERS(X) KOGGE_RANKED_KEYS(Y)

namespace kogge::grid {
#define KOGGE_BINNED(T) KOGGE_HISTOGRAM_OF(, T, EvenBinOf<T>) KOGGE_HISTOGRAM_OF(, T, BoundsBinOf<T>)
#define KOGGE_CODED(Key) KOGGE_HISTOGRAM_OF(, Key, CodeBinOf<detail::NumberCodec<Key>>)
KOGGE_OF_PART(KOGGE_HISTOGRAM_, KOGGE_PART)(KOGGE_BINNED, KOGGE_CODED)
}  // namespace kogge::grid

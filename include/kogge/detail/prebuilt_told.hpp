// The device code of reductions by key, of segments, and of scans of runs that the library holds ready
// (detail/prebuilt.hpp). There are too many types of keys, items, sums and operators for an instance of each
// combination, so that these functions are told at run time what costs them little: the type of keys, the operator, and
// the type of items that are narrower than their sums.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/detail/prebuilt_runs.hpp"
#include "kogge/detail/reductions.hpp"
#include "kogge/exec.hpp"
#include "kogge/keys.hpp"
#include "kogge/operators.hpp"
#include "kogge/simt/config.hpp"
#include "kogge/types/segments.hpp"

namespace kogge::grid {

/// One of the operators. Integers are unsigned words; `are_signed` says that the words stand for signed ones.
struct ToldOperator {
    enum class Which : std::uint8_t { plus, maximum, minimum } which;
    bool are_signed;

    template <class T>
    KOGGE_HOST_DEVICE T operator()(const T& a, const T& b) const {
        if (which == Which::plus) return static_cast<T>(plus{}(a, b));
        const bool greatest = which == Which::maximum;
        if constexpr (std::is_integral_v<T>) {
            const T sign = are_signed ? static_cast<T>(T{1} << (8 * sizeof(T) - 1)) : T{0};
            return ((a ^ sign) < (b ^ sign)) == greatest ? b : a;
        } else {
            return greatest ? maximum{}(a, b) : minimum{}(a, b);
        }
    }
};

/// Numbers of a type that is narrower than their sums, as sums.
template <class Sum>
struct ToldNumbers {
    enum class Type : std::uint8_t { u8, i8, u16, i16, u32, i32, half, bfloat16 } type;
    const void* first;

    KOGGE_HOST_DEVICE Sum operator[](std::uint64_t i) const {
        if constexpr (std::is_floating_point_v<Sum>) {
            if (type == Type::half) return static_cast<Sum>(static_cast<const half*>(first)[i]);
            return static_cast<Sum>(static_cast<const bfloat16*>(first)[i]);
        } else {
            switch (type) {
                case Type::u8:
                    return static_cast<Sum>(static_cast<const std::uint8_t*>(first)[i]);
                case Type::i8:
                    return static_cast<Sum>(static_cast<const std::int8_t*>(first)[i]);
                case Type::u16:
                    return static_cast<Sum>(static_cast<const std::uint16_t*>(first)[i]);
                case Type::i16:
                    return static_cast<Sum>(static_cast<const std::int16_t*>(first)[i]);
                case Type::u32:
                    return static_cast<Sum>(static_cast<const std::uint32_t*>(first)[i]);
                default:
                    return static_cast<Sum>(static_cast<const std::int32_t*>(first)[i]);
            }
        }
    }
};

/// Keys of 1, 2, 4 or 8 bytes, each as a word.
struct ToldKeys {
    const void* first;
    std::uint32_t bytes;

    KOGGE_HOST_DEVICE std::uint64_t operator[](std::uint64_t i) const {
        switch (bytes) {
            case 1:
                return static_cast<const std::uint8_t*>(first)[i];
            case 2:
                return static_cast<const std::uint16_t*>(first)[i];
            case 4:
                return static_cast<const std::uint32_t*>(first)[i];
            default:
                return static_cast<const std::uint64_t*>(first)[i];
        }
    }
};
/// Where such keys are written.
struct ToldPlaces {
    void* first;
    std::uint32_t bytes;

    struct Place {
        const ToldPlaces& of;
        std::uint64_t i;
        KOGGE_HOST_DEVICE void operator=(std::uint64_t key) const {  // NOLINT: a proxy
            switch (of.bytes) {
                case 1:
                    static_cast<std::uint8_t*>(of.first)[i] = static_cast<std::uint8_t>(key);
                    return;
                case 2:
                    static_cast<std::uint16_t*>(of.first)[i] = static_cast<std::uint16_t>(key);
                    return;
                case 4:
                    static_cast<std::uint32_t*>(of.first)[i] = static_cast<std::uint32_t>(key);
                    return;
                default:
                    static_cast<std::uint64_t*>(of.first)[i] = key;
            }
        }
    };
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t i) const { return {*this, i}; }
};
using ToldEqual = StoredEqual<std::uint64_t>;

/// Where runs begin: where neighbouring keys differ, or at offsets, if these are not null.
struct ToldRuns {
    ToldKeys keys;
    ToldEqual equal;
    const std::uint64_t* offsets;
    std::uint64_t segments;
};

/// Writes one bit per item, set where a run of equal keys begins.
void mark_runs(const ToldKeys& keys, const ToldEqual& equal, const item_count& n, std::uint32_t* heads,
               stream_t stream);
/// Scans each run: an inclusive scan without `init`, an exclusive one from it. There is an item.
template <class In, class Sum>
void told_scan(const char* call, const ToldRuns& runs, In in, Sum* out, const item_count& n, ToldOperator op,
               bool inclusive, Sum init, const exec& how);
/// Scans from the last item to the first, from `start`, without which an inclusive scan may be. There is an item.
template <class In, class Sum>
void told_reverse_scan(const char* call, In in, Sum* out, const item_count& n, ToldOperator op, bool inclusive,
                       const Carry<Sum>& start, const exec& how);
/// Writes the first key and the fold of each run, and the number of runs to `total`.
template <class In, class Sum>
void told_reduce_by_key(const char* call, const ToldKeys& keys, const ToldEqual& equal, In in,
                        const ToldPlaces& keys_out, Sum* sums, std::uint64_t* total, const item_count& n,
                        ToldOperator op, const exec& how);
/// Writes the fold of each segment, if there is one. Sums of floats, and of narrower items, are told as plus.
template <class In, class Sum, class Op>
void told_segmented_reduce(const char* call, In in, Sum* out, const item_count& n,
                           const detail::DeviceSegments& segments, bool are_rows, Op op,
                           const detail::ReduceStart<Sum>& start, const exec& how);

// clang-format off
/// X(In, Sum) for numbers that are their own sums, and for narrower ones.
#define KOGGE_TOLD_NUMBERS(X)                                                                                     \
    X(const std::uint8_t*, std::uint8_t) X(const std::uint16_t*, std::uint16_t)                                   \
    X(const std::uint32_t*, std::uint32_t) X(const std::uint64_t*, std::uint64_t)                                 \
    X(const float*, float) X(const double*, double)                                                               \
    X(const std::uint8_t*, std::uint32_t) X(ToldNumbers<std::uint64_t>, std::uint64_t)                            \
    X(ToldNumbers<float>, float) X(const float*, double)
/// X(In, Sum, Op) for reductions, whose code depends on whether the operands may change places.
#define KOGGE_TOLD_FOLDS(X)                                                                                       \
    X(const std::uint8_t*, std::uint8_t, ToldOperator) X(const std::uint16_t*, std::uint16_t, ToldOperator)       \
    X(const std::uint32_t*, std::uint32_t, ToldOperator) X(const std::uint64_t*, std::uint64_t, ToldOperator)     \
    X(const float*, float, ToldOperator) X(const double*, double, ToldOperator)                                   \
    X(const float*, float, plus) X(const double*, double, plus)                                                   \
    X(const std::uint8_t*, std::uint32_t, plus) X(ToldNumbers<std::uint64_t>, std::uint64_t, plus)                \
    X(ToldNumbers<float>, float, plus) X(const float*, double, plus)

#define KOGGE_TOLD_SCAN_OF(prefix, In, Sum)                                                                       \
    prefix template void told_scan<In, Sum>(const char*, const ToldRuns&, In, Sum*, const item_count&,            \
                                            ToldOperator, bool, Sum, const exec&);
#define KOGGE_TOLD_REVERSE_SCAN_OF(prefix, In, Sum)                                                               \
    prefix template void told_reverse_scan<In, Sum>(const char*, In, Sum*, const item_count&, ToldOperator, bool, \
                                                    const Carry<Sum>&, const exec&);
#define KOGGE_TOLD_REDUCE_BY_KEY_OF(prefix, In, Sum)                                                              \
    prefix template void told_reduce_by_key<In, Sum>(const char*, const ToldKeys&, const ToldEqual&, In,          \
                                                     const ToldPlaces&, Sum*, std::uint64_t*, const item_count&,  \
                                                     ToldOperator, const exec&);
#define KOGGE_TOLD_SEGMENTED_REDUCE_OF(prefix, In, Sum, Op)                                                       \
    prefix template void told_segmented_reduce<In, Sum, Op>(const char*, In, Sum*, const item_count&,             \
                                                            const detail::DeviceSegments&, bool, Op,              \
                                                            const detail::ReduceStart<Sum>&, const exec&);
// clang-format on

}  // namespace kogge::grid

namespace kogge::detail {
template <class Acc>
inline constexpr bool commutes<grid::ToldOperator, Acc> = std::is_integral_v<Acc>;
}  // namespace kogge::detail

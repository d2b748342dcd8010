// The device code that the library holds ready, so that plain C++ can call it: compiled once, in lib/instances. Other
// combinations of types are instantiated where they are used, in files that nvcc compiles.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "kogge/detail/inputs.hpp"
#include "kogge/exec.hpp"
#include "kogge/keys.hpp"
#include "kogge/operators.hpp"
#include "kogge/plan.hpp"
#include "kogge/traits.hpp"
#include "kogge/types/bins.hpp"
#include "kogge/types/carry.hpp"
#include "kogge/types/segments.hpp"

namespace kogge::grid {

/// Stands for the absence of values in a split.
struct NoValue {};

/// Stands for values of a sort that do not move with their keys: their indices do, and the values follow at the end.
struct ByIndex {};

/// Values that kernels move with the keys.
constexpr bool travels(const value_layout& value) {
    return (value.bytes == 4 || value.bytes == 8 || value.bytes == 16) && value.alignment == value.bytes;
}
/// What moves with the keys of a sort with these values: NoValue, words of the value's size, or ByIndex.
template <class... Values>
struct MovedValues {
    using type = ByIndex;
};
template <>
struct MovedValues<> {
    using type = NoValue;
};
template <class Value>
requires(travels(value_layout{sizeof(Value), alignof(Value)})) struct MovedValues<Value> {
    using type = detail::unsigned_of<static_cast<int>(sizeof(Value))>;
};
template <class... Values>
using moved_values = typename MovedValues<Values...>::type;

/// A value array of a sort: `in` is null for indices to be written (argsort), and may equal `out`.
struct value_array {
    const void* in;
    void* out;
    std::size_t bytes;
    std::size_t alignment;
};

/// The outputs of a top-k call, and the values that it reads. Indices and values of no bytes are not wanted; the first
/// arrays of values are those that are.
inline constexpr std::size_t kTopKValues = 8;
struct top_k_arrays {
    void* keys = nullptr;
    bool writes_keys = false;
    void* indices = nullptr;
    std::size_t index_bytes = 0;
    value_array values[kTopKValues] = {};

    std::size_t value_count() const {
        std::size_t count = 0;
        while (count < kTopKValues && values[count].bytes > 0) ++count;
        return count;
    }
    /// Of an item, in all arrays.
    std::size_t value_bytes() const {
        std::size_t bytes = 0;
        for (const value_array& array : values) bytes += array.bytes;
        return bytes;
    }
};

/// A compaction's decision from the item alone, from another array's item at its index, or from a byte flag there.
template <class Predicate>
struct ByPredicate {
    Predicate predicate;
    template <class Item>
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t, const Item& item) const {
        return static_cast<bool>(predicate(detail::view(item)));
    }
};
template <class Stencil, class Predicate>
struct ByStencil {
    const Stencil* stencil;
    Predicate predicate;
    template <class Item>
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t index, const Item&) const {
        return static_cast<bool>(predicate(detail::view(stencil[index])));
    }
};
/// The same from an input that is no pointer.
template <class In, class Predicate>
struct ByInput {
    In stencil;
    Predicate predicate;
    template <class Item>
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t index, const Item&) const {
        return static_cast<bool>(predicate(static_cast<detail::item_of<In>>(stencil[index])));
    }
};
struct ByFlag {
    const std::uint8_t* flags;
    template <class Item>
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t index, const Item&) const {
        return flags[index] != 0;
    }
};

/// The same from a bit: bit i % 32 of word i / 32.
struct ByMask {
    const std::uint32_t* words;
    template <class Item>
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t index, const Item&) const {
        return (words[index / 32] >> index % 32 & 1u) != 0;
    }
};

/// The same from the bits of a number: some of those that count, `counted`, is 1. Without the sign bit of a float, that
/// is whether the number is not 0.
template <class Word>
struct ByNonzero {
    const Word* numbers;
    Word counted;
    template <class Item>
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t index, const Item&) const {
        return (numbers[index] & counted) != Word{0};
    }
};

template <class... Types>
inline constexpr bool is_prebuilt = false;

/// Whose code a device function is: the library's, which all callers share, or the calling file's own.
struct LibraryCode {};

}  // namespace kogge::grid

namespace kogge::grid::KOGGE_CODE {
struct OwnCode {};
}  // namespace kogge::grid::KOGGE_CODE

namespace kogge::grid {

template <class... Types>
using code_of = std::conditional_t<is_prebuilt<Types...>, LibraryCode, OwnCode>;

}  // namespace kogge::grid

namespace kogge {
template <class Predicate>
inline constexpr bool runs_on_host<grid::ByPredicate<Predicate>> = runs_on_host<Predicate>;
template <class Stencil, class Predicate>
inline constexpr bool runs_on_host<grid::ByStencil<Stencil, Predicate>> = runs_on_host<Predicate>;
template <class In, class Predicate>
inline constexpr bool runs_on_host<grid::ByInput<In, Predicate>> = runs_on_host<In>&& runs_on_host<Predicate>;
}  // namespace kogge

namespace kogge::grid {

template <class In, class Out, class Acc, class Op, class Code = code_of<In, Out, Acc, Op>>
void device_scan(const char* call, In in, Out* out, const item_count& n, Op op, const Carry<Acc>& start, bool inclusive,
                 const scan_options& options, const exec& how);
/// With `follows` rejected items may follow the kept ones in one output, which takes kernels of its own.
template <bool follows, class Code, class Item, class Keep>
void device_compact(const char* call, const Item* in, const item_count& n, Item* kept, Item* rejected,
                    std::uint64_t* total, Keep keep, const exec& how);
/// Writes the indices that `keep` decides for. Each is decided once.
template <class Code, class Index, class Keep>
void device_indices(const char* call, const item_count& n, Index* out, std::uint64_t* total, Keep keep,
                    const exec& how);
template <class Moved, class Code, class Key, class Codec>
void device_radix_sort(const char* call, const Key* keys_in, Key* keys_out, const item_count& n, const Codec& codec,
                       detail::BitRange bits, std::span<const value_array> values, const exec& how);
template <class Moved, class Code, class Key, class Codec>
void device_segmented_sort(const char* call, const Key* keys_in, Key* keys_out, const item_count& n,
                           const detail::DeviceSegments& segments, const Codec& codec, detail::BitRange bits,
                           std::span<const value_array> values, const exec& how);
template <class Code, class Key, class Codec>
void device_top_k(const char* call, const Key* keys, const item_count& n, const item_count& k, const Codec& codec,
                  detail::BitRange bits, const top_k_arrays& arrays, const exec& how);
template <class Code, class Key, class Codec>
void device_segmented_top_k(const char* call, const Key* keys, const item_count& n,
                            const detail::DeviceSegments& segments, std::uint64_t k, const std::uint64_t* each_k,
                            const Codec& codec, detail::BitRange bits, const top_k_arrays& arrays, const exec& how);
template <class Code, class Key, class Codec>
void device_select(const char* call, const Key* keys, Key* out, const item_count& n, const std::uint64_t* ranks,
                   std::uint64_t rank, std::uint64_t m, const Codec& codec, detail::BitRange bits, const exec& how);
template <class Code, class Key, class Codec>
void device_segmented_select(const char* call, const Key* keys, Key* out, const item_count& n,
                             const detail::DeviceSegments& segments, const std::uint64_t* ranks, std::uint64_t rank,
                             const Codec& codec, detail::BitRange bits, const exec& how);
template <class Code, class In, class Weights, class BinOf>
void device_histogram(const char* call, const In& in, const Weights& weights, void* counts, std::size_t count_bytes,
                      const item_count& length, std::uint64_t rows, std::uint32_t bins, const BinOf& bin_of,
                      const exec& how);

// Each line is one prebuilt function; X is applied to its types.
// clang-format off
#define KOGGE_NUMBERS(X)                                                                                              \
    X(std::uint8_t) X(std::int8_t) X(std::uint16_t) X(std::int16_t) X(std::uint32_t) X(std::int32_t) X(std::uint64_t) \
    X(std::int64_t) X(float) X(double)
#define KOGGE_WIDER_SUMS(X)                                                                                           \
    X(std::uint8_t, std::uint32_t) X(std::uint8_t, std::uint64_t) X(std::uint32_t, std::uint64_t)                     \
    X(std::int32_t, std::int64_t) X(::kogge::half, float) X(float, double)                                            \
    X(std::uint16_t, std::uint64_t) X(std::int8_t, std::int64_t) X(std::int16_t, std::int64_t) X(::kogge::bfloat16, float)
#define KOGGE_STORED_KEYS(X) X(std::uint8_t) X(std::uint16_t) X(std::uint32_t) X(std::uint64_t) X(::kogge::uint128)
#define KOGGE_FLOAT_KEYS(X) X(std::uint16_t) X(std::uint32_t) X(std::uint64_t)
#define KOGGE_VALUE_WORDS(X, Key, Codec) \
    X(NoValue, Key, Codec) X(std::uint32_t, Key, Codec) X(std::uint64_t, Key, Codec) X(::kogge::uint128, Key, Codec)

#define KOGGE_SCAN_OF(prefix, T, Sum, Op)                                                                       \
    prefix template void device_scan<const T*, Sum, Sum, Op, LibraryCode>(                                      \
        const char*, const T*, Sum*, const item_count&, Op, const Carry<Sum>&, bool, const scan_options&, const exec&);
#define KOGGE_COMPACT_OF(prefix, follows, T, Keep)                                                            \
    prefix template void device_compact<follows, LibraryCode>(const char*, const T*, const item_count&, T*, T*, \
                                                              std::uint64_t*, Keep, const exec&);
#define KOGGE_INDICES_OF(prefix, Index, Keep)                                                                  \
    prefix template void device_indices<LibraryCode>(const char*, const item_count&, Index*, std::uint64_t*, Keep, \
                                                     const exec&);
#define KOGGE_RADIX_SORT_OF(prefix, Moved, Key, Codec)                                               \
    prefix template void device_radix_sort<Moved, LibraryCode>(                                      \
        const char*, const Key*, Key*, const item_count&, const detail::Codec<Key>&, detail::BitRange, \
        std::span<const value_array>, const exec&);
#define KOGGE_SEGMENTED_SORT_OF(prefix, Moved, Key, Codec)                                            \
    prefix template void device_segmented_sort<Moved, LibraryCode>(                                   \
        const char*, const Key*, Key*, const item_count&, const detail::DeviceSegments&,              \
        const detail::Codec<Key>&, detail::BitRange, std::span<const value_array>, const exec&);
#define KOGGE_TOP_K_OF(prefix, Key, Codec)                                                                             \
    prefix template void device_top_k<LibraryCode>(const char*, const Key*, const item_count&, const item_count&,      \
                                                   const detail::Codec<Key>&, detail::BitRange, const top_k_arrays&, \
                                                   const exec&);
#define KOGGE_SEGMENTED_TOP_K_OF(prefix, Key, Codec)                                                      \
    prefix template void device_segmented_top_k<LibraryCode>(                                             \
        const char*, const Key*, const item_count&, const detail::DeviceSegments&, std::uint64_t, const std::uint64_t*, \
        const detail::Codec<Key>&, detail::BitRange, const top_k_arrays&, const exec&);
#define KOGGE_SELECT_OF(prefix, Key, Codec)                                                                       \
    prefix template void device_select<LibraryCode>(const char*, const Key*, Key*, const item_count&,             \
                                                    const std::uint64_t*, std::uint64_t, std::uint64_t,           \
                                                    const detail::Codec<Key>&, detail::BitRange, const exec&);
#define KOGGE_SEGMENTED_SELECT_OF(prefix, Key, Codec)                                                                 \
    prefix template void device_segmented_select<LibraryCode>(                                                        \
        const char*, const Key*, Key*, const item_count&, const detail::DeviceSegments&, const std::uint64_t*, \
        std::uint64_t, const detail::Codec<Key>&, detail::BitRange, const exec&);
#define KOGGE_HISTOGRAM_OF(prefix, T, BinOf)                                                                       \
    prefix template void device_histogram<LibraryCode>(const char*, const T* const&, const NoValue&, void*,        \
                                                       std::size_t, const item_count&, std::uint64_t, std::uint32_t, \
                                                       const BinOf&, const exec&);
#define KOGGE_BINNED_NUMBERS(X)                                                                                       \
    X(std::uint8_t) X(std::uint16_t) X(std::uint32_t) X(std::int32_t) X(std::uint64_t) X(std::int64_t) X(float) X(double)
// What decides about indices: byte flags, bits, and numbers of the other sizes.
#define KOGGE_INDEX_DECISIONS(X)                                                                         \
    X(ByFlag) X(ByMask) X(ByNonzero<std::uint16_t>) X(ByNonzero<std::uint32_t>) X(ByNonzero<std::uint64_t>) \
    X(ByNonzero<::kogge::uint128>)
#define KOGGE_RANKED_KEYS(X) X(std::uint8_t) X(std::uint16_t) X(std::uint32_t) X(std::uint64_t)
// clang-format on

#define KOGGE_DECLARE(T)                                                  \
    KOGGE_SCAN_OF(extern, T, T, plus)                                     \
    KOGGE_SCAN_OF(extern, T, T, maximum)                                  \
    KOGGE_SCAN_OF(extern, T, T, minimum)                                  \
    KOGGE_COMPACT_OF(extern, false, T, ByPredicate<compare<T>>)           \
    KOGGE_COMPACT_OF(extern, true, T, ByPredicate<compare<T>>)            \
    KOGGE_COMPACT_OF(extern, false, T, ByFlag)                            \
    KOGGE_COMPACT_OF(extern, true, T, ByFlag)                             \
    KOGGE_COMPACT_OF(extern, false, T, ByMask)                            \
    template <>                                                           \
    inline constexpr bool is_prebuilt<const T*, T, T, plus> = true;       \
    template <>                                                           \
    inline constexpr bool is_prebuilt<const T*, T, T, maximum> = true;    \
    template <>                                                           \
    inline constexpr bool is_prebuilt<const T*, T, T, minimum> = true;    \
    template <>                                                           \
    inline constexpr bool is_prebuilt<T, ByPredicate<compare<T>>> = true; \
    template <>                                                           \
    inline constexpr bool is_prebuilt<T, ByFlag> = true;                  \
    template <>                                                           \
    inline constexpr bool is_prebuilt<T, ByMask> = true;
KOGGE_NUMBERS(KOGGE_DECLARE)
#undef KOGGE_DECLARE
#define KOGGE_DECLARE(T, Sum)           \
    KOGGE_SCAN_OF(extern, T, Sum, plus) \
    template <>                         \
    inline constexpr bool is_prebuilt<const T*, Sum, Sum, plus> = true;
KOGGE_WIDER_SUMS(KOGGE_DECLARE)
#undef KOGGE_DECLARE
#define KOGGE_DECLARE_MOVED(Moved, Key, Codec)     \
    KOGGE_RADIX_SORT_OF(extern, Moved, Key, Codec) \
    KOGGE_SEGMENTED_SORT_OF(extern, Moved, Key, Codec)
#define KOGGE_DECLARE_CODEC(Key, Codec)                \
    KOGGE_VALUE_WORDS(KOGGE_DECLARE_MOVED, Key, Codec) \
    KOGGE_DECLARE_MOVED(ByIndex, Key, Codec)           \
    KOGGE_TOP_K_OF(extern, Key, Codec)                 \
    KOGGE_SELECT_OF(extern, Key, Codec)                \
    template <>                                        \
    inline constexpr bool is_prebuilt<Key, detail::Codec<Key>> = true;
#define KOGGE_DECLARE(Key) KOGGE_DECLARE_CODEC(Key, NumberCodec)
KOGGE_STORED_KEYS(KOGGE_DECLARE)
#undef KOGGE_DECLARE
#define KOGGE_DECLARE(Key) KOGGE_DECLARE_CODEC(Key, MergingCodec)
KOGGE_FLOAT_KEYS(KOGGE_DECLARE)
#undef KOGGE_DECLARE
#undef KOGGE_DECLARE_CODEC
#undef KOGGE_DECLARE_MOVED
#define KOGGE_DECLARE(Key) \
    KOGGE_SEGMENTED_TOP_K_OF(extern, Key, NumberCodec) KOGGE_SEGMENTED_SELECT_OF(extern, Key, NumberCodec)
KOGGE_RANKED_KEYS(KOGGE_DECLARE)
#undef KOGGE_DECLARE
#define KOGGE_DECLARE(Key) \
    KOGGE_SEGMENTED_TOP_K_OF(extern, Key, MergingCodec) KOGGE_SEGMENTED_SELECT_OF(extern, Key, MergingCodec)
KOGGE_FLOAT_KEYS(KOGGE_DECLARE)
#undef KOGGE_DECLARE
#define KOGGE_DECLARE(T)                                              \
    KOGGE_HISTOGRAM_OF(extern, T, EvenBinOf<T>)                       \
    KOGGE_HISTOGRAM_OF(extern, T, BoundsBinOf<T>)                     \
    template <>                                                       \
    inline constexpr bool is_prebuilt<const T*, EvenBinOf<T>> = true; \
    template <>                                                       \
    inline constexpr bool is_prebuilt<const T*, BoundsBinOf<T>> = true;
KOGGE_BINNED_NUMBERS(KOGGE_DECLARE)
#undef KOGGE_DECLARE
#define KOGGE_DECLARE(Key)                                               \
    KOGGE_HISTOGRAM_OF(extern, Key, CodeBinOf<detail::NumberCodec<Key>>) \
    template <>                                                          \
    inline constexpr bool is_prebuilt<const Key*, CodeBinOf<detail::NumberCodec<Key>>> = true;
KOGGE_RANKED_KEYS(KOGGE_DECLARE)
#undef KOGGE_DECLARE
#define KOGGE_DECLARE(Keep)                                                           \
    KOGGE_INDICES_OF(extern, std::uint32_t, Keep)                                     \
    KOGGE_INDICES_OF(extern, std::uint64_t, Keep)                                     \
    template <>                                                                       \
    inline constexpr bool is_prebuilt<detail::Positions<std::uint32_t>, Keep> = true; \
    template <>                                                                       \
    inline constexpr bool is_prebuilt<detail::Positions<std::uint64_t>, Keep> = true;
KOGGE_INDEX_DECISIONS(KOGGE_DECLARE)
#undef KOGGE_DECLARE

}  // namespace kogge::grid

namespace kogge::detail::KOGGE_CODE {

[[noreturn]] inline void report_no_device_code(const char* call) {
    throw error(errc::not_built, call,
                "the library holds no device code for these types and this operator; compile this file with nvcc");
}

}  // namespace kogge::detail::KOGGE_CODE

// What stands in for the prebuilt device code in a build without a device: nothing can reach it, because choosing the
// device has failed before.
#include "kogge/detail/prebuilt.hpp"
#include "kogge/detail/prebuilt_merge.hpp"
#include "kogge/detail/prebuilt_runs.hpp"
#include "kogge/detail/sort_columns.hpp"
#include "kogge/types/counts.hpp"

namespace kogge::grid {
namespace {

[[noreturn]] void no_device_code(const char* call) {
    throw error(errc::unreachable, call, "this build of the library has no device code");
}

}  // namespace

void device_sort_columns(const detail::ColumnSort& sort, const exec&) { no_device_code(sort.call); }
void write_number(void*, std::size_t, std::uint64_t, const std::uint64_t*, stream_t) { no_device_code("count"); }
template <class In, class Out, class Acc, class Op, class Code>
void device_scan(const char* call, In, Out*, const item_count&, Op, const Carry<Acc>&, bool, const scan_options&,
                 const exec&) {
    no_device_code(call);
}
template <bool follows, class Code, class Item, class Keep>
void device_compact(const char* call, const Item*, const item_count&, Item*, Item*, std::uint64_t*, Keep, const exec&) {
    no_device_code(call);
}
template <class Code, class Index, class Keep>
void device_indices(const char* call, const item_count&, Index*, std::uint64_t*, Keep, const exec&) {
    no_device_code(call);
}
template <class Moved, class Code, class Key, class Codec>
void device_radix_sort(const char* call, const Key*, Key*, const item_count&, const Codec&, detail::BitRange,
                       std::span<const value_array>, const exec&) {
    no_device_code(call);
}
template <class Moved, class Code, class Key, class Codec>
void device_segmented_sort(const char* call, const Key*, Key*, const item_count&, const detail::DeviceSegments&,
                           const Codec&, detail::BitRange, std::span<const value_array>, const exec&) {
    no_device_code(call);
}
template <class Code, class Key, class Codec>
void device_top_k(const char* call, const Key*, const item_count&, const item_count&, const Codec&, detail::BitRange,
                  const top_k_arrays&, const exec&) {
    no_device_code(call);
}
template <class Code, class Key, class Codec>
void device_segmented_top_k(const char* call, const Key*, const item_count&, const detail::DeviceSegments&,
                            std::uint64_t, const std::uint64_t*, const Codec&, detail::BitRange, const top_k_arrays&,
                            const exec&) {
    no_device_code(call);
}
template <class Code, class Key, class Codec>
void device_select(const char* call, const Key*, Key*, const item_count&, const std::uint64_t*, std::uint64_t,
                   std::uint64_t, const Codec&, detail::BitRange, const exec&) {
    no_device_code(call);
}
template <class Code, class Key, class Codec>
void device_segmented_select(const char* call, const Key*, Key*, const item_count&, const detail::DeviceSegments&,
                             const std::uint64_t*, std::uint64_t, const Codec&, detail::BitRange, const exec&) {
    no_device_code(call);
}
template <class Code, class In, class Weights, class BinOf>
void device_histogram(const char* call, const In&, const Weights&, void*, std::size_t, const item_count&, std::uint64_t,
                      std::uint32_t, const BinOf&, const exec&) {
    no_device_code(call);
}

template <class Code, class Item, class Word, class Less>
void device_merge_arrays(const Item*, const Item*, Item*, const Word*, const Word*, Word*, const item_count&,
                         const item_count&, Less, const exec&) {
    no_device_code("merge");
}
template <class Code, bool upper, class Item, class Result, class Less>
void device_search_arrays(const Item*, const Item*, Result*, const item_count&, const item_count&, Less, const exec&) {
    no_device_code(upper ? "upper_bound" : "lower_bound");
}
template <class Code, class Key, class Write>
void device_stored_runs(const char* call, const Key*, const item_count&, const StoredEqual<Key>&, const Write&,
                        std::uint64_t*, const exec&) {
    no_device_code(call);
}

#define KOGGE_INSTANCE(Key) KOGGE_STORED_RUNS_OF(, Key)
KOGGE_RANKED_KEYS(KOGGE_INSTANCE)
#undef KOGGE_INSTANCE
#define KOGGE_INSTANCE(T) KOGGE_MERGES_OF(, T) KOGGE_SEARCHES_OF(, T)
KOGGE_NUMBERS(KOGGE_INSTANCE)
#undef KOGGE_INSTANCE
#define KOGGE_INSTANCE(T)                                 \
    KOGGE_SCAN_OF(, T, T, plus)                           \
    KOGGE_SCAN_OF(, T, T, maximum)                        \
    KOGGE_SCAN_OF(, T, T, minimum)                        \
    KOGGE_COMPACT_OF(, false, T, ByPredicate<compare<T>>) \
    KOGGE_COMPACT_OF(, true, T, ByPredicate<compare<T>>)  \
    KOGGE_COMPACT_OF(, false, T, ByFlag)                  \
    KOGGE_COMPACT_OF(, true, T, ByFlag)                   \
    KOGGE_COMPACT_OF(, false, T, ByMask)
KOGGE_NUMBERS(KOGGE_INSTANCE)
#undef KOGGE_INSTANCE
#define KOGGE_INSTANCE(Keep) KOGGE_INDICES_OF(, std::uint32_t, Keep) KOGGE_INDICES_OF(, std::uint64_t, Keep)
KOGGE_INDEX_DECISIONS(KOGGE_INSTANCE)
#undef KOGGE_INSTANCE
#define KOGGE_INSTANCE(T, Sum) KOGGE_SCAN_OF(, T, Sum, plus)
KOGGE_WIDER_SUMS(KOGGE_INSTANCE)
#undef KOGGE_INSTANCE
#define KOGGE_MOVED_INSTANCE(Moved, Key, Codec) \
    KOGGE_RADIX_SORT_OF(, Moved, Key, Codec)    \
    KOGGE_SEGMENTED_SORT_OF(, Moved, Key, Codec)
#define KOGGE_INSTANCE(Key)                                   \
    KOGGE_VALUE_WORDS(KOGGE_MOVED_INSTANCE, Key, NumberCodec) \
    KOGGE_MOVED_INSTANCE(ByIndex, Key, NumberCodec)           \
    KOGGE_TOP_K_OF(, Key, NumberCodec)                        \
    KOGGE_SELECT_OF(, Key, NumberCodec)
KOGGE_STORED_KEYS(KOGGE_INSTANCE)
#undef KOGGE_INSTANCE
#define KOGGE_INSTANCE(Key)                                    \
    KOGGE_VALUE_WORDS(KOGGE_MOVED_INSTANCE, Key, MergingCodec) \
    KOGGE_MOVED_INSTANCE(ByIndex, Key, MergingCodec)           \
    KOGGE_TOP_K_OF(, Key, MergingCodec)                        \
    KOGGE_SELECT_OF(, Key, MergingCodec)
KOGGE_FLOAT_KEYS(KOGGE_INSTANCE)
#undef KOGGE_INSTANCE
#define KOGGE_INSTANCE(Key) KOGGE_SEGMENTED_TOP_K_OF(, Key, NumberCodec) KOGGE_SEGMENTED_SELECT_OF(, Key, NumberCodec)
KOGGE_RANKED_KEYS(KOGGE_INSTANCE)
#undef KOGGE_INSTANCE
#define KOGGE_INSTANCE(Key) KOGGE_SEGMENTED_TOP_K_OF(, Key, MergingCodec) KOGGE_SEGMENTED_SELECT_OF(, Key, MergingCodec)
KOGGE_FLOAT_KEYS(KOGGE_INSTANCE)
#undef KOGGE_INSTANCE
#define KOGGE_INSTANCE(T) KOGGE_HISTOGRAM_OF(, T, EvenBinOf<T>) KOGGE_HISTOGRAM_OF(, T, BoundsBinOf<T>)
KOGGE_BINNED_NUMBERS(KOGGE_INSTANCE)
#undef KOGGE_INSTANCE
#define KOGGE_INSTANCE(Key) KOGGE_HISTOGRAM_OF(, Key, CodeBinOf<detail::NumberCodec<Key>>)
KOGGE_RANKED_KEYS(KOGGE_INSTANCE)
#undef KOGGE_INSTANCE

}  // namespace kogge::grid

// The module kogge._kogge_xla: handlers that XLA calls from compiled programs of JAX's, on the host and on a GPU. There
// they work in XLA's stream, with scratch from XLA's allocator, which gets it back when the handler returns; a call
// that is queued by then still owns it in stream order. Needs the headers of XLA's FFI (jaxlib brings them), and
// nothing of JAX at run time.
#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "functions.hpp"
#include "xla/ffi/api/ffi.h"

namespace nb = nanobind;
namespace ffi = xla::ffi;

namespace {

const Functions* library = nullptr;

using In = ffi::AnyBuffer;
using Out = ffi::Result<ffi::AnyBuffer>;
using Numbers = ffi::Span<const std::int64_t>;

kogge_type type_of(const ffi::AnyBuffer& buffer) {
    switch (buffer.element_type()) {
        case ffi::DataType::PRED:
            return KOGGE_BOOL;
        case ffi::DataType::U8:
            return KOGGE_U8;
        case ffi::DataType::S8:
            return KOGGE_I8;
        case ffi::DataType::U16:
            return KOGGE_U16;
        case ffi::DataType::S16:
            return KOGGE_I16;
        case ffi::DataType::U32:
            return KOGGE_U32;
        case ffi::DataType::S32:
            return KOGGE_I32;
        case ffi::DataType::U64:
            return KOGGE_U64;
        case ffi::DataType::S64:
            return KOGGE_I64;
        case ffi::DataType::F16:
            return KOGGE_F16;
        case ffi::DataType::BF16:
            return KOGGE_BF16;
        case ffi::DataType::F32:
            return KOGGE_F32;
        case ffi::DataType::F64:
            return KOGGE_F64;
        default:
            return KOGGE_TYPE_MAX;  // which the call refuses
    }
}

std::uint64_t last_extent(const ffi::AnyBuffer& buffer) {
    return static_cast<std::uint64_t>(buffer.dimensions().back());
}
bool is_one_array(const ffi::AnyBuffer& buffer) { return buffer.dimensions().size() == 1; }
/// Rows along the last dimension of an array with items.
std::uint64_t rows_of(const ffi::AnyBuffer& buffer) { return buffer.element_count() / last_extent(buffer); }

// Counts, offsets and ranks have 64 bits, or are pairs of 32 bits, the halves of each, the lower one first: JAX has no
// 64 bits unless it is told to.
const std::uint64_t* numbers_in(const ffi::AnyBuffer& buffer) {
    return static_cast<const std::uint64_t*>(buffer.untyped_data());
}
std::uint64_t* number_at(Out& to) { return static_cast<std::uint64_t*>(to->untyped_data()); }
std::uint64_t first_extent(const ffi::AnyBuffer& buffer) {
    return static_cast<std::uint64_t>(buffer.dimensions().front());
}

ffi::Error error_of(kogge_status status) {
    if (status == KOGGE_OK) return ffi::Error::Success();
    auto code = ffi::ErrorCode::kInternal;
    if (status == KOGGE_INVALID_ARGUMENT || status == KOGGE_OVERLAP) code = ffi::ErrorCode::kInvalidArgument;
    else if (status == KOGGE_OUT_OF_MEMORY) code = ffi::ErrorCode::kResourceExhausted;
    else if (status == KOGGE_NOT_BUILT) code = ffi::ErrorCode::kUnimplemented;
    return ffi::Error(code, library->message());
}

kogge_sort_options options_of(std::int64_t order, std::int64_t zeros, std::int64_t nans) {
    kogge_sort_options options{};
    options.size = sizeof options;
    options.order = static_cast<kogge_order>(order);
    options.zeros = static_cast<kogge_zeros>(zeros);
    options.nans = static_cast<kogge_nans>(nans);
    return options;
}

// ---- the calls ----------------------------------------------------------------------------------------

kogge_status sort(const kogge_exec& how, In x, Out to, std::int64_t order, std::int64_t zeros, std::int64_t nans) {
    const kogge_sort_options options = options_of(order, zeros, nans);
    const std::uint64_t n = x.element_count();
    if (is_one_array(x))
        return library->radix_sort(x.untyped_data(), type_of(x), to->untyped_data(), n, &options, &how);
    if (n == 0) return KOGGE_OK;
    return library->segmented_sort(x.untyped_data(), type_of(x), nullptr, to->untyped_data(), n, rows_of(x), &options,
                                   &how);
}

kogge_status sort_pairs(const kogge_exec& how, In keys, In values, Out keys_to, Out values_to, std::int64_t order,
                        std::int64_t zeros, std::int64_t nans) {
    const kogge_sort_options options = options_of(order, zeros, nans);
    return library->radix_sort_pairs(keys.untyped_data(), type_of(keys), values.untyped_data(), type_of(values),
                                     keys_to->untyped_data(), values_to->untyped_data(), keys.element_count(), &options,
                                     &how);
}

kogge_status argsort(const kogge_exec& how, In x, Out to, std::int64_t order, std::int64_t zeros, std::int64_t nans) {
    const kogge_sort_options options = options_of(order, zeros, nans);
    const std::uint64_t n = x.element_count();
    if (is_one_array(x))
        return library->argsort(x.untyped_data(), type_of(x), to->untyped_data(), type_of(*to), n, &options, &how);
    if (n == 0) return KOGGE_OK;
    return library->segmented_argsort(x.untyped_data(), type_of(x), nullptr, nullptr, to->untyped_data(), type_of(*to),
                                      n, rows_of(x), 0, &options, &how);
}

/// A column has eight numbers: order, zeros, nans, begin bit, end bit, nulls, which of the arrays is its bitmap (0:
/// none), and the bit of its first key. The arrays are the columns' keys, then bitmaps.
std::vector<kogge_column> columns_of(const ffi::RemainingArgs& arrays, Numbers numbers) {
    constexpr std::size_t kNumbers = 8;
    const auto array = [&](std::size_t i) { return arrays.get<In>(i).value(); };
    std::vector<kogge_column> columns(numbers.size() / kNumbers);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const std::int64_t* const given = numbers.begin() + c * kNumbers;
        kogge_column& column = columns[c];
        column.size = sizeof column;
        column.keys = array(c).untyped_data();
        column.type = type_of(array(c));
        column.order = static_cast<kogge_order>(given[0]);
        column.zeros = static_cast<kogge_zeros>(given[1]);
        column.nans = static_cast<kogge_nans>(given[2]);
        column.begin_bit = static_cast<int>(given[3]);
        column.end_bit = static_cast<int>(given[4]);
        column.nulls = static_cast<kogge_nulls>(given[5]);
        if (given[6] != 0) column.valid = static_cast<const std::uint32_t*>(array(given[6]).untyped_data());
        column.valid_from = static_cast<std::uint64_t>(given[7]);
    }
    return columns;
}
std::vector<void*> addresses_of(const ffi::RemainingRets& results) {
    std::vector<void*> addresses;
    for (std::size_t i = 0; i < results.size(); ++i)
        addresses.push_back(results.get<ffi::AnyBuffer>(i).value()->untyped_data());
    return addresses;
}

kogge_status sort_columns(const kogge_exec& how, ffi::RemainingArgs arrays, ffi::RemainingRets to, Numbers columns) {
    const std::vector<kogge_column> given = columns_of(arrays, columns);
    const std::vector<void*> keys_out = addresses_of(to);
    return library->radix_sort_columns(given.data(), given.size(), keys_out.data(),
                                       arrays.get<In>(0).value().element_count(), &how);
}
kogge_status sort_columns_pairs(const kogge_exec& how, In values, ffi::RemainingArgs arrays, Out values_to,
                                ffi::RemainingRets to, Numbers columns) {
    const std::vector<kogge_column> given = columns_of(arrays, columns);
    const std::vector<void*> keys_out = addresses_of(to);
    return library->radix_sort_columns_pairs(given.data(), given.size(), values.untyped_data(), type_of(values),
                                             keys_out.data(), values_to->untyped_data(), values.element_count(), &how);
}
kogge_status argsort_columns(const kogge_exec& how, ffi::RemainingArgs arrays, Out to, Numbers columns) {
    const std::vector<kogge_column> given = columns_of(arrays, columns);
    return library->argsort_columns(given.data(), given.size(), to->untyped_data(), type_of(*to), to->element_count(),
                                    &how);
}

kogge_status segmented_sort(const kogge_exec& how, In x, In offsets, Out to, std::int64_t order, std::int64_t zeros,
                            std::int64_t nans) {
    const kogge_sort_options options = options_of(order, zeros, nans);
    return library->segmented_sort(x.untyped_data(), type_of(x), numbers_in(offsets), to->untyped_data(),
                                   x.element_count(), first_extent(offsets), &options, &how);
}
kogge_status segmented_argsort(const kogge_exec& how, In x, In offsets, Out to, std::int64_t order, std::int64_t zeros,
                               std::int64_t nans) {
    const kogge_sort_options options = options_of(order, zeros, nans);
    return library->segmented_argsort(x.untyped_data(), type_of(x), numbers_in(offsets), nullptr, to->untyped_data(),
                                      type_of(*to), x.element_count(), first_extent(offsets), 1, &options, &how);
}

/// Of an array, of its rows, or, if there are offsets, of segments. Items, indices or both: what is not wanted is null.
kogge_status first_k(const kogge_exec& how, const In& x, const In* offsets, ffi::AnyBuffer* items,
                     ffi::AnyBuffer* indices, const kogge_sort_options& options) {
    const ffi::AnyBuffer& any = items ? *items : *indices;
    if (x.element_count() == 0 || any.element_count() == 0) return KOGGE_OK;
    void* const items_to = items ? items->untyped_data() : nullptr;
    void* const indices_to = indices ? indices->untyped_data() : nullptr;
    const kogge_type index = indices ? type_of(*indices) : KOGGE_NONE;
    const std::uint64_t n = x.element_count(), k = last_extent(any);
    if (offsets || !is_one_array(x))
        return library->segmented_top_k(x.untyped_data(), type_of(x), nullptr, KOGGE_NONE,
                                        offsets ? numbers_in(*offsets) : nullptr, items_to, nullptr, indices_to, index,
                                        n, offsets ? first_extent(*offsets) : rows_of(x), k, &options, &how);
    if (indices)
        return library->arg_top_k(x.untyped_data(), type_of(x), items_to, indices_to, index, n, k, &options, &how);
    return library->top_k(x.untyped_data(), type_of(x), items_to, n, k, &options, &how);
}
kogge_status topk(const kogge_exec& how, In x, Out items, std::int64_t order, std::int64_t zeros, std::int64_t nans) {
    return first_k(how, x, nullptr, &*items, nullptr, options_of(order, zeros, nans));
}
kogge_status topk_pairs(const kogge_exec& how, In x, Out items, Out indices, std::int64_t order, std::int64_t zeros,
                        std::int64_t nans) {
    return first_k(how, x, nullptr, &*items, &*indices, options_of(order, zeros, nans));
}
kogge_status argtopk(const kogge_exec& how, In x, Out indices, std::int64_t order, std::int64_t zeros,
                     std::int64_t nans) {
    return first_k(how, x, nullptr, nullptr, &*indices, options_of(order, zeros, nans));
}
kogge_status segmented_topk(const kogge_exec& how, In x, In offsets, Out items, std::int64_t order, std::int64_t zeros,
                            std::int64_t nans) {
    return first_k(how, x, &offsets, &*items, nullptr, options_of(order, zeros, nans));
}
kogge_status segmented_topk_pairs(const kogge_exec& how, In x, In offsets, Out items, Out indices, std::int64_t order,
                                  std::int64_t zeros, std::int64_t nans) {
    return first_k(how, x, &offsets, &*items, &*indices, options_of(order, zeros, nans));
}
kogge_status segmented_argtopk(const kogge_exec& how, In x, In offsets, Out indices, std::int64_t order,
                               std::int64_t zeros, std::int64_t nans) {
    return first_k(how, x, &offsets, nullptr, &*indices, options_of(order, zeros, nans));
}

kogge_status select_item(const kogge_exec& how, In x, Out to, std::int64_t order, std::int64_t zeros, std::int64_t nans,
                         std::int64_t rank) {
    const kogge_sort_options options = options_of(order, zeros, nans);
    const std::uint64_t n = x.element_count(), place = static_cast<std::uint64_t>(rank);
    if (is_one_array(x))
        return library->select(x.untyped_data(), type_of(x), to->untyped_data(), n, place, &options, &how);
    if (n == 0) return KOGGE_OK;
    return library->segmented_select(x.untyped_data(), type_of(x), nullptr, nullptr, to->untyped_data(), n, rows_of(x),
                                     place, &options, &how);
}
kogge_status quantiles(const kogge_exec& how, In x, In ranks, Out to, std::int64_t order, std::int64_t zeros,
                       std::int64_t nans) {
    const kogge_sort_options options = options_of(order, zeros, nans);
    return library->quantiles(x.untyped_data(), type_of(x), numbers_in(ranks), to->untyped_data(), x.element_count(),
                              to->element_count(), &options, &how);
}

/// init: the bytes of an item, if there is one.
kogge_scan_options scan_options_of(std::int64_t op, std::int64_t exclusive, std::int64_t reverse, std::int64_t has_init,
                                   const std::int64_t& init) {
    kogge_scan_options options{};
    options.size = sizeof options;
    options.op = static_cast<kogge_operator>(op);
    options.exclusive = exclusive != 0;
    options.reverse = reverse != 0;
    if (has_init) options.init = &init;
    return options;
}
kogge_status scan(const kogge_exec& how, In x, Out to, std::int64_t op, std::int64_t exclusive, std::int64_t reverse,
                  std::int64_t has_init, std::int64_t init) {
    const kogge_scan_options options = scan_options_of(op, exclusive, reverse, has_init, init);
    return library->scan(x.untyped_data(), type_of(x), to->untyped_data(), type_of(*to), x.element_count(), &options,
                         &how);
}
kogge_status scan_by_key(const kogge_exec& how, In x, In keys, Out to, std::int64_t op, std::int64_t exclusive,
                         std::int64_t reverse, std::int64_t has_init, std::int64_t init) {
    const kogge_scan_options options = scan_options_of(op, exclusive, reverse, has_init, init);
    return library->scan_by_key(keys.untyped_data(), type_of(keys), x.untyped_data(), type_of(x), to->untyped_data(),
                                type_of(*to), x.element_count(), &options, &how);
}
kogge_status segmented_scan(const kogge_exec& how, In x, In offsets, Out to, std::int64_t op, std::int64_t exclusive,
                            std::int64_t reverse, std::int64_t has_init, std::int64_t init) {
    const kogge_scan_options options = scan_options_of(op, exclusive, reverse, has_init, init);
    return library->segmented_scan(x.untyped_data(), type_of(x), numbers_in(offsets), to->untyped_data(), type_of(*to),
                                   x.element_count(), first_extent(offsets), &options, &how);
}

kogge_reduce_options reduce_options_of(std::int64_t op, std::int64_t has_init, const std::int64_t& init) {
    kogge_reduce_options options{};
    options.size = sizeof options;
    options.op = static_cast<kogge_operator>(op);
    if (has_init) options.init = &init;
    return options;
}
kogge_status reduce(const kogge_exec& how, In x, Out to, std::int64_t op, std::int64_t has_init, std::int64_t init) {
    const kogge_reduce_options options = reduce_options_of(op, has_init, init);
    const std::uint64_t n = x.element_count();
    if (is_one_array(x))
        return library->reduce(x.untyped_data(), type_of(x), to->untyped_data(), type_of(*to), n, &options, &how);
    return library->segmented_reduce(x.untyped_data(), type_of(x), nullptr, to->untyped_data(), type_of(*to), n,
                                     to->element_count(), &options, &how);
}
kogge_status segmented_reduce(const kogge_exec& how, In x, In offsets, Out to, std::int64_t op, std::int64_t has_init,
                              std::int64_t init) {
    if (to->element_count() == 0) return KOGGE_OK;
    const kogge_reduce_options options = reduce_options_of(op, has_init, init);
    return library->segmented_reduce(x.untyped_data(), type_of(x), numbers_in(offsets), to->untyped_data(),
                                     type_of(*to), x.element_count(), to->element_count(), &options, &how);
}
kogge_status reduce_by_key(const kogge_exec& how, In keys, In values, Out keys_to, Out sums, Out runs,
                           std::int64_t op) {
    return library->reduce_by_key(keys.untyped_data(), type_of(keys), values.untyped_data(), type_of(values),
                                  keys_to->untyped_data(), sums->untyped_data(), type_of(*sums), number_at(runs),
                                  keys.element_count(), static_cast<kogge_operator>(op), &how);
}
kogge_status argmin(const kogge_exec& how, In x, Out index) {
    return library->arg_min(x.untyped_data(), type_of(x), nullptr, number_at(index), x.element_count(), &how);
}
kogge_status argmax(const kogge_exec& how, In x, Out index) {
    return library->arg_max(x.untyped_data(), type_of(x), nullptr, number_at(index), x.element_count(), &how);
}

kogge_status merge(const kogge_exec& how, In a, In b, Out to) {
    return library->merge(a.untyped_data(), b.untyped_data(), type_of(a), to->untyped_data(), a.element_count(),
                          b.element_count(), &how);
}
kogge_status merge_pairs(const kogge_exec& how, In a, In values_a, In b, In values_b, Out to, Out values_to) {
    return library->merge_pairs(a.untyped_data(), values_a.untyped_data(), b.untyped_data(), values_b.untyped_data(),
                                type_of(a), type_of(values_a), to->untyped_data(), values_to->untyped_data(),
                                a.element_count(), b.element_count(), &how);
}

kogge_status searchsorted(const kogge_exec& how, In a, In v, Out to, std::int64_t upper) {
    return (upper ? library->upper_bound : library->lower_bound)(a.untyped_data(), v.untyped_data(), type_of(a),
                                                                 to->untyped_data(), type_of(*to), a.element_count(),
                                                                 v.element_count(), &how);
}

/// Without items there are no weights.
kogge_type type_of_weights(const In& weights) { return weights.element_count() == 0 ? KOGGE_NONE : type_of(weights); }

/// lower, upper: the bytes of numbers, as kogge_histogram_even takes them.
kogge_status histogram(const kogge_exec& how, In x, In weights, Out counts, std::int64_t lower, std::int64_t upper) {
    if (counts->element_count() == 0) return KOGGE_OK;
    const kogge_type weight = type_of_weights(weights);
    return library->histogram_even(x.untyped_data(), type_of(x),
                                   weight == KOGGE_NONE ? nullptr : weights.untyped_data(), weight,
                                   counts->untyped_data(), type_of(*counts), x.element_count(), rows_of(*counts),
                                   static_cast<std::uint32_t>(last_extent(*counts)), &lower, &upper, &how);
}
kogge_status histogram_bounds(const kogge_exec& how, In x, In weights, In bounds, Out counts) {
    if (counts->element_count() == 0) return KOGGE_OK;
    const kogge_type weight = type_of_weights(weights);
    return library->histogram_bounds(x.untyped_data(), type_of(x),
                                     weight == KOGGE_NONE ? nullptr : weights.untyped_data(), weight,
                                     bounds.untyped_data(), counts->untyped_data(), type_of(*counts), x.element_count(),
                                     rows_of(*counts), static_cast<std::uint32_t>(last_extent(*counts)), &how);
}

kogge_status compact(const kogge_exec& how, In x, In mask, Out to, Out count) {
    return library->compact_flags(x.untyped_data(), type_of(x), static_cast<const std::uint8_t*>(mask.untyped_data()),
                                  to->untyped_data(), number_at(count), x.element_count(), &how);
}
kogge_status flatnonzero(const kogge_exec& how, In x, Out to, Out count) {
    return library->nonzero(x.untyped_data(), type_of(x), to->untyped_data(), type_of(*to), number_at(count),
                            x.element_count(), &how);
}
/// value: the bytes of an item.
kogge_status partition(const kogge_exec& how, In x, Out to, Out boundary, std::int64_t relation, std::int64_t value) {
    return library->partition(x.untyped_data(), type_of(x), to->untyped_data(), nullptr, number_at(boundary),
                              x.element_count(), static_cast<kogge_relation>(relation), &value, &how);
}
kogge_status partition_flags(const kogge_exec& how, In x, In mask, Out to, Out boundary) {
    return library->partition_flags(x.untyped_data(), type_of(x), static_cast<const std::uint8_t*>(mask.untyped_data()),
                                    to->untyped_data(), nullptr, number_at(boundary), x.element_count(), &how);
}
kogge_status split(const kogge_exec& how, In numbers, In x, Out sorted_numbers, Out to, Out offsets) {
    return library->split(numbers.untyped_data(), type_of(numbers), x.untyped_data(), type_of(x),
                          sorted_numbers->untyped_data(), to->untyped_data(), number_at(offsets), x.element_count(),
                          static_cast<std::uint32_t>(first_extent(*offsets) - 1), 0, 0, &how);
}

kogge_status unique_consecutive(const kogge_exec& how, In x, Out to, Out runs) {
    return library->unique(x.untyped_data(), type_of(x), to->untyped_data(), number_at(runs), x.element_count(), &how);
}
kogge_status run_length_encode(const kogge_exec& how, In x, Out to, Out lengths, Out runs) {
    return library->run_length_encode(x.untyped_data(), type_of(x), to->untyped_data(), lengths->untyped_data(),
                                      type_of(*lengths), number_at(runs), x.element_count(), &how);
}

// ---- handlers -----------------------------------------------------------------------------------------

kogge_exec exec_on(kogge_backend where) {
    kogge_exec exec{};
    exec.size = sizeof exec;
    exec.where = where;
    return exec;
}

void* allocate(void* scratch, std::size_t bytes, void*) {
    constexpr std::size_t kAlignment = 16;  // XLA refuses more; calls align what they get
    return static_cast<ffi::ScratchAllocator*>(scratch)->Allocate(bytes, kAlignment).value_or(nullptr);
}
void keep(void*, void*, std::size_t, void*) {}  // XLA's allocator gets it back when the handler returns

template <class... Types>
struct TypeList {};

template <class T>
inline constexpr bool kIsAttribute = std::is_same_v<T, std::int64_t> || std::is_same_v<T, Numbers>;

template <auto call>
struct Handler;

/// The handlers of a call: XLA's arguments and attributes are those behind `how`.
template <class... Arguments, kogge_status (*call)(const kogge_exec&, Arguments...)>
struct Handler<call> {
    static constexpr TypeList<Arguments...> kArguments{};
    static constexpr std::size_t kAttributes = (std::size_t{0} + ... + std::size_t{kIsAttribute<Arguments>});

    static ffi::Error on_host(Arguments... arguments) { return error_of(call(exec_on(KOGGE_ON_HOST), arguments...)); }
    static ffi::Error on_device(void* stream, ffi::ScratchAllocator scratch, Arguments... arguments) {
        kogge_exec how = exec_on(KOGGE_ON_DEVICE);
        how.stream = stream;
        how.allocate = allocate;
        how.deallocate = keep;
        how.context = &scratch;
        return error_of(call(how, arguments...));
    }
};

/// Completes a binding: adds the arguments of these types, of which attributes have the next of the names, and binds it
/// to `call`.
template <class Call, class Binding>
auto* complete(Call call, Binding&& binding, TypeList<>, const char* const*) {
    return std::forward<Binding>(binding).To(call).release();
}
template <class Call, class Binding, class First, class... Rest>
auto* complete(Call call, Binding&& binding, TypeList<First, Rest...>, const char* const* names) {
    constexpr TypeList<Rest...> kRest{};
    if constexpr (std::is_same_v<First, In>)
        return complete(call, std::forward<Binding>(binding).template Arg<First>(), kRest, names);
    else if constexpr (std::is_same_v<First, ffi::RemainingArgs>)
        return complete(call, std::forward<Binding>(binding).RemainingArgs(), kRest, names);
    else if constexpr (std::is_same_v<First, ffi::RemainingRets>)
        return complete(call, std::forward<Binding>(binding).RemainingRets(), kRest, names);
    else if constexpr (std::is_same_v<First, Out>)
        return complete(call, std::forward<Binding>(binding).template Ret<ffi::AnyBuffer>(), kRest, names);
    else return complete(call, std::forward<Binding>(binding).template Attr<First>(*names), kRest, names + 1);
}

/// A handler lives as long as the process: XLA may call it until then.
template <auto call, bool on_device>
XLA_FFI_Handler* handler(const char* const* names) {
    using Made = Handler<call>;
    if constexpr (on_device) {
        static auto* const made =
            complete(Made::on_device, ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>().Ctx<ffi::ScratchAllocator>(),
                     Made::kArguments, names);
        return [](XLA_FFI_CallFrame* frame) { return made->Call(frame); };
    } else {
        static auto* const made = complete(Made::on_host, ffi::Ffi::Bind(), Made::kArguments, names);
        return [](XLA_FFI_CallFrame* frame) { return made->Call(frame); };
    }
}

nb::capsule capsule_of(XLA_FFI_Handler* made) {
    return nb::capsule(reinterpret_cast<void*>(made), "xla._CUSTOM_CALL_TARGET");
}

/// `names`: of the call's attributes.
template <auto call, class... Names>
void add(nb::dict& handlers, const char* name, Names... names) {
    static_assert(sizeof...(Names) == Handler<call>::kAttributes);
    const std::array<const char*, sizeof...(Names)> attributes{names...};
    handlers[name] = nb::make_tuple(capsule_of(handler<call, false>(attributes.data())),
                                    capsule_of(handler<call, true>(attributes.data())));
}

}  // namespace

NB_MODULE(_kogge_xla, m) {
    const nb::object functions = nb::module_::import_("kogge._kogge").attr("functions")();
    library = static_cast<const Functions*>(PyCapsule_GetPointer(functions.ptr(), kFunctionsName));
    if (!library) throw nb::python_error();
    nb::dict handlers;  // name → (handler on the host, handler on a GPU)
    add<sort>(handlers, "sort", "order", "zeros", "nans");
    add<sort_pairs>(handlers, "sort_pairs", "order", "zeros", "nans");
    add<argsort>(handlers, "argsort", "order", "zeros", "nans");
    add<sort_columns>(handlers, "sort_columns", "columns");
    add<sort_columns_pairs>(handlers, "sort_columns_pairs", "columns");
    add<argsort_columns>(handlers, "argsort_columns", "columns");
    add<segmented_sort>(handlers, "segmented_sort", "order", "zeros", "nans");
    add<segmented_argsort>(handlers, "segmented_argsort", "order", "zeros", "nans");
    add<topk>(handlers, "topk", "order", "zeros", "nans");
    add<topk_pairs>(handlers, "topk_pairs", "order", "zeros", "nans");
    add<argtopk>(handlers, "argtopk", "order", "zeros", "nans");
    add<segmented_topk>(handlers, "segmented_topk", "order", "zeros", "nans");
    add<segmented_topk_pairs>(handlers, "segmented_topk_pairs", "order", "zeros", "nans");
    add<segmented_argtopk>(handlers, "segmented_argtopk", "order", "zeros", "nans");
    add<select_item>(handlers, "select", "order", "zeros", "nans", "rank");
    add<quantiles>(handlers, "quantiles", "order", "zeros", "nans");
    add<scan>(handlers, "scan", "op", "exclusive", "reverse", "has_init", "init");
    add<scan_by_key>(handlers, "scan_by_key", "op", "exclusive", "reverse", "has_init", "init");
    add<segmented_scan>(handlers, "segmented_scan", "op", "exclusive", "reverse", "has_init", "init");
    add<reduce>(handlers, "reduce", "op", "has_init", "init");
    add<segmented_reduce>(handlers, "segmented_reduce", "op", "has_init", "init");
    add<reduce_by_key>(handlers, "reduce_by_key", "op");
    add<argmin>(handlers, "argmin");
    add<argmax>(handlers, "argmax");
    add<merge>(handlers, "merge");
    add<merge_pairs>(handlers, "merge_pairs");
    add<searchsorted>(handlers, "searchsorted", "upper");
    add<histogram>(handlers, "histogram", "lower", "upper");
    add<histogram_bounds>(handlers, "histogram_bounds");
    add<compact>(handlers, "compact");
    add<flatnonzero>(handlers, "flatnonzero");
    add<partition>(handlers, "partition", "relation", "value");
    add<partition_flags>(handlers, "partition_flags");
    add<split>(handlers, "split");
    add<unique_consecutive>(handlers, "unique_consecutive");
    add<run_length_encode>(handlers, "run_length_encode");
    m.attr("handlers") = handlers;
}

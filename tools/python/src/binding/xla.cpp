// The module kogge._kogge_xla: handlers that XLA calls from compiled programs of JAX's, on the host and on a GPU. There
// they work in XLA's stream, with scratch from XLA's allocator, which gets it back when the handler returns; a call
// that is queued by then still owns it in stream order. Needs the headers of XLA's FFI (jaxlib brings them), and
// nothing of JAX at run time.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "functions.hpp"
#include "xla/ffi/api/ffi.h"

namespace nb = nanobind;
namespace ffi = xla::ffi;

namespace {

const Functions* library = nullptr;

using In = ffi::AnyBuffer;
using Out = ffi::Result<ffi::AnyBuffer>;

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

/// Items, indices or both: what is not wanted is null.
kogge_status first_k(const kogge_exec& how, const In& x, ffi::AnyBuffer* items, ffi::AnyBuffer* indices,
                     const kogge_sort_options& options) {
    const ffi::AnyBuffer& any = items ? *items : *indices;
    if (x.element_count() == 0 || any.element_count() == 0) return KOGGE_OK;
    void* const items_to = items ? items->untyped_data() : nullptr;
    void* const indices_to = indices ? indices->untyped_data() : nullptr;
    const kogge_type index = indices ? type_of(*indices) : KOGGE_NONE;
    const std::uint64_t n = x.element_count(), k = last_extent(any);
    if (!is_one_array(x))
        return library->segmented_top_k(x.untyped_data(), type_of(x), nullptr, KOGGE_NONE, nullptr, items_to, nullptr,
                                        indices_to, index, n, rows_of(x), k, &options, &how);
    if (indices)
        return library->arg_top_k(x.untyped_data(), type_of(x), items_to, indices_to, index, n, k, &options, &how);
    return library->top_k(x.untyped_data(), type_of(x), items_to, n, k, &options, &how);
}
kogge_status topk(const kogge_exec& how, In x, Out items, std::int64_t order, std::int64_t zeros, std::int64_t nans) {
    return first_k(how, x, &*items, nullptr, options_of(order, zeros, nans));
}
kogge_status topk_pairs(const kogge_exec& how, In x, Out items, Out indices, std::int64_t order, std::int64_t zeros,
                        std::int64_t nans) {
    return first_k(how, x, &*items, &*indices, options_of(order, zeros, nans));
}
kogge_status argtopk(const kogge_exec& how, In x, Out indices, std::int64_t order, std::int64_t zeros,
                     std::int64_t nans) {
    return first_k(how, x, nullptr, &*indices, options_of(order, zeros, nans));
}

/// init: the bytes of an item, if there is one.
kogge_status scan(const kogge_exec& how, In x, Out to, std::int64_t op, std::int64_t exclusive, std::int64_t reverse,
                  std::int64_t has_init, std::int64_t init) {
    kogge_scan_options options{};
    options.size = sizeof options;
    options.op = static_cast<kogge_operator>(op);
    options.exclusive = exclusive != 0;
    options.reverse = reverse != 0;
    if (has_init) options.init = &init;
    return library->scan(x.untyped_data(), type_of(x), to->untyped_data(), type_of(*to), x.element_count(), &options,
                         &how);
}

kogge_status reduce(const kogge_exec& how, In x, Out to, std::int64_t op, std::int64_t has_init, std::int64_t init) {
    kogge_reduce_options options{};
    options.size = sizeof options;
    options.op = static_cast<kogge_operator>(op);
    if (has_init) options.init = &init;
    const std::uint64_t n = x.element_count();
    if (is_one_array(x))
        return library->reduce(x.untyped_data(), type_of(x), to->untyped_data(), type_of(*to), n, &options, &how);
    return library->segmented_reduce(x.untyped_data(), type_of(x), nullptr, to->untyped_data(), type_of(*to), n,
                                     to->element_count(), &options, &how);
}

kogge_status searchsorted(const kogge_exec& how, In a, In v, Out to, std::int64_t upper) {
    return (upper ? library->upper_bound : library->lower_bound)(a.untyped_data(), v.untyped_data(), type_of(a),
                                                                 to->untyped_data(), type_of(*to), a.element_count(),
                                                                 v.element_count(), &how);
}

/// lower, upper: the bytes of numbers, as kogge_histogram_even takes them.
kogge_status histogram(const kogge_exec& how, In x, Out counts, std::int64_t lower, std::int64_t upper) {
    if (counts->element_count() == 0) return KOGGE_OK;
    return library->histogram_even(x.untyped_data(), type_of(x), nullptr, KOGGE_NONE, counts->untyped_data(),
                                   type_of(*counts), x.element_count(), rows_of(*counts),
                                   static_cast<std::uint32_t>(last_extent(*counts)), &lower, &upper, &how);
}
kogge_status histogram_bounds(const kogge_exec& how, In x, In bounds, Out counts) {
    if (counts->element_count() == 0) return KOGGE_OK;
    return library->histogram_bounds(x.untyped_data(), type_of(x), nullptr, KOGGE_NONE, bounds.untyped_data(),
                                     counts->untyped_data(), type_of(*counts), x.element_count(), rows_of(*counts),
                                     static_cast<std::uint32_t>(last_extent(*counts)), &how);
}

/// count: two numbers of 32 bits, the halves of one, since JAX has no 64 bits unless it is told to.
kogge_status compact(const kogge_exec& how, In x, In mask, Out to, Out count) {
    return library->compact_flags(x.untyped_data(), type_of(x), static_cast<const std::uint8_t*>(mask.untyped_data()),
                                  to->untyped_data(), static_cast<std::uint64_t*>(count->untyped_data()),
                                  x.element_count(), &how);
}
kogge_status flatnonzero(const kogge_exec& how, In x, Out to, Out count) {
    return library->nonzero(x.untyped_data(), type_of(x), to->untyped_data(), type_of(*to),
                            static_cast<std::uint64_t*>(count->untyped_data()), x.element_count(), &how);
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

template <auto call>
struct Handler;

/// The handlers of a call: XLA's arguments and attributes are those behind `how`.
template <class... Arguments, kogge_status (*call)(const kogge_exec&, Arguments...)>
struct Handler<call> {
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

/// Completes a binding: adds `inputs` and `outputs` arrays, then attributes, and binds it to `call`.
template <int inputs, int outputs, class Call, class Binding, class... Names>
auto* bind(Call call, Binding&& binding, Names... names) {
    const auto with_attributes = [call](auto self, auto&& so_far, auto... rest) {
        if constexpr (sizeof...(rest) == 0) return std::move(so_far).To(call).release();
        else
            return [&](const char* name, auto... others) {
                return self(self, std::move(so_far).template Attr<std::int64_t>(name), others...);
            }(rest...);
    };
    if constexpr (inputs > 0)
        return bind<inputs - 1, outputs>(call, std::forward<Binding>(binding).template Arg<ffi::AnyBuffer>(), names...);
    else if constexpr (outputs > 0)
        return bind<0, outputs - 1>(call, std::forward<Binding>(binding).template Ret<ffi::AnyBuffer>(), names...);
    else return with_attributes(with_attributes, std::forward<Binding>(binding), names...);
}

/// A handler lives as long as the process: XLA may call it until then.
template <auto call, bool on_device, int inputs, int outputs, class... Names>
XLA_FFI_Handler* handler(Names... names) {
    if constexpr (on_device) {
        static auto* const made = bind<inputs, outputs>(
            Handler<call>::on_device, ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>().Ctx<ffi::ScratchAllocator>(),
            names...);
        return [](XLA_FFI_CallFrame* frame) { return made->Call(frame); };
    } else {
        static auto* const made = bind<inputs, outputs>(Handler<call>::on_host, ffi::Ffi::Bind(), names...);
        return [](XLA_FFI_CallFrame* frame) { return made->Call(frame); };
    }
}

nb::capsule capsule_of(XLA_FFI_Handler* made) {
    return nb::capsule(reinterpret_cast<void*>(made), "xla._CUSTOM_CALL_TARGET");
}

template <auto call, int inputs, int outputs, class... Names>
void add(nb::dict& handlers, const char* name, Names... names) {
    handlers[name] = nb::make_tuple(capsule_of(handler<call, false, inputs, outputs>(names...)),
                                    capsule_of(handler<call, true, inputs, outputs>(names...)));
}

}  // namespace

NB_MODULE(_kogge_xla, m) {
    const nb::object functions = nb::module_::import_("kogge._kogge").attr("functions")();
    library = static_cast<const Functions*>(PyCapsule_GetPointer(functions.ptr(), kFunctionsName));
    if (!library) throw nb::python_error();
    nb::dict handlers;  // name → (handler on the host, handler on a GPU)
    add<sort, 1, 1>(handlers, "sort", "order", "zeros", "nans");
    add<sort_pairs, 2, 2>(handlers, "sort_pairs", "order", "zeros", "nans");
    add<argsort, 1, 1>(handlers, "argsort", "order", "zeros", "nans");
    add<topk, 1, 1>(handlers, "topk", "order", "zeros", "nans");
    add<topk_pairs, 1, 2>(handlers, "topk_pairs", "order", "zeros", "nans");
    add<argtopk, 1, 1>(handlers, "argtopk", "order", "zeros", "nans");
    add<scan, 1, 1>(handlers, "scan", "op", "exclusive", "reverse", "has_init", "init");
    add<reduce, 1, 1>(handlers, "reduce", "op", "has_init", "init");
    add<searchsorted, 2, 1>(handlers, "searchsorted", "upper");
    add<histogram, 1, 1>(handlers, "histogram", "lower", "upper");
    add<histogram_bounds, 2, 1>(handlers, "histogram_bounds");
    add<compact, 2, 2>(handlers, "compact");
    add<flatnonzero, 1, 2>(handlers, "flatnonzero");
    m.attr("handlers") = handlers;
}

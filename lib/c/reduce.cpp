// Reductions of all items and of segments, and the first least or greatest item.
#include <cstdint>
#include <string>
#include <type_traits>

#include "c/guard.hpp"
#include "c/segments.hpp"
#include "c/sums.hpp"
#include "c/told.hpp"
#include "kogge/calls/segmented_reduce.hpp"

namespace kogge::c {
namespace {

/// A reduction's arrays.
struct Reduction {
    const char* call;
    const void* in;
    kogge_type type;
    void* out;
    kogge_type out_type;
};

/// Calls f(in, out, op, init) with the typed arrays and the operator; init is null if there is none.
template <class F>
void with_reduction(const Reduction& of, const kogge_reduce_options* options, const F& f) {
    const kogge_reduce_options by = reduce_options_of(of.call, options);
    with_sums(of.call, "reductions", of.type, of.out_type, by.op, [&]<class T, class Sum>(T, Sum) {
        with_operator<T, Sum>(by.op, [&](auto op) {
            const Sum init = init_of<Sum>(by.init, op);
            f(static_cast<const T*>(of.in), static_cast<Sum*>(of.out), op, by.init ? &init : nullptr);
        });
    });
}

/// Reduces segments on the device. Sums of floats and of narrower items have code of their own.
template <class T, class Sum, class Op>
void reduce_segments_on_device(const char* call, const T* from, Sum* to, const item_count& n, const Segments& of, Op op,
                               const Sum* init, const exec& how) {
    using Word = told_sum<Sum>;
    constexpr bool is_told = !std::is_same_v<Op, plus> || (std::is_same_v<T, Sum> && std::is_integral_v<Sum>);
    const detail::ReduceStart<Word> start{std::bit_cast<Word>(init ? *init : neutral<Sum>(op)), init != nullptr};
    const auto reduce = [&](auto by) {
        grid::told_segmented_reduce(call, told_items<T, Sum>(from), told_sums<Sum>(to), n, of.on_device(),
                                    of.bounds.begins.first == nullptr, by, start, how);
    };
    if constexpr (is_told) {
        const kogge_operator which = std::is_same_v<Op, plus>      ? KOGGE_PLUS
                                     : std::is_same_v<Op, maximum> ? KOGGE_MAXIMUM
                                                                   : KOGGE_MINIMUM;
        reduce(told_operator<Sum>(which));
    } else {
        reduce(op);
    }
}

template <bool greatest>
kogge_status find_extreme(const char* call, const void* in, kogge_type type, void* item, std::uint64_t* index,
                          std::uint64_t n, const kogge_exec* given) {
    return guard(call, [&] {
        number_of(call, type, "items");
        const Arguments arguments(call, given, n);
        if (item && is_far(call, item, "the item", in) != is_far(call, index, "the index", in))
            throw error(errc::invalid_argument, call, "the item and the index are written to the same memory");
        const auto find = [&]<class T>(T) {
            const auto* const from = static_cast<const T*>(in);
            deliver(call, index, "the index", in, [&](const auto& place) {
                if constexpr (std::is_same_v<decltype(place), const detail::NoPlace&>) {
                    const indexed_item<T> found =
                        detail::arg_reduced<greatest>(call, from, arguments.n(), arguments.how());
                    if (item) *static_cast<T*>(item) = found.item;
                    return found.index;
                } else {
                    detail::arg_reduce<greatest>(call, from, static_cast<T*>(item), place, arguments.n(),
                                                 arguments.how());
                }
            });
        };
        if (!with_arithmetic(type == KOGGE_BOOL ? KOGGE_U8 : type, find)) report_type(call, type, "items");
    });
}

}  // namespace
}  // namespace kogge::c

using kogge::c::guard;
using kogge::c::Reduction;

kogge_status kogge_reduce(const void* in, kogge_type type, void* out, kogge_type out_type, uint64_t n,
                          const kogge_reduce_options* options, const kogge_exec* exec) {
    const char* const call = "reduce";
    return guard(call, [&] {
        const kogge::c::Arguments arguments(call, exec, n);
        const auto reduce = [&]<class T, class Sum>(const T* from, Sum* to, auto op, const Sum* init) {
            kogge::c::deliver(call, to, "the result", in, [&](const auto& place) {
                if constexpr (std::is_same_v<decltype(place), const kogge::detail::NoPlace&>)
                    return kogge::detail::reduced<Sum>(call, from, arguments.n(), op, kogge::detail::ViewItems{}, init,
                                                       arguments.how());
                else
                    kogge::detail::reduce<Sum>(call, from, place, arguments.n(), op, kogge::detail::ViewItems{}, init,
                                               arguments.how());
            });
        };
        kogge::c::with_reduction(Reduction{call, in, type, out, out_type}, options, reduce);
    });
}

kogge_status kogge_segmented_reduce(const void* in, kogge_type type, const uint64_t* offsets, void* out,
                                    kogge_type out_type, uint64_t n, uint64_t segments,
                                    const kogge_reduce_options* options, const kogge_exec* exec) {
    const char* const call = "segmented_reduce";
    return guard(call, [&] {
        const kogge::c::Arguments arguments(call, exec, n);
        const kogge::c::Segments of = kogge::c::segments_of(call, offsets, arguments.n(), segments);
        const auto reduce = [&]<class T, class Sum>(const T* from, Sum* to, auto op, const Sum* init) {
            const kogge::detail::RunsOn where = kogge::detail::check_call(
                call, arguments.how(), arguments.n(), {kogge::detail::input_region(call, from, n, "in"), of.offsets},
                {{to, kogge::detail::bytes_of(call, segments, sizeof(Sum)), "out"}});
            if (where != kogge::backend::host) {
                if (segments > 0)
                    kogge::c::reduce_segments_on_device(call, from, to, arguments.n(), of, op, init, arguments.how());
                return;
            }
            kogge::detail::run_segmented_reduce<Sum>(from, to, arguments.n(), of, offsets == nullptr, op, init,
                                                     arguments.how());
        };
        kogge::c::with_reduction(Reduction{call, in, type, out, out_type}, options, reduce);
    });
}

kogge_status kogge_arg_min(const void* in, kogge_type type, void* item_out, uint64_t* index_out, uint64_t n,
                           const kogge_exec* exec) {
    return kogge::c::find_extreme<false>("arg_min", in, type, item_out, index_out, n, exec);
}

kogge_status kogge_arg_max(const void* in, kogge_type type, void* item_out, uint64_t* index_out, uint64_t n,
                           const kogge_exec* exec) {
    return kogge::c::find_extreme<true>("arg_max", in, type, item_out, index_out, n, exec);
}

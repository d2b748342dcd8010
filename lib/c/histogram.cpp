// Histograms by even bins and by bounds, of an array or of each of its rows.
#include <cstring>
#include <string>
#include <type_traits>

#include "c/arguments.hpp"
#include "c/checks.hpp"
#include "c/guard.hpp"
#include "kogge/calls/histogram.hpp"
#include "kogge/types/segments.hpp"

namespace kogge::c {
namespace {

/// A histogram's arrays.
struct Histogram {
    const char* call;
    const void* in;
    kogge_type type;
    const void* weights;
    kogge_type weight_type;  ///< KOGGE_NONE: items are counted
    void* counts;
    kogge_type count_type;
    std::uint64_t n, rows;
    detail::Region bounds{};
};

/// Sums weights of a type that is told at run time, on the host.
template <class T, class Bins>
void add_weights(const Histogram& of, const Bins& bins, const Arguments& arguments) {
    const TypeInfo weight = number_of(of.call, of.weight_type, "weights");
    if (weight.kind == number_kind::floating || weight.bytes > 8) report_type(of.call, of.weight_type, "weights");
    if (info_of(of.count_type).bytes != 8)
        throw error(errc::invalid_argument, of.call, "sums of weights are integers of 64 bits");
    const std::uint64_t sum_bytes =
        bins.bins == 0 ? 0 : detail::bytes_of(of.call, of.rows, bins.bins * sizeof(std::uint64_t));
    const detail::RunsOn where =
        detail::check_call(of.call, arguments.how(), arguments.n(),
                           {{of.in, detail::bytes_of(of.call, of.n, sizeof(T)), "in"},
                            {of.weights, detail::bytes_of(of.call, of.n, weight.bytes), "the weights"},
                            of.bounds},
                           {{of.counts, sum_bytes, "the sums"}});
    if (where != backend::host) report_not_on_device(of.call);
    require_host_count(of.call, arguments.n());
    exec on_host = arguments.how();
    on_host.where = backend::host;
    const detail::IntegersIn weights{of.weights, static_cast<int>(weight.bytes),
                                     weight.kind == number_kind::signed_integer};
    weighted_histogram(static_cast<const T*>(of.in), weights, static_cast<std::uint64_t*>(of.counts),
                       rows_of{of.n / of.rows, of.rows}, bins, on_host);
}

template <class T, class Bins>
void count(const Histogram& of, const Bins& bins, const Arguments& arguments) {
    const std::size_t bytes = index_bytes(of.call, of.count_type, "the counts");
    if (of.rows == 0 || of.n % of.rows != 0)
        throw error(errc::invalid_argument, of.call,
                    std::to_string(of.n) + " items are no " + std::to_string(of.rows) + " rows of equal length");
    if (of.rows > 1 && arguments.n().on_device())
        throw error(errc::invalid_argument, of.call, "the number of items of rows must be known to the host");
    if (of.weight_type != KOGGE_NONE) return add_weights<T>(of, bins, arguments);
    check_holds(of.call, of.count_type, of.n / of.rows, "the counts");
    const auto* const in = static_cast<const T*>(of.in);
    const auto run = [&](auto* counts) {
        if (of.rows == 1) histogram(in, counts, arguments.n(), bins, arguments.how());
        else histogram(in, counts, rows_of{of.n / of.rows, of.rows}, bins, arguments.how());
    };
    if (bytes == 4) run(static_cast<std::uint32_t*>(of.counts));
    else run(static_cast<std::uint64_t*>(of.counts));
}

/// Calls f(T{}, Bound{}) for the type of the items and that of their bounds.
template <class F>
void with_binned(const char* call, kogge_type type, const F& f) {
    number_of(call, type, "items");
    const auto as = [&]<class T>(T) {
        if constexpr (std::is_integral_v<T> && sizeof(T) < 8) f(T{}, std::int64_t{});
        else f(T{}, detail::binned_as<T>{});
    };
    if (type == KOGGE_F16) as(half{});
    else if (type == KOGGE_BF16) as(bfloat16{});
    else if (!with_arithmetic(type == KOGGE_BOOL ? KOGGE_U8 : type, as)) report_type(call, type, "items");
}

template <class Bound>
Bound bound_at(const char* call, const void* given, const char* name) {
    if (!given) throw error(errc::invalid_argument, call, std::string("null given for ") + name);
    Bound bound;
    std::memcpy(&bound, given, sizeof bound);
    return bound;
}

}  // namespace
}  // namespace kogge::c

using kogge::c::Arguments;
using kogge::c::guard;
using kogge::c::Histogram;

kogge_status kogge_histogram_even(const void* in, kogge_type type, const void* weights, kogge_type weight_type,
                                  void* counts, kogge_type count_type, uint64_t n, uint64_t rows, uint32_t bins,
                                  const void* lower, const void* upper, const kogge_exec* exec) {
    const char* const call = "histogram_even";
    return guard(call, [&] {
        const Arguments arguments(call, exec, n);
        const Histogram of{call, in, type, weights, weight_type, counts, count_type, n, rows};
        kogge::c::with_binned(call, type, [&]<class T, class Bound>(T, Bound) {
            const kogge::even_bins<Bound> even{kogge::c::bound_at<Bound>(call, lower, "lower"),
                                               kogge::c::bound_at<Bound>(call, upper, "upper"), bins};
            kogge::c::count<T>(of, even, arguments);
        });
    });
}

kogge_status kogge_histogram_bounds(const void* in, kogge_type type, const void* weights, kogge_type weight_type,
                                    const void* bounds, void* counts, kogge_type count_type, uint64_t n, uint64_t rows,
                                    uint32_t bins, const kogge_exec* exec) {
    const char* const call = "histogram_bounds";
    return guard(call, [&] {
        const Arguments arguments(call, exec, n);
        Histogram of{call, in, type, weights, weight_type, counts, count_type, n, rows};
        kogge::c::with_binned(call, type, [&]<class T, class Bound>(T, Bound) {
            using Number = kogge::detail::binned_as<T>;
            of.bounds = {bounds, n > 0 ? (std::uint64_t{bins} + 1) * sizeof(Number) : 0, "the bounds"};
            kogge::c::count<T>(of, kogge::bin_bounds<Number>{static_cast<const Number*>(bounds), bins}, arguments);
        });
    });
}

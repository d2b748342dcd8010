// Searches in sorted arrays, and merges of them. Items of other types than the library's numbers, and values of other
// sizes than its words, are compared and moved by what is told at run time, on the host.
#include "c/any_items.hpp"
#include "c/arguments.hpp"
#include "c/checks.hpp"
#include "c/guard.hpp"
#include "kogge/calls/merge.hpp"
#include "kogge/calls/search.hpp"

namespace kogge::c {
namespace {

template <bool upper>
kogge_status search(const char* call, const void* sorted, const void* needles, kogge_type type, void* out,
                    kogge_type index_type, std::uint64_t n, std::uint64_t m, const kogge_exec* given) {
    return guard(call, [&] {
        const TypeInfo item = number_of(call, type, "items");
        const std::size_t bytes = index_bytes(call, index_type, "the results");
        check_holds(call, index_type, n, "the results");
        const Arguments arguments(call, given, n);
        const exec& how = arguments.how();
        const auto with_results = [&](const auto& items, const auto& wanted, auto by, const exec& as) {
            const auto run = [&](auto* results) {
                detail::run_search<upper>(call, items, wanted, results, arguments.n(), m, by, as);
            };
            if (bytes == 4) run(static_cast<std::uint32_t*>(out));
            else run(static_cast<std::uint64_t*>(out));
        };
        const auto typed = [&]<class T>(T) {
            with_results(static_cast<const T*>(sorted), static_cast<const T*>(needles), less{}, how);
        };
        if (with_arithmetic(type == KOGGE_BOOL ? KOGGE_U8 : type, typed)) return;
        const detail::RunsOn where =
            detail::check_call(call, how, m,
                               {{needles, detail::bytes_of(call, m, item.bytes), "needles"},
                                {sorted, detail::bytes_of(call, n, item.bytes), "sorted"}},
                               {{out, detail::bytes_of(call, m, bytes), "out"}}, item.bytes == bytes ? 1 : 0);
        if (where != backend::host) report_not_on_device(call);
        exec on_host = how;
        on_host.where = backend::host;
        with_results(AnyItems{sorted, item.bytes}, AnyItems{needles, item.bytes}, AnyLess{type}, on_host);
    });
}

/// A merge's arrays; values of no bytes are not wanted.
struct Merge {
    const char* call;
    const void *a, *values_a, *b, *values_b;
    kogge_type type;
    void *out, *values_out;
    std::uint64_t n_a, n_b;
    TypeInfo value{};
};

/// Merges arrays of numbers, with values that travel as words, or with none. Returns false if it has other types.
bool merge_typed(const Merge& of, const exec& how) {
    const auto as = [&]<class T>(T) {
        const auto* const a = static_cast<const T*>(of.a);
        const auto* const b = static_cast<const T*>(of.b);
        auto* const out = static_cast<T*>(of.out);
        const auto with_values = [&]<class Word>(Word) {
            merge_pairs(a, static_cast<const Word*>(of.values_a), b, static_cast<const Word*>(of.values_b), out,
                        static_cast<Word*>(of.values_out), of.n_a, of.n_b, how);
        };
        if (of.value.bytes == 0) merge(a, b, out, of.n_a, of.n_b, how);
        else if (of.value.bytes == 4) with_values(std::uint32_t{});
        else with_values(std::uint64_t{});
    };
    const bool are_words = (of.value.bytes == 4 || of.value.bytes == 8) && of.value.alignment == of.value.bytes;
    return (of.value.bytes == 0 || are_words) && with_arithmetic(of.type == KOGGE_BOOL ? KOGGE_U8 : of.type, as);
}

void merge_any(const Merge& of, const TypeInfo& item, const item_count& n_a, const exec& how) {
    const auto region = [&](const void* data, std::uint64_t n, std::size_t bytes, const char* name) {
        return detail::Region{data, bytes > 0 ? detail::bytes_of(of.call, n, bytes) : 0, name};
    };
    const std::uint64_t n = of.n_a + of.n_b;
    const std::size_t bytes = item.bytes, value_bytes = of.value.bytes;
    const detail::RunsOn where = detail::check_call(
        of.call, how, n_a,
        {region(of.a, of.n_a, bytes, "a"), region(of.b, of.n_b, bytes, "b"),
         region(of.values_a, of.n_a, value_bytes, "the values of a"),
         region(of.values_b, of.n_b, value_bytes, "the values of b")},
        {region(of.out, n, bytes, "out"), region(of.values_out, n, value_bytes, "the values' output")});
    if (where != backend::host) report_not_on_device(of.call);
    exec on_host = how;
    on_host.where = backend::host;
    // Without values, their arrays have items of no bytes.
    merge_pairs(AnyItems{of.a, bytes}, AnyItems{of.values_a, value_bytes}, AnyItems{of.b, bytes},
                AnyItems{of.values_b, value_bytes}, AnyPlaces{of.out, bytes}, AnyPlaces{of.values_out, value_bytes},
                of.n_a, of.n_b, AnyLess{of.type}, on_host);
}

void run(const Merge& of, const kogge_exec* given) {
    const TypeInfo item = number_of(of.call, of.type, "items");
    const Arguments arguments(of.call, given, of.n_a);
    if (arguments.n().on_device())
        throw error(errc::invalid_argument, of.call,
                    "kogge_exec.n_on_device is given, but a merge has two numbers of items");
    if (!merge_typed(of, arguments.how())) merge_any(of, item, arguments.n(), arguments.how());
}

}  // namespace
}  // namespace kogge::c

using kogge::c::guard;

kogge_status kogge_lower_bound(const void* sorted, const void* needles, kogge_type type, void* out,
                               kogge_type index_type, uint64_t n, uint64_t m, const kogge_exec* exec) {
    return kogge::c::search<false>("lower_bound", sorted, needles, type, out, index_type, n, m, exec);
}

kogge_status kogge_upper_bound(const void* sorted, const void* needles, kogge_type type, void* out,
                               kogge_type index_type, uint64_t n, uint64_t m, const kogge_exec* exec) {
    return kogge::c::search<true>("upper_bound", sorted, needles, type, out, index_type, n, m, exec);
}

kogge_status kogge_merge(const void* a, const void* b, kogge_type type, void* out, uint64_t n_a, uint64_t n_b,
                         const kogge_exec* exec) {
    const char* const call = "merge";
    return guard(call, [&] { kogge::c::run({call, a, nullptr, b, nullptr, type, out, nullptr, n_a, n_b}, exec); });
}

kogge_status kogge_merge_pairs(const void* a, const void* values_a, const void* b, const void* values_b,
                               kogge_type key_type, kogge_type value_type, void* out, void* values_out, uint64_t n_a,
                               uint64_t n_b, const kogge_exec* exec) {
    const char* const call = "merge_pairs";
    return guard(call, [&] {
        const kogge::c::TypeInfo value = kogge::c::item_of(call, value_type, "values");
        kogge::c::run({call, a, values_a, b, values_b, key_type, out, values_out, n_a, n_b, value}, exec);
    });
}

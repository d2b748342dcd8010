// Runs of equal neighbours.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "c/arguments.hpp"
#include "c/checks.hpp"
#include "c/guard.hpp"
#include "kogge/runs.hpp"

namespace kogge::c {
namespace {

/// Writes each run's first key, and the value of any size beside it.
template <class Key>
struct WriteFirsts {
    const Key* keys;
    const std::byte* values;
    Key* out;
    std::byte* values_out;
    std::size_t value_bytes;
    void operator()(std::uint64_t run, std::uint64_t head, std::uint64_t) const {
        out[run] = keys[head];
        std::memcpy(values_out + run * value_bytes, values + head * value_bytes, value_bytes);
    }
    void finish(std::uint64_t, std::uint64_t, std::uint64_t) const {}
};

/// Writes each run's first item and its length, of 32 or 64 bits.
template <class Item>
struct WriteLengths {
    const Item* in;
    Item* out;
    void* lengths;
    bool are_wide;
    void set_length(std::uint64_t run, std::uint64_t length) const {
        if (are_wide) static_cast<std::uint64_t*>(lengths)[run] = length;
        else static_cast<std::uint32_t*>(lengths)[run] = static_cast<std::uint32_t>(length);
    }
    void operator()(std::uint64_t run, std::uint64_t head, std::uint64_t previous) const {
        out[run] = in[head];
        if (run > 0) set_length(run - 1, head - previous);
    }
    void finish(std::uint64_t runs, std::uint64_t last, std::uint64_t n) const {
        if (runs > 0) set_length(runs - 1, n - last);
    }
};

/// A call with two outputs: what it reads, and what it writes.
struct RunsCall {
    const char* call;
    detail::Region in, beside, out, beside_out;
    std::uint64_t* runs;
};

template <class Item, class Write>
void write_runs(const RunsCall& of, const Item* in, const Write& write, const Arguments& arguments) {
    const exec& how = arguments.how();
    const bool far = is_far(of.call, of.runs, "the number of runs", in);
    const detail::Region count{of.runs, far ? 0 : sizeof(std::uint64_t), "the number of runs"};
    const detail::RunsOn where =
        detail::check_call(of.call, how, arguments.n(), {of.in, of.beside}, {of.out, of.beside_out, count});
    if (where != backend::host) report_not_on_device(of.call);
    require_host_count(of.call, arguments.n());
    *of.runs = host::find_runs(in, arguments.n().bound(), equal_to{}, write, how.host_threads);
}

}  // namespace
}  // namespace kogge::c

using kogge::c::Arguments;
using kogge::c::guard;

kogge_status kogge_unique(const void* in, kogge_type type, void* out, uint64_t* runs, uint64_t n,
                          const kogge_exec* exec) {
    const char* const call = "unique";
    return guard(call, [&] {
        kogge::c::number_of(call, type, "items");
        const Arguments arguments(call, exec, n);
        kogge::c::with_comparable(type, [&]<class Item>(Item) {
            const auto* const from = static_cast<const Item*>(in);
            kogge::c::deliver(call, runs, "the number of runs", in, [&](const auto& place) {
                return kogge::unique(from, static_cast<Item*>(out), place, arguments.n(), kogge::equal_to{},
                                     arguments.how());
            });
        });
    });
}

kogge_status kogge_unique_by_key(const void* keys, kogge_type key_type, const void* values, kogge_type value_type,
                                 void* keys_out, void* values_out, uint64_t* runs, uint64_t n, const kogge_exec* exec) {
    const char* const call = "unique_by_key";
    return guard(call, [&] {
        kogge::c::number_of(call, key_type, "keys");
        const kogge::c::TypeInfo value = kogge::c::item_of(call, value_type, "values");
        const Arguments arguments(call, exec, n);
        const auto region = [&](const void* data, std::size_t bytes, const char* name) {
            return kogge::detail::Region{data, kogge::detail::bytes_of(call, n, bytes), name};
        };
        const std::size_t key_bytes = kogge_type_bytes(key_type);
        const kogge::c::RunsCall of{call,
                                    region(keys, key_bytes, "keys"),
                                    region(values, value.bytes, "values"),
                                    region(keys_out, key_bytes, "keys_out"),
                                    region(values_out, value.bytes, "values_out"),
                                    runs};
        kogge::c::with_comparable(key_type, [&]<class Key>(Key) {
            const auto* const from = static_cast<const Key*>(keys);
            const kogge::c::WriteFirsts<Key> write{from, static_cast<const std::byte*>(values),
                                                   static_cast<Key*>(keys_out), static_cast<std::byte*>(values_out),
                                                   value.bytes};
            kogge::c::write_runs(of, from, write, arguments);
        });
    });
}

kogge_status kogge_run_length_encode(const void* in, kogge_type type, void* out, void* lengths, kogge_type length_type,
                                     uint64_t* runs, uint64_t n, const kogge_exec* exec) {
    const char* const call = "run_length_encode";
    return guard(call, [&] {
        kogge::c::number_of(call, type, "items");
        const std::size_t length_bytes = kogge::c::index_bytes(call, length_type, "the lengths");
        kogge::c::check_holds(call, length_type, n, "the lengths");
        const Arguments arguments(call, exec, n);
        const auto region = [&](const void* data, std::size_t bytes, const char* name) {
            return kogge::detail::Region{data, kogge::detail::bytes_of(call, n, bytes), name};
        };
        const std::size_t item_bytes = kogge_type_bytes(type);
        const kogge::c::RunsCall of{call,
                                    region(in, item_bytes, "in"),
                                    {},
                                    region(out, item_bytes, "out"),
                                    region(lengths, length_bytes, "lengths"),
                                    runs};
        kogge::c::with_comparable(type, [&]<class Item>(Item) {
            const auto* const from = static_cast<const Item*>(in);
            const kogge::c::WriteLengths<Item> write{from, static_cast<Item*>(out), lengths, length_bytes == 8};
            kogge::c::write_runs(of, from, write, arguments);
        });
    });
}

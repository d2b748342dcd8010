// Runs of equal neighbours.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "c/arguments.hpp"
#include "c/checks.hpp"
#include "c/guard.hpp"
#include "kogge/detail/prebuilt_runs.hpp"
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

/// What a call reads, and what it writes.
struct RunsCall {
    const char* call;
    kogge_type type;
    detail::Region in, beside, out, beside_out;
    std::uint64_t* runs;
    std::size_t in_place = 0;  ///< outputs that may be their inputs
};

detail::Region region_of(const char* call, const void* data, std::uint64_t n, std::size_t bytes, const char* name) {
    return {data, detail::bytes_of(call, n, bytes), name};
}

/// The equality of numbers of a type, by their words.
template <class Word>
grid::StoredEqual<Word> equality_of(const TypeInfo& key) {
    const Word all = static_cast<Word>(~Word{0});
    if (key.kind != number_kind::floating) return {all, all};
    return {static_cast<Word>(all >> 1), static_cast<Word>(key.infinity)};
}

/// Calls on_host(Item{}), or on the device write(Key{}), which gives what writes the runs of such words.
template <class OnHost, class Write>
void write_runs(const RunsCall& of, const Arguments& arguments, const OnHost& on_host, const Write& write) {
    const exec& how = arguments.how();
    const bool far = is_far(of.call, of.runs, "the number of runs", of.in.data);
    const detail::Region count{of.runs, far ? 0 : sizeof(std::uint64_t), "the number of runs"};
    const std::uint64_t n = arguments.n().bound();
    const detail::RunsOn where =
        detail::check_call(of.call, how, arguments.n(), {of.in, of.beside},
                           {open_ended(of.out, n), open_ended(of.beside_out, n), count}, of.in_place);
    if (where == backend::host) {
        require_host_count(of.call, arguments.n());
        with_comparable(of.type, on_host);
        return;
    }
    const TypeInfo key = info_of(of.type);
    const bool is_built =
        key.bytes <= 8 && with_unsigned(key.bytes, [&]<class Key>(Key) {
            if constexpr (sizeof(Key) <= 8)
                deliver(of.call, of.runs, "the number of runs", of.in.data, [&](const auto& place) {
                    return detail::find_count(
                        of.call, where, arguments.n().bound() == 0, place, how, [&](std::uint64_t* total) {
                            grid::device_stored_runs<grid::LibraryCode>(of.call, static_cast<const Key*>(of.in.data),
                                                                        arguments.n(), equality_of<Key>(key),
                                                                        write(Key{}), total, how);
                        });
                });
        });
    if (!is_built) report_not_on_device(of.call);
}

/// The widest word that divides the size and the addresses of values.
std::uint64_t word_bytes(std::size_t bytes, const void* from, const void* to) {
    const std::uint64_t all = bytes | reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
    return all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : all % 2 == 0 ? 2 : 1;
}

}  // namespace
}  // namespace kogge::c

using kogge::c::Arguments;
using kogge::c::guard;
using kogge::c::region_of;

kogge_status kogge_unique(const void* in, kogge_type type, void* out, uint64_t* runs, uint64_t n,
                          const kogge_exec* exec) {
    const char* const call = "unique";
    return guard(call, [&] {
        const std::size_t bytes = kogge::c::number_of(call, type, "items").bytes;
        const Arguments arguments(call, exec, n);
        const kogge::c::RunsCall of{
            call, type, region_of(call, in, n, bytes, "in"), {}, region_of(call, out, n, bytes, "out"), {}, runs, 1};
        const auto on_host = [&]<class Item>(Item) {
            kogge::exec how = arguments.how();
            how.where = kogge::backend::host;
            kogge::unique(static_cast<const Item*>(in), static_cast<Item*>(out), runs, n, kogge::equal_to{}, how);
        };
        kogge::c::write_runs(of, arguments, on_host,
                             [&]<class Key>(Key) { return kogge::grid::WriteKeys<Key>{static_cast<Key*>(out)}; });
    });
}

kogge_status kogge_unique_by_key(const void* keys, kogge_type key_type, const void* values, kogge_type value_type,
                                 void* keys_out, void* values_out, uint64_t* runs, uint64_t n, const kogge_exec* exec) {
    const char* const call = "unique_by_key";
    return guard(call, [&] {
        const std::size_t key_bytes = kogge::c::number_of(call, key_type, "keys").bytes;
        const std::size_t bytes = kogge::c::item_of(call, value_type, "values").bytes;
        const Arguments arguments(call, exec, n);
        const kogge::c::RunsCall of{call,
                                    key_type,
                                    region_of(call, keys, n, key_bytes, "keys"),
                                    region_of(call, values, n, bytes, "values"),
                                    region_of(call, keys_out, n, key_bytes, "keys_out"),
                                    region_of(call, values_out, n, bytes, "values_out"),
                                    runs};
        const auto on_host = [&]<class Key>(Key) {
            const auto* const from = static_cast<const Key*>(keys);
            const kogge::c::WriteFirsts<Key> write{from, static_cast<const std::byte*>(values),
                                                   static_cast<Key*>(keys_out), static_cast<std::byte*>(values_out),
                                                   bytes};
            *runs = kogge::host::find_runs(from, n, kogge::equal_to{}, write, arguments.how().host_threads);
        };
        kogge::c::write_runs(of, arguments, on_host, [&]<class Key>(Key) {
            return kogge::grid::WriteKeysAndValues<Key>{static_cast<const Key*>(keys),
                                                        static_cast<Key*>(keys_out),
                                                        values,
                                                        values_out,
                                                        bytes,
                                                        kogge::c::word_bytes(bytes, values, values_out)};
        });
    });
}

kogge_status kogge_run_length_encode(const void* in, kogge_type type, void* out, void* lengths, kogge_type length_type,
                                     uint64_t* runs, uint64_t n, const kogge_exec* exec) {
    const char* const call = "run_length_encode";
    return guard(call, [&] {
        const std::size_t bytes = kogge::c::number_of(call, type, "items").bytes;
        const std::size_t length_bytes = kogge::c::index_bytes(call, length_type, "the lengths");
        kogge::c::check_holds(call, length_type, n, "the lengths");
        const Arguments arguments(call, exec, n);
        const kogge::c::RunsCall of{call,
                                    type,
                                    region_of(call, in, n, bytes, "in"),
                                    {},
                                    region_of(call, out, n, bytes, "out"),
                                    region_of(call, lengths, n, length_bytes, "lengths"),
                                    runs};
        const bool are_wide = length_bytes == 8;
        const auto on_host = [&]<class Item>(Item) {
            const auto* const from = static_cast<const Item*>(in);
            const kogge::c::WriteLengths<Item> write{from, static_cast<Item*>(out), lengths, are_wide};
            *runs = kogge::host::find_runs(from, n, kogge::equal_to{}, write, arguments.how().host_threads);
        };
        kogge::c::write_runs(of, arguments, on_host, [&]<class Key>(Key) {
            return kogge::grid::WriteKeysAndLengths<Key>{static_cast<const Key*>(in), static_cast<Key*>(out), lengths,
                                                         are_wide};
        });
    });
}

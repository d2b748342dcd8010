// Compactions by flags, by bits and by a relation, partitions by a relation, indices of what is not 0, and splits.
#include <cstring>
#include <string>

#include "c/arguments.hpp"
#include "c/checks.hpp"
#include "c/guard.hpp"
#include "kogge/partition.hpp"

namespace kogge::c {
namespace {

/// Compacts by flags of a kind: only the items' size matters.
template <class Flags>
kogge_status compact_by(const char* call, const void* in, kogge_type type, Flags flags, void* out, std::uint64_t* kept,
                        std::uint64_t n, const kogge_exec* given) {
    return guard(call, [&] {
        const TypeInfo item = item_of(call, type, "items");
        const Arguments arguments(call, given, n);
        const auto compact = [&]<class Item>(Item) {
            const auto* const from = static_cast<const Item*>(in);
            auto* const to = static_cast<Item*>(out);
            deliver(
                call, kept, "the count",
                [&](std::uint64_t* place) { compact_flags(from, flags, to, place, arguments.n(), arguments.how()); },
                [&] { return compact_flags(from, flags, to, arguments.n(), arguments.how()); });
        };
        if (item.kind == number_kind::bytes || !with_unsigned(item.bytes, compact)) report_type(call, type, "items");
    });
}

/// Calls f(Item{}, compare<Item>) for the relation to a value.
template <class F>
void with_relation(const char* call, kogge_type type, kogge_relation relation, const void* value, const F& f) {
    item_of(call, type, "items");
    const int test = relation;
    if (test < 0 || test > KOGGE_NOT_EQUAL)
        throw error(errc::invalid_argument, call, "the relation is " + std::to_string(test) + ", which is none");
    if (!value) throw error(errc::invalid_argument, call, "null given for value");
    const auto compare_with = [&]<class Item>(Item) {
        Item number;
        std::memcpy(&number, value, sizeof number);
        f(Item{}, compare<Item>{static_cast<kogge::relation>(test), number});
    };
    if (!with_arithmetic(type == KOGGE_BOOL ? KOGGE_U8 : type, compare_with)) report_type(call, type, "items");
}

/// An item that is not 0, by its bits or by its number.
template <class Item>
struct IsNotZero {
    const Item* in;
    std::uint64_t operator()(std::uint64_t i) const { return in[i] != Item{} ? 1 : 0; }
};
/// A half's zeros have two forms.
struct HalfIsNotZero {
    const std::uint16_t* in;
    std::uint64_t operator()(std::uint64_t i) const { return (in[i] & 0x7fffu) != 0 ? 1 : 0; }
};
struct IndexItself {
    std::uint64_t operator()(std::uint64_t item, std::uint64_t) const { return item; }
};

/// A call's indices, of an unsigned type, and where their number goes.
struct NonzeroCall {
    const char* call;
    const void* in;
    std::size_t item_bytes;
    void* indices;
    std::uint64_t* count;
};

template <class Index, class Decide>
void write_nonzero(const NonzeroCall& of, const Decide& decide, const Arguments& arguments) {
    const exec& how = arguments.how();
    const std::uint64_t n = arguments.n().bound();
    auto* const out = static_cast<Index*>(of.indices);
    const bool is_far = is_on_host(of.call, of.count, "the count");  // then the call waits for it
    const detail::RunsOn where =
        detail::check_call(of.call, how, arguments.n(), {{of.in, detail::bytes_of(of.call, n, of.item_bytes), "in"}},
                           {{out, detail::bytes_of(of.call, n, sizeof(Index)), "indices"},
                            {of.count, is_far ? 0 : sizeof(std::uint64_t), "the count"}});
    if (where != backend::host) report_not_on_device(of.call);
    require_host_count(of.call, arguments.n());
    *of.count = host::emit(n, decide, IndexItself{}, out, n, static_cast<std::uint64_t*>(nullptr), how.host_threads);
}

template <class Index>
bool nonzero(const NonzeroCall& of, kogge_type type, const Arguments& arguments) {
    const auto by_number = [&]<class Item>(Item) {
        write_nonzero<Index>(of, IsNotZero<Item>{static_cast<const Item*>(of.in)}, arguments);
    };
    if (type == KOGGE_F16 || type == KOGGE_BF16)
        write_nonzero<Index>(of, HalfIsNotZero{static_cast<const std::uint16_t*>(of.in)}, arguments);
    else if (type == KOGGE_F32) by_number(float{});
    else if (type == KOGGE_F64) by_number(double{});
    else return with_unsigned(info_of(type).bytes, by_number);
    return true;
}

/// The number in some bits of a key.
template <class Key>
struct BitsOf {
    int begin;
    Key mask;
    std::uint64_t operator()(const Key& key) const { return static_cast<std::uint64_t>((key >> begin) & mask); }
};

template <class Key>
BitsOf<Key> bits_of(const char* call, int begin, int end) {
    constexpr int most = static_cast<int>(8 * sizeof(Key));
    if (end == 0) end = most;
    if (begin < 0 || begin >= end || end > most)
        throw error(errc::invalid_argument, call,
                    "bits [" + std::to_string(begin) + ", " + std::to_string(end) + ") are not within a key of " +
                        std::to_string(most) + " bits");
    const Key all = static_cast<Key>(~Key{0});
    return {begin,
            static_cast<Key>(end - begin == most ? all : static_cast<Key>(~static_cast<Key>(all << (end - begin))))};
}

}  // namespace
}  // namespace kogge::c

using kogge::c::Arguments;
using kogge::c::guard;

kogge_status kogge_compact_flags(const void* in, kogge_type type, const uint8_t* flags, void* out, uint64_t* kept,
                                 uint64_t n, const kogge_exec* exec) {
    return kogge::c::compact_by("compact_flags", in, type, flags, out, kept, n, exec);
}

kogge_status kogge_compact_bits(const void* in, kogge_type type, const uint32_t* words, void* out, uint64_t* kept,
                                uint64_t n, const kogge_exec* exec) {
    return kogge::c::compact_by("compact_flags", in, type, kogge::bit_mask(words), out, kept, n, exec);
}

kogge_status kogge_compact(const void* in, kogge_type type, void* out, uint64_t* kept, uint64_t n,
                           kogge_relation relation, const void* value, const kogge_exec* exec) {
    const char* const call = "compact";
    return guard(call, [&] {
        const Arguments arguments(call, exec, n);
        kogge::c::with_relation(call, type, relation, value, [&]<class Item>(Item, const kogge::compare<Item>& keep) {
            const auto* const from = static_cast<const Item*>(in);
            auto* const to = static_cast<Item*>(out);
            const kogge::exec& how = arguments.how();
            kogge::c::deliver(
                call, kept, "the count",
                [&](std::uint64_t* place) { kogge::compact(from, to, place, arguments.n(), keep, how); },
                [&] { return kogge::compact(from, to, arguments.n(), keep, how); });
        });
    });
}

kogge_status kogge_partition(const void* in, kogge_type type, void* out, void* rejected, uint64_t* boundary, uint64_t n,
                             kogge_relation relation, const void* value, const kogge_exec* exec) {
    const char* const call = "partition";
    return guard(call, [&] {
        const Arguments arguments(call, exec, n);
        kogge::c::with_relation(call, type, relation, value, [&]<class Item>(Item, const kogge::compare<Item>& keep) {
            const auto* const from = static_cast<const Item*>(in);
            auto* const to = static_cast<Item*>(out);
            const kogge::exec& how = arguments.how();
            const auto deliver = [&](const auto& outputs) {
                kogge::c::deliver(
                    call, boundary, "the boundary",
                    [&](std::uint64_t* place) { kogge::partition(from, outputs, place, arguments.n(), keep, how); },
                    [&] { return kogge::partition(from, outputs, arguments.n(), keep, how); });
            };
            if (rejected) deliver(kogge::two_outputs<Item>{to, static_cast<Item*>(rejected)});
            else deliver(to);
        });
    });
}

kogge_status kogge_nonzero(const void* in, kogge_type type, void* indices, kogge_type index_type, uint64_t* count,
                           uint64_t n, const kogge_exec* exec) {
    const char* const call = "nonzero";
    return guard(call, [&] {
        const kogge::c::TypeInfo item = kogge::c::number_of(call, type, "items");
        const std::size_t index_bytes = kogge::c::index_bytes(call, index_type, "the indices");
        kogge::c::check_indices(call, index_type, n);
        const Arguments arguments(call, exec, n);
        const kogge::c::NonzeroCall of{call, in, item.bytes, indices, count};
        if (index_bytes == 4) kogge::c::nonzero<std::uint32_t>(of, type, arguments);
        else kogge::c::nonzero<std::uint64_t>(of, type, arguments);
    });
}

kogge_status kogge_split(const void* keys, kogge_type key_type, const void* values, kogge_type value_type,
                         void* keys_out, void* values_out, uint64_t* offsets, uint64_t n, uint32_t bins, int begin_bit,
                         int end_bit, const kogge_exec* exec) {
    const char* const call = value_type == KOGGE_NONE ? "split" : "split_pairs";
    return guard(call, [&] {
        const kogge::c::TypeInfo key = kogge::c::number_of(call, key_type, "keys");
        if (key.kind != kogge::c::number_kind::unsigned_integer || key.bytes > 8)
            kogge::c::report_type(call, key_type, "keys");
        const Arguments arguments(call, exec, n);
        const auto split = [&]<class Key>(Key) {
            if constexpr (sizeof(Key) <= 8) {
                const auto* const from = static_cast<const Key*>(keys);
                auto* const to = static_cast<Key*>(keys_out);
                const kogge::c::BitsOf<Key> bin = kogge::c::bits_of<Key>(call, begin_bit, end_bit);
                if (value_type == KOGGE_NONE)
                    return kogge::split(from, to, offsets, arguments.n(), bins, bin, arguments.how());
                const kogge::c::TypeInfo value = kogge::c::item_of(call, value_type, "values");
                const auto split_pairs = [&]<class Value>(Value) {
                    kogge::split_pairs(from, static_cast<const Value*>(values), to, static_cast<Value*>(values_out),
                                       offsets, arguments.n(), bins, bin, arguments.how());
                };
                if (value.kind == kogge::c::number_kind::bytes || !kogge::c::with_unsigned(value.bytes, split_pairs))
                    kogge::c::report_type(call, value_type, "values");
            }
        };
        kogge::c::with_unsigned(key.bytes, split);
    });
}

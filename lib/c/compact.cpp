// Compactions and partitions by flags, by bits and by a relation, indices of what is not 0, and splits.
#include <cstring>
#include <string>
#include <type_traits>

#include "c/arguments.hpp"
#include "c/checks.hpp"
#include "c/guard.hpp"
#include "kogge/calls/compact_indices.hpp"

namespace kogge::c {
namespace {

/// Calls f(from, to) with arrays of items of a type of which only the size matters.
template <class F>
void with_items(const char* call, const void* in, kogge_type type, void* out, const F& f) {
    const TypeInfo item = item_of(call, type, "items");
    const auto as = [&]<class Item>(Item) { f(static_cast<const Item*>(in), static_cast<Item*>(out)); };
    if (item.kind == number_kind::bytes || !with_unsigned(item.bytes, as)) report_type(call, type, "items");
}

/// Calls f(outputs) with one output of a partition, or with both.
template <class Item, class F>
void with_sides(Item* out, void* rejected, const F& f) {
    if (rejected) f(two_outputs<Item>{out, static_cast<Item*>(rejected)});
    else f(out);
}

/// Compacts or partitions by flags of a kind.
template <class Flags>
kogge_status compact_by(const void* in, kogge_type type, Flags flags, void* out, std::uint64_t* kept, std::uint64_t n,
                        const kogge_exec* given) {
    const char* const call = "compact_flags";
    return guard(call, [&] {
        const Arguments arguments(call, given, n);
        with_items(call, in, type, out, [&](const auto* from, auto* to) {
            deliver(call, kept, "the count", in, [&](const auto& place) {
                return compact_flags(from, flags, to, place, arguments.n(), arguments.how());
            });
        });
    });
}
template <class Flags>
kogge_status partition_by(const void* in, kogge_type type, Flags flags, void* out, void* rejected,
                          std::uint64_t* boundary, std::uint64_t n, const kogge_exec* given) {
    const char* const call = "partition_flags";
    return guard(call, [&] {
        const Arguments arguments(call, given, n);
        with_items(call, in, type, out, [&](const auto* from, auto* to) {
            with_sides(to, rejected, [&](const auto& outputs) {
                deliver(call, boundary, "the boundary", in, [&](const auto& place) {
                    return partition_flags(from, flags, outputs, place, arguments.n(), arguments.how());
                });
            });
        });
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

/// The bits of a number that are not all 0 unless the number is: of a float not the sign.
template <class Word>
Word counted_bits(const TypeInfo& item) {
    const Word all = static_cast<Word>(~Word{0});
    return item.kind == number_kind::floating ? static_cast<Word>(all >> 1) : all;
}

/// Writes the indices that a decision keeps, and delivers their number.
template <class Keep>
void write_indices(const char* call, const detail::Decision<Keep>& by, void* indices, kogge_type index_type,
                   std::uint64_t* count, const Arguments& arguments) {
    const std::size_t bytes = index_bytes(call, index_type, "the indices");
    check_indices(call, index_type, arguments.n().bound());
    const auto write = [&]<class Index>(Index) {
        deliver(call, count, "the count", by.reads.data, [&](const auto& place) {
            return detail::indices_by(call, by, arguments.n(), static_cast<Index*>(indices), place, arguments.how());
        });
    };
    if (bytes == 4) write(std::uint32_t{});
    else write(std::uint64_t{});
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
    return kogge::c::compact_by(in, type, flags, out, kept, n, exec);
}

kogge_status kogge_compact_bits(const void* in, kogge_type type, const uint32_t* words, void* out, uint64_t* kept,
                                uint64_t n, const kogge_exec* exec) {
    return kogge::c::compact_by(in, type, kogge::bit_mask(words), out, kept, n, exec);
}

kogge_status kogge_compact(const void* in, kogge_type type, void* out, uint64_t* kept, uint64_t n,
                           kogge_relation relation, const void* value, const kogge_exec* exec) {
    const char* const call = "compact";
    return guard(call, [&] {
        const Arguments arguments(call, exec, n);
        kogge::c::with_relation(call, type, relation, value, [&]<class Item>(Item, const kogge::compare<Item>& keep) {
            const auto* const from = static_cast<const Item*>(in);
            kogge::c::deliver(call, kept, "the count", in, [&](const auto& place) {
                return kogge::compact(from, static_cast<Item*>(out), place, arguments.n(), keep, arguments.how());
            });
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
            kogge::c::with_sides(static_cast<Item*>(out), rejected, [&](const auto& outputs) {
                kogge::c::deliver(call, boundary, "the boundary", in, [&](const auto& place) {
                    return kogge::partition(from, outputs, place, arguments.n(), keep, arguments.how());
                });
            });
        });
    });
}

kogge_status kogge_partition_flags(const void* in, kogge_type type, const uint8_t* flags, void* out, void* rejected,
                                   uint64_t* boundary, uint64_t n, const kogge_exec* exec) {
    return kogge::c::partition_by(in, type, flags, out, rejected, boundary, n, exec);
}

kogge_status kogge_partition_bits(const void* in, kogge_type type, const uint32_t* words, void* out, void* rejected,
                                  uint64_t* boundary, uint64_t n, const kogge_exec* exec) {
    return kogge::c::partition_by(in, type, kogge::bit_mask(words), out, rejected, boundary, n, exec);
}

kogge_status kogge_nonzero(const void* in, kogge_type type, void* indices, kogge_type index_type, uint64_t* count,
                           uint64_t n, const kogge_exec* exec) {
    const char* const call = "nonzero";
    return guard(call, [&] {
        const kogge::c::TypeInfo item = kogge::c::number_of(call, type, "items");
        const Arguments arguments(call, exec, n);
        const kogge::detail::Region region{in, kogge::detail::bytes_of(call, n, item.bytes), "in"};
        const auto by = [&](const auto& keep) {
            kogge::c::write_indices(call, kogge::detail::Decision<std::remove_cvref_t<decltype(keep)>>{keep, region},
                                    indices, index_type, count, arguments);
        };
        kogge::c::with_unsigned(item.bytes, [&]<class Word>(Word) {
            const auto* const numbers = static_cast<const Word*>(in);
            if constexpr (sizeof(Word) == 1) by(kogge::grid::ByFlag{numbers});
            else by(kogge::grid::ByNonzero<Word>{numbers, kogge::c::counted_bits<Word>(item)});
        });
    });
}

kogge_status kogge_nonzero_bits(const uint32_t* words, void* indices, kogge_type index_type, uint64_t* count,
                                uint64_t n, const kogge_exec* exec) {
    const char* const call = "nonzero_bits";
    return guard(call, [&] {
        const Arguments arguments(call, exec, n);
        kogge::c::write_indices(call, kogge::detail::by_flags(kogge::bit_mask(words), arguments.n()), indices,
                                index_type, count, arguments);
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

// kogge-bench: GPU
//
// Radix sorts against CUB's, out of place; both keep their input. The least that a sort must move: each key and value
// read once and written once. Values tell where their key stood, so that comparing them with CUB's checks stability as
// well. argsort stands beside CUB's sort of pairs whose values are the indices, ready-made.
#include "kogge/radix_sort.hpp"

#include <cub/device/device_radix_sort.cuh>

#include "support/harness.hpp"

namespace {

using namespace bench;
using kogge::exec;
using kogge::stream_t;

Shape shape_of(const std::string& primitive, const std::string& type, Distribution distribution, std::uint64_t n,
               std::size_t bytes) {
    return {primitive, type, to_string(distribution), n, static_cast<double>(n) * static_cast<double>(bytes)};
}

template <class T>
void add_keys(Suite& suite, const std::string& type, Distribution distribution, std::uint64_t n) {
    const auto make = [=](std::uint64_t slot) { return Key<T>{distribution, 3 * slot, n}; };
    const auto ours = [n](const T* in, T* out, const exec& how) {
        kogge::radix_sort(in, out, n, kogge::sort_options{}, how);
    };
    const auto cub = [n](void* temporary, std::size_t& bytes, const T* in, T* out, stream_t stream) {
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, in, out, static_cast<int>(n), 0,
                                              static_cast<int>(8 * sizeof(T)), stream);
    };
    suite.add(shape_of("radix_sort", type, distribution, n, 2 * sizeof(T)), array_contest<T>(n, make, ours, cub));
}

/// Keys and values of one type; or, with `indices_only`, argsort of the keys.
template <class T>
void add_pairs(Suite& suite, const std::string& type, Distribution distribution, std::uint64_t n, bool indices_only) {
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> keys(n, slots), values(n, slots), out(n, slots), expected(n, slots), cub_keys(n, slots);
        const Slots<T> out_keys = indices_only ? Slots<T>() : Slots<T>(n, slots);
        for (int slot = 0; slot < slots; ++slot) {
            make_items(keys[slot], n, Key<T>{distribution, 3 * static_cast<std::uint64_t>(slot), n}, stream);
            make_items(values[slot], n, Place<T>{}, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const T *key = keys[slot], *value = values[slot];
            if (indices_only) kogge::argsort(key, out[slot], n, {}, with_scratch(scratch, s));
            else
                kogge::radix_sort_pairs(key, out_keys[slot], value, out[slot], n, kogge::sort_options{},
                                        with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            const T *key = keys[slot], *value = values[slot];
            return cub::DeviceRadixSort::SortPairs(temporary, bytes, key, cub_keys[slot], value, expected[slot],
                                                   static_cast<int>(n), 0, static_cast<int>(8 * sizeof(T)), s);
        });
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            if (!indices_only) out_keys.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            return is_equal(static_cast<const T*>(out[slot]), static_cast<const T*>(expected[slot]), n, s) &&
                   (indices_only ||
                    is_equal(static_cast<const T*>(out_keys[slot]), static_cast<const T*>(cub_keys[slot]), n, s));
        };
        return contest;
    };
    if (indices_only) suite.add(shape_of("argsort", type, distribution, n, 2 * sizeof(T)), prepare);
    else suite.add(shape_of("radix_sort_pairs", type + '+' + type, distribution, n, 4 * sizeof(T)), prepare);
}

void add_rows(Suite& suite) {
    using enum Distribution;
    for (const std::uint64_t n : suite.sizes()) {
        add_keys<std::uint8_t>(suite, "u8", uniform, n);
        add_keys<std::uint16_t>(suite, "u16", uniform, n);
        add_keys<std::uint32_t>(suite, "u32", uniform, n);
        add_keys<std::uint64_t>(suite, "u64", uniform, n);
        if (!suite.quick()) add_keys<float>(suite, "f32", uniform, n);
        add_pairs<std::uint32_t>(suite, "u32", uniform, n, false);
        add_pairs<std::uint64_t>(suite, "u64", uniform, n, false);
        add_pairs<std::uint32_t>(suite, "u32", uniform, n, true);
    }
    for (const std::uint64_t n : suite.few_sizes()) {
        for (const Distribution distribution : {and_skewed, values_16, one_value, sorted, reversed}) {
            add_keys<std::uint32_t>(suite, "u32", distribution, n);
            add_keys<std::uint64_t>(suite, "u64", distribution, n);
            add_pairs<std::uint32_t>(suite, "u32", distribution, n, false);
        }
        add_keys<std::uint64_t>(suite, "u64", low32, n);
    }
}

}  // namespace

int main(int count, char** arguments) { return run_gpu_program(count, arguments, add_rows); }

// kogge-test: EMULATED HOST
// Plans by types are the plans of the calls: their scratch is what the calls, asked on the same device, say.
#include "kogge/plan/typed.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/device_shapes.hpp"

namespace {

using namespace tests;
using namespace kogge;

struct Particle {
    std::uint32_t cell;
    std::uint32_t id;
    float mass;
};

constexpr std::uint64_t kSizes[] = {1, 5000, 3 << 20, std::uint64_t{1} << 28};

/// visit(n, device) for sizes and devices.
void for_each_case(const std::function<void(std::uint64_t, const device_properties&)>& visit) {
    for (const auto& device : device_shapes())
        for (const std::uint64_t n : kSizes) {
            SCOPED_TRACE(device.name + ", " + std::to_string(n));
            visit(n, device);
        }
}

// ---- the same plans as those by numbers ----------------------------------------------------------------
template <class Plan>
void expect_same(const Plan& typed, const Plan& plain) {
    EXPECT_EQ(to_string(typed), to_string(plain));
    EXPECT_EQ(typed.scratch_bytes, plain.scratch_bytes);
}

TEST(TypedPlan, AsByNumbers) {
    for_each_case([](std::uint64_t n, const device_properties& device) {
        expect_same(plan_scan<float>(n, {}, device), plan_scan(n, {4, 4, 4}, {}, device));
        expect_same(plan_scan<std::uint8_t, std::uint32_t, std::uint64_t>(n, {}, device),
                    plan_scan(n, {1, 4, 8}, {}, device));
        expect_same(plan_compact<double>(n, device), plan_compact(n, 8, false, false, device));
        expect_same(plan_compact<double, std::uint8_t>(n, device), plan_compact_arrays(n, {{8, 1}}, device));
        expect_same(plan_compact_flags<double, std::uint8_t>(n, device),
                    plan_compact_arrays(n, {{8, 1}, 0, true}, device));
        expect_same(plan_compact_stencil<std::uint16_t, double, std::uint8_t>(n, device),
                    plan_compact_arrays(n, {{8, 1}, 2}, device));
        expect_same(plan_partition<float>(n, device), plan_compact(n, 4, true, false, device));
        expect_same(plan_partition<float>(n, device, true), plan_compact(n, 4, true, true, device));
        expect_same(plan_split<float>(n, 300, device), plan_split(n, {4, 0, 9, false}, device));
        expect_same(plan_unique<float>(n, device), plan_runs(n, {4, runs_output::items}, device));
        expect_same(plan_unique_by_key<float>(n, device), plan_runs(n, {4, runs_output::values}, device));
        expect_same(plan_run_length_encode<float>(n, device), plan_runs(n, {4, runs_output::lengths}, device));
        expect_same(plan_emit<std::int16_t>(n, n, device), plan_emit(n, n, 4, device));
        expect_same(plan_emit<std::int64_t>(n, n, device), plan_emit(n, n, 8, device));
        radix_sort_shape shape{.key_bytes = 4, .end_bit = 32, .are_floats = true};
        expect_same(plan_radix_sort<float>(n, {}, device), plan_radix_sort(n, shape, device));
        shape.begin_bit = 3, shape.are_floats = false;
        expect_same(plan_radix_sort<float>(n, {.begin_bit = 3}, device), plan_radix_sort(n, shape, device));
        shape.begin_bit = 0, shape.merges_keys = shape.merges_floats = true;
        expect_same(plan_radix_sort<float>(n, {.nans = nan_order::last}, device), plan_radix_sort(n, shape, device));
        expect_same(plan_segmented_sort<std::uint16_t>(n, 50, {}, device),
                    plan_segmented_sort(n, 50, {.key_bytes = 2, .end_bit = 16}, device));
    });
}
TEST(TypedPlan, WrongBitsAreErrors) {
    const auto device = h200_properties();
    EXPECT_EQ(code_of([&] { plan_radix_sort<std::uint16_t>(9, {.end_bit = 17}, device); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { plan_top_k<std::uint16_t>(9, 3, {.begin_bit = -1}, device); }), errc::invalid_argument);
}

// ---- as the calls --------------------------------------------------------------------------------------
#if KOGGE_KERNELS
}  // namespace

template <>
struct kogge::key_codec<Particle> {
    using bits = std::uint64_t;
    KOGGE_HOST_DEVICE static bits encode(const Particle& p) { return bits{p.cell} << 32 | p.id; }
};

namespace {

template <class T>
T* at(int number) {
    return unallocated<T>(number);
}
template <class Call>
void expect_scratch(std::size_t planned, const device_properties& device, const Call& call) {
    EXPECT_EQ(planned, scratch_bytes(call, device));
}

struct IsOdd {
    KOGGE_HOST_DEVICE bool operator()(std::uint32_t item) const { return item % 2 != 0; }
};
struct LowBits {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint32_t item) const { return item % 300; }
};
struct TwoOf {
    KOGGE_HOST_DEVICE std::int64_t operator()(std::uint64_t) const { return 2; }
};
struct MakeItem {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t, std::uint64_t k) const {
        return static_cast<std::uint32_t>(k);
    }
};

TEST(TypedPlan, ScratchOfScansCompactionsAndEmissions) {
    for_each_case([](std::uint64_t n, const device_properties& device) {
        auto* const words = at<std::uint32_t>(0);
        auto* const sums = at<std::uint64_t>(1);
        auto* const offsets = at<std::uint64_t>(2);
        auto* const shorts = at<std::uint16_t>(3);
        expect_scratch(plan_scan<std::uint32_t, std::uint64_t, std::int64_t>(n, {}, device).scratch_bytes, device,
                       [&](const exec& how) { exclusive_scan(words, sums, n, std::int64_t{1}, plus{}, how); });
        expect_scratch(
            plan_scan_by_key<std::uint32_t, std::uint64_t>(n, {}, device).scratch_bytes, device,
            [&](const exec& how) { inclusive_scan_by_key(shorts, words, sums, n, plus{}, equal_to{}, how); });
        expect_scratch(plan_segmented_scan<std::uint32_t, std::uint64_t>(n, {}, device).scratch_bytes, device,
                       [&](const exec& how) { inclusive_segmented_scan(words, sums, n, offsets, 9, plus{}, how); });
        expect_scratch(plan_compact_stencil<std::uint32_t, std::uint16_t, std::uint32_t>(n, device).scratch_bytes,
                       device, [&](const exec& how) {
                           compact_stencil(arrays(shorts, words), words,
                                           arrays(at<std::uint16_t>(5), at<std::uint32_t>(6)), n, IsOdd{}, how);
                       });
        expect_scratch(plan_partition<std::uint32_t>(n, device, true).scratch_bytes, device,
                       [&](const exec& how) { partition(words, words, n, IsOdd{}, how); });
        expect_scratch(
            plan_split<std::uint32_t, std::uint16_t>(n, 300, device).scratch_bytes, device, [&](const exec& how) {
                split_pairs(words, shorts, at<std::uint32_t>(5), at<std::uint16_t>(6), n, 300, LowBits{}, how);
            });
        expect_scratch(plan_unique_by_key<std::uint16_t>(n, device).scratch_bytes, device, [&](const exec& how) {
            unique_by_key(shorts, words, at<std::uint16_t>(5), at<std::uint32_t>(6), n, how);
        });
        expect_scratch(plan_emit<std::int64_t>(n, 2 * n, device).scratch_bytes, device,
                       [&](const exec& how) { emit(words, 2 * n, n, TwoOf{}, MakeItem{}, how); });
    });
}

template <class Key>
void check_sorts(const sort_options& options) {
    for_each_case([&](std::uint64_t n, const device_properties& device) {
        auto* const keys = at<Key>(0);
        auto* const out = at<Key>(1);
        auto* const indices = at<std::uint32_t>(2);
        auto* const values = at<Particle>(3);
        auto* const offsets = at<std::uint64_t>(4);
        const std::uint64_t k = n / 3;
        expect_scratch(plan_radix_sort<Key>(n, options, device).scratch_bytes, device,
                       [&](const exec& how) { radix_sort(keys, n, options, how); });
        expect_scratch(plan_radix_sort<Key>(n, options, device, false).scratch_bytes, device,
                       [&](const exec& how) { radix_sort(keys, out, n, options, how); });
        expect_scratch(plan_radix_sort<Key, std::uint32_t>(n, options, device).scratch_bytes, device,
                       [&](const exec& how) { radix_sort_pairs(keys, indices, n, options, how); });
        expect_scratch(plan_radix_sort<Key, Particle, std::uint32_t>(n, options, device).scratch_bytes, device,
                       [&](const exec& how) { radix_sort_pairs(keys, arrays(values, indices), n, options, how); });
        expect_scratch(plan_argsort<Key, std::uint32_t>(n, options, device).scratch_bytes, device,
                       [&](const exec& how) { argsort(keys, indices, n, options, how); });
        expect_scratch(plan_segmented_sort<Key, Particle>(n, 40, options, device).scratch_bytes, device,
                       [&](const exec& how) { segmented_sort_pairs(keys, values, n, offsets, 40, options, how); });
        top_k_options first{options.order, options.begin_bit, options.end_bit, options.zeros, options.nans};
        expect_scratch(plan_top_k<Key>(n, k, first, device).scratch_bytes, device,
                       [&](const exec& how) { top_k(keys, out, n, k, first, how); });
        expect_scratch(plan_top_k<Key, Particle>(n, k, first, device).scratch_bytes, device,
                       [&](const exec& how) { top_k_pairs(keys, out, values, at<Particle>(6), n, k, first, how); });
        expect_scratch(plan_arg_top_k<Key, std::uint32_t>(n, k, first, device).scratch_bytes, device,
                       [&](const exec& how) { arg_top_k(keys, indices, n, k, first, how); });
        expect_scratch(plan_arg_top_k<Key, std::uint32_t>(n, k, first, device, true).scratch_bytes, device,
                       [&](const exec& how) { arg_top_k(keys, out, indices, n, k, first, how); });
        if constexpr (detail::is_number_key<Key>) {
            const rows_of rows{k, 3};
            expect_scratch(plan_segmented_top_k<Key>(rows, k / 40, first, device).scratch_bytes, device,
                           [&](const exec& how) { segmented_top_k(keys, out, rows, k / 40, first, how); });
            expect_scratch(plan_segmented_top_k<Key, Particle>(n, 40, 7, first, device).scratch_bytes, device,
                           [&](const exec& how) {
                               segmented_top_k_pairs(keys, out, values, at<Particle>(6), n, offsets, 40, 7, first, how);
                           });
            expect_scratch(
                plan_segmented_arg_top_k<Key, std::uint32_t>(n, 40, 7, first, device, true).scratch_bytes, device,
                [&](const exec& how) { segmented_arg_top_k(keys, out, indices, n, offsets, 40, 7, first, how); });
        }
    });
}
TEST(TypedPlan, ScratchOfSortsOfWords) { check_sorts<std::uint32_t>({}); }
TEST(TypedPlan, ScratchOfSortsBySomeBits) { check_sorts<std::uint64_t>({.begin_bit = 5, .end_bit = 21}); }
TEST(TypedPlan, ScratchOfSortsOfFloats) { check_sorts<float>({}); }
TEST(TypedPlan, ScratchOfSortsWithNanLast) { check_sorts<float>({.nans = nan_order::last}); }
TEST(TypedPlan, ScratchOfSortsOfStructs) { check_sorts<Particle>({}); }
#endif

}  // namespace

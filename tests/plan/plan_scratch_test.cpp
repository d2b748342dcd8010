// kogge-test: EMULATED
// Plans are complete: a workspace of scratch_bytes is enough for the call, wherever it begins; one of a byte less is
// refused, and nothing has changed.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using kogge::plus;
using kogge::runs_output;
using Bytes = std::vector<std::uint8_t>;

/// What a call writes: up to two arrays and a number.
struct Outputs {
    Array<std::uint8_t> first, second;
    Array<std::uint64_t> number;
    explicit Outputs(const Bytes& before) : first(before), second(before), number(1) {}

    template <class T>
    T* as() {
        return reinterpret_cast<T*>(first.data());
    }
    template <class T>
    T* beside() {
        return reinterpret_cast<T*>(second.data());
    }
    ::testing::AssertionResult equal(const Outputs& other) const {
        const auto arrays = same(first.get(), other.first.get());
        if (!arrays) return arrays;
        const auto others = same(second.get(), other.second.get());
        return others ? same(number.get(), other.number.get()) : others;
    }
};
using Call = std::function<void(Outputs&, const kogge::exec&)>;

/// `before` is what the outputs hold before the call, and with it their size.
template <class Plan>
void check(const Plan& plan, const Bytes& before, const Call& call) {
    SCOPED_TRACE(to_string(plan));
    const Outputs untouched(before);
    Outputs want(before);
    call(want, {});
    for (const std::size_t at : {0, 1}) {
        Array<std::uint8_t> space(plan.scratch_bytes, at);
        if (plan.scratch_bytes > 0) {
            Outputs out(before);
            EXPECT_EQ(code_of([&] {
                          call(out, {.space = {space.data(), plan.scratch_bytes - 1}});
                      }),
                      kogge::errc::out_of_memory);
            EXPECT_TRUE(out.equal(untouched));
            EXPECT_EQ(code_of([&] { call(out, {.scratch_limit = plan.scratch_bytes - 1}); }),
                      kogge::errc::out_of_memory);
            EXPECT_TRUE(out.equal(untouched));
        }
        Outputs out(before);
        call(out, {.space = {space.data(), plan.scratch_bytes}, .scratch_limit = plan.scratch_bytes});
        EXPECT_TRUE(out.equal(want));
    }
}

/// With a ring and without.
void on_each_device(const std::function<void()>& checks) {
    for (const std::size_t shared_bytes : {std::size_t{0}, std::size_t{99} << 10}) {
        SCOPED_TRACE(shared_bytes > 0 ? "a device without rings" : "a device with rings");
        const Pretending device(2, shared_bytes);
        checks();
    }
}
const kogge::device_properties& device() { return kogge::simt::current_properties(); }

std::vector<std::size_t> sizes() {
    if (small()) return {1, 20'001};
    return {1, 1000, 20'001, 90'001};
}
constexpr kogge::grid_strategy kStrategies[] = {
    kogge::grid_strategy::automatic,
    kogge::one_wave,
    kogge::on_chip,
    kogge::two_level,
    kogge::recursive,
    kogge::one_block,
};
Bytes poison(std::size_t bytes) { return Bytes(bytes, 0x5a); }

// ---- scans ---------------------------------------------------------------------------------------------
template <class T, class Sum>
void check_scans() {
    for (const std::size_t n : sizes()) {
        const auto items = random_items<T>(n, n);
        std::vector<std::uint16_t> keys;
        std::vector<std::uint64_t> offsets;
        for (std::size_t i = 0; i < n; ++i) {
            keys.push_back(static_cast<std::uint16_t>(i / 777));
            if (i % 777 == 0) offsets.push_back(i);
        }
        const Array<T> in(items);
        const Array<std::uint16_t> of(keys);
        const Array<std::uint64_t> starts(offsets);
        for (const auto grid : kStrategies)
            for (const auto block : {kogge::network::shuffle, kogge::network::blelloch}) {
                const kogge::scan_options options{.grid = grid, .block = block};
                SCOPED_TRACE(std::to_string(n) + " items, " + kogge::to_string(grid));
                const auto results = poison(n * sizeof(Sum));
                check(kogge::plan_scan(n, {sizeof(T), sizeof(Sum), sizeof(Sum)}, options, device()), results,
                      [&](Outputs& out, const kogge::exec& how) {
                          kogge::exclusive_scan(in.data(), out.as<Sum>(), n, Sum{3}, plus{}, options, how);
                      });
                check(kogge::plan_scan(n, kogge::by_key_shape<T, Sum>(), options, device()), results,
                      [&](Outputs& out, const kogge::exec& how) {
                          kogge::inclusive_scan_by_key(of.data(), in.data(), out.as<Sum>(), n, plus{},
                                                       kogge::equal_to{}, options, how);
                      });
                check(kogge::plan_scan(n, kogge::segments_shape<T, Sum>(), options, device()), results,
                      [&](Outputs& out, const kogge::exec& how) {
                          kogge::exclusive_segmented_scan(in.data(), out.as<Sum>(), n, starts.data(), offsets.size(), 3,
                                                          plus{}, options, how);
                      });
            }
    }
}
TEST(PlanScratch, Scans) { on_each_device(check_scans<std::uint32_t, std::uint32_t>); }
TEST(PlanScratch, WideSums) { on_each_device(check_scans<std::uint8_t, std::uint64_t>); }

// ---- compactions ---------------------------------------------------------------------------------------
struct IsOdd {
    KOGGE_HOST_DEVICE bool operator()(std::uint32_t item) const { return item % 2 != 0; }
};
TEST(PlanScratch, Compactions) {
    on_each_device([] {
        for (const std::size_t n : sizes()) {
            SCOPED_TRACE(n);
            const auto items = random_items<std::uint32_t>(n);
            const Array<std::uint32_t> in(items);
            Bytes bytes(n * 4);
            std::memcpy(bytes.data(), items.data(), n * 4);
            check(kogge::plan_compact(n, 4, false, false, device()), poison(n * 4),
                  [&](Outputs& out, const kogge::exec& how) {
                      kogge::compact(in.data(), out.as<std::uint32_t>(), out.number.data(), n, IsOdd{}, how);
                  });
            check(kogge::plan_compact(n, 4, true, false, device()), poison(n * 4),
                  [&](Outputs& out, const kogge::exec& how) {
                      kogge::partition(in.data(), out.as<std::uint32_t>(), out.number.data(), n, IsOdd{}, how);
                  });
            check(kogge::plan_compact(n, 4, true, true, device()), bytes, [&](Outputs& out, const kogge::exec& how) {
                kogge::partition(out.as<std::uint32_t>(), out.as<std::uint32_t>(), out.number.data(), n, IsOdd{}, how);
            });
        }
    });
}

// ---- runs ----------------------------------------------------------------------------------------------
template <std::size_t bytes>
struct Words {
    std::uint32_t words[bytes / 4];
};
struct SameItem {
    template <class T>
    KOGGE_HOST_DEVICE bool operator()(const T& a, const T& b) const {
        if constexpr (std::is_integral_v<T>) return a == b;
        else return a.words[0] == b.words[0];
    }
};
template <class T>
void check_runs() {
    for (const std::size_t n : sizes()) {
        SCOPED_TRACE(std::to_string(n) + " items of " + std::to_string(sizeof(T)) + " bytes");
        std::vector<T> items(n);
        for (std::size_t i = 0; i < n; ++i) {
            const auto run = static_cast<std::uint32_t>(i / 5 % 100);
            if constexpr (std::is_integral_v<T>) items[i] = static_cast<T>(run);
            else items[i].words[0] = run;
        }
        const Array<T> in(items);
        const Array<std::uint16_t> values(random_items<std::uint16_t>(n));
        const auto results = poison(n * (sizeof(T) < 8 ? 8 : sizeof(T)));
        const auto plan = [&](runs_output writes) { return kogge::plan_runs(n, {sizeof(T), writes}, device()); };
        check(plan(runs_output::items), results, [&](Outputs& out, const kogge::exec& how) {
            kogge::unique(in.data(), out.as<T>(), out.number.data(), n, SameItem{}, how);
        });
        check(plan(runs_output::values), results, [&](Outputs& out, const kogge::exec& how) {
            kogge::unique_by_key(in.data(), values.data(), out.as<T>(), out.beside<std::uint16_t>(), out.number.data(),
                                 n, SameItem{}, how);
        });
        check(plan(runs_output::lengths), results, [&](Outputs& out, const kogge::exec& how) {
            kogge::run_length_encode(in.data(), out.as<T>(), out.beside<std::uint32_t>(), out.number.data(), n,
                                     SameItem{}, how);
        });
    }
}
TEST(PlanScratch, RunsOfBytes) { on_each_device(check_runs<std::uint8_t>); }
TEST(PlanScratch, RunsOfWords) { on_each_device(check_runs<std::uint32_t>); }
TEST(PlanScratch, RunsOfLongs) { on_each_device(check_runs<std::uint64_t>); }
TEST(PlanScratch, RunsOfTwelveBytes) { on_each_device(check_runs<Words<12>>); }
TEST(PlanScratch, RunsOfWideItems) { on_each_device(check_runs<Words<20>>); }

// ---- emissions -----------------------------------------------------------------------------------------
template <class Number>
struct Every {
    std::uint64_t period;
    Number outputs;
    KOGGE_HOST_DEVICE Number operator()(std::uint64_t item) const {
        return item % period == period - 1 ? outputs : Number{0};
    }
};
struct MakeOutput {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t item, std::uint64_t k) const {
        return static_cast<std::uint32_t>(item * 1000 + k);
    }
};
template <class Number>
void check_emissions() {
    for (const std::size_t n : {1, 1000, 2049, 8193, 20'001, 50'001})
        for (const Every<Number> count : {Every<Number>{3, 2}, Every<Number>{4000, 40'000}})
            for (const std::uint64_t capacity : {std::uint64_t{0}, std::uint64_t{10}, std::uint64_t{120'000}}) {
                SCOPED_TRACE(std::to_string(n) + " items, room for " + std::to_string(capacity));
                const auto plan = kogge::plan_emit(n, capacity, sizeof(Number), device());
                check(plan, poison((n + 1) * 8 + capacity * 4), [&](Outputs& out, const kogge::exec& how) {
                    kogge::emit(out.as<std::uint32_t>(), capacity, out.number.data(), n, count, MakeOutput{},
                                out.beside<std::uint64_t>(), how);
                });
            }
}
TEST(PlanScratch, EmissionsCountedInWords) { on_each_device(check_emissions<std::uint32_t>); }
TEST(PlanScratch, EmissionsCountedInLongs) { on_each_device(check_emissions<std::uint64_t>); }
TEST(PlanScratch, EmissionsOfNothingButOffsets) {
    check(kogge::plan_emit(0, 5, 8, device()), poison(20), [&](Outputs& out, const kogge::exec& how) {
        kogge::emit(out.as<std::uint32_t>(), 5, out.number.data(), 0, Every<std::uint64_t>{1, 1}, MakeOutput{},
                    out.beside<std::uint64_t>(), {.where = kWhere, .space = how.space});
    });
}

}  // namespace

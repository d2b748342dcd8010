// kogge-test: EMULATED GPU HOST
// Scans whose keys, values and results are no arrays, scans by key from the end, exclusive scans without an initial
// value, and exec right behind the arguments: against the serial sum, in every way that a plan can take.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "kogge/reverse_scan.hpp"
#include "kogge/scan.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"
#include "support/scan_plans.hpp"

namespace {

using namespace tests;
using kogge::equal_to;
using kogge::exec;
using kogge::plus;
using Word = std::uint32_t;
using Number = std::uint64_t;

// ---- inputs and outputs that are no arrays -------------------------------------------------------------
/// Item i of an array, as an input of another kind.
template <class T>
struct Reading {
    const T* items;
    KOGGE_HOST_DEVICE T operator[](std::uint64_t i) const { return items[i]; }
};
/// Keys that follow from the position.
struct Group {
    std::uint64_t length;
    KOGGE_HOST_DEVICE std::uint64_t operator[](std::uint64_t i) const { return i / length; }
};
/// Stores each result plus one at every `step`-th place.
template <class T>
struct Writing {
    struct Place {
        T* at;
        KOGGE_HOST_DEVICE void operator=(const T& result) const {
            T changed = result;
            if constexpr (std::is_arithmetic_v<T>) changed = static_cast<T>(changed + 1);
            else changed.opening += 1;
            *at = changed;
        }
    };
    T* out;
    std::uint64_t step;
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t i) const { return {out + i * step}; }
};
/// Items of another array, at every `step`-th place: out[i] refers to an item.
template <class T>
struct Strided {
    T* items;
    std::uint64_t step;
    KOGGE_HOST_DEVICE T& operator[](std::uint64_t i) const { return items[i * step]; }
};
struct Nowhere {
    struct Place {
        template <class T>
        KOGGE_HOST_DEVICE void operator=(const T&) const {}
    };
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t) const { return {}; }
};

/// The same, where out[i] refers to something that takes anything and holds nothing.
struct NowhereElse {
    struct Place {
        template <class T>
        KOGGE_HOST_DEVICE const Place& operator=(const T&) const {
            return *this;
        }
    };
    Place place;
    KOGGE_HOST_DEVICE const Place& operator[](std::uint64_t) const { return place; }
};

/// What Writing leaves of results.
template <class T>
std::vector<T> written(const std::vector<T>& results, std::size_t step) {
    std::vector<T> list((results.size() - 1) * step + 1, Array<T>::poison());
    for (std::size_t i = 0; i < results.size(); ++i) {
        T result = results[i];
        if constexpr (std::is_arithmetic_v<T>) result = static_cast<T>(result + 1);
        else result.opening += 1;
        list[i * step] = result;
    }
    return list;
}

// ---- oracles -------------------------------------------------------------------------------------------
/// Scans runs, which begin where heads[i] is true; from their ends if `reversed`. `init` null: an inclusive scan.
template <class T, class Op>
std::vector<T> sums_of_runs(const std::vector<T>& items, const std::vector<bool>& heads, Op op, const T* init,
                            bool reversed) {
    const std::size_t n = items.size();
    std::vector<T> sums(n);
    T sum{};
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t i = reversed ? n - 1 - k : k;
        const bool first = k == 0 || (reversed ? heads[i + 1] : heads[i]);
        if (init) {
            sums[i] = first ? *init : sum;
            sum = static_cast<T>(op(sums[i], items[i]));
        } else {
            sum = first ? items[i] : static_cast<T>(op(sum, items[i]));
            sums[i] = sum;
        }
    }
    return sums;
}

/// Each way of a scan of 8-byte structs, and how one knows its plan. Ways of scans by key are of other sizes.
struct Form {
    const char* name;
    int multiprocessors;  ///< that the device pretends to have
    std::size_t n;
    kogge::scan_options options;
    bool (*is)(const kogge::scan_plan& plan);
};
const Form kForms[] = {
    {"a wave of one row", 4, 3500, {}, [](const kogge::scan_plan& plan) { return wave_rows(plan) == 1; }},
    {"a wave of more rows", 5, 15001, {}, [](const kogge::scan_plan& plan) { return wave_rows(plan) > 1; }},
    {"a ring in one launch",
     2,
     5 * 5120 + 17,
     {.grid = kogge::on_chip},
     [](const kogge::scan_plan& plan) { return is_pipelined(plan) && is_cooperative(plan); }},
    {"a ring by tickets",
     2,
     35 * 5120 + 16,
     {.grid = kogge::on_chip},
     [](const kogge::scan_plan& plan) { return is_pipelined(plan) && !is_cooperative(plan); }},
    {"tiles on chip",
     4,
     11 * 2560 + 17,
     {.grid = kogge::on_chip, .block = kogge::brent_kung},
     [](const kogge::scan_plan& plan) { return plan.is<kogge::tile_scan>(); }},
    {"two levels",
     4,
     41 * 2560 + 17,
     {.grid = kogge::two_level},
     [](const kogge::scan_plan& plan) { return levels_of(plan).size() == 2; }},
};
std::vector<Bicyclic> brackets(std::size_t n) {
    auto items = random_items<Bicyclic>(n, n);
    for (Bicyclic& item : items) item.closing %= 4, item.opening %= 4;
    return items;
}
/// Runs of 1, 2, … 40 items, and a long one.
std::vector<Word> keys_of(std::size_t n) {
    std::vector<Word> keys(n);
    Word key = 7;
    for (std::size_t i = 0, left = 1, length = 1; i < n; ++i) {
        if (left-- == 0) {
            key = key * 5 + 1;
            length = length % 40 + 1;
            left = (length == 13 ? 3000 : length) - 1;
        }
        keys[i] = key;
    }
    return keys;
}
std::vector<bool> heads_of(const std::vector<Word>& keys) {
    std::vector<bool> heads(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) heads[i] = i == 0 || keys[i - 1] != keys[i];
    return heads;
}

template <class Visit>
void for_each_form([[maybe_unused]] bool by_key, const Visit& visit) {
    for (const Form& form : kForms) {
        const Pretending device(form.multiprocessors);
        for (const std::size_t n : {form.n, form.n + 1}) {
            SCOPED_TRACE(std::to_string(n) + " items, " + form.name);
#if KOGGE_EMULATED
            const auto shape = by_key ? kogge::by_key_shape<Bicyclic>() : kogge::scan_shape{8, 8, 8};
            const auto plan = kogge::plan_scan(n, shape, form.options, kogge::simt::current_properties());
            EXPECT_TRUE(form.is(plan)) << to_string(plan);
#endif
            visit(n, form.options);
        }
    }
}

// ---- plain scans ---------------------------------------------------------------------------------------
TEST(ScanPlaces, OutputsThatAreNoArrays) {
    for_each_form(false, [](std::size_t n, const kogge::scan_options& options) {
        const auto items = brackets(n);
        const std::vector<bool> one_run(n);
        const Bicyclic init{3, 5};
        const Array<Bicyclic> in(items);
        const exec how{.where = kWhere};
        for (const std::size_t step : {1, 3}) {
            Array<Bicyclic> out((n - 1) * step + 1);
            kogge::inclusive_scan(in.data(), Writing<Bicyclic>{out.data(), step}, n, JoinBrackets{}, options, how);
            EXPECT_TRUE(
                same(out.get(), written(sums_of_runs<Bicyclic>(items, one_run, JoinBrackets{}, nullptr, false), step)));
            kogge::reverse_exclusive_scan(Reading<Bicyclic>{in.data()}, Writing<Bicyclic>{out.data(), step}, n, init,
                                          JoinBrackets{}, options, how);
            EXPECT_TRUE(
                same(out.get(), written(sums_of_runs<Bicyclic>(items, one_run, JoinBrackets{}, &init, true), step)));
        }
        kogge::inclusive_scan(in.data(), Nowhere{}, n, JoinBrackets{}, options, how);
        kogge::inclusive_scan(in.data(), NowhereElse{}, n, JoinBrackets{}, options, how);
        EXPECT_TRUE(same(in.get(), items));
    });
}

TEST(ScanPlaces, StridedResultsHaveATypeOfTheirOwn) {
    for (const std::size_t n : {1u, 3000u, 40'001u}) {
        const auto items = random_items<std::uint8_t>(n);
        std::vector<Number> want(3 * n, Array<Number>::poison());
        Number sum = 0;
        for (std::size_t i = 0; i < n; ++i) want[3 * i] = sum += items[i];
        const Array<std::uint8_t> in(items);
        Array<Number> out(3 * n);
        kogge::inclusive_scan(in.data(), Strided<Number>{out.data(), 3}, n);
        EXPECT_TRUE(same(out.get(), want)) << n;
    }
}

TEST(ScanPlaces, WithoutAnyArray) {
    const std::size_t n = 20'000;
    Array<Number> out(n);
    std::vector<Number> results(n);
    for (std::size_t i = 0; i < n; ++i) results[i] = i / 7 + (i > 0 ? results[i - 1] : 0);
    kogge::inclusive_scan(Group{7}, Writing<Number>{out.data(), 1}, n);
    EXPECT_TRUE(same(out.get(), written(results, 1)));
}

// Items that are not plain are carried as bytes, also to an output that is no array.
struct Fixed {
    Fixed() = delete;
    KOGGE_HOST_DEVICE explicit Fixed(Word word) : value(word) {}
    const Word value;
};
struct AddFixed {
    KOGGE_HOST_DEVICE Fixed operator()(const Fixed& a, const Fixed& b) const { return Fixed(a.value + b.value); }
};
struct ReadFixed {
    KOGGE_HOST_DEVICE Fixed operator[](std::uint64_t i) const { return Fixed(static_cast<Word>(i)); }
};
struct WriteFixed {
    struct Place {
        Word* at;
        KOGGE_HOST_DEVICE void operator=(const Fixed& result) const { *at = result.value; }
    };
    Word* out;
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t i) const { return {out + i}; }
};
TEST(ScanPlaces, ItemsThatAreNotPlain) {
    const std::size_t n = 9001;
    Array<Word> out(n), by_key(n), from_end(n);
    std::vector<Word> want(n), runs(n), reversed(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto item = static_cast<Word>(i);
        want[i] = item + (i > 0 ? want[i - 1] : 0);
        runs[i] = item + (i % 50 > 0 ? runs[i - 1] : 0);
        const std::size_t j = n - 1 - i;
        reversed[j] = static_cast<Word>(j) + (j + 1 < n && j % 50 < 49 ? reversed[j + 1] : 0);
    }
    kogge::inclusive_scan(ReadFixed{}, WriteFixed{out.data()}, n, AddFixed{});
    EXPECT_TRUE(same(out.get(), want));
    kogge::inclusive_scan_by_key(Group{50}, ReadFixed{}, WriteFixed{by_key.data()}, n, AddFixed{});
    EXPECT_TRUE(same(by_key.get(), runs));
    kogge::reverse_inclusive_scan_by_key(Group{50}, ReadFixed{}, WriteFixed{from_end.data()}, n, AddFixed{});
    EXPECT_TRUE(same(from_end.get(), reversed));
}

// ---- by key and of segments ----------------------------------------------------------------------------
TEST(ScanPlaces, KeysAndValuesThatAreNoArrays) {
    for_each_form(true, [](std::size_t n, const kogge::scan_options& options) {
        const auto items = brackets(n);
        const auto keys = keys_of(n);
        const auto heads = heads_of(keys);
        const Bicyclic init{3, 5};
        const auto inclusive = sums_of_runs<Bicyclic>(items, heads, JoinBrackets{}, nullptr, false);
        const auto exclusive = sums_of_runs<Bicyclic>(items, heads, JoinBrackets{}, &init, false);
        const Array<Bicyclic> in(items);
        const Array<Word> of(keys);
        const exec how{.where = kWhere};
        const Reading<Bicyclic> values{in.data()};
        const Reading<Word> groups{of.data()};
        Array<Bicyclic> out(n), in_place(items);
        kogge::inclusive_scan_by_key(groups, values, out.data(), n, JoinBrackets{}, equal_to{}, options, how);
        EXPECT_TRUE(same(out.get(), inclusive)) << "keys and values";
        kogge::inclusive_scan_by_key(groups, in_place.data(), in_place.data(), n, JoinBrackets{}, equal_to{}, options,
                                     how);
        EXPECT_TRUE(same(in_place.get(), inclusive)) << "keys, in place";
        kogge::exclusive_scan_by_key(of.data(), values, out.data(), n, init, JoinBrackets{}, equal_to{}, options, how);
        EXPECT_TRUE(same(out.get(), exclusive)) << "values, exclusive";
        kogge::exclusive_scan_by_key(of.data(), in.data(), Writing<Bicyclic>{out.data(), 1}, n, init, JoinBrackets{},
                                     equal_to{}, options, how);
        EXPECT_TRUE(same(out.get(), written(exclusive, 1))) << "results, exclusive";
    });
}

TEST(ScanPlaces, ValuesOfSegmentsThatAreNoArrays) {
    for_each_form(true, [](std::size_t n, const kogge::scan_options& options) {
        const auto items = brackets(n);
        const auto heads = heads_of(keys_of(n));
        std::vector<Number> offsets;
        for (std::size_t i = 0; i < n; ++i)
            if (heads[i] && i > 0) offsets.push_back(i);
        const Bicyclic init{3, 5};
        const Array<Bicyclic> in(items);
        const Array<Number> starts(offsets);
        const exec how{.where = kWhere};
        Array<Bicyclic> out(n);
        kogge::inclusive_segmented_scan(Reading<Bicyclic>{in.data()}, out.data(), n, starts.data(), offsets.size(),
                                        JoinBrackets{}, options, how);
        EXPECT_TRUE(same(out.get(), sums_of_runs<Bicyclic>(items, heads, JoinBrackets{}, nullptr, false)));
        kogge::exclusive_segmented_scan(Reading<Bicyclic>{in.data()}, Writing<Bicyclic>{out.data(), 1}, n,
                                        starts.data(), offsets.size(), init, JoinBrackets{}, options, how);
        EXPECT_TRUE(same(out.get(), written(sums_of_runs<Bicyclic>(items, heads, JoinBrackets{}, &init, false), 1)));
    });
}

// ---- by key from the end -------------------------------------------------------------------------------
TEST(ReverseScanByKey, OfEveryForm) {
    for_each_form(true, [](std::size_t n, const kogge::scan_options& options) {
        const auto items = brackets(n + 100);
        const std::vector<Bicyclic> counted(items.begin(), items.end() - 100);
        const auto keys = keys_of(n + 100);
        const auto heads = heads_of({keys.begin(), keys.end() - 100});
        const Bicyclic init{3, 5};
        const auto inclusive = sums_of_runs<Bicyclic>(counted, heads, JoinBrackets{}, nullptr, true);
        const auto exclusive = sums_of_runs<Bicyclic>(counted, heads, JoinBrackets{}, &init, true);
        const Array<Bicyclic> in(items);
        const Array<Word> of(keys);
        const exec how{.where = kWhere};
        Array<Bicyclic> out(n), in_place(items);
        kogge::reverse_inclusive_scan_by_key(of.data(), in.data(), out.data(), n, JoinBrackets{}, equal_to{}, options,
                                             how);
        EXPECT_TRUE(same(out.get(), inclusive));
        kogge::reverse_exclusive_scan_by_key(of.data(), in.data(), out.data(), n, init, JoinBrackets{}, equal_to{},
                                             options, how);
        EXPECT_TRUE(same(out.get(), exclusive)) << "exclusive";
        kogge::reverse_inclusive_scan_by_key(Reading<Word>{of.data()}, Reading<Bicyclic>{in.data()},
                                             Writing<Bicyclic>{out.data(), 1}, n, JoinBrackets{}, equal_to{}, options,
                                             how);
        EXPECT_TRUE(same(out.get(), written(inclusive, 1))) << "no arrays";
        auto want = inclusive;
        want.insert(want.end(), items.end() - 100, items.end());
        if constexpr (kOnDevice) {
            const Array<Number> count(std::vector<Number>{n});
            kogge::reverse_inclusive_scan_by_key(of.data(), in_place.data(), in_place.data(),
                                                 kogge::device_count{count.data(), items.size()}, JoinBrackets{},
                                                 equal_to{}, options, how);
        } else {
            kogge::reverse_inclusive_scan_by_key(of.data(), in_place.data(), in_place.data(), n, JoinBrackets{},
                                                 equal_to{}, options, how);
        }
        EXPECT_TRUE(same(in_place.get(), want)) << "in place";
    });
}

// Pieces of keys and values begin anywhere.
template <class Key, class T, class Sum>
void check_reverse_at_every_offset() {
    for (const std::size_t n : {std::size_t{6007}, std::size_t{2 * 512 * 20 + 64}, std::size_t{60'016}})
        for (std::size_t at = 0; at <= 16; at += small() ? 5 : 1) {
            SCOPED_TRACE(std::to_string(n) + " items at " + std::to_string(at));
            const auto words = keys_of(n);
            std::vector<Key> keys(n);
            std::vector<Sum> items(n);
            const auto values = random_items<T>(n, at);
            std::vector<bool> heads(n);
            for (std::size_t i = 0; i < n; ++i) {
                keys[i] = static_cast<Key>(words[i]);
                items[i] = static_cast<Sum>(values[i]);
                heads[i] = i == 0 || keys[i - 1] != keys[i];
            }
            const Sum init = 9;
            const Array<Key> of(keys, at);
            const Array<T> in(values, at / 2);
            Array<Sum> out(n, at / 3);
            for (const auto grid : {kogge::grid_strategy::automatic, kogge::on_chip}) {
                kogge::reverse_inclusive_scan_by_key(of.data(), in.data(), out.data(), n, plus{}, equal_to{},
                                                     {.grid = grid});
                EXPECT_TRUE(same(out.get(), sums_of_runs<Sum>(items, heads, plus{}, nullptr, true)));
                kogge::reverse_exclusive_scan_by_key(of.data(), in.data(), out.data(), n, init, plus{}, equal_to{},
                                                     {.grid = grid});
                EXPECT_TRUE(same(out.get(), sums_of_runs<Sum>(items, heads, plus{}, &init, true))) << "exclusive";
            }
        }
}
TEST(ReverseScanByKey, OfBytesAtEveryOffset) {
    check_reverse_at_every_offset<std::uint8_t, std::uint8_t, std::uint8_t>();
}
TEST(ReverseScanByKey, OfBytesToNumbersAtEveryOffset) {
    check_reverse_at_every_offset<std::uint16_t, std::uint8_t, Number>();
}
TEST(ReverseScanByKey, OfWordsAtEveryOffset) { check_reverse_at_every_offset<Number, Word, Word>(); }

// An equality that is none sees neighbours in the order of the array.
struct NotLess {
    KOGGE_HOST_DEVICE bool operator()(Word earlier, Word later) const { return earlier <= later; }
};
TEST(ReverseScanByKey, RunsAreThoseOfTheScanFromTheStart) {
    for (const std::size_t n : {1u, 2u, 5000u, 30'011u}) {
        auto keys = random_items<Word>(n);
        for (Word& key : keys) key %= 8;
        const auto items = random_items<Word>(n, 2);
        std::vector<bool> heads(n);
        for (std::size_t i = 0; i < n; ++i) heads[i] = i == 0 || keys[i - 1] > keys[i];
        const Array<Word> of(keys), in(items);
        Array<Word> out(n);
        kogge::reverse_inclusive_scan_by_key(of.data(), in.data(), out.data(), n, plus{}, NotLess{});
        EXPECT_TRUE(same(out.get(), sums_of_runs<Word>(items, heads, plus{}, nullptr, true))) << n;
    }
}

TEST(ReverseScanByKey, RefusesWhatItCannotDo) {
    const auto items = random_items<Word>(100);
    Array<Word> array(items);
    const auto code = [&](const auto& call) { return code_of([&] { call(); }); };
    using kogge::errc;
    EXPECT_EQ(code([&] { kogge::reverse_exclusive_scan_by_key(Group{5}, array.data(), array.data(), 100, 0u); }),
              errc::overlap);
    EXPECT_EQ(code([&] { kogge::reverse_inclusive_scan_by_key(array.data() + 1, Group{5}, array.data(), 50); }),
              errc::overlap);
    EXPECT_EQ(code([&] {
                  kogge::reverse_inclusive_scan_by_key(static_cast<const Word*>(nullptr), array.data(), array.data(),
                                                       100);
              }),
              errc::invalid_argument);
    EXPECT_TRUE(same(array.get(), items));
    kogge::reverse_inclusive_scan_by_key(static_cast<const Word*>(nullptr), array.data(), array.data(), 0);
    EXPECT_TRUE(same(array.get(), items));
}

// ---- no initial value, and exec right behind the arguments ---------------------------------------------
TEST(ScanPlaces, ExclusiveFromZero) {
    const std::size_t n = 7000;
    const auto items = random_items<Word>(n);
    std::vector<Number> want(n);
    std::vector<Word> from_end(n);
    for (std::size_t i = 1; i < n; ++i) {
        want[i] = want[i - 1] + items[i - 1];
        from_end[n - 1 - i] = from_end[n - i] + items[n - i];
    }
    const Array<Word> in(items);
    Array<Number> out(n);
    Array<Word> words(n);
    kogge::exclusive_scan(in.data(), out.data(), n);
    EXPECT_TRUE(same(out.get(), want));
    kogge::exclusive_scan(in.data(), out.data(), n, exec{.where = kWhere});
    EXPECT_TRUE(same(out.get(), want));
    kogge::exclusive_scan(in.data(), out.data(), n, {.where = kWhere});
    EXPECT_TRUE(same(out.get(), want));
    kogge::reverse_exclusive_scan(in.data(), words.data(), n);
    EXPECT_TRUE(same(words.get(), from_end));
    kogge::reverse_exclusive_scan(in.data(), words.data(), n, {.where = kWhere});
    EXPECT_TRUE(same(words.get(), from_end));
}

// Each form names a backend that cannot reach the arrays, which only a call that has read its exec refuses.
TEST(ScanPlaces, ExecFollowsWhatIsGiven) {
    const Array<Word> in(random_items<Word>(50));
    Array<Word> out(50);
    const std::vector<Number> zero{0};
    const Array<Number> starts(zero);
    const Word *const k = in.data(), *const a = in.data();
    Word* const o = out.data();
    const Number* const s = starts.data();
    const exec how{.where = kOnDevice ? kogge::backend::host : kogge::backend::device};
    const auto refuses = [&](const auto& call) { EXPECT_EQ(code_of([&] { call(); }), kogge::errc::unreachable); };
    const plus op;
    const equal_to eq;
    refuses([&] { kogge::inclusive_scan(a, o, 50, how); });
    refuses([&] { kogge::inclusive_scan(a, o, 50, {.where = how.where}); });
    refuses([&] { kogge::inclusive_scan(a, o, 50, op, how); });
    refuses([&] { kogge::inclusive_scan(a, o, 50, op, Word{1}, how); });
    refuses([&] { kogge::exclusive_scan(a, o, 50, how); });
    refuses([&] { kogge::exclusive_scan(a, o, 50, Word{1}, how); });
    refuses([&] { kogge::exclusive_scan(a, o, 50, Word{1}, op, how); });
    refuses([&] { kogge::reverse_inclusive_scan(a, o, 50, how); });
    refuses([&] { kogge::reverse_exclusive_scan(a, o, 50, Word{1}, how); });
    refuses([&] { kogge::reverse_exclusive_scan(a, o, 50, how); });
    refuses([&] { kogge::inclusive_scan_by_key(k, a, o, 50, how); });
    refuses([&] { kogge::inclusive_scan_by_key(k, a, o, 50, {.where = how.where}); });
    refuses([&] { kogge::inclusive_scan_by_key(k, a, o, 50, op, how); });
    refuses([&] { kogge::inclusive_scan_by_key(k, a, o, 50, op, eq, how); });
    refuses([&] { kogge::exclusive_scan_by_key(k, a, o, 50, 1u, how); });
    refuses([&] { kogge::exclusive_scan_by_key(k, a, o, 50, 1u, op, how); });
    refuses([&] { kogge::exclusive_scan_by_key(k, a, o, 50, 1u, op, eq, how); });
    refuses([&] { kogge::reverse_inclusive_scan_by_key(k, a, o, 50, how); });
    refuses([&] { kogge::reverse_inclusive_scan_by_key(k, a, o, 50, op, how); });
    refuses([&] { kogge::reverse_inclusive_scan_by_key(k, a, o, 50, op, eq, how); });
    refuses([&] { kogge::reverse_exclusive_scan_by_key(k, a, o, 50, 1u, how); });
    refuses([&] { kogge::reverse_exclusive_scan_by_key(k, a, o, 50, 1u, op, how); });
    refuses([&] { kogge::reverse_exclusive_scan_by_key(k, a, o, 50, 1u, op, eq, how); });
    refuses([&] { kogge::inclusive_segmented_scan(a, o, 50, s, 1, how); });
    refuses([&] { kogge::inclusive_segmented_scan(a, o, 50, s, 1, op, how); });
    refuses([&] { kogge::exclusive_segmented_scan(a, o, 50, s, 1, 1u, how); });
    refuses([&] { kogge::exclusive_segmented_scan(a, o, 50, s, 1, 1u, op, how); });
}

}  // namespace

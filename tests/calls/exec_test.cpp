// kogge-test: EMULATED GPU HOST
// How calls run: scratch from a workspace, a resource or the device; streams; pointers of the wrong kind; failures.
#include "kogge/exec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/counting_resource.hpp"
#include "support/inputs.hpp"
#include "support/scan_plans.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#endif

namespace {

using namespace tests;

const std::vector<std::uint32_t>& items() {
    static const auto list = random_items<std::uint32_t>(60000);
    return list;
}

TEST(Pointers, OfTheWrongKindAreErrors) {
    std::vector<std::uint32_t> host = items();
    if constexpr (kOnDevice) {
        Array<std::uint32_t> array(items());
        EXPECT_EQ(code_of([&] { kogge::radix_sort(array.data(), 9, {}, {.where = kogge::backend::host}); }),
                  kogge::errc::unreachable);
        EXPECT_EQ(code_of([&] { kogge::radix_sort(host.data(), 9, {}, {.where = kogge::backend::device}); }),
                  kogge::errc::unreachable);
        EXPECT_EQ(code_of([&] { kogge::inclusive_scan(array.data(), host.data(), 9); }), kogge::errc::unreachable);
        EXPECT_TRUE(same(array.get(), items()));
    } else {
        EXPECT_EQ(code_of([&] { kogge::radix_sort(host.data(), 9, {}, {.where = kogge::backend::device}); }),
                  kogge::errc::unreachable);
        EXPECT_EQ(code_of([&] { kogge::buffer<int> on_device(5, kogge::backend::device); }), kogge::errc::unreachable);
    }
    EXPECT_TRUE(same(host, items()));
}

TEST(Pointers, HostDataRunsOnTheHostEverywhere) {
    std::vector<std::uint32_t> host = items(), want = items();
    kogge::radix_sort(host.data(), host.size());
    std::sort(want.begin(), want.end());
    EXPECT_TRUE(same(host, want));
}

TEST(Counts, OutOfRange) {
    Array<std::uint32_t> array(items());
    EXPECT_EQ(code_of([&] { kogge::radix_sort(array.data(), std::uint64_t{1} << 62); }), kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                  kogge::radix_sort(array.data(), kogge::device_count{nullptr, 5});
              }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::radix_sort(array.data(), 5, {}, {.host_threads = -3}); }),
              kogge::errc::invalid_argument);
    if constexpr (!kOnDevice) {
        const std::uint64_t n = 5;
        EXPECT_EQ(code_of([&] {
                      kogge::radix_sort(array.data(), kogge::device_count{&n, 5});
                  }),
                  kogge::errc::invalid_argument);
    }
    EXPECT_TRUE(same(array.get(), items()));
}

#if KOGGE_EMULATED
struct Odd {
    bool operator()(std::uint32_t item) const { return item % 2 == 1; }
};
TEST(Counts, AreNotWaitedForWhileTheStreamIsCaptured) {
    using kogge::errc;
    const Array<std::uint32_t> in(items());
    Array<std::uint32_t> out(items().size());
    Array<std::uint64_t> kept(1);
    const Array<std::uint64_t> number(std::vector<std::uint64_t>{7});
    const std::uint64_t n = items().size();
    const auto before = out.get();
    const auto kept_before = kept.get();
    const kogge::exec how{.stream = kogge::simt::create_stream()};
    kogge::simt::emulator::pretend_capture(how.stream, true);
    const auto refuses = [](const std::function<void()>& call) { EXPECT_EQ(code_of(call), errc::invalid_argument); };
    refuses([&] { kogge::compact(in.data(), out.data(), n, Odd{}, how); });
    refuses([&] { kogge::compact(in.data(), out.data(), kogge::count_at(kept.data()), n, Odd{}, how); });
    refuses([&] { kogge::partition(in.data(), out.data(), n, Odd{}, how); });
    refuses([&] { kogge::unique(in.data(), out.data(), n, {}, how); });
    refuses([&] {
        kogge::inclusive_scan(in.data(), out.data(), kogge::device_count{number.data(), n, true}, kogge::plus{}, how);
    });
    EXPECT_TRUE(same(out.get(), before));
    EXPECT_EQ(kept.get(), kept_before);
    kogge::simt::emulator::pretend_capture(how.stream, false);
    EXPECT_EQ(kogge::compact(in.data(), out.data(), kogge::device_count{number.data(), n, true}, Odd{}, how),
              static_cast<std::uint64_t>(std::count_if(items().begin(), items().begin() + 7, Odd{})));
    kogge::simt::destroy_stream(how.stream);
}
#endif

struct Ones {
    KOGGE_HOST_DEVICE std::uint32_t operator[](std::uint64_t) const { return 1; }
};
TEST(Buffers, MoveAndShrink) {
    kogge::buffer<std::uint32_t> a(100, kWhere);
    const std::uint32_t* const data = a.data();
    kogge::buffer<std::uint32_t> b = std::move(a);
    EXPECT_EQ(b.data(), data);
    kogge::inclusive_scan(Ones{}, b.data(), 100, kogge::plus{}, kogge::exec{.where = kWhere});
    b.shrink(40);
    EXPECT_EQ(b.to_vector().size(), 40u);
    EXPECT_EQ(b.to_vector()[39], 40u);
    EXPECT_EQ(code_of([&] { b.shrink(41); }), kogge::errc::invalid_argument);
    if (kOnDevice) {
        EXPECT_EQ(code_of([&] { static_cast<void>(b.begin()); }), kogge::errc::unreachable);
        EXPECT_EQ(code_of([&] { static_cast<void>(b.end()); }), kogge::errc::unreachable);
    } else {
        std::uint32_t sum = 0;
        for (const std::uint32_t item : b) sum += item;
        EXPECT_EQ(sum, 40u * 41 / 2);
        EXPECT_EQ(std::span<const std::uint32_t>(b).back(), 40u);
    }
    EXPECT_TRUE(kogge::buffer<std::uint32_t>().to_vector().empty());
}

TEST(Buffers, NeedAPlaceAndMemory) {
    EXPECT_EQ(code_of([] { kogge::buffer<int> anywhere(5, kogge::backend::automatic); }),
              kogge::errc::invalid_argument);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which end a program that asks for too much
    EXPECT_EQ(code_of([] { kogge::buffer<char> huge(std::uint64_t{1} << 62, kogge::backend::host); }),
              kogge::errc::out_of_memory);
#endif
}

#if KOGGE_KERNELS

struct Less {
    std::uint32_t than;
    KOGGE_HOST_DEVICE bool operator()(std::uint32_t item) const { return item < than; }
};

struct SameHalf {
    KOGGE_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const { return (a ^ b) >> 31 == 0; }
};

struct Wide {
    std::uint32_t words[8];
    KOGGE_HOST_DEVICE operator std::uint32_t() const { return words[0]; }
};
struct LowBit {
    const std::uint32_t* items;
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const { return items[i] & 1; }
};
struct ItemOf {
    const std::uint32_t* items;
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i, std::uint64_t) const { return items[i]; }
};

/// One call of each kind on copies of the items; compares with the host's result.
struct Call {
    const char* name;
    std::size_t scratch;
    std::function<void(Array<std::uint32_t>& in, Array<std::uint32_t>& out, Array<std::uint64_t>& count,
                       const kogge::exec&)>
        run;
    bool names_input = true;  ///< functions may read it, which no check sees
    bool open_ended = false;  ///< the data decide how long the output is
};
std::vector<Call> calls() {
    const std::uint64_t n = items().size();
    const auto& device = kogge::simt::current_properties();
    return {
        {"scan", kogge::plan_scan(n, {4, 4, 4}, {}, device).scratch_bytes,
         [=](auto& in, auto& out, auto&, const auto& how) {
             kogge::inclusive_scan(in.data(), out.data(), n, kogge::plus{}, how);
         }},
        {"scan two_level", kogge::plan_scan(n, {4, 4, 4}, {.grid = kogge::two_level}, device).scratch_bytes,
         [=](auto& in, auto& out, auto&, const auto& how) {
             kogge::inclusive_scan(in.data(), out.data(), n, kogge::plus{}, {.grid = kogge::two_level}, how);
         }},
        {"compact", kogge::plan_compact(n, 4, false, false, device).scratch_bytes,
         [=](auto& in, auto& out, auto& count, const auto& how) {
             kogge::compact(in.data(), out.data(), count.data(), n,
                            kogge::compare<std::uint32_t>{kogge::relation::less, 1u << 31}, how);
         },
         true, true},
        {"partition", kogge::plan_compact(n, 4, true, false, device).scratch_bytes,
         [=](auto& in, auto& out, auto& count, const auto& how) {
             kogge::partition(in.data(), out.data(), count.data(), n, Less{1u << 31}, how);
         }},
        {"unique", kogge::plan_runs(n, {4, kogge::runs_output::items}, device).scratch_bytes,
         [=](auto& in, auto& out, auto& count, const auto& how) {
             kogge::unique(in.data(), out.data(), count.data(), n, SameHalf{}, how);
         },
         true, true},
        {"unique of wide items", kogge::plan_runs(n / 8, {32, kogge::runs_output::items}, device).scratch_bytes,
         [=](auto& in, auto& out, auto& count, const auto& how) {
             kogge::unique(reinterpret_cast<const Wide*>(in.data()), reinterpret_cast<Wide*>(out.data()), count.data(),
                           n / 8, SameHalf{}, how);
         },
         true, true},
        {"unique_by_key", kogge::plan_runs(n, {4, kogge::runs_output::values}, device).scratch_bytes,
         [=](auto& in, auto& out, auto& count, const auto& how) {
             Array<std::uint32_t> keys(n);
             kogge::unique_by_key(in.data(), in.data(), keys.data(), out.data(), count.data(), n, SameHalf{}, how);
         },
         true, true},
        {"run_length_encode of bytes", kogge::plan_runs(n, {1, kogge::runs_output::lengths}, device).scratch_bytes,
         [=](auto& in, auto& out, auto& count, const auto& how) {
             Array<std::uint8_t> bytes(n);
             kogge::run_length_encode(reinterpret_cast<const std::uint8_t*>(in.data()), bytes.data(), out.data(),
                                      count.data(), n, kogge::equal_to{}, how);
         },
         true, true},
        {"emit", kogge::plan_emit(n, n, 4, device).scratch_bytes,
         [=](auto& in, auto& out, auto& count, const auto& how) {
             kogge::emit(out.data(), n, count.data(), n, LowBit{in.data()}, ItemOf{in.data()}, how);
         },
         false},
        {"run_length_encode", kogge::plan_runs(n, {4, kogge::runs_output::lengths}, device).scratch_bytes,
         [=](auto& in, auto& out, auto& count, const auto& how) {
             Array<std::uint32_t> lengths(n);
             kogge::run_length_encode(in.data(), out.data(), lengths.data(), count.data(), n, SameHalf{}, how);
         },
         true, true},
        {"radix_sort",
         kogge::plan_radix_sort(n, {.key_bytes = 4, .begin_bit = 0, .end_bit = 32, .in_place = false}, device)
             .scratch_bytes,
         [=](auto& in, auto& out, auto&, const auto& how) { kogge::radix_sort(in.data(), out.data(), n, {}, how); }},
    };
}

TEST(Workspace, ExactlyThePlansBytesAtAnyAddress) {
    for (const Call& call : calls()) {
        const Array<std::uint32_t> fresh(items());
        Array<std::uint32_t> in(items()), want(items().size());
        Array<std::uint64_t> count(1);
        call.run(in, want, count, {});
        for (const std::size_t at : {0, 1, 77, 255}) {
            Array<std::uint8_t> space(call.scratch, at);
            Array<std::uint32_t> out(items().size());
            call.run(in, out, count, {.space = {space.data(), call.scratch}});
            EXPECT_TRUE(same(out.get(), want.get())) << call.name << " with a workspace at " << at;
        }
        if (call.scratch > 0) {
            Array<std::uint8_t> space(call.scratch);
            Array<std::uint32_t> out(items().size());
            EXPECT_EQ(code_of([&] {
                          call.run(in, out, count, {.space = {space.data(), call.scratch - 1}});
                      }),
                      kogge::errc::out_of_memory)
                << call.name;
            EXPECT_TRUE(same(out.get(), std::vector<std::uint32_t>(items().size(), Array<std::uint32_t>::poison())))
                << call.name;
        }
    }
}

TEST(Workspace, IsApartFromTheArraysAndOnTheDevice) {
    for (const Call& call : calls()) {
        Array<std::uint32_t> in(items()), out(items().size());
        Array<std::uint64_t> count(1);
        const std::size_t bytes = items().size() * sizeof(std::uint32_t);
        const auto code_with = [&](void* start, std::size_t size) {
            return code_of([&] { call.run(in, out, count, {.space = {start, size}}); });
        };
        if (call.names_input) {
            EXPECT_EQ(code_with(in.data(), bytes), kogge::errc::overlap) << call.name;
        }
        const std::size_t written = call.open_ended ? 1 : items().size();
        EXPECT_EQ(code_with(out.data() + written - 1, call.scratch), kogge::errc::overlap) << call.name;
        std::vector<std::byte> on_host(call.scratch + 1);
        EXPECT_EQ(code_with(on_host.data(), on_host.size()), kogge::errc::unreachable) << call.name;
        EXPECT_TRUE(same(in.get(), items())) << call.name;
        EXPECT_TRUE(same(out.get(), std::vector<std::uint32_t>(items().size(), Array<std::uint32_t>::poison())))
            << call.name;
    }
}

TEST(Workspace, IsApartFromTheCount) {
    Array<std::uint32_t> array(items());
    const std::size_t words = std::size_t{1} << 18, bytes = words * sizeof(std::uint64_t);
    Array<std::uint64_t> space(std::vector<std::uint64_t>(words, 9));
    for (const std::size_t at : {std::size_t{0}, words / 2, words - 1}) {
        const kogge::device_count n{space.data() + at, items().size()};
        const kogge::exec how{.space = {space.data(), bytes}};
        EXPECT_EQ(code_of([&] { kogge::inclusive_scan(array.data(), array.data(), n, kogge::plus{}, how); }),
                  kogge::errc::overlap)
            << at;
        EXPECT_EQ(code_of([&] { kogge::radix_sort(array.data(), n, {}, how); }), kogge::errc::overlap) << at;
    }
    EXPECT_TRUE(same(array.get(), items()));
    const kogge::device_count behind{space.data() + words - 1, items().size()};
    kogge::radix_sort(array.data(), behind, {}, {.space = {space.data(), bytes - sizeof(std::uint64_t)}});
    std::vector<std::uint32_t> want = items();
    std::sort(want.begin(), want.begin() + 9);
    EXPECT_TRUE(same(array.get(), want));
}

// Work of one stream after that of another one, and back, without a wait: each link reads what the one before has
// written.
TEST(Streams, OrderAfterEachOther) {
    if (kWhere == kogge::backend::host) GTEST_SKIP() << "there are no streams";
    const std::size_t n = KOGGE_EMULATED ? 3000 : 3'000'000;
    constexpr int links = 10;
    const kogge::stream_t streams[] = {kogge::simt::create_stream(), kogge::simt::create_stream()};
    std::vector<std::uint32_t> want(n, 1);
    std::vector<std::unique_ptr<Array<std::uint32_t>>> sums;
    for (int link = 0; link <= links; ++link) sums.push_back(std::make_unique<Array<std::uint32_t>>(want));
    kogge::simt::synchronize(nullptr);
    for (int link = 0; link < links; ++link) {
        const kogge::stream_t stream = streams[link % 2], before = streams[(link + 1) % 2];
        if (link > 0) kogge::simt::order_after(stream, before);
        kogge::inclusive_scan(sums[link]->data(), sums[link + 1]->data(), n,
                              kogge::exec{.stream = stream, .where = kWhere});
        std::partial_sum(want.begin(), want.end(), want.begin());
    }
    for (const kogge::stream_t stream : streams) kogge::simt::synchronize(stream);
    EXPECT_TRUE(same(sums.back()->get(), want));
    for (const kogge::stream_t stream : streams) kogge::simt::destroy_stream(stream);
}

TEST(Resource, IsUsedAndGetsEverythingBack) {
    for (const Call& call : calls()) {
        CountingResource resource;
        Array<std::uint32_t> in(items()), out(items().size());
        Array<std::uint64_t> count(1);
        call.run(in, out, count, {.scratch = &resource});
        EXPECT_EQ(resource.calls, call.scratch > 0 ? 1u : 0u) << call.name;
        EXPECT_EQ(resource.live, 0u) << call.name;
        resource.refuse = true;
        Array<std::uint32_t> untouched(items().size());
        if (call.scratch > 0) {
            EXPECT_EQ(code_of([&] { call.run(in, untouched, count, {.scratch = &resource}); }),
                      kogge::errc::out_of_memory)
                << call.name;
        }
        EXPECT_TRUE(same(in.get(), items())) << call.name;
    }
}

TEST(Streams, WorkStaysInTheCallersStream) {
    const kogge::stream_t stream = kogge::simt::create_stream();
    for (const Call& call : calls()) {
        Array<std::uint32_t> in(items()), want(items().size()), out(items().size());
        Array<std::uint64_t> count(1);
        call.run(in, want, count, {});
        kogge::simt::synchronize(nullptr);
        call.run(in, out, count, {.stream = stream});
        kogge::simt::synchronize(stream);
        EXPECT_TRUE(same(out.get(), want.get())) << call.name;
    }
    kogge::simt::destroy_stream(stream);
}

/// Up to what a GPU of 132 multiprocessors sorts by passes, which is from 4'325'377 words on.
std::vector<std::size_t> sizes_at_once() {
    std::vector<std::size_t> sizes{700, 6000, 20'000, 60'000};
    if (kOnDevice && !KOGGE_EMULATED && !small()) sizes.insert(sizes.end(), {300'000, 3'000'000, 4'400'000});
    return sizes;
}

// Calls on items of all sizes on several streams, none of which waits for another.
TEST(Streams, ManyCallsAtOnce) {
    constexpr int streams = 4;
    const std::vector<std::size_t> sizes = sizes_at_once();
    struct Calls {
        Array<std::uint32_t> in, sorted, places, sums, kept;
        Array<std::uint64_t> count{1};
        std::vector<std::uint32_t> want;
        explicit Calls(const std::vector<std::uint32_t>& items)
            : in(items),
              sorted(items.size()),
              places(items.size()),
              sums(items.size()),
              kept(items.size()),
              want(items) {
            std::sort(want.begin(), want.end());
        }
    };
    std::vector<std::unique_ptr<Calls>> list;
    std::vector<kogge::stream_t> all;
    for (int s = 0; s < streams; ++s) all.push_back(kogge::simt::create_stream());
    for (std::size_t i = 0; i < streams * sizes.size(); ++i)
        list.push_back(
            std::make_unique<Calls>(random_items<std::uint32_t>(sizes[(i + i / streams) % sizes.size()], i)));
    kogge::simt::synchronize(nullptr);
    const kogge::compare<std::uint32_t> low{kogge::relation::less, 1u << 31};
    for (std::size_t i = 0; i < list.size(); ++i) {
        const kogge::exec how{.stream = all[i % streams]};
        Calls& calls = *list[i];
        const std::size_t n = calls.want.size();
        kogge::radix_sort(calls.in.data(), calls.sorted.data(), n, {}, how);
        kogge::argsort(calls.in.data(), calls.places.data(), n, {}, how);
        kogge::inclusive_scan(calls.in.data(), calls.sums.data(), n, kogge::plus{}, how);
        kogge::compact(calls.in.data(), calls.kept.data(), calls.count.data(), n, low, how);
    }
    for (const kogge::stream_t stream : all) kogge::simt::synchronize(stream);
    for (const auto& calls : list) {
        EXPECT_TRUE(same(calls->sorted.get(), calls->want));
        const auto in = calls->in.get();
        std::vector<std::uint32_t> by_place, sums, kept;
        for (const std::uint32_t place : calls->places.get()) by_place.push_back(in.at(place));
        EXPECT_TRUE(same(by_place, calls->want));
        std::partial_sum(in.begin(), in.end(), std::back_inserter(sums));
        EXPECT_TRUE(same(calls->sums.get(), sums));
        std::copy_if(in.begin(), in.end(), std::back_inserter(kept), low);
        EXPECT_EQ(calls->count.get()[0], kept.size());
        auto front = calls->kept.get();
        front.resize(kept.size());
        EXPECT_TRUE(same(front, kept));
    }
    for (const kogge::stream_t stream : all) kogge::simt::destroy_stream(stream);
}

using Word = std::uint32_t;

/// 0, 1, 2, …
std::vector<Word> places_of(std::size_t n) {
    std::vector<Word> list(n);
    std::iota(list.begin(), list.end(), 0u);
    return list;
}
template <class T>
std::vector<T> lower_bits(const std::vector<Word>& from) {
    std::vector<T> list;
    for (const Word item : from) list.push_back(static_cast<T>(item));
    return list;
}
/// The arrays of a call of each kind, in place where there is such a form.
struct Sorts {
    std::vector<Word> items;
    std::vector<std::uint64_t> starts;
    Array<Word> in, pairs, values, places, in_segments, values_of_segments;
    Array<std::uint16_t> shorts;
    Array<std::uint8_t> bytes;
    Array<std::uint64_t> offsets;
    Sorts(const std::vector<Word>& from, std::vector<std::uint64_t> begins)
        : items(from),
          starts(std::move(begins)),
          in(items),
          pairs(items),
          values(places_of(items.size())),
          places(items.size()),
          in_segments(items),
          values_of_segments(places_of(items.size())),
          shorts(lower_bits<std::uint16_t>(items)),
          bytes(lower_bits<std::uint8_t>(items)),
          offsets(starts) {}
};

// The same with sorts of other kinds: of segments, with values, descending, and of small keys.
TEST(Streams, ManySortsAtOnce) {
    constexpr int streams = 4;
    const std::vector<std::size_t> sizes = sizes_at_once();
    std::vector<std::unique_ptr<Sorts>> list;
    std::vector<kogge::stream_t> all;
    for (int s = 0; s < streams; ++s) all.push_back(kogge::simt::create_stream());
    for (std::size_t i = 0; i < streams * sizes.size(); ++i) {
        const std::size_t n = sizes[(i + i / streams) % sizes.size()];
        auto items = random_items<Word>(n, i);
        for (Word& item : items) item %= 5 * n / 2;  // some are equal
        std::vector<std::uint64_t> starts;           // of segments for one block, and for many
        for (std::uint64_t at = 0; at < n; at += 1 + at * at % 20'011) starts.push_back(at);
        list.push_back(std::make_unique<Sorts>(items, starts));
    }
    kogge::simt::synchronize(nullptr);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const kogge::exec how{.stream = all[i % streams]};
        Sorts& sorts = *list[i];
        const std::size_t n = sorts.items.size();
        kogge::segmented_sort_pairs(sorts.in_segments.data(), sorts.values_of_segments.data(), n, sorts.offsets.data(),
                                    sorts.starts.size(), {}, how);
        kogge::radix_sort_pairs(sorts.pairs.data(), sorts.values.data(), n, {}, how);
        kogge::argsort(sorts.in.data(), sorts.places.data(), n, {.order = kogge::descending}, how);
        kogge::radix_sort(sorts.shorts.data(), n, {}, how);
        kogge::radix_sort(sorts.bytes.data(), n, {.order = kogge::descending}, how);
    }
    for (const kogge::stream_t stream : all) kogge::simt::synchronize(stream);
    for (const auto& sorts : list) {
        const std::vector<Word>& items = sorts->items;
        SCOPED_TRACE(items.size());
        const auto picked = [&](const std::vector<Word>& order) {
            std::vector<Word> keys;
            for (const Word i : order) keys.push_back(items[i]);
            return keys;
        };
        std::vector<std::uint64_t> in_segments(items.begin(), items.end());
        for (std::size_t s = 0; s < sorts->starts.size(); ++s) {
            const std::uint64_t end = s + 1 < sorts->starts.size() ? sorts->starts[s + 1] : items.size();
            for (std::uint64_t i = sorts->starts[s]; i < end; ++i) in_segments[i] |= std::uint64_t{s} << 32;
        }
        auto order = stable_order(in_segments);
        EXPECT_TRUE(same(sorts->values_of_segments.get(), order)) << "values of segments";
        EXPECT_TRUE(same(sorts->in_segments.get(), picked(order))) << "segments";
        order = stable_order(items);
        EXPECT_TRUE(same(sorts->values.get(), order)) << "values";
        EXPECT_TRUE(same(sorts->pairs.get(), picked(order))) << "keys of values";
        auto from_above = items;
        for (Word& item : from_above) item = ~item;
        EXPECT_TRUE(same(sorts->places.get(), stable_order(from_above))) << "indices, descending";
        auto shorts = lower_bits<std::uint16_t>(items);
        std::sort(shorts.begin(), shorts.end());
        EXPECT_TRUE(same(sorts->shorts.get(), shorts)) << "of 16 bits";
        auto bytes = lower_bits<std::uint8_t>(items);
        std::sort(bytes.begin(), bytes.end(), std::greater<>{});
        EXPECT_TRUE(same(sorts->bytes.get(), bytes)) << "of 8 bits, descending";
    }
    for (const kogge::stream_t stream : all) kogge::simt::destroy_stream(stream);
}

// The same kernel with more shared memory, with less by another thread, and with more again.
#if KOGGE_KERNELS
template <class T>
KOGGE_HOST_DEVICE T item_of(std::uint32_t i) {
    return static_cast<T>(i * 2654435761u >> 7);
}
template <class T>
KOGGE_KERNEL void write_kernel(T* out, std::uint32_t n) {
    kogge::simt::wait_for_stream();
    const auto threads = static_cast<std::uint32_t>(kogge::simt::block_size());
    for (auto i = static_cast<std::uint32_t>(kogge::simt::thread_rank()); i < n; i += threads) out[i] = item_of<T>(i);
}
/// What a call makes of n items that the kernel in front of it writes.
template <class T, class Call>
void check_behind_kernel(std::uint32_t n, const Call& call) {
    std::vector<T> expected(n);
    for (std::uint32_t i = 0; i < n; ++i) expected[i] = item_of<T>(i);
    call(expected.data());
    Array<T> array(std::vector<T>(n, T{3}));
    kogge::simt::launch(write_kernel<T>, {.threads = 256, .name = "write_kernel"}, array.data(), n);
    call(array.data());
    EXPECT_EQ(array.get(), expected) << n << " items of " << sizeof(T) << " bytes";
}
// A launch may start before the one in front of it is done.
TEST(Streams, CallsWaitForTheKernelInFrontOfThem) {
    for (int turn = 0; turn < 4; ++turn) {
        for (const std::uint32_t n : {200u, 6000u, 20000u}) {
            check_behind_kernel<std::uint8_t>(n, [&](auto* keys) { kogge::radix_sort(keys, n); });
            check_behind_kernel<std::uint32_t>(n, [&](auto* keys) { kogge::radix_sort(keys, n); });
            check_behind_kernel<std::uint32_t>(n, [&](auto* items) { kogge::inclusive_scan(items, items, n); });
        }
    }
}
#endif

TEST(Threads, DoNotTakeSharedMemoryFromEachOther) {
    const auto sort = [](std::size_t n) {
        auto keys = random_items<std::uint32_t>(n);
        Array<std::uint32_t> array(keys);
        EXPECT_NO_THROW(kogge::radix_sort(array.data(), n));
        std::sort(keys.begin(), keys.end());
        EXPECT_TRUE(same(array.get(), keys)) << n;
    };
    const std::size_t most = kogge::simt::runtime_name() == std::string("cuda") && !small() ? 1u << 20 : 60'000;
    sort(most);
    std::thread([&] { sort(most / 16); }).join();
    sort(most);
}

#if KOGGE_EMULATED
TEST(AllocationFailure, LeavesEverythingAsItWas) {
    for (const Call& call : calls()) {
        Array<std::uint32_t> in(items()), want(items().size());
        Array<std::uint64_t> count(1);
        call.run(in, want, count, {});
        kogge::simt::synchronize(nullptr);
        const auto live = kogge::simt::emulator::statistics().live_allocations;
        if (call.scratch > 0) {
            Array<std::uint32_t> out(items().size());
            const auto with_out = kogge::simt::emulator::statistics().live_allocations;
            kogge::simt::emulator::fail_allocation(0);
            EXPECT_EQ(code_of([&] { call.run(in, out, count, {}); }), kogge::errc::out_of_memory) << call.name;
            EXPECT_TRUE(same(out.get(), std::vector<std::uint32_t>(items().size(), Array<std::uint32_t>::poison())))
                << call.name;
            EXPECT_EQ(kogge::simt::emulator::statistics().live_allocations, with_out) << call.name;
            call.run(in, out, count, {});
            EXPECT_TRUE(same(out.get(), want.get())) << call.name << " after the failure";
        }
        EXPECT_TRUE(same(in.get(), items()));  // waits, so that what was given back is gone
        EXPECT_EQ(kogge::simt::emulator::statistics().live_allocations, live) << call.name;
    }
}
#endif

#endif

TEST(Plans, ArePureAndPrintable) {
    const kogge::device_properties device = kogge::h200_properties();
    for (const std::uint64_t n :
         {std::uint64_t{0}, std::uint64_t{1000}, std::uint64_t{1} << 20, std::uint64_t{1} << 33}) {
        const auto scan = kogge::plan_scan(n, {4, 4, 4}, {}, device);
        const auto compact = kogge::plan_compact(n, 4, false, false, device);
        const auto sort = kogge::plan_radix_sort(n, {.key_bytes = 4, .begin_bit = 0, .end_bit = 32}, device);
        EXPECT_EQ(kogge::to_string(scan), kogge::to_string(kogge::plan_scan(n, {4, 4, 4}, {}, device)));
        EXPECT_NE(kogge::to_string(scan).find("scratch"), std::string::npos);
        EXPECT_NE(kogge::to_string(compact).find(" items, "), std::string::npos);
        EXPECT_NE(kogge::to_string(sort).find("radix_sort"), std::string::npos);
        EXPECT_GE(sort.scratch_bytes, n > (1u << 16) ? n * 4 : 0);
    }
    EXPECT_TRUE(is_pipelined(kogge::plan_scan(1u << 28, {4, 4, 4}, {}, device)));
    kogge::device_properties older = device;
    older.compute_major = 7;
    EXPECT_FALSE(is_pipelined(kogge::plan_scan(1u << 28, {4, 4, 4}, {}, older)));
    EXPECT_FALSE(is_pipelined(kogge::plan_scan(1u << 28, {3, 8, 8}, {}, device)));
    EXPECT_EQ(kogge::plan_scan(100, {4, 4, 4}, {}, device).grid, kogge::one_wave);
    EXPECT_EQ(kogge::plan_scan(100, {4, 4, 4}, {.grid = kogge::two_level}, device).grid, kogge::two_level);
}

}  // namespace

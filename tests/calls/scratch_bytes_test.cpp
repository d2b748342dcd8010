// kogge-test: EMULATED GPU HOST
// What scratch_bytes answers is what the very calls take: a workspace of that many bytes is enough, one of a byte less
// is not; and nothing happens while it asks.
#include "kogge/calls/scratch_bytes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/device_shapes.hpp"
#include "support/pretending.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#endif

namespace {

using namespace tests;
using kogge::errc;
using kogge::exec;
using kogge::scratch_bytes;

#if KOGGE_KERNELS

/// The arguments of a call; the arrays exist, are null, or are unallocated.
struct Places {
    std::uint64_t n = 0;
    std::uint32_t* in = nullptr;
    std::uint32_t* out = nullptr;
    std::uint32_t* more = nullptr;
    std::uint16_t* other = nullptr;
    std::uint16_t* other_out = nullptr;
    const std::uint64_t* offsets = nullptr;
    std::uint64_t* count = nullptr;
    const std::uint64_t* number = nullptr;  ///< holds n
    std::uint8_t* flags = nullptr;
};

struct IsOdd {
    KOGGE_HOST_DEVICE bool operator()(std::uint32_t item) const { return item % 2 != 0; }
};
struct Later {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a * 3 + b; }
};
struct LowBits {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint32_t item) const { return item % 300; }
};
struct OneOrNone {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t item) const { return item % 2; }
};
struct MakeItem {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t item, std::uint64_t) const {
        return static_cast<std::uint32_t>(item);
    }
};

struct Call {
    const char* name;
    std::function<void(const Places&, const exec&)> run;
    bool tells_null_apart = true;  ///< else null arrays count as the same one, which takes as much or more
};

constexpr std::uint64_t kSegment = 700;
std::uint64_t segments_of(std::uint64_t n) { return (n + kSegment - 1) / kSegment; }

std::vector<Call> scan_calls() {
    using namespace kogge;
    return {
        {"inclusive_scan", [](auto& p, auto& how) { inclusive_scan(p.in, p.out, p.n, plus{}, how); }},
        {"by an operator", [](auto& p, auto& how) { inclusive_scan(p.in, p.in, p.n, Later{}, how); }},
        {"two levels",
         [](auto& p, auto& how) { exclusive_scan(p.in, p.out, p.n, 1u, Later{}, {.grid = two_level}, how); }},
        {"recursive", [](auto& p, auto& how) { inclusive_scan(p.in, p.out, p.n, plus{}, {.grid = recursive}, how); }},
        {"on chip", [](auto& p, auto& how) { inclusive_scan(p.in, p.out, p.n, plus{}, {.grid = on_chip}, how); }},
        {"device_count",
         [](auto& p, auto& how) {
             inclusive_scan(p.in, p.out, device_count{p.number, p.n}, plus{}, how);
         }},
        {"checked device_count",
         [](auto& p, auto& how) {
             inclusive_scan(p.in, p.out, device_count{p.number, p.n, true}, plus{}, how);
         }},
        {"reverse_inclusive_scan", [](auto& p, auto& how) { reverse_inclusive_scan(p.in, p.out, p.n, plus{}, how); }},
        {"inclusive_scan_by_key",
         [](auto& p, auto& how) { inclusive_scan_by_key(p.other, p.in, p.out, p.n, plus{}, equal_to{}, how); }},
        {"exclusive_segmented_scan",
         [](auto& p, auto& how) {
             exclusive_segmented_scan(p.in, p.out, p.n, p.offsets, segments_of(p.n), 0u, plus{}, how);
         }},
        {"segmented scan on chip",
         [](auto& p, auto& how) {
             inclusive_segmented_scan(p.in, p.out, p.n, p.offsets, segments_of(p.n), plus{}, {.grid = on_chip}, how);
         }},
    };
}

std::vector<Call> compact_calls() {
    using namespace kogge;
    return {
        {"compact", [](auto& p, auto& how) { compact(p.in, p.out, p.n, IsOdd{}, how); }},
        {"compact to a place", [](auto& p, auto& how) { compact(p.in, p.out, p.count, p.n, IsOdd{}, how); }},
        {"compact to count_at", [](auto& p, auto& how) { compact(p.in, p.out, count_at(p.count), p.n, IsOdd{}, how); }},
        {"compact_flags", [](auto& p, auto& how) { compact_flags(p.in, p.flags, p.out, p.count, p.n, how); }},
        {"compact_stencil", [](auto& p, auto& how) { compact_stencil(p.in, p.more, p.out, p.n, IsOdd{}, how); }},
        {"compact of arrays",
         [](auto& p, auto& how) {
             compact(arrays(p.in, p.other), arrays(p.out, p.other_out), p.count, p.n, IsOdd{}, how);
         }},
        {"compact_flags of arrays",
         [](auto& p, auto& how) {
             compact_flags(arrays(p.in, p.other), p.flags, arrays(p.out, p.other_out), p.count, p.n, how);
         }},
        {"partition", [](auto& p, auto& how) { partition(p.in, p.out, p.count, p.n, IsOdd{}, how); }},
        {"partition, counted", [](auto& p, auto& how) { partition(p.in, p.out, p.n, IsOdd{}, how); }},
        {"partition to two outputs",
         [](auto& p, auto& how) {
             partition(p.in, two_outputs<std::uint32_t>{p.out, p.more}, p.n, IsOdd{}, how);
         }},
        {"split", [](auto& p, auto& how) { split(p.in, p.out, p.n, 300, LowBits{}, how); }},
        {"split_pairs",
         [](auto& p, auto& how) { split_pairs(p.in, p.other, p.out, p.other_out, p.n, 300, LowBits{}, how); }},
        {"unique", [](auto& p, auto& how) { unique(p.in, p.out, p.count, p.n, how); }},
        {"unique_by_key", [](auto& p, auto& how) { unique_by_key(p.in, p.other, p.out, p.other_out, p.n, how); }},
        {"run_length_encode", [](auto& p, auto& how) { run_length_encode(p.in, p.out, p.more, p.count, p.n, how); }},
        {"emit", [](auto& p, auto& how) { emit(p.out, p.n, p.count, p.n, OneOrNone{}, MakeItem{}, how); }},
        {"emit's size",
         [](auto& p, auto& how) {
             exec on_device = how;
             on_device.where = backend::device;
             emit(static_cast<std::uint32_t*>(nullptr), 0, p.n, OneOrNone{}, MakeItem{}, on_device);
         }},
    };
}

std::vector<Call> reduce_calls() {
    using namespace kogge;
    return {
        {"reduce", [](auto& p, auto& how) { reduce(p.in, p.out, p.n, plus{}, how); }},
        {"reduce, returned", [](auto& p, auto& how) { reduce(p.in, p.n, plus{}, how); }},
        {"transform_reduce, returned",
         [](auto& p, auto& how) { transform_reduce(p.in, p.n, LowBits{}, maximum{}, how); }},
        {"arg_min", [](auto& p, auto& how) { arg_min(p.in, p.count, p.n, how); }},
        {"arg_max, returned", [](auto& p, auto& how) { arg_max(p.in, p.n, how); }},
        {"reduce_by_key", [](auto& p, auto& how) { reduce_by_key(p.other, p.in, p.other_out, p.out, p.n, how); }},
        {"segmented_reduce",
         [](auto& p, auto& how) { segmented_reduce(p.in, p.out, p.n, p.offsets, segments_of(p.n), plus{}, how); }},
    };
}

std::vector<Call> sort_calls() {
    using namespace kogge;
    return {
        {"radix_sort in place", [](auto& p, auto& how) { radix_sort(p.in, p.n, how); }},
        {"radix_sort", [](auto& p, auto& how) { radix_sort(p.in, p.out, p.n, how); }},
        {"radix_sort by one digit", [](auto& p, auto& how) { radix_sort(p.in, p.out, p.n, {.end_bit = 8}, how); }},
        {"radix_sort in place by one digit", [](auto& p, auto& how) { radix_sort(p.in, p.n, {.end_bit = 8}, how); }},
        {"radix_sort of u16", [](auto& p, auto& how) { radix_sort(p.other, p.other_out, p.n, how); }},
        {"radix_sort_pairs in place", [](auto& p, auto& how) { radix_sort_pairs(p.in, p.more, p.n, how); }},
        {"radix_sort_pairs by indices, in place",
         [](auto& p, auto& how) { radix_sort_pairs(p.in, p.other, p.n, how); }},
        {"radix_sort_pairs by indices",
         [](auto& p, auto& how) { radix_sort_pairs(p.in, p.out, p.other, p.other_out, p.n, how); }},
        {"radix_sort_pairs of arrays",
         [](auto& p, auto& how) { radix_sort_pairs(p.in, arrays(p.out, p.other), p.n, how); }},
        {"argsort", [](auto& p, auto& how) { argsort(p.in, p.out, p.n, how); }},
        {"argsort of columns", [](auto& p, auto& how) { argsort(arrays(p.in, p.other), p.out, p.n, how); }},
        {"radix_sort of columns", [](auto& p, auto& how) { radix_sort(arrays(p.in, p.other), p.n, how); }},
        {"argsort of many columns",
         [](auto& p, auto& how) {
             const auto keys = columns(p.in, column(p.more, {.order = descending}), p.other, p.other_out,
                                       column(p.in, {.end_bit = 30}), p.more);
             argsort(keys, p.out, p.n, how);
         }},
        {"segmented_sort in place",
         [](auto& p, auto& how) { segmented_sort(p.in, p.n, p.offsets, segments_of(p.n), how); }},
        {"segmented_sort_pairs in place",
         [](auto& p, auto& how) { segmented_sort_pairs(p.in, p.other, p.n, p.offsets, segments_of(p.n), how); }},
        {"segmented_sort_pairs",
         [](auto& p, auto& how) {
             segmented_sort_pairs(p.in, p.out, p.other, p.other_out, p.n, p.offsets, segments_of(p.n), how);
         },
         false},
        {"top_k", [](auto& p, auto& how) { top_k(p.in, p.out, p.n, p.n / 50, how); }},
        {"top_k by a sort", [](auto& p, auto& how) { top_k(p.in, p.out, p.n, p.n / 2, how); }},
        {"arg_top_k by a sort", [](auto& p, auto& how) { arg_top_k(p.in, p.out, p.more, p.n, p.n / 2, how); }},
        {"top_k_pairs", [](auto& p, auto& how) { top_k_pairs(p.in, p.out, p.other, p.other_out, p.n, p.n / 2, how); }},
        {"segmented_top_k of rows",
         [](auto& p, auto& how) {
             segmented_top_k(p.in, p.out, rows_of{p.n / 3, 3}, p.n < 60 ? 0 : 20, how);
         }},
        {"segmented_arg_top_k",
         [](auto& p, auto& how) {
             segmented_arg_top_k(p.in, p.out, p.more, p.n, p.offsets, segments_of(p.n), 1, how);
         }},
    };
}

/// Memory for any of the calls.
class Arrays {
public:
    explicit Arrays(std::uint64_t n)
        : in_(items(n)),
          out_(n),
          more_(n),
          other_(std::vector<std::uint16_t>(n, 5)),
          other_out_(n),
          offsets_(offsets(n)),
          count_(1),
          number_(std::vector<std::uint64_t>{n}),
          flags_(std::vector<std::uint8_t>(n, 1)) {
        places_ = {n,
                   in_.data(),
                   out_.data(),
                   more_.data(),
                   other_.data(),
                   other_out_.data(),
                   offsets_.data(),
                   count_.data(),
                   number_.data(),
                   flags_.data()};
    }
    const Places& operator*() const { return places_; }

private:
    static std::vector<std::uint32_t> items(std::uint64_t n) {
        std::vector<std::uint32_t> list(n);
        for (std::uint64_t i = 0; i < n; ++i) list[i] = static_cast<std::uint32_t>(i * 2654435761u);
        return list;
    }
    static std::vector<std::uint64_t> offsets(std::uint64_t n) {
        std::vector<std::uint64_t> list;
        for (std::uint64_t i = 0; i < n; i += kSegment) list.push_back(i);
        return list;
    }

    Array<std::uint32_t> in_, out_, more_;
    Array<std::uint16_t> other_, other_out_;
    Array<std::uint64_t> offsets_, count_, number_;
    Array<std::uint8_t> flags_;
    Places places_;
};

Places unallocated(std::uint64_t n) {
    using kogge::unallocated;
    return {n,
            unallocated<std::uint32_t>(0),
            unallocated<std::uint32_t>(1),
            unallocated<std::uint32_t>(2),
            unallocated<std::uint16_t>(3),
            unallocated<std::uint16_t>(4),
            unallocated<std::uint64_t>(5),
            unallocated<std::uint64_t>(6),
            unallocated<std::uint64_t>(7),
            unallocated<std::uint8_t>(8)};
}
Places null(std::uint64_t n) {
    Places places;
    places.n = n;
    return places;
}

/// Within a limit below `bytes` a call takes a way that fits, or is refused.
bool takes_less(const Call& call, const Places& places, std::size_t bytes) {
    try {
        return scratch_bytes([&](const exec& how) { call.run(places, how); }, {.scratch_limit = bytes - 1}) < bytes;
    } catch (const kogge::error& refusal) {
        return refusal.code() == errc::out_of_memory;
    }
}

void check(const std::vector<Call>& calls) {
    for (const std::size_t shared_bytes : {std::size_t{0}, std::size_t{99} << 10}) {
        const Pretending device(2, shared_bytes);
        if (shared_bytes > 0 && !may_pretend()) break;
        const auto properties = kogge::simt::current_properties();
        for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{3000}, std::uint64_t{60'000}})
            for (const Call& call : calls) {
                SCOPED_TRACE(std::string(call.name) + " of " + std::to_string(n));
                const Arrays arrays(n);
                const auto ask = [&](const Places& places) {
                    return scratch_bytes([&](const exec& how) { call.run(places, how); });
                };
                const std::size_t bytes = ask(*arrays);
                EXPECT_EQ(ask(unallocated(n)), bytes);
                if (call.tells_null_apart) EXPECT_EQ(ask(null(n)), bytes);
                else EXPECT_GE(ask(null(n)), bytes);
                EXPECT_EQ(scratch_bytes([&](const exec& how) { call.run(null(n), how); }, properties), ask(null(n)));
                Array<std::uint8_t> space(bytes + 1);
                if (bytes > 0) {
                    EXPECT_EQ(code_of([&] {
                                  call.run(*arrays, {.space = {space.data(), bytes - 1}});
                              }),
                              errc::out_of_memory);
                    EXPECT_TRUE(takes_less(call, *arrays, bytes));
                }
                call.run(*arrays, {.space = {space.data(), bytes}, .scratch_limit = bytes});
            }
    }
}
TEST(ScratchBytes, OfScans) { check(scan_calls()); }
TEST(ScratchBytes, OfCompactions) { check(compact_calls()); }
TEST(ScratchBytes, OfReductions) { check(reduce_calls()); }
TEST(ScratchBytes, OfSorts) { check(sort_calls()); }

// ---- what calls see while they are asked ---------------------------------------------------------------
TEST(ScratchBytes, TheMostOfSeveralCalls) {
    const auto of = [](bool scans, bool sorts) {
        return scratch_bytes([=](const exec& how) {
            const auto p = unallocated(50'000);
            if (scans) kogge::inclusive_scan(p.in, p.out, p.n, kogge::plus{}, {.grid = kogge::on_chip}, how);
            if (sorts) kogge::radix_sort(p.in, p.n, {}, how);
            if (scans) kogge::inclusive_scan(p.in, p.out, p.n, kogge::plus{}, {.grid = kogge::on_chip}, how);
        });
    };
    EXPECT_EQ(of(false, false), 0u);
    EXPECT_GT(of(true, false), 0u);
    EXPECT_GT(of(false, true), of(true, false));
    EXPECT_EQ(of(true, true), of(false, true));
}

TEST(ScratchBytes, NumbersAreZeroAndBuffersAreNoScratch) {
    std::uint64_t kept = 9;
    std::vector<std::uint32_t> sums;
    const std::uint64_t n = 50'000;
    const auto just_compact = scratch_bytes([&](const exec& how) {
        kogge::compact(static_cast<const std::uint32_t*>(nullptr), static_cast<std::uint32_t*>(nullptr), n, IsOdd{},
                       how);
    });
    const auto bytes = scratch_bytes([&](const exec& how) {
        kogge::buffer<std::uint32_t> in(n, kogge::backend::device), out(n, kogge::backend::device);
        EXPECT_NE(in.data(), out.data());
        kept = kogge::compact(in.data(), out.data(), in.size(), IsOdd{}, how);
        sums = in.to_vector();
    });
    EXPECT_EQ(kept, 0u);
    EXPECT_EQ(sums, std::vector<std::uint32_t>(n));
    EXPECT_EQ(bytes, just_compact);
}

TEST(ScratchBytes, ABufferMayOutliveTheQuestion) {
    kogge::buffer<std::uint32_t> buffer;
    scratch_bytes([&](const exec&) { buffer = kogge::buffer<std::uint32_t>(100, kogge::backend::device); });
    EXPECT_NE(buffer.data(), nullptr);
    buffer = {};
}

TEST(ScratchBytes, LimitsCount) {
    const auto p = unallocated(90'000);
    const auto sort = [&](const exec& how) { kogge::radix_sort_pairs(p.in, p.more, p.n, {}, how); };
    const std::size_t most = scratch_bytes(sort);
    EXPECT_EQ(scratch_bytes(sort, {.scratch_limit = most}), most);
    EXPECT_EQ(code_of([&] { scratch_bytes(sort, {.scratch_limit = 100}); }), errc::out_of_memory);
}

TEST(ScratchBytes, WrongArgumentsAreErrorsAndTheQuestionEnds) {
    const Arrays arrays(1000);
    const Places& p = *arrays;
    std::vector<std::uint32_t> on_host(1000);
    const auto code = [](const std::function<void(const exec&)>& call) {
        return code_of([&] { scratch_bytes(call); });
    };
    EXPECT_EQ(code([&](const exec& how) { kogge::radix_sort(on_host.data(), 1000, {}, how); }), errc::unreachable);
    EXPECT_EQ(code([&](const exec& how) { kogge::radix_sort(p.in, on_host.data(), 1000, {}, how); }),
              errc::unreachable);
    EXPECT_EQ(code([&](const exec&) { kogge::radix_sort(p.in, 1000, {}, {.where = kogge::backend::host}); }),
              errc::unreachable);
    EXPECT_EQ(code([&](const exec& how) { kogge::unique(p.in, p.in + 1, 1000, kogge::equal_to{}, how); }),
              errc::overlap);
    const auto same_array = kogge::unallocated<std::uint32_t>();
    EXPECT_EQ(code([&](const exec& how) { kogge::radix_sort_pairs(same_array, same_array, 1000, {}, how); }),
              errc::overlap);
    EXPECT_EQ(code([&](const exec& how) { kogge::radix_sort(p.in, p.out, 1000, {.begin_bit = 40}, how); }),
              errc::invalid_argument);
    EXPECT_FALSE(kogge::simt::is_measuring());
    EXPECT_EQ(code_of([&] { kogge::radix_sort(static_cast<std::uint32_t*>(nullptr), 1000); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::radix_sort(p.in, kogge::device_count{nullptr, 5}); }), errc::invalid_argument);
    EXPECT_THROW(scratch_bytes([](const exec&) { throw std::runtime_error("a caller's own"); }), std::runtime_error);
    EXPECT_FALSE(kogge::simt::is_measuring());
}

TEST(ScratchBytes, QuestionsWithinQuestions) {
    const auto p = unallocated(50'000);
    const auto sort = [&](const exec& how) { kogge::radix_sort(p.in, p.n, {}, how); };
    std::size_t inner = 0;
    const auto outer = scratch_bytes([&](const exec&) { inner = scratch_bytes(sort); });
    EXPECT_EQ(inner, scratch_bytes(sort));
    EXPECT_EQ(outer, 0u);
}

// Devices that this machine lacks: the plans say what their calls take.
TEST(ScratchBytes, OnNamedDevices) {
    for (const auto& device : device_shapes())
        for (const std::uint64_t n : {std::uint64_t{1000}, std::uint64_t{1} << 24, std::uint64_t{5} << 30}) {
            SCOPED_TRACE(device.name + ", " + std::to_string(n));
            const auto p = null(n);
            EXPECT_EQ(
                scratch_bytes([&](const exec& how) { kogge::inclusive_scan(p.in, p.out, p.n, kogge::plus{}, how); },
                              device),
                kogge::plan_scan(n, {4, 4, 4}, {}, device).scratch_bytes);
            EXPECT_EQ(scratch_bytes([&](const exec& how) { kogge::partition(p.in, p.out, p.n, IsOdd{}, how); }, device),
                      kogge::plan_compact(n, 4, true, false, device).scratch_bytes);
            EXPECT_EQ(scratch_bytes([&](const exec& how) { kogge::radix_sort(p.in, p.n, {}, how); }, device),
                      kogge::plan_radix_sort(n, {.key_bytes = 4, .end_bit = 32}, device).scratch_bytes);
        }
}

#if KOGGE_EMULATED
TEST(ScratchBytes, NothingHappensAndCaptureIsNoMatter) {
    namespace emulator = kogge::simt::emulator;
    const kogge::stream_t stream = kogge::simt::create_stream();
    emulator::pretend_capture(stream, true);
    {
        const Arrays arrays(60'000);
        kogge::simt::synchronize(nullptr);
        const auto before = emulator::statistics();
        for (const auto& calls : {scan_calls(), compact_calls(), sort_calls()})
            for (const Call& call : calls)
                scratch_bytes([&](const exec& how) { call.run(*arrays, how); }, {.stream = stream});
        EXPECT_EQ(kogge::trim(), kogge::trim());
        kogge::simt::synchronize(nullptr);
        EXPECT_EQ(emulator::statistics().launches, before.launches);
        EXPECT_EQ(emulator::statistics().allocations, before.allocations);
    }
    emulator::pretend_capture(stream, false);
    kogge::simt::destroy_stream(stream);
}

TEST(ScratchBytes, FollowsTheStreamsLimit) {
    const Pretending device(132);
    const kogge::stream_t stream = kogge::simt::create_stream();
    kogge::simt::emulator::limit_stream(stream, 1);
    const auto p = unallocated(20'000'000);
    const auto scan = [&](const exec& how) {
        kogge::inclusive_scan(p.in, p.out, p.n, kogge::plus{}, {.grid = kogge::two_level}, how);
    };
    EXPECT_EQ(
        scratch_bytes(scan, {.stream = stream}),
        kogge::plan_scan(p.n, {4, 4, 4}, {.grid = kogge::two_level}, kogge::simt::properties_of(stream)).scratch_bytes);
    EXPECT_NE(scratch_bytes(scan, {.stream = stream}), scratch_bytes(scan));
    kogge::simt::destroy_stream(stream);
}

TEST(ScratchBytes, OnTheDeviceOfTheArrays) {
    namespace emulator = kogge::simt::emulator;
    auto large = emulator::default_properties(), little = large;
    little.multiprocessors = 1;
    little.device = 1;
    emulator::set_devices({large, little});
    {
        kogge::simt::OnDevice second(1);
        kogge::buffer<std::uint32_t> on_second(60'000, kogge::backend::device);
        kogge::simt::OnDevice first(0);
        const auto scan = [&](const exec& how) {
            kogge::inclusive_scan(on_second.data(), on_second.data(), 60'000, kogge::plus{}, {.grid = kogge::two_level},
                                  how);
        };
        EXPECT_EQ(scratch_bytes(scan),
                  kogge::plan_scan(60'000, {4, 4, 4}, {.grid = kogge::two_level}, little).scratch_bytes);
        EXPECT_EQ(kogge::simt::current_device(), 0);
    }
    emulator::set_devices({emulator::default_properties()});
}
#endif

#else

TEST(ScratchBytes, NeedsDeviceCode) {
    if (std::string(kogge::simt::runtime_name()) != "none") GTEST_SKIP() << "the library has it, for plain C++, too";
    std::uint32_t* const keys = nullptr;
    const auto sort = [&](const exec& how) { kogge::radix_sort(keys, 1000, {}, how); };
    EXPECT_EQ(code_of([&] { scratch_bytes(sort, kogge::h200_properties()); }), errc::unreachable);
    EXPECT_EQ(code_of([&] { scratch_bytes(sort); }), errc::unreachable);
    EXPECT_EQ(code_of([&] { kogge::radix_sort(keys, 1000); }), errc::invalid_argument);
}

#endif

}  // namespace

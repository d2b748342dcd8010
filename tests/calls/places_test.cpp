// kogge-test: EMULATED GPU HOST
// Where calls run: those that have no array with items, those whose memory is on another device than the current one;
// and what becomes of memory that calls and buffers have given back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/out_of_reach.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#endif

namespace {

using namespace tests;
using kogge::errc;
using Word = std::uint32_t;

/// Reads memory that no check sees.
struct CountAt {
    const Word* counts;
    KOGGE_HOST_DEVICE Word operator()(std::uint64_t i) const { return counts[i]; }
};
struct MakeItem {
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t item, std::uint64_t k) const { return item << 32 | k; }
};

const std::vector<Word>& counts() {
    static const std::vector<Word> list = [] {
        auto items = random_items<Word>(5000);
        for (Word& item : items) item %= 4;
        return items;
    }();
    return list;
}
std::uint64_t total(std::size_t n) {
    return std::accumulate(counts().begin(), counts().begin() + static_cast<std::ptrdiff_t>(n), std::uint64_t{0});
}

std::uint64_t size_of(kogge::item_count n, const Word* list, std::uint64_t* out, const kogge::exec& how) {
    return kogge::emit(out, 0, n, CountAt{list}, MakeItem{}, how);
}

TEST(CallsWithoutArrays, RunWhereTheirFilesFunctionsDo) {
    const Array<Word> list(counts());
    const std::uint64_t n = counts().size();
    const OutOfReach device;
    EXPECT_EQ(size_of(n, list.data(), nullptr, {}), total(n));
    EXPECT_EQ(size_of(n, list.data(), nullptr, {.where = kWhere}), total(n));
}

TEST(CallsWithoutArrays, FollowExecAndPointersWithoutItems) {
    const auto on_host = [&](std::uint64_t* out) {
        return size_of(counts().size(), counts().data(), out, {.where = kogge::backend::host});
    };
    std::uint64_t nothing = 7;
    EXPECT_EQ(on_host(&nothing), total(counts().size()));
    EXPECT_EQ(on_host(nullptr), total(counts().size()));
    EXPECT_EQ(nothing, 7u);
    // Offsets are an array with items.
    std::vector<std::uint64_t> offsets(counts().size() + 1);
    EXPECT_EQ(kogge::emit(&nothing, 0, counts().size(), CountAt{counts().data()}, MakeItem{}, offsets.data()),
              offsets.back());
    EXPECT_EQ(offsets.back(), total(counts().size()));
}

// Null, and things of the device that nobody uses.
TEST(CallsWithoutArrays, WithoutItemsDoNothing) {
    Word* const none = nullptr;
    std::uint64_t* const no_outputs = nullptr;
    EXPECT_EQ(size_of(0, none, no_outputs, {}), 0u);
    for (const kogge::exec& how :
         {kogge::exec{}, kogge::exec{.where = kogge::backend::host}, kogge::exec{.where = kWhere}}) {
        kogge::radix_sort(none, 0, {}, how);
        kogge::inclusive_scan(none, none, 0, kogge::plus{}, how);
        EXPECT_EQ(kogge::compact(none, none, 0, kogge::compare<Word>{}, how), 0u);
    }
}

#if KOGGE_KERNELS

TEST(CallsWithoutArrays, LookAtCountsOnTheDevice) {
    const Array<Word> list(counts());
    const std::uint64_t bound = counts().size();
    const Array<std::uint64_t> number(std::vector<std::uint64_t>{1234});
    Array<std::uint64_t> place(1), out(10);
    const OutOfReach device;
    for (const bool checked : {false, true})
        EXPECT_EQ(size_of(kogge::device_count{number.data(), bound, checked}, list.data(), nullptr, {}), total(1234));
    EXPECT_EQ(size_of(bound, list.data(), out.data(), {}), total(bound));
    kogge::emit(out.data(), 0, place.data(), bound, CountAt{list.data()}, MakeItem{});
    EXPECT_EQ(place.get()[0], total(bound));
    EXPECT_EQ(
        code_of([&] {
            size_of(kogge::device_count{number.data(), bound}, list.data(), nullptr, {.where = kogge::backend::host});
        }),
        errc::invalid_argument);
}

TEST(CallsWithoutArrays, FollowTheStream) {
    const Array<Word> list(counts());
    const kogge::stream_t stream = kogge::simt::create_stream();
    {
        const OutOfReach device;
        EXPECT_EQ(size_of(counts().size(), list.data(), nullptr, {.stream = stream}), total(counts().size()));
    }
    Word* const none = nullptr;
    kogge::radix_sort(none, 0, {}, {.stream = stream});
    kogge::simt::destroy_stream(stream);
}

// ---- devices --------------------------------------------------------------------------------------------

/// An array on a device that need not be the current one.
template <class T>
class ArrayOn {
public:
    ArrayOn(int device, const std::vector<T>& items) : device_(device) {
        const kogge::simt::OnDevice there(device_);
        array_.emplace(items);
    }
    ArrayOn(int device, std::size_t n) : ArrayOn(device, std::vector<T>(n, Array<T>::poison())) {}
    ~ArrayOn() {
        const kogge::simt::OnDevice there(device_);
        array_.reset();
    }
    ArrayOn(const ArrayOn&) = delete;
    T* data() { return array_->data(); }
    const T* data() const { return array_->data(); }
    std::vector<T> get() const {
        const kogge::simt::OnDevice there(device_);
        return array_->get();
    }

private:
    int device_;
    std::optional<Array<T>> array_;
};
class StreamOn {
public:
    explicit StreamOn(int device) : device_(device) {
        const kogge::simt::OnDevice there(device_);
        stream_ = kogge::simt::create_stream();
    }
    ~StreamOn() {
        const kogge::simt::OnDevice there(device_);
        kogge::simt::destroy_stream(stream_);
    }
    StreamOn(const StreamOn&) = delete;
    kogge::stream_t get() const { return stream_; }

private:
    int device_;
    kogge::stream_t stream_ = nullptr;
};

/// A second device, of another shape; plans of the first one do not fit it.
class TwoDevices : public ::testing::Test {
protected:
#if KOGGE_EMULATED
    void SetUp() override {
        kogge::device_properties small = kogge::simt::emulator::default_properties();
        small.device = 1;
        small.multiprocessors = 1;
        small.cluster_blocks = 1;
        small.shared_bytes_per_block = 99 * 1024;
        small.shared_bytes_per_multiprocessor = 100 * 1024;
        kogge::simt::emulator::set_devices({kogge::simt::emulator::default_properties(), small});
    }
    void TearDown() override { kogge::simt::emulator::set_devices({kogge::simt::emulator::default_properties()}); }
#else
    void SetUp() override {
        if (kogge::simt::device_count() < 2) GTEST_SKIP() << "one device";
    }
#endif
};

std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const kogge::error& failure) {
        EXPECT_EQ(failure.code(), errc::unreachable);
        return failure.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

TEST_F(TwoDevices, RunCallsWhereTheDataAre) {
    const auto items = random_items<Word>(70000);
    const kogge::compare<Word> less{kogge::relation::less, 1u << 31};
    std::vector<Word> sorted = items, kept, sums(items.size());
    std::sort(sorted.begin(), sorted.end());
    std::copy_if(items.begin(), items.end(), std::back_inserter(kept), less);
    std::partial_sum(items.begin(), items.end(), sums.begin());
    for (const int device : {0, 1})
        for (const bool named : {false, true}) {
            SCOPED_TRACE(device);
            const ArrayOn<Word> in(device, items), list(device, counts());
            ArrayOn<Word> out(device, items.size());
            ArrayOn<std::uint64_t> count(device, std::vector<std::uint64_t>{1234});
            const StreamOn stream(device);
            const kogge::exec how{.stream = named ? stream.get() : nullptr};
            const auto wait = [&] {
                const kogge::simt::OnDevice there(device);
                kogge::simt::synchronize(how.stream);
            };
            kogge::radix_sort(in.data(), out.data(), items.size(), {}, how);
            wait();
            EXPECT_TRUE(same(out.get(), sorted));
            kogge::inclusive_scan(in.data(), out.data(), items.size(), kogge::plus{}, how);
            wait();
            EXPECT_TRUE(same(out.get(), sums));
            EXPECT_EQ(kogge::compact(in.data(), out.data(), items.size(), less, how), kept.size());
            auto front = out.get();
            front.resize(kept.size());
            EXPECT_TRUE(same(front, kept));
            // Without an array, the count or the stream says where.
            EXPECT_EQ(size_of(kogge::device_count{count.data(), counts().size(), true}, list.data(), nullptr, how),
                      total(1234));
            if (named) {
                EXPECT_EQ(size_of(counts().size(), list.data(), nullptr, how), total(counts().size()));
            }
            EXPECT_EQ(kogge::simt::current_device(), 0);
        }
}

TEST_F(TwoDevices, HoldTheBuffersOfTheirRanges) {
    const auto items = random_items<Word>(9000);
    auto sorted = items;
    std::sort(sorted.begin(), sorted.end());
    const ArrayOn<Word> in(1, items);
    {
        const auto result = std::span(in.data(), items.size()) | kogge::radix_sort();
        EXPECT_EQ(kogge::simt::location_of(result.data()).device, 1);
        EXPECT_TRUE(same(result.to_vector(), sorted));
    }
    EXPECT_EQ(kogge::simt::current_device(), 0);
}

TEST_F(TwoDevices, AreNotMixed) {
    const auto items = random_items<Word>(9000);
    const std::uint64_t n = items.size();
    ArrayOn<Word> here(0, items), there(1, items);
    ArrayOn<std::uint64_t> number(0, std::vector<std::uint64_t>{n});
    ArrayOn<unsigned char> space(0, std::size_t{1} << 20);
    const StreamOn stream(0);
    const auto names_both = [](const std::string& message) {
        EXPECT_NE(message.find("device 0"), std::string::npos) << message;
        EXPECT_NE(message.find("device 1"), std::string::npos) << message;
    };
    names_both(message_of([&] { kogge::radix_sort(here.data(), there.data(), n); }));
    names_both(message_of([&] { kogge::radix_sort(there.data(), kogge::device_count{number.data(), n}); }));
    names_both(message_of([&] { kogge::radix_sort(there.data(), n, {}, {.stream = stream.get()}); }));
    names_both(message_of([&] { kogge::radix_sort(there.data(), n, {}, {.space = {space.data(), 1 << 20}}); }));
    names_both(
        message_of([&] { kogge::compact(there.data(), there.data(), number.data(), n, kogge::compare<Word>{}); }));
    EXPECT_TRUE(same(here.get(), items));
    EXPECT_TRUE(same(there.get(), items));
    EXPECT_EQ(kogge::simt::current_device(), 0);
}

// What throws after the device has been chosen.
TEST_F(TwoDevices, AreLeftByCallsThatFail) {
    ArrayOn<Word> there(1, counts());
    const std::uint64_t n = counts().size();
    const ArrayOn<std::uint64_t> number(1, std::vector<std::uint64_t>{n + 1});
    EXPECT_EQ(code_of([&] {
                  kogge::radix_sort(there.data(), kogge::device_count{number.data(), n, true});
              }),
              errc::invalid_argument);
    EXPECT_EQ(kogge::simt::current_device(), 0);
    EXPECT_EQ(code_of([] { const kogge::simt::OnDevice nowhere(1000); }), errc::device);
    EXPECT_EQ(kogge::simt::current_device(), 0);
}

// ---- memory that has been given back --------------------------------------------------------------------

constexpr std::size_t kPiece = KOGGE_EMULATED ? std::size_t{1} << 20 : std::size_t{64} << 20;

TEST(Scratch, StaysInThePoolUntilItIsTrimmed) {
    kogge::simt::synchronize(nullptr);
    const std::uint64_t before = kogge::trim();
    void* const piece = kogge::simt::allocate(kPiece, nullptr);
    EXPECT_GE(kogge::trim(), kPiece) << "memory in use";
    kogge::simt::deallocate(piece, nullptr);
    kogge::simt::synchronize(nullptr);
    EXPECT_GE(kogge::trim(before + 2 * kPiece), kPiece) << "memory that is to be kept";
    EXPECT_LE(kogge::trim(), before);
}

TEST(Buffers, MayOutliveTheStreamsThatAreReplaced) {
    kogge::simt::synchronize(nullptr);
    const std::uint64_t before = kogge::trim();
    for (int round = 0; round < 3; ++round) {
        const kogge::stream_t stream = kogge::simt::create_stream();
        kogge::buffer<unsigned char> buffer(kPiece, kogge::backend::device, stream);
        kogge::simt::synchronize(stream);
        buffer.set_stream(nullptr);
        kogge::simt::destroy_stream(stream);
    }
    kogge::simt::synchronize(nullptr);
    EXPECT_LE(kogge::trim(), before);
}

#if KOGGE_EMULATED
KOGGE_KERNEL void write_kernel(Word* to) {
    kogge::simt::wait_for_stream();
    *to = 5;
}
TEST_F(TwoDevices, HaveMemoryOfTheirOwn) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "faults end the program";
#endif
    ArrayOn<Word> there(1, std::vector<Word>{1});
    kogge::simt::launch(write_kernel, {}, there.data());
    EXPECT_EQ(code_of([] { kogge::simt::synchronize(nullptr); }), errc::device);
    EXPECT_EQ(there.get()[0], 1u);
    const StreamOn stream(1);
    EXPECT_EQ(code_of([&] { kogge::simt::launch(write_kernel, {.stream = stream.get()}, there.data()); }),
              errc::device);
    {
        const kogge::simt::OnDevice second(1);
        kogge::simt::launch(write_kernel, {.stream = stream.get()}, there.data());
        kogge::simt::synchronize(stream.get());
    }
    EXPECT_EQ(there.get()[0], 5u);
}
#endif

#else

TEST(Scratch, OfAHostIsNotPooled) {
    if (kogge::simt::device_count() == 0) {
        EXPECT_EQ(kogge::trim(), 0u);
    }
}

#endif

}  // namespace

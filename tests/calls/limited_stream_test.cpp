// kogge-test: EMULATED GPU
// A stream that may use some of the multiprocessors only: plans follow it, cooperative launches fit, and the results
// are those of the whole device.
#include "support/limited_stream.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
namespace simt = kogge::simt;
using Word = std::uint32_t;

constexpr int kLimit = KOGGE_EMULATED ? 1 : 8;
/// The last of a GPU's is one at which tiles are drawn as tickets.
const std::vector<std::size_t> kSizes = KOGGE_EMULATED || small()
                                            ? std::vector<std::size_t>{700, 9'001, 70'003, 200'001}
                                            : std::vector<std::size_t>{700, 20'001, 300'007, 5'000'003, 21'700'003};

struct TwoBits {
    KOGGE_HOST_DEVICE Word operator()(Word item) const { return item % 4; }
};
struct UpToTwo {
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const { return i % 3; }
};
struct Sum {
    KOGGE_HOST_DEVICE Word operator()(std::uint64_t i, std::uint64_t k) const { return static_cast<Word>(i + k); }
};

/// Calls of every kind on the same items; what they wrote.
class Calls {
public:
    explicit Calls(std::size_t n)
        : n_(n), items_(random_items<Word>(n, n)), in_(items_), runs_(runs(n)), starts_(starts(n)), offsets_(starts_) {}

    std::vector<std::vector<Word>> results(kogge::stream_t stream) const {
        const kogge::exec how{.stream = stream};
        std::vector<std::vector<Word>> all;
        const auto keep = [&](auto call) {
            Array<Word> out(n_);
            call(out.data());
            simt::synchronize(stream);
            all.push_back(out.get());
        };
        const Word* const in = in_.data();
        const kogge::compare<Word> less{kogge::relation::less, 1u << 31};
        keep([&](Word* out) { kogge::inclusive_scan(in, out, n_, kogge::plus{}, how); });
        keep([&](Word* out) { kogge::reverse_inclusive_scan(in, out, n_, kogge::plus{}, how); });
        keep([&](Word* out) {
            kogge::inclusive_scan_by_key(runs_.data(), in, out, n_, kogge::plus{}, kogge::equal_to{}, how);
        });
        keep([&](Word* out) {
            kogge::inclusive_segmented_scan(in, out, n_, offsets_.data(), segments(), kogge::plus{}, how);
        });
        keep([&](Word* out) { (void)kogge::compact(in, out, n_, less, how); });
        keep([&](Word* out) { (void)kogge::partition(in, out, n_, less, how); });
        keep([&](Word* out) { kogge::split(in, out, n_, 4, TwoBits{}, how); });
        keep([&](Word* out) { (void)kogge::emit(out, n_, n_, UpToTwo{}, Sum{}, how); });
        keep([&](Word* out) { (void)kogge::unique(runs_.data(), out, n_, kogge::equal_to{}, how); });
        keep([&](Word* out) { kogge::radix_sort(in, out, n_, {}, how); });
        keep([&](Word* out) { kogge::argsort(in, out, n_, {}, how); });
        keep([&](Word* out) {
            kogge::segmented_sort(in, out, n_, offsets_.data(), segments(), {.order = kogge::descending}, how);
        });
        return all;
    }

private:
    static std::vector<Word> runs(std::size_t n) {
        std::vector<Word> keys(n);
        for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<Word>(i / 40);
        return keys;
    }
    static std::vector<std::uint64_t> starts(std::size_t n) {
        std::vector<std::uint64_t> all;
        for (std::size_t at = 0; at < n; at += 1 + at % 5003) all.push_back(at);
        all.push_back(n);
        return all;
    }
    std::size_t segments() const { return starts_.size() - 1; }

    std::size_t n_;
    std::vector<Word> items_;
    Array<Word> in_, runs_;
    std::vector<std::uint64_t> starts_;
    Array<std::uint64_t> offsets_;
};

std::unique_ptr<LimitedStream> limited_stream() {
    try {
        return std::make_unique<LimitedStream>(kLimit);
    } catch (const std::runtime_error&) {
        return nullptr;
    }
}

class LimitedStreams : public ::testing::Test {
protected:
    void SetUp() override {
        if (small() && !KOGGE_EMULATED)
            GTEST_SKIP() << "a device that pretends to be small is, and initcheck of CUDA 13.0 dies of green contexts";
    }
};

TEST_F(LimitedStreams, LeavePlansSomeMultiprocessors) {
    const auto stream = limited_stream();
    if (!stream) GTEST_SKIP() << "this driver has no green contexts";
    EXPECT_EQ(simt::properties_of(stream->get()).multiprocessors, kLimit);
    EXPECT_EQ(simt::properties_of(nullptr), simt::current_properties());
    EXPECT_GT(simt::current_properties().multiprocessors, kLimit);
}

TEST_F(LimitedStreams, GiveTheResultsOfTheWholeDevice) {
    const auto stream = limited_stream();
    if (!stream) GTEST_SKIP() << "this driver has no green contexts";
    for (const std::size_t n : kSizes) {
        const Calls calls(n);
        const auto want = calls.results(nullptr), got = calls.results(stream->get());
        for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(got[i], want[i]) << "call " << i << " of " << n;
    }
}

}  // namespace

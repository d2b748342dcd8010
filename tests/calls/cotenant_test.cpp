// kogge-test: GPU
// Beside other work on the same device: progress on what is left of it, and the same bits from every run.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "kogge/kogge.hpp"
#include "kogge/simt/device.cuh"
#include "support/backend.hpp"
#include "support/compact_plans.hpp"
#include "support/inputs.hpp"
#include "support/repeats.hpp"
#include "support/scan_plans.hpp"

namespace {

using namespace tests;
namespace simt = kogge::simt;

void check(cudaError_t status) { ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status); }

constexpr std::uint32_t kSpinThreads = 1024;
constexpr std::size_t kSpinShared = 200 * 1024;  // leaves no room for a persistent block beside it
constexpr std::uint32_t kLeft = 8;               // multiprocessors that a co-tenant leaves free

/// Holds its multiprocessors until *stop is set, or for so many clock cycles.
KOGGE_KERNEL void spin_kernel(const volatile std::uint32_t* stop, long long cycles) {
    simt::wait_for_stream();
    const long long begin = clock64();
    if (simt::thread_rank() == 0)  // more of them would keep the memory busy
        while (*stop == 0 && clock64() - begin < cycles) simt::poll_pause();
    simt::sync_block();
}

/// Another kernel that holds all multiprocessors but kLeft. The word that ends it is in the device's memory: where so
/// many blocks look at the host's, whatever runs beside them takes ten times as long.
class CoTenant {
public:
    explicit CoTenant(long long cycles) : stream_(simt::create_stream()), end_stream_(simt::create_stream()) {
        check(cudaMalloc(&stop_, sizeof *stop_));
        check(cudaMemset(stop_, 0, sizeof *stop_));
        const auto blocks = static_cast<std::uint32_t>(simt::current_properties().multiprocessors) - kLeft;
        simt::launch(spin_kernel, {blocks, kSpinThreads, kSpinShared, stream_, "spin_kernel"}, stop_, cycles);
    }
    ~CoTenant() {
        const std::uint32_t yes = 1;
        cudaMemcpyAsync(stop_, &yes, sizeof yes, cudaMemcpyHostToDevice, end_stream_);
        cudaStreamSynchronize(stream_);
        simt::destroy_stream(stream_);
        simt::destroy_stream(end_stream_);
        cudaFree(stop_);
    }
    CoTenant(const CoTenant&) = delete;
    bool runs() const { return cudaStreamQuery(stream_) == cudaErrorNotReady; }

private:
    kogge::stream_t stream_, end_stream_;
    std::uint32_t* stop_ = nullptr;
};

class CoTenants : public ::testing::Test {
protected:
    CoTenants() : stream_(simt::create_stream()) {}
    void SetUp() override {
        if (small()) GTEST_SKIP() << "a device that pretends to be small is not filled";
    }
    ~CoTenants() override { simt::destroy_stream(stream_); }

    /// Calls of every kind on n items, each on data of its own. Their results are compared between calls of run().
    void prepare(std::size_t n) {
        items_ = random_items<std::uint32_t>(n, n);
        in_ = std::make_unique<Array<std::uint32_t>>(items_);
        for (auto& out : out_) out = std::make_unique<Array<std::uint32_t>>(n);
        count_ = std::make_unique<Array<std::uint64_t>>(std::vector<std::uint64_t>(1, 0));
        n_ = n;
    }
    void run() {
        const kogge::exec how{.stream = stream_};
        kogge::inclusive_scan(in_->data(), out_[0]->data(), n_, kogge::plus{}, how);
        kogge::compact(in_->data(), out_[1]->data(), count_->data(), n_,
                       kogge::compare<std::uint32_t>{kogge::relation::less, 1u << 31}, how);
        kogge::radix_sort(in_->data(), out_[2]->data(), n_, {}, how);
        kogge::radix_sort_pairs(in_->data(), out_[3]->data(), out_[0]->data(), out_[4]->data(), n_, {}, how);
        kogge::argsort(in_->data(), out_[5]->data(), n_, {}, how);
        const auto halves = reinterpret_cast<const std::uint16_t*>(in_->data());
        kogge::radix_sort(halves, reinterpret_cast<std::uint16_t*>(out_[6]->data()), 2 * n_, {}, how);
        simt::synchronize(stream_);
    }
    std::vector<std::vector<std::uint32_t>> results() const {
        std::vector<std::vector<std::uint32_t>> all;
        for (const auto& out : out_) all.push_back(out->get());
        return all;
    }

    kogge::stream_t stream_;
    std::size_t n_ = 0;
    std::vector<std::uint32_t> items_;
    std::unique_ptr<Array<std::uint32_t>> in_, out_[7];
    std::unique_ptr<Array<std::uint64_t>> count_;
};

// The co-tenant goes only after the calls have returned: whoever waited for its multiprocessors would hang. So many
// items that nothing is one cooperative launch.
TEST_F(CoTenants, PersistentKernelsRunOnWhatIsLeft) {
    std::size_t n = (1u << 25) + 5;
    const kogge::device_properties& device = simt::current_properties();
    while (is_cooperative(kogge::plan_scan(n, {4, 4, 4}, {}, device)) ||
           is_cooperative(kogge::plan_compact(n, 4, false, false, device)))
        n += 1u << 24;
    prepare(n);
    run();  // also loads the kernels, which would wait for the device to be idle
    const auto want = results();
    for (auto& out : out_) out = std::make_unique<Array<std::uint32_t>>(n_);
    {
        const CoTenant other(1ll << 40);
        run();
        EXPECT_TRUE(other.runs());
    }
    EXPECT_EQ(results(), want);
}

// What takes one cooperative launch waits until the device has room for all of it.
TEST_F(CoTenants, OneLaunchFormsWaitForRoom) {
    for (const std::size_t n : {std::size_t{1} << 15, std::size_t{1} << 20, std::size_t{1} << 23}) {
        prepare(n);
        run();
        const auto want = results();
        for (auto& out : out_) out = std::make_unique<Array<std::uint32_t>>(n_);
        {
            const CoTenant other(50'000'000);
            run();
        }
        EXPECT_EQ(results(), want) << n;
    }
}

template <class T>
std::vector<T> numbers(std::size_t n) {
    std::vector<T> items;
    for (const std::uint32_t word : random_items<std::uint32_t>(n, 3)) items.push_back(static_cast<T>(word) / 7);
    return items;
}
/// So many items that tiles are drawn as tickets.
template <class T>
std::size_t many_items() {
    std::size_t n = 1'000'003;
    while (is_cooperative(kogge::plan_scan(n, {sizeof(T), sizeof(T), sizeof(T)}, {}, simt::current_properties())))
        n += 1'000'000;
    return n;
}

// One wave, tiles given out beforehand, tiles drawn as tickets; by key and of segments.
TEST_F(CoTenants, SumsHaveTheSameBitsInEveryRunBesideSorts) {
    const kogge::stream_t load = simt::create_stream();
    Array<std::uint32_t> busy(random_items<std::uint32_t>(3'000'000, 4));
    const auto sort = [&](int run) {
        if (run % 4 == 0)
            kogge::radix_sort(busy.data(), 1000 + 2999 * static_cast<std::size_t>(run), {}, {.stream = load});
    };
    const std::size_t n = many_items<float>(), half = many_items<double>(), some = 2'000'003;
    const Array<float> in(numbers<float>(n));
    const Array<double> wide(numbers<double>(half));
    std::vector<std::uint32_t> keys(some);
    for (std::size_t i = 0; i < some; ++i) keys[i] = static_cast<std::uint32_t>(i / 1000);
    std::vector<std::uint64_t> starts;
    for (std::uint64_t at = 0; at < some; at += 1 + at % 4001) starts.push_back(at);
    starts.push_back(some);
    const Array<std::uint32_t> by(keys);
    const Array<std::uint64_t> offsets(starts);
    const kogge::plus plus;
    for (const std::size_t size : {std::size_t{300'001}, std::size_t{5'000'003}, n}) {
        const auto scan = [&](float* out, const kogge::exec& how) {
            kogge::inclusive_scan(in.data(), out, size, plus, how);
        };
        EXPECT_EQ(differences_of_runs<float>(size, stream_, scan, sort), 0u) << size << " floats";
    }
    const auto doubles = [&](double* out, const kogge::exec& how) {
        kogge::exclusive_scan(wide.data(), out, half, 0.5, plus, how);
    };
    EXPECT_EQ(differences_of_runs<double>(half, stream_, doubles, sort), 0u);
    const auto by_key = [&](float* out, const kogge::exec& how) {
        kogge::inclusive_scan_by_key(by.data(), in.data(), out, some, plus, kogge::equal_to{}, how);
    };
    EXPECT_EQ(differences_of_runs<float>(some, stream_, by_key, sort), 0u);
    const auto of_segments = [&](float* out, const kogge::exec& how) {
        kogge::inclusive_segmented_scan(in.data(), out, some, offsets.data(), starts.size() - 1, plus, how);
    };
    EXPECT_EQ(differences_of_runs<float>(some, stream_, of_segments, sort), 0u);
    simt::synchronize(load);
    simt::destroy_stream(load);
}

// Few blocks draw the tiles, and not always the same ones.
TEST_F(CoTenants, SumsHaveTheSameBitsInEveryRunBesideASpinningKernel) {
    const std::size_t n = many_items<float>();
    const Array<float> in(numbers<float>(n));
    const auto scan = [&](float* out, const kogge::exec& how) {
        kogge::inclusive_scan(in.data(), out, n, kogge::plus{}, how);
    };
    std::unique_ptr<CoTenant> other;
    const auto begin = [&](int run) {
        if (run == 0) other = std::make_unique<CoTenant>(1ll << 40);
    };
    EXPECT_EQ(differences_of_runs<float>(n, stream_, scan, begin), 0u);
    EXPECT_TRUE(other->runs());
}

}  // namespace

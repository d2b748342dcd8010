// kogge-test: GPU
// What only a process with a real device meets: a first call that is captured, a reset of the device, a device that has
// failed, a driver's context. Each case has a process of its own, for it changes what later ones would find.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "kogge/kogge.hpp"
#include "kogge/out_of_core/radix_sort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
using kogge::errc;
using Word = std::uint32_t;

void check(cudaError_t status) { ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status); }

bool is_a_test(const std::string& suite, const std::string& name) {
    const auto& all = *::testing::UnitTest::GetInstance();
    for (int s = 0; s < all.total_test_suite_count(); ++s)
        for (int t = 0; t < all.GetTestSuite(s)->total_test_count(); ++t)
            if (all.GetTestSuite(s)->name() == suite && all.GetTestSuite(s)->GetTestInfo(t)->name() == name)
                return true;
    return false;
}

/// Runs the test Alone.DISABLED_<name> in a process of its own, which finds `what` in its environment.
void run_alone(const std::string& name, const std::string& what = "") {
    SCOPED_TRACE(name + " " + what);
    ASSERT_TRUE(is_a_test("Alone", "DISABLED_" + name));
    ASSERT_EQ(setenv("KOGGE_ALONE", what.c_str(), 1), 0);
    std::array<std::string, 4> words{"/proc/self/exe", "--gtest_filter=Alone.DISABLED_" + name,
                                     "--gtest_also_run_disabled_tests", "--gtest_brief=1"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    ASSERT_EQ(posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << (WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

/// Device memory of no pool, so that nothing of the library has run when it is there.
class Plain {
public:
    explicit Plain(const std::vector<Word>& items) : n_(items.size()) {
        check(cudaMalloc(&data_, n_ * sizeof(Word)));
        check(cudaMemcpy(data_, items.data(), n_ * sizeof(Word), cudaMemcpyHostToDevice));
    }
    explicit Plain(std::size_t n) : Plain(std::vector<Word>(n)) {}
    Plain(const Plain&) = delete;
    Word* data() const { return data_; }
    std::vector<Word> get() const {
        std::vector<Word> items(n_);
        check(cudaMemcpy(items.data(), data_, n_ * sizeof(Word), cudaMemcpyDeviceToHost));
        return items;
    }

private:
    std::size_t n_;
    Word* data_ = nullptr;
};

const std::vector<Word>& items() {
    static const auto list = random_items<Word>(small() ? 30'000 : 3'000'000);
    return list;
}
std::vector<Word> sorted() {
    auto list = items();
    std::sort(list.begin(), list.end());
    return list;
}
std::vector<Word> summed(std::vector<Word> list) {
    std::partial_sum(list.begin(), list.end(), list.begin());
    return list;
}

struct Twice {
    __host__ __device__ Word operator()(std::uint64_t) const { return 2; }
};
struct Half {
    const Word* items;
    __host__ __device__ Word operator()(std::uint64_t i, std::uint64_t k) const {
        return items[i] + static_cast<Word>(k);
    }
};

// ---- a first call that is captured ----------------------------------------------------------------------

// KOGGE_ALONE: the mode of the capture, and the number of the call that comes first.
TEST(Alone, DISABLED_Capture) {
    const char* const what = std::getenv("KOGGE_ALONE");
    ASSERT_NE(what, nullptr);
    const auto mode = static_cast<cudaStreamCaptureMode>(what[0] - '0');
    const std::size_t first = static_cast<std::size_t>(what[1] - '0');
    const std::size_t n = items().size();
    const Plain in(items()), sums(n), order(n), kept(n), count(2), outputs(2 * n);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const kogge::exec how{.stream = stream};
    const kogge::compare<Word> less{kogge::relation::less, 1u << 31};
    const std::array<std::function<void()>, 4> calls{
        [&] { kogge::radix_sort(in.data(), order.data(), n, {}, how); },
        [&] { kogge::inclusive_scan(in.data(), sums.data(), n, kogge::plus{}, how); },
        [&] { kogge::compact(in.data(), kept.data(), reinterpret_cast<std::uint64_t*>(count.data()), n, less, how); },
        [&] {
            kogge::emit(outputs.data(), 2 * n, reinterpret_cast<std::uint64_t*>(count.data()), n, Twice{},
                        Half{in.data()}, how);
        },
    };
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t instance = nullptr;
    check(cudaStreamBeginCapture(stream, mode));
    for (std::size_t i = 0; i < calls.size(); ++i) calls[(first + i) % calls.size()]();
    cudaStreamCaptureMode left = cudaStreamCaptureModeGlobal;  // the thread's own, which calls must not change
    check(cudaThreadExchangeStreamCaptureMode(&left));
    EXPECT_EQ(left, cudaStreamCaptureModeGlobal);
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&instance, graph, 0));
    std::vector<Word> want_kept, want_outputs;
    for (const Word item : items()) {
        if (less(item)) want_kept.push_back(item);
        for (Word k = 0; k < 2; ++k) want_outputs.push_back(item + k);
    }
    for (int replay = 0; replay < 2; ++replay) {
        check(cudaGraphLaunch(instance, stream));
        check(cudaStreamSynchronize(stream));
        EXPECT_TRUE(same(order.get(), sorted()));
        EXPECT_TRUE(same(sums.get(), summed(items())));
        auto front = kept.get();
        front.resize(want_kept.size());
        EXPECT_TRUE(same(front, want_kept));
        EXPECT_TRUE(same(outputs.get(), want_outputs));
    }
    check(cudaGraphExecDestroy(instance));
    check(cudaGraphDestroy(graph));
    check(cudaStreamDestroy(stream));
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}
TEST(FirstCall, MayBeCapturedInEveryMode) {
    for (const char* const first : {"0", "1", "2", "3"})
        run_alone("Capture", std::to_string(cudaStreamCaptureModeGlobal) + first);
    for (const auto mode : {cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed})
        run_alone("Capture", std::to_string(mode) + "0");
}

// The default stream waits for a captured one that is no stream of its own, so nothing can be waited for in it.
TEST(Alone, DISABLED_DefaultStream) {
    const Plain in(items()), out(items());
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    check(cudaStreamCreate(&stream));
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    EXPECT_TRUE(kogge::simt::is_capturing(nullptr));
    EXPECT_EQ(code_of([&] { kogge::compact(in.data(), out.data(), items().size(), kogge::compare<Word>{}); }),
              errc::invalid_argument);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    check(cudaStreamEndCapture(stream, &graph));
    EXPECT_FALSE(kogge::simt::is_capturing(nullptr));
    check(cudaGraphDestroy(graph));
    check(cudaStreamDestroy(stream));
}
TEST(DefaultStream, IsNotWaitedForWhileItWaitsForACapturedOne) { run_alone("DefaultStream"); }

// ---- a reset ---------------------------------------------------------------------------------------------

TEST(Alone, DISABLED_Reset) {
    for (int round = 0; round < 3; ++round) {
        SCOPED_TRACE(round);
        const Plain in(items()), out(items());
        kogge::radix_sort(in.data(), out.data(), items().size());
        EXPECT_TRUE(same(out.get(), sorted()));
        kogge::inclusive_scan(in.data(), out.data(), items().size());
        EXPECT_TRUE(same(out.get(), summed(items())));
        std::vector<Word> on_host = items();  // which go through page-locked memory, kept from call to call
        for (int call = 0; call < 2; ++call) {
            kogge::out_of_core::radix_sort(on_host.data(), on_host.size(), {.devices = {0}});
            EXPECT_TRUE(same(on_host, sorted()));
            on_host = items();
        }
        check(cudaDeviceReset());
    }
}
TEST(Reset, OfTheDeviceLeavesTheLibraryUsable) { run_alone("Reset"); }

// ---- a device that has failed ----------------------------------------------------------------------------

KOGGE_KERNEL void fault_kernel() {
    kogge::simt::wait_for_stream();
    *reinterpret_cast<volatile int*>(8) = 1;
}
TEST(Alone, DISABLED_Failure) {
    const Plain in(items());
    kogge::simt::launch(fault_kernel, {});
    EXPECT_NE(cudaDeviceSynchronize(), cudaSuccess);
    // Not on the host, which would end here.
    EXPECT_EQ(code_of([&] { kogge::radix_sort(in.data(), items().size()); }), errc::device);
    EXPECT_EQ(code_of([&] { kogge::compact(in.data(), in.data(), items().size(), kogge::compare<Word>{}); }),
              errc::device);
}
TEST(Failure, OfTheDeviceIsAnError) {
    if (small()) GTEST_SKIP() << "sanitizers report the fault";
    run_alone("Failure");
}

// ---- contexts --------------------------------------------------------------------------------------------

template <class Function, class... Arguments>
void call_driver(const char* name, Arguments... arguments) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    check(cudaGetDriverEntryPointByVersion(name, &found, 4000, cudaEnableDefault, &result));
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(reinterpret_cast<Function*>(found)(arguments...), CUDA_SUCCESS) << name;
}

// A thread whose current context is none of the runtime's has it again after a call on another device.
TEST(Alone, DISABLED_Context) {
    const int other = kogge::simt::device_count() - 1;
    check(cudaSetDevice(other));
    const Plain in(items()), out(items());
    check(cudaSetDevice(0));
    CUcontext primary = nullptr, own = nullptr, current = nullptr;
    check(cudaFree(nullptr));
    call_driver<CUresult(CUcontext*)>("cuCtxGetCurrent", &primary);
    call_driver<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate", &own, 0u, CUdevice{0});
    call_driver<CUresult(CUcontext*)>("cuCtxGetCurrent", &current);
    ASSERT_EQ(current, own);
    kogge::radix_sort(in.data(), out.data(), items().size());
    call_driver<CUresult(CUcontext*)>("cuCtxGetCurrent", &current);
    EXPECT_EQ(current, own);
    call_driver<CUresult(CUcontext)>("cuCtxSetCurrent", primary);
    check(cudaSetDevice(other));
    check(cudaDeviceSynchronize());
    EXPECT_TRUE(same(out.get(), sorted()));
}
TEST(Context, OfTheThreadIsLeftAsItWas) {
    if (kogge::simt::device_count() < 2) GTEST_SKIP() << "one device";
    run_alone("Context");
}

// ---- memory ----------------------------------------------------------------------------------------------

// Nearly all memory in pieces, then in one: what the pool keeps in pieces is in its way.
TEST(Pool, GivesItsPiecesUpForALargeOne) {
    if (small()) GTEST_SKIP() << "takes most of the memory";
    kogge::trim();
    std::size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all));
    const std::size_t piece = free / 10;
    std::vector<void*> pieces;
    for (int i = 0; i < 7; ++i) pieces.push_back(kogge::simt::allocate(piece, nullptr));
    for (void* const each : pieces) kogge::simt::deallocate(each, nullptr);
    kogge::simt::synchronize(nullptr);
    void* const large = kogge::simt::allocate(7 * piece, nullptr);
    kogge::simt::deallocate(large, nullptr);
    kogge::simt::synchronize(nullptr);
    // And it stays out of the way of others when it is trimmed.
    EXPECT_LT(kogge::trim(), piece);
    void* others = nullptr;
    check(cudaMalloc(&others, 7 * piece));
    check(cudaFree(others));
}

// ---- barriers of the grid --------------------------------------------------------------------------------

KOGGE_KERNEL void compare_words_kernel(Word* same) {
    kogge::simt::wait_for_stream();
    if (kogge::simt::thread_rank() == 0)
        same[kogge::simt::block_rank()] =
            kogge::simt::detail::grid_word() == &cooperative_groups::details::get_grid_workspace()->barrier ? 1 : 0;
}
// The library reads the address from the launch itself, since the headers that know it take long to compile.
TEST(GridBarrier, StandsWhereTheToolkitsStands) {
    const Plain same(3);
    kogge::simt::launch(compare_words_kernel,
                        {.blocks = 3, .threads = 32, .name = "compare_words_kernel", .cooperative = true}, same.data());
    EXPECT_EQ(same.get(), std::vector<Word>(3, 1));
}

}  // namespace

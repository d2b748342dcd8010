// kogge-bench: HOST
//
// The host backend against std:: and against Thrust's host systems, where its headers are there. The record is that of
// the GPU programs: gpu is the processor with its number of threads, cub the version of Thrust, cub_us the time of the
// rival that the case names, and copy_us a copy by all threads of half the bytes that must move at least. Inputs are
// random and the same for every call; outputs of the timed calls are compared with the rival's. Rivals sort in place, a
// copy of the input.
#include <chrono>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

#include "kogge/host/scan.hpp"
#include "kogge/partition.hpp"
#include "kogge/radix_sort.hpp"
#include "kogge/scan.hpp"
#include "support/run.hpp"

#if __has_include(<thrust/sort.h>) && defined(_OPENMP)
#include <thrust/copy.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/cpp/execution_policy.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/version.h>
#define KOGGE_BENCH_THRUST 1
#else
#define KOGGE_BENCH_THRUST 0
#endif

namespace {

using namespace bench;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class Work>
double microseconds_of(const Work& work) {
    const double begin = seconds();
    work();
    return 1e6 * (seconds() - begin);
}

/// The slowest row, a serial sort of 2^26 items, ends in half a minute.
constexpr Budget kBudget{.fewest = 3, .seconds = 0.5};

/// The time of a copy of so many bytes; it stays the same for all rivals of a row.
double copy_time(std::uint64_t bytes) {
    static std::map<std::uint64_t, double> known;
    double& time = known[bytes];
    if (time > 0) return time;
    const std::vector<unsigned char> from(bytes, 1);
    std::vector<unsigned char> to(bytes, 2);
    const std::function<double()> copies[] = {
        [&] { return microseconds_of([&] { kogge::host::copy_items(to.data(), from.data(), bytes, 0); }); }};
    return time = median(take_samples(copies, kBudget, seconds)[0]);
}

template <class T>
std::vector<T> random_items(std::uint64_t n) {
    std::vector<T> items(n);
    std::mt19937_64 random(1);
    for (T& item : items) item = static_cast<T>(random());
    return items;
}

/// ours(in, out) and rival(in, out) read and write vectors of n items; the outputs must agree.
template <class T, class Ours, class Rival>
void add(Record& record, const std::string& primitive, const std::string& type, const std::string& name,
         std::uint64_t n, double bytes, Ours ours, Rival rival) {
    const auto measure = [=] {
        const std::vector<T> in = random_items<T>(n);
        std::vector<T> out(n), expected(n);
        const std::function<double()> contenders[] = {[&] { return microseconds_of([&] { ours(in, out); }); },
                                                      [&] { return microseconds_of([&] { rival(in, expected); }); }};
        for (const auto& warm_up : contenders) warm_up();
        for (std::vector<T>* each : {&out, &expected}) std::fill(each->begin(), each->end(), static_cast<T>(0xa5));
        const auto samples = take_samples(contenders, kBudget, seconds);
        Row row{primitive, type, name, n, "eager", median(samples[0]), median(samples[1])};
        row.copy_us = copy_time(static_cast<std::uint64_t>(bytes / 2));
        row.spread = std::max(spread(samples[0]), spread(samples[1]));
        row.checked = out == expected;
        return row;
    };
    add_row(record, primitive + '/' + type + '/' + name + '/' + std::to_string(n), measure);
}

// ---- the rivals ----------------------------------------------------------------------------------------

struct Std {
    static constexpr const char* name = "_vs_std";
    template <class In, class Out>
    void scan(In first, In last, Out out) const {
        std::inclusive_scan(first, last, out);
    }
    template <class In, class Out, class Predicate>
    void copy_if(In first, In last, Out out, Predicate predicate) const {
        std::copy_if(first, last, out, predicate);
    }
    template <class It>
    void sort(It first, It last) const {
        std::sort(first, last);
    }
};
#if KOGGE_BENCH_THRUST
template <class Policy>
struct Thrust {
    static constexpr const char* name =
        std::is_same_v<Policy, std::decay_t<decltype(thrust::omp::par)>> ? "_vs_thrust_omp" : "_vs_thrust_cpp";
    template <class In, class Out>
    void scan(In first, In last, Out out) const {
        thrust::inclusive_scan(Policy(), first, last, out);
    }
    template <class In, class Out, class Predicate>
    void copy_if(In first, In last, Out out, Predicate predicate) const {
        thrust::copy_if(Policy(), first, last, out, predicate);
    }
    template <class It>
    void sort(It first, It last) const {
        thrust::sort(Policy(), first, last);
    }
};
#endif

template <class T, class Rival>
void add_rival(Record& record, const std::string& type, std::uint64_t n, Rival rival) {
    using Items = std::vector<T>;
    const auto size = static_cast<double>(n * sizeof(T));
    const std::string suffix = Rival::name;
    add<T>(
        record, "inclusive_scan", type, "sum" + suffix, n, 2 * size,
        [=](const Items& in, Items& out) { kogge::inclusive_scan(in.data(), out.data(), n); },
        [=](const Items& in, Items& out) { rival.scan(in.begin(), in.end(), out.begin()); });
    const kogge::compare<T> lower{kogge::relation::less, T(T(1) << (8 * sizeof(T) - 1))};
    add<T>(
        record, "compact", type, "kept_50" + suffix, n, 1.5 * size,
        [=](const Items& in, Items& out) { kogge::compact(in.data(), n, out.data(), lower); },
        [=](const Items& in, Items& out) { rival.copy_if(in.begin(), in.end(), out.begin(), lower); });
    add<T>(
        record, "radix_sort", type, "uniform" + suffix, n, 2 * size,
        [=](const Items& in, Items& out) { kogge::radix_sort(in.data(), out.data(), n); },
        [=](const Items& in, Items& out) {
            std::copy(in.begin(), in.end(), out.begin());
            rival.sort(out.begin(), out.end());
        });
}

void add_rows(Record& record, const Options& options) {
    const std::vector<std::uint64_t> all = {1u << 12, 1u << 16, 1u << 20, 1u << 24, 1u << 26}, few = {1u << 20};
    for (const std::uint64_t n : !options.sizes.empty() ? options.sizes : options.quick ? few : all) {
        add_rival<std::uint32_t>(record, "u32", n, Std{});
        add_rival<std::uint64_t>(record, "u64", n, Std{});
#if KOGGE_BENCH_THRUST
        add_rival<std::uint32_t>(record, "u32", n, Thrust<std::decay_t<decltype(thrust::omp::par)>>{});
        add_rival<std::uint32_t>(record, "u32", n, Thrust<std::decay_t<decltype(thrust::cpp::par)>>{});
#endif
    }
}

Setting setting_of(const Options& options) {
    std::string cpu = output_of("sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo");
    if (cpu.empty()) cpu = "unknown processor";
    const std::string threads = std::to_string(std::thread::hardware_concurrency()) + " threads";
    std::string thrust = "none";
#if KOGGE_BENCH_THRUST
    thrust = std::to_string(THRUST_MAJOR_VERSION) + '.' + std::to_string(THRUST_MINOR_VERSION) + '.' +
             std::to_string(THRUST_SUBMINOR_VERSION);
#endif
    return {options.commit, cpu + ' ' + threads, "none", "none", thrust, today()};
}

}  // namespace

int main(int count, char** arguments) {
    try {
        const Options options = take_options(count, arguments);
        benchmark::Initialize(&count, arguments);
        if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
        Record record;
        add_rows(record, options);
        return run_rows(record, options, setting_of(options));
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "%s: %s\n", arguments[0], failure.what());
        return 1;
    }
}

// kogge-bench: HOST
//
// The host backend against std:: and against Thrust's host systems, where they are there. The record is that of the GPU
// programs: gpu is the processor, driver its number of threads, cub the version of Thrust, cub_us the time of the rival
// that the case names at its end, and copy_us a copy by all threads of half the bytes that must move at least. Inputs
// are the same for every call, so that small ones stay in the cache; the outputs of the timed calls are compared with
// the rival's. What works in place (sorts, partitions of std:: and Thrust) is given a copy of the input, within the
// time; std:: sorts pairs as structs, the others keys and values apart.
#include <chrono>
#include <memory>
#include <numeric>

#include "kogge/host/scan.hpp"
#include "kogge/partition.hpp"
#include "kogge/radix_sort.hpp"
#include "kogge/scan.hpp"
#include "support/inputs.hpp"
#include "support/rivals.hpp"
#include "support/run.hpp"

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

/// The two sides with their arrays; `spoil` overwrites both outputs.
struct Contest {
    std::function<void()> ours, rival, spoil;
    std::function<bool()> is_right;
};
struct Task {
    double bytes;
    std::function<Contest()> prepare;
};

void measure(Row& row, const Task& task) {
    row.copy_us = copy_time(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(task.bytes / 2)));
    const Contest contest = task.prepare();
    const std::function<double()> contenders[] = {[&] { return microseconds_of(contest.ours); },
                                                  [&] { return microseconds_of(contest.rival); }};
    for (const auto& warm_up : contenders) warm_up();
    contest.spoil();
    const auto samples = take_samples(contenders, kBudget, seconds);
    row.ours_us = median(samples[0]);
    row.cub_us = median(samples[1]);
    row.spread = std::max(spread(samples[0]), spread(samples[1]));
    row.checked = contest.is_right();
}

// ---- contests ------------------------------------------------------------------------------------------

template <class T, class Make>
std::vector<T> made_items(std::uint64_t n, const Make& make) {
    std::vector<T> items(n);
    kogge::host::for_chunks(n, 1u << 16, 0, [&](const kogge::host::Chunk& chunk) {
        for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) items[i] = make(i);
    });
    return items;
}

/// ours(in, out) and rival(in, out) write vectors of n items and return how many of them count.
template <class T, class Make, class Ours, class Rival>
Task array_task(std::uint64_t n, double bytes, const Make& make, const Ours& ours, const Rival& rival) {
    const auto prepare = [=] {
        struct Arrays {
            std::vector<T> in, out, expected;
            std::uint64_t size = 0, expected_size = 0;
        };
        const auto arrays = std::make_shared<Arrays>();
        arrays->in = made_items<T>(n, make);
        arrays->out.resize(n);
        arrays->expected.resize(n);
        return Contest{[=] { arrays->size = ours(arrays->in, arrays->out); },
                       [=] { arrays->expected_size = rival(arrays->in, arrays->expected); },
                       [=] {
                           std::fill(arrays->out.begin(), arrays->out.end(), static_cast<T>(0x25));
                           std::fill(arrays->expected.begin(), arrays->expected.end(), static_cast<T>(0x52));
                       },
                       [=] {
                           const auto end = arrays->out.begin() + static_cast<std::ptrdiff_t>(arrays->size);
                           return arrays->size == arrays->expected_size &&
                                  std::equal(arrays->out.begin(), end, arrays->expected.begin());
                       }};
    };
    return {bytes, prepare};
}

double bytes_of(std::uint64_t n, double each) { return static_cast<double>(n) * each; }

template <class T, class Rival>
Task scan_items(std::uint64_t n, bool inclusive, const Rival& rival) {
    using Items = std::vector<T>;
    return array_task<T>(
        n, bytes_of(n, 2 * sizeof(T)), Summand<T>{1},
        [=](const Items& in, Items& out) {
            if (inclusive) kogge::inclusive_scan(in.data(), out.data(), n);
            else kogge::exclusive_scan(in.data(), out.data(), n, T{});
            return n;
        },
        [=](const Items& in, Items& out) {
            if (inclusive) rival.inclusive_scan(in.begin(), in.end(), out.begin());
            else rival.exclusive_scan(in.begin(), in.end(), out.begin(), T{});
            return n;
        });
}

template <class T, class Rival>
Task keep_items(std::uint64_t n, const Selectivity& selectivity, bool two_sides, const Rival& rival) {
    using Items = std::vector<T>;
    const kogge::compare<T> keeps{kogge::relation::less, kept_below<T>()};
    return array_task<T>(
        n, bytes_of(n, sizeof(T) * (1 + (two_sides ? 1 : selectivity.share))), Selectable<T>{{1, selectivity}},
        [=](const Items& in, Items& out) {
            if (!two_sides) return kogge::compact(in.data(), out.data(), n, keeps);
            kogge::partition(in.data(), out.data(), n, keeps);
            return n;
        },
        [=](const Items& in, Items& out) {
            if (!two_sides)
                return static_cast<std::uint64_t>(rival.copy_if(in.begin(), in.end(), out.begin(), keeps) -
                                                  out.begin());
            std::copy(in.begin(), in.end(), out.begin());
            rival.stable_partition(out.begin(), out.end(), keeps);
            return n;
        });
}

template <class T, class Rival>
Task sort_keys(std::uint64_t n, Distribution distribution, const Rival& rival) {
    using Items = std::vector<T>;
    return array_task<T>(
        n, bytes_of(n, 2 * sizeof(T)), Key<T>{distribution, 1, n},
        [=](const Items& in, Items& out) {
            kogge::radix_sort(in.data(), out.data(), n);
            return n;
        },
        [=](const Items& in, Items& out) {
            std::copy(in.begin(), in.end(), out.begin());
            rival.sort(out.begin(), out.end());
            return n;
        });
}

template <class T, class Rival>
Task sort_pairs(std::uint64_t n, Distribution distribution, const Rival& rival) {
    const auto prepare = [=] {
        struct Arrays {
            std::vector<T> keys, values, out_keys, out_values;
            typename Rival::template Pairs<T> pairs, expected;
        };
        const auto arrays = std::make_shared<Arrays>();
        arrays->keys = made_items<T>(n, Key<T>{distribution, 1, n});
        arrays->values = made_items<T>(n, Place<T>{});
        arrays->out_keys.resize(n);
        arrays->out_values.resize(n);
        arrays->pairs.set(arrays->keys, arrays->values);
        return Contest{[=] {
                           kogge::radix_sort_pairs(arrays->keys.data(), arrays->out_keys.data(), arrays->values.data(),
                                                   arrays->out_values.data(), n);
                       },
                       [=] {
                           arrays->expected = arrays->pairs;
                           rival.sort_pairs(arrays->expected);
                       },
                       [=] {
                           std::fill(arrays->out_keys.begin(), arrays->out_keys.end(), T(0x25));
                           std::fill(arrays->out_values.begin(), arrays->out_values.end(), T(0x25));
                       },
                       [=] { return arrays->expected.are(arrays->out_keys, arrays->out_values); }};
    };
    return {bytes_of(n, 4 * sizeof(T)), prepare};
}

// ---- all rows ------------------------------------------------------------------------------------------

template <class Rival>
std::optional<Task> find(const RowName& row, std::uint64_t n, const Rival& rival) {
    const auto in_type = [&](const auto& make) {
        return for_type<std::uint8_t, std::uint32_t, std::uint64_t, float>(row.type, make);
    };
    if (row.primitive == "radix_sort" || row.primitive == "radix_sort_pairs") {
        const std::optional<Distribution> distribution = distribution_named(row.case_name);
        if (!distribution) return {};
        if (row.primitive == "radix_sort")
            return in_type([&]<class T>() -> std::optional<Task> { return sort_keys<T>(n, *distribution, rival); });
        return for_type<std::uint32_t, std::uint64_t>(type_of_pair(row.type), [&]<class T>() -> std::optional<Task> {
            return sort_pairs<T>(n, *distribution, rival);
        });
    }
    if (row.primitive == "compact" || row.primitive == "partition") {
        const std::optional<Selectivity> selectivity = selectivity_named(row.case_name);
        const bool two_sides = row.primitive == "partition";
        if (!selectivity) return {};
        return in_type(
            [&]<class T>() -> std::optional<Task> { return keep_items<T>(n, *selectivity, two_sides, rival); });
    }
    const bool inclusive = row.primitive == "inclusive_scan";
    if (row.case_name != "sum" || (!inclusive && row.primitive != "exclusive_scan")) return {};
    return in_type([&]<class T>() -> std::optional<Task> { return scan_items<T>(n, inclusive, rival); });
}

/// One row a rival.
std::vector<Planned> plan(const RowName& name, std::uint64_t n) {
    std::vector<Planned> rows;
    for_each_rival([&](const auto& rival) {
        const std::optional<Task> task = find(name, n, rival);
        if (!task) return;
        const Row row{name.primitive, name.type, name.case_name + "_vs_" + rival.name(), n, "eager"};
        rows.push_back({row, rival.name(), [task](Row& each) { measure(each, *task); }});
    });
    return rows;
}

Setting setting_of(const Options& options) {
    const std::string cpu = output_of("sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo");
    const unsigned threads = kogge::host::usable_processors();
    return {options.commit,
            cpu.empty() ? "unknown processor" : cpu,
            std::to_string(threads) + " threads",
            "none",
            thrust_version(),
            today()};
}

const Sizes kHostSizes = {1u << 12, 1u << 16, 1u << 20, 1u << 24, 1u << 26}, kHostQuickSizes = {1u << 20};
const std::vector<RowSet> kRows = {
    {"inclusive_scan", {"u32", "u64"}, {"sum"}, kHostSizes, kHostQuickSizes},
    {"exclusive_scan", {"u32"}, {"sum"}, {1u << 24}},
    {"compact", {"u32", "u64"}, {"kept_50"}, kHostSizes, kHostQuickSizes},
    {"compact", {"u32"}, {"kept_1", "kept_10", "kept_90"}, {1u << 24}},
    {"partition", {"u32"}, {"kept_50"}, {1u << 24}},
    {"radix_sort", {"u32", "u64"}, {"uniform"}, kHostSizes, kHostQuickSizes},
    {"radix_sort", {"u8", "f32"}, {"uniform"}, {1u << 24}},
    {"radix_sort", {"u32"}, {"values_16", "sorted"}, {1u << 24}},
    {"radix_sort_pairs", {"u32+u32"}, {"uniform"}, {1u << 16, 1u << 24}},
};

}  // namespace

int main(int count, char** arguments) {
    return run_program(count, arguments, [](const Options& options) {
        return Program{kRows, plan, setting_of(options)};
    });
}

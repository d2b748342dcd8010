// kogge-bench: GPU EMULATED
//
// Sorts of arrays in host memory by the GPUs (kogge::out_of_core), against the host's threads: the columns cub_us are
// kogge's own sort on all threads, or, where the case says so, std::sort on one. Cases in_batches leave each GPU an
// eighth of the bytes of the items, so that these cross twice; in the others all of them fit one GPU.
// CUDA_VISIBLE_DEVICES chooses the GPUs; with several, one_gpu_us is the first one's time. Emulated devices show that
// the program works; their times mean nothing.
//
// Times are the host's, of a call that sorts one array to another, both pageable, in small or huge pages as the system
// likes, and touched before. A row is the median over at least 3 calls of each side, by turns, and up to 9 as long as
// they take no more than a second. A call of kogge's before them is not counted: the process's first one takes
// page-locked memory. Check: the order, and a digest of keys and values; values say where their key stood, and equal
// keys must have ascending ones. Copy: the least time that the bus takes, all items once in each direction, both at
// once, from and to page-locked memory, shared by all GPUs; of shares beyond 256 MiB by the rate of 256 MiB.
//
// Sizes are such that all rows should take less than 45 s on 16 cores beside an H100: u64 and pairs have as many bytes
// as the 2^28 u32.
#include "kogge/out_of_core/radix_sort.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <new>
#include <utility>

#include "clients/ids.hpp"
#include "kogge/host/machine/threads.hpp"
#include "support/devices_setting.hpp"
#include "support/inputs.hpp"
#include "support/run.hpp"

namespace {

using namespace bench;
namespace simt = kogge::simt;
namespace host = kogge::host;

constexpr std::uint64_t kChunk = 1u << 16, kFew = 1u << 24;
constexpr Budget kBudget{.fewest = 3, .enough = 5, .most = 9, .seconds = 1};

using Clock = std::chrono::steady_clock;
double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }
template <class Work>
double time_of(const Work& work) {
    const double begin = now();
    work();
    return (now() - begin) * 1e6;
}

/// n items that no thread has touched.
template <class T>
class Items {
public:
    explicit Items(std::uint64_t n) : items_(std::make_unique_for_overwrite<T[]>(n)), n_(n) {}
    T* data() const { return items_.get(); }
    std::uint64_t size() const { return n_; }
    T& operator[](std::uint64_t i) const { return items_[i]; }

    /// By all threads: items[i] = make(i).
    template <class Make>
    void fill(const Make& make) const {
        host::for_chunks(n_, kChunk, 0, [&](const host::Chunk& chunk) {
            for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) items_[i] = static_cast<T>(make(i));
        });
    }
    void clear() const {
        fill([](std::uint64_t) { return T{}; });
    }

private:
    std::unique_ptr<T[]> items_;
    std::uint64_t n_;
};

/// The time in which `part` bytes cross in both directions at once, for each GPU.
double time_of_crossing(std::uint64_t part) {
    const int devices = simt::device_count();
    struct Ends {
        int number;
        void *up, *down, *device;
        kogge::stream_t coming, going;
    };
    std::vector<Ends> all;
    for (int d = 0; d < devices; ++d) {
        const simt::OnDevice current(d);
        all.push_back({d, simt::allocate_pinned(part), simt::allocate_pinned(part), simt::allocate(2 * part, nullptr),
                       simt::create_stream(), simt::create_stream()});
        simt::synchronize(nullptr);
    }
    const std::function<double()> copies[] = {[&] {
        return time_of([&] {
            for (const Ends& ends : all) {
                const simt::OnDevice current(ends.number);
                simt::copy(ends.device, ends.up, part, ends.coming);
                simt::copy(ends.down, static_cast<char*>(ends.device) + part, part, ends.going);
            }
            for (const Ends& ends : all) {
                simt::synchronize(ends.coming);
                simt::synchronize(ends.going);
            }
        });
    }};
    copies[0]();
    const double time = median(take_samples(copies, kBudget, now)[0]);
    for (const Ends& ends : all) {
        const simt::OnDevice current(ends.number);
        simt::deallocate(ends.device, nullptr);
        simt::synchronize(nullptr);
        simt::trim(0);
        simt::destroy_stream(ends.coming);
        simt::destroy_stream(ends.going);
        simt::free_pinned(ends.up);
        simt::free_pinned(ends.down);
    }
    return time;
}

/// The same of each GPU's share of `bytes`, by the rate of a part of it.
double copy_time(std::uint64_t bytes) {
    static std::map<std::uint64_t, double> known;  // by parts
    const std::uint64_t share = bytes / static_cast<std::uint64_t>(simt::device_count());
    const std::uint64_t part = std::min<std::uint64_t>(share, std::uint64_t{256} << 20);
    if (part == 0) return 0;
    if (!known.contains(part)) known[part] = time_of_crossing(part);
    return known[part] * static_cast<double>(share) / static_cast<double>(part);
}

/// The items' digest, and how many of them stand wrongly after the one before them. Without values, `values` is empty.
template <class Key, class Value>
std::pair<std::uint64_t, std::uint64_t> look_at(const Items<Key>& keys, const Items<Value>& values) {
    const bool has_values = values.size() > 0;
    std::atomic<std::uint64_t> digest = 0, wrong = 0;
    host::for_chunks(keys.size(), kChunk, 0, [&](const host::Chunk& chunk) {
        std::uint64_t sum = 0, count = 0;
        for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) {
            sum += random_bits(has_values ? static_cast<std::uint64_t>(values[i]) : 0,
                               static_cast<std::uint64_t>(keys[i]));
            if (i > 0 &&
                !(keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && (!has_values || values[i - 1] < values[i]))))
                ++count;
        }
        digest += sum;
        wrong += count;
    });
    return {digest, wrong};
}

enum class Rival { threads, std_sort };

/// Value is void without values.
template <class Key, class Value, class Make>
void measure(Row& row, const Make& make, bool in_batches, Rival rival) try {
    constexpr bool has_values = !std::is_void_v<Value>;
    using Word = std::conditional_t<has_values, Value, std::uint32_t>;
    const std::uint64_t n = row.n, bytes = n * (sizeof(Key) + (has_values ? sizeof(Word) : 0));
    const Items<Key> in(n), out(n);
    const Items<Word> values(has_values ? n : 0), values_out(values.size());
    in.fill(make);
    values.fill([](std::uint64_t i) { return i; });
    out.clear();
    values_out.clear();
    const auto sort = [&](const auto& call) {
        const Key* const keys = in.data();
        const Word* const with = values.data();
        return time_of([&] { call(keys, with); });
    };
    const auto ours = [&](const std::vector<int>& devices) {
        kogge::out_of_core::exec how{.devices = devices};
        if (in_batches) how.device_memory_limit = bytes / 8;
        return sort([&](const Key* keys, const Word* with) {
            if constexpr (has_values)
                kogge::out_of_core::radix_sort_pairs(keys, out.data(), with, values_out.data(), n, how);
            else kogge::out_of_core::radix_sort(keys, out.data(), n, how);
        });
    };
    const auto theirs = [&] {
        return sort([&](const Key* keys, const Word* with) {
            const kogge::exec on_host{.where = kogge::backend::host};
            if constexpr (has_values) {
                kogge::radix_sort_pairs(keys, out.data(), with, values_out.data(), n, kogge::sort_options{}, on_host);
            } else if (rival == Rival::std_sort) {
                std::copy(keys, keys + n, out.data());
                std::sort(out.data(), out.data() + n);
            } else {
                kogge::radix_sort(keys, out.data(), n, kogge::sort_options{}, on_host);
            }
        });
    };
    row.copy_us = copy_time(bytes);
    std::vector<std::function<double()>> contenders{[&] { return ours({}); }, theirs};
    if (simt::device_count() > 1) contenders.push_back([&] { return ours({0}); });
    for (std::size_t c = 0; c < contenders.size(); ++c)
        if (c != 1 || n <= kFew) contenders[c]();  // the host's threads have nothing to take that would stay
    const auto samples = take_samples(contenders, kBudget, now);
    row.ours_us = median(samples[0]);
    row.cub_us = median(samples[1]);
    if (samples.size() > 2) row.one_gpu_us = median(samples[2]);
    row.spread = std::max(spread(samples[0]), spread(samples[1]));
    out.clear();
    contenders[0]();
    const auto [before, unsorted] = look_at(in, values);
    const auto [after, wrong] = look_at(out, values_out);
    (void)unsorted;
    row.checked = before == after && wrong == 0;
} catch (const std::bad_alloc&) {
    throw LeftOut("too little memory on the host");
} catch (const kogge::error& failure) {
    if (failure.code() != kogge::errc::out_of_memory) throw;
    throw LeftOut(failure.what());
}

// ---- rows ----------------------------------------------------------------------------------------------

const std::string kInBatches = "_in_batches", kStdSort = "_std_sort";

/// Takes `end` off a name that has it; whether it had.
bool take_end(std::string& name, const std::string& end) {
    if (!name.ends_with(end)) return false;
    name.resize(name.size() - end.size());
    return true;
}

template <class Key, class Value>
std::optional<Planned> find(const RowName& row, std::uint64_t n) {
    std::string keys = row.case_name;
    const Rival rival = take_end(keys, kStdSort) ? Rival::std_sort : Rival::threads;
    const bool in_batches = take_end(keys, kInBatches);
    const auto planned = [&](const auto& make) -> std::optional<Planned> {
        return Planned{{row.primitive, row.type, row.case_name, n, "eager"},
                       rival == Rival::std_sort ? "std::sort" : "the host's threads",
                       [=](Row& each) { measure<Key, Value>(each, make, in_batches, rival); }};
    };
    if (const auto distribution = distribution_named(keys)) return planned(bench::Key<Key>{*distribution, 1, n});
    if constexpr (sizeof(Key) == 4)
        if (const auto ids = clients::zipf_ids_named(keys, 1)) return planned(*ids);
    return {};
}

std::vector<Planned> plan(const RowName& row, std::uint64_t n) {
    std::optional<Planned> found;
    if (row.primitive == "radix_sort" && row.type == "u32") found = find<std::uint32_t, void>(row, n);
    if (row.primitive == "radix_sort" && row.type == "u64") found = find<std::uint64_t, void>(row, n);
    if (row.primitive == "radix_sort_pairs" && row.type == "u32+u32")
        found = find<std::uint32_t, std::uint32_t>(row, n);
    return found ? std::vector<Planned>{*found} : std::vector<Planned>{};
}

const std::vector<RowSet> kRows = {
    {"radix_sort", {"u32"}, {"uniform"}, {1u << 20, 1u << 24, 1u << 28, 1u << 30}, {1u << 28}},
    {"radix_sort", {"u32"}, {"uniform_in_batches"}, {1u << 24, 1u << 28}, {1u << 28}},
    {"radix_sort", {"u32"}, {"uniform_std_sort"}, {1u << 24}, {}},
    {"radix_sort", {"u64"}, {"uniform", "uniform_in_batches"}, {1u << 27}, {1u << 27}},
    {"radix_sort_pairs", {"u32+u32"}, {"uniform", "uniform_in_batches"}, {1u << 27}, {1u << 27}},
    {"radix_sort",
     {"u32"},
     {"sorted_in_batches", "one_value_in_batches", "zipf_1.1_of_1000000_permuted_in_batches"},
     {1u << 28}},
};

}  // namespace

int main(int count, char** arguments) {
    return run_program(count, arguments, [](const Options& options) {
        return Program{kRows, plan, devices_setting(options.commit),
                       [](const Row&) { return std::string("out_of_core"); }};
    });
}

// kogge-bench: GPU EMULATED
//
// Sorts of arrays that all GPUs of the machine share, which must be two or more, against one GPU that has the whole:
// CUB's sort with a count of 64 bits, and ours (the column one_gpu_us). The record is
// bench/results/<gpu>_x<GPUs>/distributed.csv; CUDA_VISIBLE_DEVICES chooses the GPUs. Emulated devices show that the
// program works; their times mean nothing.
//
// Times are the host's, from when all ranks are ready until the last one has its part. Each GPU begins with an even
// share, and gets one; outputs are other arrays, and scratch comes from the library's pools, which keep it.
// Check: the sizes of the parts, the order over all of them, and a digest of keys and values. Values say where their
// key stood, and equal keys must have ascending ones. Copy: of the least bytes that must move, an even share on each
// GPU: each key and value read once and written once.
#include "kogge/distributed/radix_sort.hpp"

#include <chrono>

#include "clients/ids.hpp"
#include "clients/space.hpp"
#include "kogge/distributed/threads.hpp"
#include "support/devices_setting.hpp"
#include "support/inputs.cuh"
#include "support/run.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#else
#include <cuda_runtime.h>

#include <cub/device/device_radix_sort.cuh>
#endif

namespace {

using namespace bench;
using kogge::exec;
namespace simt = kogge::simt;

// ---- devices and their memory --------------------------------------------------------------------------

std::vector<int> all_devices() {
    std::vector<int> devices;
    for (int d = 0; d < simt::device_count(); ++d) devices.push_back(d);
    return devices;
}

/// Items on a device.
template <class T>
class DeviceItems {
public:
    DeviceItems(int device, std::uint64_t n) : device_(device) {
        const simt::OnDevice current(device);
        try {
            if (n > 0) data_ = static_cast<T*>(simt::allocate(n * sizeof(T), nullptr));
        } catch (const kogge::error& failure) {
            if (failure.code() != kogge::errc::out_of_memory) throw;
            throw LeftOut(failure.what());
        }
        simt::synchronize(nullptr);
    }
    ~DeviceItems() {
        const simt::OnDevice current(device_);
        if (data_) simt::deallocate(data_, nullptr);
    }
    DeviceItems(const DeviceItems&) = delete;
    DeviceItems& operator=(const DeviceItems&) = delete;
    T* data() const { return data_; }

private:
    int device_;
    T* data_ = nullptr;
};

class DeviceStream {
public:
    explicit DeviceStream(int device) : device_(device) {
        const simt::OnDevice current(device);
        stream_ = simt::create_stream();
    }
    ~DeviceStream() {
        const simt::OnDevice current(device_);
        simt::destroy_stream(stream_);
    }
    DeviceStream(const DeviceStream&) = delete;
    DeviceStream& operator=(const DeviceStream&) = delete;
    stream_t get() const { return stream_; }

private:
    int device_;
    stream_t stream_;
};

// ---- keys and checks -----------------------------------------------------------------------------------

/// Items from `first` on.
template <class Make>
struct From {
    Make make;
    std::uint64_t first;
    KOGGE_HOST_DEVICE auto operator()(std::uint64_t i) const { return make(first + i); }
};

/// Without values, Value is void.
template <class Value>
using WordOf = std::conditional_t<std::is_void_v<Value>, std::uint32_t, Value>;

template <class Key, class Value>
struct KeysAndValues {
    const Key* keys;
    const Value* values;  ///< null if there are none
    KOGGE_HOST_DEVICE std::uint64_t digest(std::uint64_t i) const {
        return random_bits(values ? static_cast<std::uint64_t>(values[i]) : 0, static_cast<std::uint64_t>(keys[i]));
    }
    /// Whether items i and j may stand so, j after i.
    KOGGE_HOST_DEVICE bool is_in_order(std::uint64_t i, std::uint64_t j) const {
        return keys[i] < keys[j] || (keys[i] == keys[j] && (!values || values[i] < values[j]));
    }
};

/// Adds to found[0] the items' digests, and to found[1] the items that stand wrongly after the one before them.
template <class Items>
KOGGE_KERNEL void check_items_kernel(Items items, std::uint64_t n, std::uint64_t* found) {
    simt::wait_for_stream();
    std::uint64_t digest = 0, wrong = 0;
    for (std::uint64_t i = first_place(); i < n; i += all_threads()) {
        digest += items.digest(i);
        if (i > 0 && !items.is_in_order(i - 1, i)) ++wrong;
    }
    simt::atomic_add<simt::Scope::device>(found, digest);
    if (wrong > 0) simt::atomic_add<simt::Scope::device>(found + 1, wrong);
}

struct Found {
    std::uint64_t digest, wrong;
};
template <class Items>
Found check_items(const Items& items, std::uint64_t n, stream_t stream) {
    auto* found = static_cast<std::uint64_t*>(simt::allocate(sizeof(Found), stream));
    simt::fill(found, 0, sizeof(Found), stream);
    simt::launch(check_items_kernel<Items>, shape_for(n, stream, "check_items_kernel"), items, n, found);
    const Found read{read_number(found, stream), read_number(found + 1, stream)};
    simt::deallocate(found, stream);
    return read;
}

// ---- times ---------------------------------------------------------------------------------------------

using Clock = std::chrono::steady_clock;
double microseconds(Clock::time_point begin, Clock::time_point end) {
    return std::chrono::duration<double, std::micro>(end - begin).count();
}
/// Of what work() has begun in the stream.
template <class Work>
double time_of(const Work& work, stream_t stream) {
    simt::synchronize(stream);
    const auto begin = Clock::now();
    work();
    simt::synchronize(stream);
    return microseconds(begin, Clock::now());
}

constexpr Budget kBudget{.fewest = 5, .enough = 9, .most = 30, .seconds = 1};
double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

double copy_time(std::uint64_t bytes) {
    const DeviceItems<unsigned char> from(0, bytes), to(0, bytes);
    const simt::OnDevice first(0);
    const DeviceStream stream(0);
    const std::function<double()> copies[] = {
        [&] { return time_of([&] { simt::copy(to.data(), from.data(), bytes, stream.get()); }, stream.get()); }};
    simt::fill(from.data(), 1, bytes, stream.get());
    copies[0]();
    return median(take_samples(copies, kBudget, now)[0]);
}

/// Ours and CUB's on one device that has the whole. Emulated, there is no CUB, and ours stands for it.
template <class Key, class Value, class Make>
void time_one_device(Row& row, const Make& make) {
    constexpr bool has_values = !std::is_void_v<Value>;
    using Word = WordOf<Value>;
    const std::uint64_t n = row.n, values_n = has_values ? n : 0;
    const DeviceItems<Key> in(0, n), out(0, n);
    const DeviceItems<Word> values(0, values_n), values_out(0, values_n);
    const simt::OnDevice first(0);
    const DeviceStream stream(0);
    make_items(in.data(), n, make, stream.get());
    if (has_values) make_items(values.data(), n, Place<Word>{}, stream.get());
    const exec how{.stream = stream.get(), .where = kogge::backend::device};
    const auto ours = [&] {
        const Key* const keys = in.data();
        if constexpr (has_values) {
            const Word* const with = values.data();
            kogge::radix_sort_pairs(keys, out.data(), with, values_out.data(), n, kogge::sort_options{}, how);
        } else {
            kogge::radix_sort(keys, out.data(), n, kogge::sort_options{}, how);
        }
    };
    std::vector<std::function<double()>> contenders{[&] { return time_of(ours, stream.get()); }};
#if !KOGGE_EMULATED
    std::size_t bytes = 0;
    void* temporary = nullptr;
    const auto cub = [&] {
        const Key* const keys = in.data();
        const cudaError_t status = [&] {
            if constexpr (has_values) {
                const Word* const with = values.data();
                return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, out.data(), with, values_out.data(), n,
                                                       0, 8 * static_cast<int>(sizeof(Key)), stream.get());
            } else {
                return cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, out.data(), n, 0,
                                                      8 * static_cast<int>(sizeof(Key)), stream.get());
            }
        }();
        if (status != cudaSuccess) throw std::runtime_error(std::string("CUB: ") + cudaGetErrorString(status));
    };
    cub();
    const DeviceItems<unsigned char> memory(0, bytes);
    temporary = memory.data();
    contenders.push_back([&] { return time_of(cub, stream.get()); });
#endif
    for (const auto& contender : contenders) contender();
    const auto samples = take_samples(contenders, kBudget, now);
    row.one_gpu_us = median(samples[0]);
    row.cub_us = median(samples.back());
}

/// One rank's arrays, and what its latest call did.
template <class Key, class Word>
struct Rank {
    DeviceStream stream;
    std::uint64_t n, room;
    DeviceItems<Key> in, out;
    DeviceItems<Word> values, values_out;
    Clock::time_point begin, end;
    std::uint64_t got = 0;
    Found before{}, after{};
    Key first{}, last{};
    Word first_value{}, last_value{};

    Rank(int device, std::uint64_t items, std::uint64_t capacity, bool has_values)
        : stream(device),
          n(items),
          room(capacity),
          in(device, n),
          out(device, room),
          values(device, has_values ? n : 0),
          values_out(device, has_values ? room : 0) {}
};

template <class Key, class Value, class Make>
void measure(Row& row, const Make& make) try {
    constexpr bool has_values = !std::is_void_v<Value>;
    using Word = WordOf<Value>;
    const std::vector<int> devices = all_devices();
    const std::uint64_t size = devices.size();
    row.copy_us = copy_time(row.n / size * (sizeof(Key) + (has_values ? sizeof(Word) : 0)));
    time_one_device<Key, Value>(row, make);

    const std::uint64_t room = row.n / size + 1;
    const std::vector<std::uint64_t> begins = kogge::detail::even_begins(row.n, size);
    std::vector<std::unique_ptr<Rank<Key, Word>>> all;
    for (std::size_t r = 0; r < size; ++r)
        all.push_back(std::make_unique<Rank<Key, Word>>(devices[r], begins[r + 1] - begins[r], room, has_values));
    const auto on_each = [&](const auto& work) {
        kogge::run_on_devices(
            devices, [&](kogge::communicator& ranks) { work(ranks, *all[static_cast<std::size_t>(ranks.rank())]); });
    };
    const auto items_of = [](const Key* keys, const Word* values) {
        return KeysAndValues<Key, Word>{keys, has_values ? values : nullptr};
    };
    on_each([&](kogge::communicator& ranks, Rank<Key, Word>& mine) {
        const std::uint64_t first = begins[static_cast<std::size_t>(ranks.rank())];
        make_items(mine.in.data(), mine.n, From<Make>{make, first}, mine.stream.get());
        if (has_values) make_items(mine.values.data(), mine.n, From<Place<Word>>{{}, first}, mine.stream.get());
        mine.before = check_items(items_of(mine.in.data(), mine.values.data()), mine.n, mine.stream.get());
    });
    const std::function<double()> ours[] = {[&] {
        on_each([&](kogge::communicator& ranks, Rank<Key, Word>& mine) {
            const kogge::distributed::sort_options options{};
            const exec how{.stream = mine.stream.get(), .where = kogge::backend::device};
            std::vector<char> ready(size);
            simt::synchronize(mine.stream.get());
            ranks.all_gather("1", ready.data(), 1);
            mine.begin = Clock::now();
            const Key* const keys = mine.in.data();
            if constexpr (has_values) {
                const Word* const values = mine.values.data();
                mine.got = kogge::distributed::radix_sort_pairs(ranks, keys, mine.out.data(), values,
                                                                mine.values_out.data(), room, mine.n, options, how);
            } else {
                mine.got = kogge::distributed::radix_sort(ranks, keys, mine.out.data(), room, mine.n, options, how);
            }
            mine.end = Clock::now();
        });
        Clock::time_point begin = all[0]->begin, end = all[0]->end;
        for (const auto& rank : all) {
            begin = std::min(begin, rank->begin);
            end = std::max(end, rank->end);
        }
        return microseconds(begin, end);
    }};
    ours[0]();
    on_each([&](kogge::communicator&, Rank<Key, Word>& mine) {
        simt::fill(mine.out.data(), 0xa5, room * sizeof(Key), mine.stream.get());
        if (has_values) simt::fill(mine.values_out.data(), 0xa5, room * sizeof(Word), mine.stream.get());
    });
    const auto samples = take_samples(ours, kBudget, now);
    row.ours_us = median(samples[0]);
    row.spread = spread(samples[0]);

    on_each([&](kogge::communicator&, Rank<Key, Word>& mine) {
        mine.after = check_items(items_of(mine.out.data(), mine.values_out.data()), mine.got, mine.stream.get());
        if (mine.got == 0) return;
        const auto read = [&](auto& number, const auto* from) {
            simt::copy(&number, from, sizeof number, mine.stream.get());
            simt::synchronize(mine.stream.get());
        };
        read(mine.first, mine.out.data());
        read(mine.last, mine.out.data() + mine.got - 1);
        if (!has_values) return;
        read(mine.first_value, mine.values_out.data());
        read(mine.last_value, mine.values_out.data() + mine.got - 1);
    });
    std::uint64_t before = 0, after = 0, got = 0;
    row.checked = true;
    for (std::size_t r = 0; r < size; ++r) {
        const Rank<Key, Word>& mine = *all[r];
        before += mine.before.digest;
        after += mine.after.digest;
        got += mine.got;
        row.checked = row.checked && mine.after.wrong == 0 && mine.got == begins[r + 1] - begins[r];
        if (r == 0) continue;
        const Rank<Key, Word>& lower = *all[r - 1];
        const Key keys[] = {lower.last, mine.first};
        const Word words[] = {lower.last_value, mine.first_value};
        if (has_values || keys[0] != keys[1]) row.checked = row.checked && items_of(keys, words).is_in_order(0, 1);
    }
    row.checked = row.checked && before == after && got == row.n;
} catch (const kogge::error& failure) {
    if (failure.code() != kogge::errc::out_of_memory) throw;
    throw LeftOut(failure.what());
}

// ---- rows ----------------------------------------------------------------------------------------------

/// use(make) with the keys of that name; an empty result where there are none.
template <class Key, class Use>
std::optional<Planned> with_keys(const std::string& name, std::uint64_t n, const Use& use) {
    if (const auto distribution = distribution_named(name)) return use(bench::Key<Key>{*distribution, 1, n});
    if constexpr (sizeof(Key) == 4) {
        if (const auto ids = clients::zipf_ids_named(name, 1)) return use(*ids);
        if (name == "morton_30_surfaces") return use(clients::MortonCodes<10>{1, true});
    }
    return {};
}

template <class Key, class Value>
std::optional<Planned> find(const RowName& row, std::uint64_t n) {
    return with_keys<Key>(row.case_name, n, [&](const auto& make) -> std::optional<Planned> {
        const Row unmeasured{row.primitive, row.type, row.case_name, n, "eager"};
        return Planned{unmeasured, KOGGE_EMULATED ? "one device" : "CUB on one",
                       [make](Row& each) { measure<Key, Value>(each, make); }};
    });
}

std::vector<Planned> plan(const RowName& row, std::uint64_t n) {
    std::optional<Planned> found;
    if (n < all_devices().size()) return {};
    if (row.primitive == "radix_sort" && row.type == "u32") found = find<std::uint32_t, void>(row, n);
    if (row.primitive == "radix_sort" && row.type == "u64") found = find<std::uint64_t, void>(row, n);
    if (row.primitive == "radix_sort_pairs" && row.type == "u32+u32")
        found = find<std::uint32_t, std::uint32_t>(row, n);
    return found ? std::vector<Planned>{*found} : std::vector<Planned>{};
}

const Sizes kSizes = {1u << 20, 1u << 24, 1u << 26, 1u << 28, 1u << 29, 1u << 30};
const Sizes kHalf = {1u << 28, 1u << 29};
const Sizes kLarge = {1u << 28, 1u << 30};
const std::vector<RowSet> kRows = {
    {"radix_sort", {"u32"}, {"uniform"}, kSizes, kLarge},
    {"radix_sort", {"u64"}, {"uniform"}, kHalf, {1u << 29}},
    {"radix_sort_pairs", {"u32+u32"}, {"uniform"}, kHalf, {1u << 29}},
    {"radix_sort", {"u32"}, {"sorted", "one_value", "zipf_1.1_of_1000000_permuted", "morton_30_surfaces"}, kLarge},
};

}  // namespace

int main(int count, char** arguments) {
#if KOGGE_EMULATED
    simt::emulator::set_devices({simt::emulator::default_properties(), simt::emulator::default_properties()});
#endif
    if (simt::device_count() < 2) {
        std::printf("left out: arrays of several GPUs, of which this machine has %d\n", simt::device_count());
        return 0;
    }
    return run_program(count, arguments, [](const Options& options) {
        return Program{kRows, plan, devices_setting(options.commit),
                       [](const Row&) { return std::string("distributed"); }};
    });
}

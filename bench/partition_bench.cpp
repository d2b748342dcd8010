// kogge-bench: GPU
//
// Compaction, partition, split and emit against CUB's, counts left on the device. The least that must move: each item
// (and flag) read once, each item that is kept written once; of emit, each output written once.
//   partition   CUB writes the second side in reverse, and is compared so
//   split       by the highest bits of the item; CUB's nearest is a radix sort by these bits
//   emit        item i yields i mod 4 outputs; CUB's side scans the counts and launches a kernel of one thread an item
#include "kogge/partition.hpp"

#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "kogge/operators.hpp"
#include "support/harness.hpp"

namespace {

using namespace bench;
using kogge::exec;
using kogge::stream_t;

double bytes_of(std::uint64_t n, double each) { return static_cast<double>(n) * each; }

// ---- compaction and partition --------------------------------------------------------------------------

enum class Form { by_predicate, by_flags, two_sides };

struct Selectivity {
    const char* name;
    double share;
    bool clustered;
};
constexpr Selectivity kHalf{"kept_50", 0.5, false};
constexpr Selectivity kOthers[] = {{"kept_0.1", 0.001, false},       {"kept_1", 0.01, false},
                                   {"kept_10", 0.1, false},          {"kept_90", 0.9, false},
                                   {"kept_100", 1, false},           {"kept_0.1_clustered", 0.001, true},
                                   {"kept_1_clustered", 0.01, true}, {"kept_10_clustered", 0.1, true},
                                   {"kept_50_clustered", 0.5, true}, {"kept_90_clustered", 0.9, true}};

template <class T>
kogge::compare<T> predicate() {
    return {kogge::relation::less, kept_below<T>()};
}

template <Form form, class T>
void compact_ours(const T* in, const std::uint8_t* flags, std::uint64_t n, T* out, std::uint64_t* count,
                  const exec& how) {
    if constexpr (form == Form::by_predicate) kogge::compact(in, n, out, count, predicate<T>(), how);
    else if constexpr (form == Form::by_flags) kogge::compact_flags(in, flags, n, out, count, how);
    else kogge::partition(in, n, out, count, predicate<T>(), how);
}

template <Form form, class T>
cudaError_t compact_cub(void* temporary, std::size_t& bytes, const T* in, const std::uint8_t* flags, std::uint64_t n,
                        T* out, std::uint64_t* count, stream_t stream) {
    const auto items = static_cast<std::int64_t>(n);
    if constexpr (form == Form::by_predicate)
        return cub::DeviceSelect::If(temporary, bytes, in, out, count, items, predicate<T>(), stream);
    else if constexpr (form == Form::by_flags)
        return cub::DeviceSelect::Flagged(temporary, bytes, in, flags, out, count, items, stream);
    else return cub::DevicePartition::If(temporary, bytes, in, out, count, items, predicate<T>(), stream);
}

template <Form form, class T>
void add_compact(Suite& suite, const std::string& type, const Selectivity& selectivity, std::uint64_t n) {
    constexpr bool has_flags = form == Form::by_flags;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> in(n, slots), out(n, slots), expected(n, slots);
        const Slots<std::uint8_t> flags(has_flags ? n : 1, slots);
        const Slots<std::uint64_t> count(1, slots), expected_count(1, slots);
        for (int slot = 0; slot < slots; ++slot) {
            const Kept kept{static_cast<std::uint64_t>(slot), selectivity.share, selectivity.clustered};
            make_items(in[slot], n, Selectable<T>{kept}, stream);
            make_items(flags[slot], flags.items(), kept, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            compact_ours<form, T>(in[slot], flags[slot], n, out[slot], count[slot], with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return compact_cub<form, T>(temporary, bytes, in[slot], flags[slot], n, expected[slot],
                                        expected_count[slot], s);
        });
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            count.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            const std::uint64_t kept = read_number(count[slot], s);
            if (kept != read_number(expected_count[slot], s) || kept > n) return false;
            const T *left = out[slot], *right = expected[slot];
            if (!is_equal(left, right, kept, s)) return false;
            return form != Form::two_sides || is_equal(left + kept, Reversed<T>{right + kept, n - kept}, n - kept, s);
        };
        return contest;
    };
    const char* primitive = form == Form::by_predicate ? "compact" : has_flags ? "compact_flags" : "partition";
    const double written = form == Form::two_sides ? 1 : selectivity.share;
    suite.add({primitive, type, selectivity.name, n, bytes_of(n, sizeof(T) * (1 + written) + (has_flags ? 1 : 0))},
              prepare);
}

// ---- split ---------------------------------------------------------------------------------------------

struct HighestBits {
    int shift;
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint32_t item) const { return item >> shift; }
};

void add_split(Suite& suite, int bits, std::uint64_t n) {
    using T = std::uint32_t;
    const auto make = [n](std::uint64_t slot) { return Key<T>{Distribution::uniform, slot, n}; };
    const auto ours = [=](const T* in, T* out, const exec& how) {
        kogge::split(in, n, out, 1u << bits, HighestBits{32 - bits}, nullptr, how);
    };
    const auto cub = [=](void* temporary, std::size_t& bytes, const T* in, T* out, stream_t stream) {
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, in, out, static_cast<int>(n), 32 - bits, 32, stream);
    };
    suite.add({"split", "u32", "bins_" + std::to_string(1u << bits), n, bytes_of(n, 2 * sizeof(T))},
              array_contest<T>(n, make, ours, cub));
}

// ---- emit ----------------------------------------------------------------------------------------------

struct CountOf {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const { return static_cast<std::uint32_t>(i % 4); }
};
struct Output {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i, std::uint64_t k) const {
        return static_cast<std::uint32_t>(random_bits(k, i));
    }
};
KOGGE_KERNEL void emit_kernel(const std::uint32_t* offsets, std::uint64_t n, std::uint32_t* out) {
    for (std::uint64_t i = first_place(); i < n; i += all_threads())
        for (std::uint32_t k = 0; k < CountOf{}(i); ++k) out[offsets[i] + k] = Output{}(i, k);
}

void add_emit(Suite& suite, std::uint64_t n) {
    using T = std::uint32_t;
    constexpr std::uint64_t of_last[] = {0, 0, 1, 3};  // from the items behind the last whole four
    const std::uint64_t outputs = n / 4 * 6 + of_last[n % 4];
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> counts(n, 1), offsets(n, slots), out(outputs, slots), expected(outputs, slots);
        const Slots<std::uint64_t> total(1, slots);
        make_items(counts[0], n, CountOf{}, stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            kogge::emit(n, out[slot], outputs, total[slot], CountOf{}, Output{}, nullptr, with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            const cudaError_t status = cub::DeviceScan::ExclusiveSum(temporary, bytes, static_cast<const T*>(counts[0]),
                                                                     offsets[slot], static_cast<int>(n), s);
            if (temporary && status == cudaSuccess)
                kogge::simt::launch(emit_kernel, shape_for(n, s, "emit_kernel"), offsets[slot], n, expected[slot]);
            return status;
        });
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            total.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            return read_number(total[slot], s) == outputs &&
                   is_equal(static_cast<const T*>(out[slot]), static_cast<const T*>(expected[slot]), outputs, s);
        };
        return contest;
    };
    suite.add({"emit", "u32", "outputs_0_to_3", n, bytes_of(outputs, sizeof(T))}, prepare);
}

// ---- all rows ------------------------------------------------------------------------------------------

void add_rows(Suite& suite) {
    for (const std::uint64_t n : suite.sizes()) {
        add_compact<Form::by_predicate, std::uint8_t>(suite, "u8", kHalf, n);
        add_compact<Form::by_predicate, std::uint32_t>(suite, "u32", kHalf, n);
        add_compact<Form::by_predicate, std::uint64_t>(suite, "u64", kHalf, n);
        add_compact<Form::by_flags, std::uint32_t>(suite, "u32", kHalf, n);
        add_compact<Form::two_sides, std::uint32_t>(suite, "u32", kHalf, n);
        add_split(suite, 8, n);
        if (suite.quick()) continue;
        add_compact<Form::by_predicate, std::uint16_t>(suite, "u16", kHalf, n);
        add_compact<Form::by_predicate, float>(suite, "f32", kHalf, n);
        add_compact<Form::by_predicate, double>(suite, "f64", kHalf, n);
    }
    for (const std::uint64_t n : suite.few_sizes()) {
        for (const Selectivity& selectivity : kOthers)
            add_compact<Form::by_predicate, std::uint32_t>(suite, "u32", selectivity, n);
        add_compact<Form::by_flags, std::uint8_t>(suite, "u8", kHalf, n);
        add_compact<Form::by_flags, std::uint64_t>(suite, "u64", kHalf, n);
        add_compact<Form::two_sides, std::uint8_t>(suite, "u8", kHalf, n);
        add_compact<Form::two_sides, std::uint64_t>(suite, "u64", kHalf, n);
        for (const int bits : {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12}) add_split(suite, bits, n);
        add_emit(suite, n);
    }
}

}  // namespace

int main(int count, char** arguments) { return run_gpu_program(count, arguments, add_rows); }

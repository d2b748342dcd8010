// Every public call, with the arguments that a program would give, for tests/scripts/warnings_test.sh to compile. It is
// never run.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include <kogge/kogge.hpp>

#ifdef __CUDACC__
#define CONSUMER_FUNCTION __host__ __device__
#else
#define CONSUMER_FUNCTION
#endif

namespace consumer {

struct IsEven {
    template <class T>
    CONSUMER_FUNCTION bool operator()(const T& x) const {
        return x % 2 == 0;
    }
};
struct Add {
    template <class T>
    CONSUMER_FUNCTION T operator()(const T& a, const T& b) const {
        return static_cast<T>(a + b);
    }
};
struct Equal {
    template <class T>
    CONSUMER_FUNCTION bool operator()(const T& a, const T& b) const {
        return a == b;
    }
};
struct Less {
    template <class T>
    CONSUMER_FUNCTION bool operator()(const T& a, const T& b) const {
        return a < b;
    }
};
struct Numbers {
    CONSUMER_FUNCTION std::uint64_t operator[](std::uint64_t i) const { return i / 3; }
};
struct Numbers16 {
    CONSUMER_FUNCTION std::uint16_t operator[](std::uint64_t i) const { return static_cast<std::uint16_t>(i); }
};
struct Nowhere {
    struct Place {
        template <class T>
        CONSUMER_FUNCTION void operator=(const T&) const {}
    };
    CONSUMER_FUNCTION Place operator[](std::uint64_t) const { return {}; }
};
struct Bucket {
    template <class T>
    CONSUMER_FUNCTION std::uint32_t operator()(const T& x) const {
        return static_cast<std::uint32_t>(x) & 7u;
    }
};
struct CountOf {
    CONSUMER_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return i % 3; }
};
struct Make {
    CONSUMER_FUNCTION std::uint32_t operator()(std::uint64_t i, std::uint64_t k) const {
        return static_cast<std::uint32_t>(i + k);
    }
};
struct Particle {
    std::uint32_t cell;
    std::uint32_t id;
};

}  // namespace consumer

template <>
struct kogge::key_codec<consumer::Particle> {
    using bits = std::uint64_t;
    KOGGE_HOST_DEVICE static bits encode(const consumer::Particle& p) { return (bits{p.cell} << 32) | p.id; }
};

namespace consumer {

struct Places {
    std::uint64_t* count;
    std::uint64_t* offsets;
    std::uint8_t* flags;
    std::uint32_t* words;
    std::uint32_t* indices;
    std::uint16_t* other;
    std::uint16_t* other_out;
};

template <class T>
std::uint64_t scans(T* in, T* out, std::uint64_t n, const Places& at, const kogge::exec& how) {
    kogge::inclusive_scan(in, out, n);
    kogge::inclusive_scan(in, out, n, Add{}, how);
    kogge::inclusive_scan(in, out, n, kogge::maximum{}, {.grid = kogge::two_level, .block = kogge::brent_kung}, how);
    kogge::inclusive_scan(in, out, n, Add{}, T{1});
    kogge::inclusive_scan(in, out, kogge::device_count{at.count, n}, kogge::minimum{});
    kogge::exclusive_scan(in, out, n, T{});
    kogge::reverse_inclusive_scan(in, out, n);
    kogge::reverse_exclusive_scan(in, out, n, T{});
    kogge::inclusive_scan_by_key(at.words, in, out, n);
    kogge::exclusive_scan_by_key(at.words, in, out, n, T{}, Add{}, Equal{}, how);
    kogge::exclusive_scan(in, out, n);
    kogge::exclusive_scan(in, out, n, how);
    kogge::inclusive_scan_by_key(Numbers{}, in, Nowhere{}, n, how);
    kogge::reverse_inclusive_scan_by_key(at.words, in, out, n);
    kogge::reverse_exclusive_scan_by_key(at.words, in, out, n, T{}, Add{}, how);
    kogge::inclusive_segmented_scan(in, out, n, at.offsets, 3);
    kogge::exclusive_segmented_scan(in, out, n, at.offsets, 3, T{});
    kogge::inclusive_segmented_scan(in, out, kogge::rows_of{n / 2, 2});
    kogge::exclusive_segmented_scan(in, out, n, kogge::segments_of(at.offsets, 3), T{});
    return n;
}

template <class T>
std::uint64_t merges_and_searches(T* in, T* out, std::uint64_t n, const Places& at, const kogge::exec& how) {
    kogge::merge(in, in, out, n, n);
    kogge::merge(in, in, Nowhere{}, n, n, Less{}, how);
    kogge::merge_pairs(in, at.other, in, Numbers16{}, out, at.other_out, n, n);
    kogge::merge_pairs(in, at.other, in, at.other, out, at.other_out, n, n, how);
    kogge::lower_bound(in, in, at.indices, n, n);
    kogge::upper_bound(in, in, at.indices, n, n, Less{}, how);
    return kogge::scratch_bytes([&](const kogge::exec& asked) { kogge::inclusive_scan(in, out, n, asked); });
}

template <class T>
std::uint64_t compactions(T* in, T* out, std::uint64_t n, const Places& at, const kogge::exec& how) {
    std::uint64_t kept = kogge::compact(in, out, n, IsEven{});
    kogge::compact(in, out, at.count, n, IsEven{}, how);
    kept += kogge::compact(in, out, kogge::count_at(at.count), n, kogge::compare<T>{}, how);
    kept += kogge::compact_flags(in, at.flags, out, n);
    kogge::compact_flags(in, kogge::bit_mask(at.words), out, at.count, n);
    kept += kogge::compact_stencil(in, at.words, out, n, IsEven{});
    kept += kogge::compact(kogge::positions{}, at.indices, n, IsEven{});
    kept += kogge::compact_indices(at.flags, at.indices, n);
    kogge::compact_indices(kogge::bit_mask(at.words), at.indices, at.words, n, how);
    kept += kogge::compact_indices(in, at.indices, n, IsEven{}, how);
    kept += kogge::compact_indices(kogge::positions{}, at.indices, kogge::count_at(at.count), n, IsEven{});
    kept += kogge::compact(kogge::arrays(in, at.other), kogge::arrays(out, at.other_out), n, IsEven{});
    kept += kogge::compact_flags(kogge::arrays(in, at.other), at.flags, kogge::arrays(out, at.other_out), n);
    kept +=
        kogge::compact_stencil(kogge::arrays(in, at.other), at.words, kogge::arrays(out, at.other_out), n, IsEven{});
    kept += kogge::partition(in, out, n, IsEven{});
    kept += kogge::partition(in, kogge::two_outputs<T>{out, out + n}, n, IsEven{}, how);
    kept += kogge::partition_flags(in, at.flags, out, n);
    kept += kogge::partition_stencil(in, at.words, kogge::two_outputs<T>{out, out + n}, n, IsEven{}, how);
    kogge::split(in, out, at.offsets, n, 8, Bucket{});
    kogge::split_pairs(in, at.other, out, at.other_out, at.offsets, n, 8, Bucket{}, how);
    kept += kogge::unique(in, out, n);
    kept += kogge::unique_by_key(in, at.other, out, at.other_out, n);
    kept += kogge::unique_by_key(in, kogge::positions{}, kogge::discard{}, at.offsets, n);
    kept += kogge::run_length_encode(in, out, at.indices, n);
    return kept;
}

struct Twice {
    template <class T>
    CONSUMER_FUNCTION T operator()(const T& x) const {
        return static_cast<T>(x + x);
    }
};

template <class T>
std::uint64_t reductions(T* in, T* out, std::uint64_t n, const Places& at, const kogge::exec& how) {
    kogge::reduce(in, out, n);
    kogge::reduce(in, out, n, how);
    kogge::reduce(in, out, n, Add{}, T{1}, how);
    kogge::reduce(in, out, kogge::device_count{at.count, n}, kogge::maximum{});
    T sum = static_cast<T>(kogge::reduce(in, n) + kogge::reduce(in, n, kogge::minimum{}, how));
    kogge::transform_reduce(in, out, n, Twice{});
    kogge::transform_reduce(in, out, n, Twice{}, Add{}, T{1}, how);
    sum = static_cast<T>(sum + kogge::transform_reduce(in, n, Twice{}) +
                         kogge::transform_reduce(in, n, Twice{}, Add{}, T{1}));
    kogge::arg_min(in, at.count, n);
    kogge::arg_max(in, out, at.indices, n, how);
    std::uint64_t runs = kogge::arg_max(in, n).index + static_cast<std::uint64_t>(sum);
    runs += kogge::reduce_by_key(at.words, in, at.indices, out, n);
    runs += kogge::reduce_by_key(at.words, in, at.indices, out, kogge::count_at(at.count), n, Add{}, how);
    kogge::reduce_by_key(at.words, in, at.indices, out, at.count, n, Add{}, Equal{}, how);
    kogge::segmented_reduce(in, out, n, at.offsets, 3);
    kogge::segmented_reduce(in, out, n, at.offsets, 3, Add{}, T{1}, how);
    kogge::segmented_reduce(in, out, kogge::rows_of{2, n / 2}, kogge::maximum{});
    return runs;
}

template <class Key>
void sorts(Key* keys, Key* out, std::uint64_t n, const Places& at, const kogge::exec& how) {
    kogge::radix_sort(keys, n);
    kogge::radix_sort(keys, n, how.stream);
    kogge::radix_sort(keys, n, {.stream = how.stream});
    kogge::argsort(keys, at.indices, n, {how.stream});
    kogge::radix_sort(keys, out, n, nullptr);
    kogge::radix_sort(keys, out, n, {.order = kogge::descending, .begin_bit = 2, .end_bit = 8}, how);
    kogge::radix_sort_pairs(keys, at.other, n);
    kogge::radix_sort_pairs(keys, kogge::arrays(at.words, at.other), n, how);
    kogge::radix_sort_pairs(keys, out, at.other, at.other_out, n);
    kogge::argsort(keys, at.indices, n);
    if constexpr (kogge::detail::is_number_key<Key>) {
        kogge::argsort(kogge::columns(kogge::column(keys, {.order = kogge::descending, .valid = at.words}), at.other),
                       at.indices, n, how);
        kogge::radix_sort_pairs(kogge::arrays(keys, at.other), at.words, n);
    }
    kogge::segmented_sort(keys, n, at.offsets, 3);
    kogge::segmented_sort(keys, out, n, at.offsets, 3, {.order = kogge::descending}, how);
    kogge::segmented_sort_pairs(keys, at.other, n, at.offsets, 3);
    kogge::segmented_sort_pairs(keys, kogge::arrays(at.words, at.other), n, at.offsets, 3);
    kogge::segmented_sort_pairs(keys, out, at.other, at.other_out, n, at.offsets, 3);
    kogge::segmented_sort(keys, n, kogge::segments_of(at.offsets, at.offsets + 1, 2));
    kogge::segmented_argsort(keys, at.indices, kogge::rows_of{2, n / 2});
    kogge::segmented_argsort(keys, out, at.indices, n, at.offsets, 3, {.order = kogge::descending}, how);
    kogge::top_k(keys, out, n, 2);
    kogge::top_k_pairs(keys, out, at.other, at.other_out, n, 2, {.order = kogge::ascending}, how);
    kogge::top_k_pairs(keys, out, kogge::arrays(at.other, at.words), kogge::arrays(at.other_out, at.indices), n, 2,
                       how);
    kogge::arg_top_k(keys, at.indices, n, 2, how);
    kogge::arg_top_k(keys, out, at.indices, n, 2);
    kogge::select(keys, out, n, n / 2);
    kogge::select(keys, out, n, n / 2, how);
    kogge::quantiles(keys, out, n, at.offsets, 3, {.order = kogge::descending}, how);
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(*keys)>>) {
        kogge::segmented_top_k(keys, out, kogge::rows_of{2, n / 2}, 1);
        kogge::segmented_top_k_pairs(keys, out, at.other, at.other_out, n, at.offsets, 3, 1,
                                     {.order = kogge::ascending}, how);
        kogge::segmented_top_k_pairs(keys, out, kogge::arrays(at.other, at.words),
                                     kogge::arrays(at.other_out, at.indices), kogge::rows_of{2, n / 2}, 1, how);
        kogge::segmented_arg_top_k(keys, out, at.indices, kogge::rows_of{2, n / 2}, 1, {.stream = how.stream});
        kogge::segmented_top_k(keys, out, n, at.offsets, 3, kogge::each_k(at.offsets, 2));
        kogge::segmented_select(keys, out, kogge::rows_of{2, n / 2}, 1);
        kogge::segmented_select(keys, out, n, at.offsets, 3, at.offsets, how);
    }
}

template <class T>
void histograms(T* in, std::uint64_t n, const Places& at, const kogge::exec& how) {
    kogge::histogram(in, at.indices, n, 8, Bucket{});
    kogge::histogram(in, at.count, kogge::rows_of{n / 2, 2}, 8, Bucket{}, how);
    kogge::histogram(in, at.indices, n, kogge::even_bins(T{0}, T{100}, 8));
    kogge::histogram(in, at.indices, n, kogge::bin_bounds<T>(in, 1), how);
    kogge::histogram(in, at.indices, n, kogge::leading_bits{3});
    kogge::weighted_histogram(in, at.other, at.count, n, 8, Bucket{}, how);
    kogge::weighted_histogram(in, at.other, at.count, n, kogge::even_bins(T{0}, T{100}, 8));
}

template <class T>
std::uint64_t ranges(const std::vector<T>& items) {
    using namespace kogge;
    const auto even = items | compact(IsEven{});
    const auto sums = items | inclusive_scan(Add{});
    const auto before = sums | exclusive_scan(T{});
    const auto sorted = before | radix_sort({.order = descending});
    return even.size() + sorted.to_vector().size();
}

inline std::uint64_t emits(std::uint32_t* out, std::uint64_t n, const Places& at, const kogge::exec& how) {
    kogge::emit(out, n, at.count, n, CountOf{}, Make{}, at.offsets, how);
    return kogge::emit(out, n, n, CountOf{}, Make{});
}

}  // namespace consumer

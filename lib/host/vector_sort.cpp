// Sorts of keys alone by Highway's vectorised quicksort. One thread gives it the whole array; several first split the
// keys by their leading bits, which takes as long as the levels of quicksort that it saves, and draw the bins.
#include "kogge/host/machine/vector_sort.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <optional>

#include "kogge/host/machine/scratch.hpp"
#include "kogge/host/machine/threads.hpp"
#include "kogge/host/split.hpp"

namespace kogge::host {

#if KOGGE_HIGHWAY
namespace N_AVX2 {
void vector_sort(std::uint32_t* keys, std::size_t n);
void vector_sort(std::uint64_t* keys, std::size_t n);
}  // namespace N_AVX2
namespace N_AVX3 {
void vector_sort(std::uint32_t* keys, std::size_t n);
void vector_sort(std::uint64_t* keys, std::size_t n);
}  // namespace N_AVX3
#endif

namespace {

enum class Vectors { none, avx2, avx512, avx512_for_wide_keys };

Vectors find_vectors() {
#if KOGGE_HIGHWAY
    // What the targets' code may use.
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2"))
        return Vectors::none;
    for (const bool has : {__builtin_cpu_supports("avx512f") != 0, __builtin_cpu_supports("avx512vl") != 0,
                           __builtin_cpu_supports("avx512bw") != 0, __builtin_cpu_supports("avx512dq") != 0,
                           __builtin_cpu_supports("avx512cd") != 0})
        if (!has) return Vectors::avx2;
    return __builtin_cpu_is("amd") ? Vectors::avx512_for_wide_keys : Vectors::avx512;
#else
    return Vectors::none;
#endif
}

Vectors vectors() {
    static const Vectors found = find_vectors();
    return found;
}

template <class Key>
void vector_sort([[maybe_unused]] Key* keys, [[maybe_unused]] std::uint64_t n) {
#if KOGGE_HIGHWAY
    const bool wide = vectors() == Vectors::avx512 || (vectors() == Vectors::avx512_for_wide_keys && sizeof(Key) == 8);
    if (wide) N_AVX3::vector_sort(keys, n);
    else N_AVX2::vector_sort(keys, n);
#endif
}

/// The inverse of a codec that gives different keys different codes.
template <class Key>
struct Decoder {
    kogge::detail::NumberCodec<Key> codec;

    Key operator()(Key code) const {
        constexpr Key kSign = Key{1} << (8 * sizeof(Key) - 1);
        if (codec.descending) code = ~code;
        if (codec.is_float) return code & kSign ? code ^ kSign : ~code;
        return codec.is_signed ? code ^ kSign : code;
    }
    bool changes_nothing() const { return !codec.descending && !codec.is_float && !codec.is_signed; }
};

/// One thread's sort.
template <class Key>
void sort_alone(const Key* from, Key* to, std::uint64_t n, const Decoder<Key>& decode) {
    if (decode.changes_nothing()) {
        if (to != from) copy_items(to, from, n);
        return vector_sort(to, n);
    }
    for (std::uint64_t i = 0; i < n; ++i) to[i] = decode.codec.encode(from[i]);
    vector_sort(to, n);
    for (std::uint64_t i = 0; i < n; ++i) to[i] = decode(to[i]);
}

/// Many threads' sort.
template <class Key>
class Sorter {
public:
    Sorter(std::uint64_t n, const Decoder<Key>& decode, int threads) : n_(n), decode_(decode), threads_(threads) {}

    /// Sorts n keys of the whole array, those from `place` on, to `to`, which may be `from`. A bin that would keep one
    /// thread busy for long is split once more by all of them.
    void sort(const Key* from, Key* to, std::uint64_t n, std::uint64_t place) {
        const std::uint64_t workers = threads_for(n, threads_);
        if (workers == 1 || n < kWorthASplit) return sort_alone(from, to, n, decode_);
        const int top = std::bit_width(differing_bits(from, n)), shift = std::max(0, top - kBits);
        if (top == 0) return copy_items(to, from, n, threads_);
        Key* const bins = from == to ? scratch(place) : to;
        std::uint64_t starts[kBins + 1];
        const auto digit = [shift, codec = decode_.codec](const Key& key) {
            return static_cast<std::uint32_t>(codec.encode(key) >> shift) % kBins;
        };
        {
            Splitter<Key, NoValue> splitter("radix_sort", n, kBins, threads_);
            splitter.count(from, digit);
            splitter.offsets(starts);
            splitter.move(from, bins, nullptr, nullptr, digit);
        }
        if (shift == 0) return copy_items(to, bins, n, threads_);
        const std::uint64_t large = std::max(kWorthASplit, n / (2 * workers));
        const auto size_of = [&](std::uint64_t bin) { return starts[bin + 1] - starts[bin]; };
        for_chunks(kBins, 1, static_cast<int>(workers), [&](const Chunk& chunk) {
            Key* const bin = bins + starts[chunk.index];
            const std::uint64_t size = size_of(chunk.index);
            if (size > large) return;
            sort_alone(bin, bin, size, decode_);
            if (bins != to) copy_items(to + starts[chunk.index], bin, size);
        });
        for (std::uint64_t bin = 0; bin < kBins; ++bin)
            if (size_of(bin) > large) sort(bins + starts[bin], to + starts[bin], size_of(bin), place + starts[bin]);
    }

private:
    struct NoValue {};
    static constexpr int kBits = 8;
    static constexpr std::uint32_t kBins = 1u << kBits;
    static constexpr std::uint64_t kWorthASplit = 1u << 17;

    /// Those of the codes.
    Key differing_bits(const Key* keys, std::uint64_t n) const {
        std::atomic<Key> differing = 0;
        for_chunks(
            n, kChunkBytes / sizeof(Key), threads_,
            [&differing, keys, codec = decode_.codec, first = decode_.codec.encode(keys[0])](const Chunk& chunk) {
                Key bits = 0;
                for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) bits |= codec.encode(keys[i]) ^ first;
                differing |= bits;
            });
        return differing;
    }
    Key* scratch(std::uint64_t place) {
        if (!scratch_) scratch_.emplace("radix_sort", n_);
        return scratch_->data() + place;
    }

    std::uint64_t n_;
    Decoder<Key> decode_;
    int threads_;
    std::optional<Scratch<Key>> scratch_;
};

template <class Key>
bool sort_codes(const Key* in, Key* out, std::uint64_t n, const kogge::detail::NumberCodec<Key>& codec, int threads) {
    if (vectors() == Vectors::none || (codec.is_float && (codec.zeros_equal || codec.nans_last))) return false;
    Sorter<Key>(n, {codec}, threads).sort(in, out, n, 0);
    return true;
}

}  // namespace

const char* vector_sort_name() {
    switch (vectors()) {
        case Vectors::none:
            return "";
        case Vectors::avx2:
            return "Highway (AVX2)";
        case Vectors::avx512:
            return "Highway (AVX-512)";
        case Vectors::avx512_for_wide_keys:
            return "Highway (AVX-512, AVX2 for 32 bits)";
    }
    return "";
}

bool sort_by_vectors(const std::uint32_t* in, std::uint32_t* out, std::uint64_t n,
                     const kogge::detail::NumberCodec<std::uint32_t>& codec, int threads) {
    return sort_codes(in, out, n, codec, threads);
}
bool sort_by_vectors(const std::uint64_t* in, std::uint64_t* out, std::uint64_t n,
                     const kogge::detail::NumberCodec<std::uint64_t>& codec, int threads) {
    return sort_codes(in, out, n, codec, threads);
}

}  // namespace kogge::host

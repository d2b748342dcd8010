// The device code of runs of numbers that the library holds ready (detail/prebuilt.hpp): for keys of 1, 2, 4 and 8
// bytes, of which it knows the words and what makes two of them equal. Values and lengths are told at run time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/exec.hpp"
#include "kogge/plan.hpp"
#include "kogge/simt/config.hpp"

namespace kogge::grid {

/// Equality of numbers by their words, as the numbers compare: of floats −0 equals 0, and a NaN nothing.
template <class Word>
struct StoredEqual {
    Word magnitude;  ///< all bits, of floats without the sign
    Word greatest;   ///< of the magnitudes that equal themselves
    KOGGE_HOST_DEVICE bool operator()(const Word& a, const Word& b) const {
        return a == b ? (a & magnitude) <= greatest : ((a | b) & magnitude) == Word{0};
    }
};
/// A compaction's decision to keep the first key of each run.
template <class Key>
struct FirstStored {
    const Key* keys;
    StoredEqual<Key> equal;
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t i, const Key& key) const {
        return i == 0 || !equal(keys[i - 1], key);
    }
};

/// Writes the first key of each run.
template <class Key>
struct WriteKeys {
    static constexpr runs_output kOutput = runs_output::items;
    Key* out;
};

/// Writes the first key of each run, and the value of any size beside it, in words that divide its size and addresses.
template <class Key>
struct WriteKeysAndValues {
    static constexpr runs_output kOutput = runs_output::values;
    /// A value of one word, which is loaded early, or where a wider one stands.
    using Value = std::uint64_t;
    const Key* keys;
    Key* out;
    const void* values;
    void* values_out;
    std::uint64_t bytes;
    std::uint64_t word_bytes;

    template <class F>
    KOGGE_HOST_DEVICE void with_word(const F& f) const {
        if (word_bytes == 8) f(std::uint64_t{});
        else if (word_bytes == 4) f(std::uint32_t{});
        else if (word_bytes == 2) f(std::uint16_t{});
        else f(std::uint8_t{});
    }
    KOGGE_HOST_DEVICE Value beside(std::uint64_t head) const {
        Value value = head;
        if (bytes == word_bytes) with_word([&]<class Word>(Word) { value = static_cast<const Word*>(values)[head]; });
        return value;
    }
    KOGGE_HOST_DEVICE void put(std::uint64_t run, Value value) const {
        with_word([&]<class Word>(Word) {
            auto* const to = static_cast<Word*>(values_out);
            const std::uint64_t words = bytes / sizeof(Word);
            if (words == 1) {
                to[run] = static_cast<Word>(value);
            } else {
                const auto* const from = static_cast<const Word*>(values) + value * words;
                for (std::uint64_t w = 0; w < words; ++w) to[run * words + w] = from[w];
            }
        });
    }
    KOGGE_HOST_DEVICE void operator()(std::uint64_t run, std::uint64_t head, std::uint64_t) const {
        out[run] = keys[head];
        put(run, beside(head));
    }
    KOGGE_HOST_DEVICE void finish(std::uint64_t, std::uint64_t, std::uint64_t) const {}
};

/// Writes the first key of each run, and the run's length, of 32 or 64 bits. Until the length is known its place may
/// hold the run's start, truncated to the bits of a length.
template <class Key>
struct WriteKeysAndLengths {
    static constexpr runs_output kOutput = runs_output::lengths;
    const Key* keys;
    Key* out;
    void* lengths;
    bool are_wide;

    KOGGE_HOST_DEVICE void set_length(std::uint64_t run, std::uint64_t length) const {
        if (are_wide) static_cast<std::uint64_t*>(lengths)[run] = length;
        else static_cast<std::uint32_t*>(lengths)[run] = static_cast<std::uint32_t>(length);
    }
    KOGGE_HOST_DEVICE void set_start(std::uint64_t run, std::uint64_t head) const { set_length(run, head); }
    KOGGE_HOST_DEVICE void end_at(std::uint64_t run, std::uint64_t next) const {
        set_length(run, next - (are_wide ? static_cast<const std::uint64_t*>(lengths)[run]
                                         : static_cast<const std::uint32_t*>(lengths)[run]));
    }
    KOGGE_HOST_DEVICE void operator()(std::uint64_t run, std::uint64_t head, std::uint64_t previous) const {
        out[run] = keys[head];
        if (run > 0) set_length(run - 1, head - previous);
    }
    KOGGE_HOST_DEVICE void finish(std::uint64_t runs, std::uint64_t last, std::uint64_t n) const {
        if (runs > 0) set_length(runs - 1, n - last);
    }
};

/// Finds and writes the runs of n keys. The arguments have been checked. `total` is device memory. Scratch as plan_runs
/// says.
template <class Code, class Key, class Write>
void device_stored_runs(const char* call, const Key* keys, const item_count& n, const StoredEqual<Key>& equal,
                        const Write& write, std::uint64_t* total, const exec& how);

// Each of the three is a function; X is applied to the keys' types.
#define KOGGE_STORED_RUNS_AS(prefix, Key, Write)                                                                \
    prefix template void device_stored_runs<LibraryCode>(const char*, const Key*, const item_count&,            \
                                                         const StoredEqual<Key>&, const Write&, std::uint64_t*, \
                                                         const exec&);
#define KOGGE_STORED_RUNS_OF(prefix, Key)                      \
    KOGGE_STORED_RUNS_AS(prefix, Key, WriteKeys<Key>)          \
    KOGGE_STORED_RUNS_AS(prefix, Key, WriteKeysAndValues<Key>) \
    KOGGE_STORED_RUNS_AS(prefix, Key, WriteKeysAndLengths<Key>)
#define KOGGE_DECLARE(Key) KOGGE_STORED_RUNS_OF(extern, Key)
KOGGE_RANKED_KEYS(KOGGE_DECLARE)
#undef KOGGE_DECLARE

}  // namespace kogge::grid

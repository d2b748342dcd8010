// Segments of an array, as calls take them: offsets, begins and ends, or rows of one length.
//
//   offsets           segment s begins at offsets[s] and ends where the next one begins, the last one at n. Offsets
//                     ascend; equal neighbours are empty segments.
//   begins and ends   segment s is the items [begins[s], ends[s]). Segments may stand in any order, and leave gaps,
//                     whose items are neither read nor changed. One that does not end behind its begin is empty.
//                     Segments do not overlap.
//   rows              rows_of(length, count): all of one length, one behind the other. No array is read.
//
// Offsets, begins and ends are integers of any type, where the data is: pointers, or any copyable objects with
// operator[](uint64) (a strided counting sequence), which a device reads in a file that nvcc compiles. Those past n
// count as n, and negative ones as past n. The number of segments is any integer, or a device_count: then the segments
// beyond it do not count.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kogge/exec.hpp"
#include "kogge/simt/config.hpp"
#include "kogge/traits.hpp"
#include "kogge/types/rows.hpp"

namespace kogge {

namespace detail {

template <class T>
inline constexpr bool is_offset = std::is_integral_v<T> && !std::is_same_v<std::remove_cv_t<T>, bool>;

/// Where segments begin or end: null, a pointer, or an object with operator[]. Pointers to other types than integers
/// are accepted here, and rejected with a message.
template <class T>
concept offset_source = std::is_null_pointer_v<T> ||
                        (std::is_pointer_v<T>&& std::is_object_v<std::remove_pointer_t<T>>) ||
                        (std::is_class_v<T> &&
                         requires(const T& offsets) { static_cast<std::uint64_t>(offsets[std::uint64_t{}]); });

/// Stands for ends where each segment ends where the next one begins.
struct NextBegin {};

}  // namespace detail

/// Segments that are given by their begins, and by their ends or the next begins.
template <class Begins, class Ends>
struct segment_bounds {
    Begins begins;
    Ends ends;
    item_count count;
};
template <detail::offset_source Offsets>
segment_bounds<Offsets, detail::NextBegin> segments_of(Offsets offsets, item_count count) {
    return {offsets, {}, count};
}
template <detail::offset_source Begins, detail::offset_source Ends>
segment_bounds<Begins, Ends> segments_of(Begins begins, Ends ends, item_count count) {
    return {begins, ends, count};
}

namespace detail {

typedef std::uint64_t __attribute__((__may_alias__)) Word64;  // NOLINT: no `using` takes it in all compilers

/// Integers of any type in an array. Their width is the same for all threads, so that reading them costs one branch
/// that does not diverge.
struct IntegersIn {
    const void* first = nullptr;
    int bytes = 8;
    bool are_signed = false;

    KOGGE_HOST_DEVICE std::uint64_t operator[](std::uint64_t i) const {
        if (bytes == 8) return static_cast<const Word64*>(first)[i];
        std::uint64_t word = bytes == 4   ? static_cast<const Word32*>(first)[i]
                             : bytes == 2 ? static_cast<const Word16*>(first)[i]
                                          : static_cast<const Word8*>(first)[i];
        const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
        return are_signed ? (word ^ sign) - sign : word;
    }
};

/// Segments in plain data, which kernels take.
struct SegmentBounds {
    IntegersIn begins{};  ///< null: rows
    IntegersIn ends{};
    bool have_ends = false;                ///< false: each segment ends where the next one begins
    std::uint64_t length = 0;              ///< of rows
    std::uint64_t most = 0;                ///< segments, or the bound of their number
    const std::uint64_t* count = nullptr;  ///< null: `most` of them

    struct Bounds {
        std::uint64_t begin, end;  ///< begin ≤ end ≤ n
    };
    KOGGE_HOST_DEVICE std::uint64_t number() const { return count && *count < most ? *count : most; }
    /// Of segment s of `number`.
    KOGGE_HOST_DEVICE Bounds at(std::uint64_t s, std::uint64_t number, std::uint64_t n) const {
        std::uint64_t begin = s * length, end = begin + length;
        if (begins.first) {
            begin = begins[s];
            end = have_ends ? ends[s] : s + 1 < number ? begins[s + 1] : n;
        }
        end = end < n ? end : n;
        return {begin < end ? begin : end, end};
    }
    /// Begin and length of segment s of as many as there may be, for the host, which knows their number.
    std::pair<std::uint64_t, std::uint64_t> interval(std::uint64_t s, std::uint64_t n) const {
        const Bounds own = at(s, most, n);
        return {own.begin, own.end - own.begin};
    }
    /// Whether they are offsets of 64 bits, whose number the host knows.
    bool are_plain() const { return begins.bytes == 8 && !have_ends && !count && (begins.first || most == 0); }
};

/// The segments of n items on the host: the begin and the length of each. One type for all callers, so that they share
/// the host's code.
struct SegmentIntervals {
    SegmentBounds bounds;
    std::uint64_t n;
    std::pair<std::uint64_t, std::uint64_t> operator()(std::uint64_t s) const { return bounds.interval(s, n); }
};

/// Where segments begin, as a sequence.
struct SegmentBegins {
    SegmentBounds of;
    KOGGE_HOST_DEVICE std::uint64_t operator[](std::uint64_t s) const {
        return of.begins.first ? of.begins[s] : s * of.length;
    }
};

/// Segments of a call on the device. What neither is a pointer nor rows is stored first, as integers of 64 bits.
struct DeviceSegments {
    SegmentBounds bounds{};
    const void* given = nullptr;
    /// Null: nothing is stored.
    void (*store)(const void* given, const SegmentBounds& bounds, std::uint64_t* begins, std::uint64_t* ends,
                  stream_t stream) = nullptr;
    bool indices_in_segment = false;  ///< an argsort's indices count from the segment's first item

    /// Stores what is to be stored, and says where the bounds are.
    SegmentBounds stored(std::uint64_t* begins, std::uint64_t* ends, stream_t stream) const {
        SegmentBounds all = bounds;
        if (!store) return all;
        store(given, bounds, begins, ends, stream);
        all.begins = {begins};
        if (all.have_ends) all.ends = {ends};
        return all;
    }
};

}  // namespace detail
}  // namespace kogge

// For the calls that take segments: segments as a caller gives them, checked and made plain.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/types/counts.hpp"
#include "kogge/types/segments.hpp"
#if KOGGE_KERNELS
#include "kogge/engine/store_offsets.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

/// The segments of one call. Used in this order: regions() for check_call, check_count(), then on_host() or
/// on_device().
template <class Begins, class Ends>
class GivenSegments {
public:
    static constexpr bool kHaveEnds = !std::is_same_v<Ends, NextBegin>;

    GivenSegments(const char* call, const segment_bounds<Begins, Ends>& given) : call_(call), given_(given) {
        bounds_.most = given.count.bound();
        bounds_.count = given.count.on_device();
        bounds_.have_ends = kHaveEnds;
        add(given.begins, bounds_.begins, kHaveEnds ? "begins" : "offsets", kOffsetsToCome);
        if constexpr (kHaveEnds) add(given.ends, bounds_.ends, "ends", kOffsetsToCome + 1);
        if (bounds_.count) regions_.push_back({bounds_.count, sizeof(std::uint64_t), "the number of segments"});
    }

    std::uint64_t most() const { return bounds_.most; }
    static std::uint64_t longest() { return ~std::uint64_t{0}; }  ///< as far as the host knows
    /// What the call only reads.
    const std::vector<Region>& regions() const { return regions_; }

    /// A number of segments on the device is none for the host; a checked one is waited for, and checked.
    void check_count(bool on_host, stream_t stream) const {
        if (!bounds_.count) return;
        if (on_host)
            throw error(errc::invalid_argument, call_,
                        "a device_count needs the device; pass the number of segments itself");
        if (!given_.count.is_checked() || simt::is_measuring()) return;
        check_may_wait(call_, stream, "give a device_count that is not checked");
        const std::uint64_t number = wait_for_number(bounds_.count, stream);
        if (number > bounds_.most)
            throw error(errc::invalid_argument, call_,
                        "the number of segments is " + std::to_string(number) + ", above its bound of " +
                            std::to_string(bounds_.most));
    }

    /// For the host, which throws where offsets fall or segments overlap, unless they `may_overlap`.
    SegmentBounds on_host(std::uint64_t n, bool may_overlap = false) {
        if constexpr (!(kIsPlain<Begins> && kIsPlain<Ends>)) {
            if constexpr (!runs_on_host<Begins> || !runs_on_host<Ends>) report_device_only(call_);
            else {
                bounds_.begins = keep(begins_, given_.begins);
                if constexpr (kHaveEnds) bounds_.ends = keep(ends_, given_.ends);
            }
        }
        if (may_overlap) return bounds_;
        if constexpr (kHaveEnds) check_apart(n);
        else check_ascending();
        return bounds_;
    }

    DeviceSegments on_device() const {
        DeviceSegments segments{bounds_};
        if constexpr (!(kIsPlain<Begins> && kIsPlain<Ends>)) {
#if KOGGE_KERNELS
            segments.given = &given_;
            segments.store = [](const void* given, const SegmentBounds& bounds, std::uint64_t* begins,
                                std::uint64_t* ends, stream_t stream) {
                const auto& from = *static_cast<const segment_bounds<Begins, Ends>*>(given);
                const grid::Count count{bounds.most, bounds.count};
                grid::store_offsets(from.begins, begins, count, stream);
                if constexpr (kHaveEnds) grid::store_offsets(from.ends, ends, count, stream);
            };
#else
            throw error(errc::not_built, call_,
                        "the library holds no device code that reads offsets from this type; compile this file with "
                        "nvcc, or give a pointer");
#endif
        }
        return segments;
    }

private:
    template <class Source>
    static constexpr bool kIsPlain =
        std::is_null_pointer_v<Source> || std::is_pointer_v<Source> || std::is_same_v<Source, NextBegin>;

    template <class Source>
    void add(const Source& source, IntegersIn& plain, const char* name, int to_come) {
        if constexpr (std::is_null_pointer_v<Source>) {
            add(static_cast<const std::uint64_t*>(nullptr), plain, name, to_come);
        } else if constexpr (std::is_pointer_v<Source>) {
            using Offset = std::remove_cv_t<std::remove_pointer_t<Source>>;
            static_assert(is_offset<Offset>, "offsets of segments are integers");
            plain = {array_to_come(source, to_come), sizeof(Offset), std::is_signed_v<Offset>};
            regions_.push_back({plain.first, bytes_of(call_, bounds_.most, sizeof(Offset)), name});
        } else {
            bytes_of(call_, bounds_.most, sizeof(std::uint64_t));
        }
    }
    template <class Source>
    IntegersIn keep(std::vector<std::uint64_t>& kept, const Source& source) const {
        if constexpr (std::is_null_pointer_v<Source>) return {};
        else {
            kept.resize(bounds_.most);
            for (std::uint64_t s = 0; s < bounds_.most; ++s) kept[s] = static_cast<std::uint64_t>(source[s]);
            return {kept.data()};
        }
    }
    static std::string text_of(const IntegersIn& offsets, std::uint64_t s) {
        const std::uint64_t offset = offsets[s];
        return offsets.are_signed ? std::to_string(static_cast<std::int64_t>(offset)) : std::to_string(offset);
    }
    void check_ascending() const {
        const IntegersIn& offsets = bounds_.begins;
        for (std::uint64_t s = 1; s < bounds_.most; ++s)
            if (offsets[s] < offsets[s - 1])
                throw error(errc::invalid_argument, call_,
                            "offsets[" + std::to_string(s) + "] is " + text_of(offsets, s) +
                                ", but the one before it " + text_of(offsets, s - 1) + "; they must ascend");
    }
    void check_apart(std::uint64_t n) const {
        using Found = std::pair<SegmentBounds::Bounds, std::uint64_t>;
        std::vector<Found> all;
        bool in_order = true;
        for (std::uint64_t s = 0; s < bounds_.most; ++s) {
            const SegmentBounds::Bounds own = bounds_.at(s, bounds_.most, n);
            if (own.begin == own.end) continue;
            in_order = in_order && (all.empty() || all.back().first.begin <= own.begin);
            all.emplace_back(own, s);
        }
        if (!in_order)
            std::sort(all.begin(), all.end(),
                      [](const Found& a, const Found& b) { return a.first.begin < b.first.begin; });
        for (std::size_t i = 1; i < all.size(); ++i)
            if (all[i].first.begin < all[i - 1].first.end)
                throw error(errc::invalid_argument, call_,
                            "segments " + std::to_string((std::min)(all[i - 1].second, all[i].second)) + " and " +
                                std::to_string((std::max)(all[i - 1].second, all[i].second)) + " overlap");
    }

    const char* call_;
    segment_bounds<Begins, Ends> given_;
    SegmentBounds bounds_{};
    std::vector<Region> regions_;
    std::vector<std::uint64_t> begins_, ends_;  ///< on the host, of what is no pointer
};

/// Rows as segments, of the number of items that they hold together.
class GivenRows {
public:
    GivenRows(const char* call, const rows_of& rows) {
        bounds_.length = rows.length;
        bounds_.most = rows.count;
        n_ = rows.length == 0 ? 0 : bytes_of(call, rows.count, rows.length);  // the product, checked
    }
    item_count n() const { return n_; }
    std::uint64_t most() const { return bounds_.most; }
    std::uint64_t longest() const { return bounds_.length; }
    std::vector<Region> regions() const { return {}; }
    void check_count(bool, stream_t) const {}
    SegmentBounds on_host(std::uint64_t, bool = false) const { return bounds_; }
    DeviceSegments on_device() const { return {bounds_}; }

private:
    SegmentBounds bounds_{};
    std::uint64_t n_;
};

template <class Begins, class Ends>
GivenSegments<Begins, Ends> given_segments(const char* call, const segment_bounds<Begins, Ends>& segments) {
    return {call, segments};
}
inline GivenRows given_segments(const char* call, const rows_of& rows) { return {call, rows}; }

}  // namespace kogge::detail::KOGGE_CODE

// Segments in each of the forms in which calls take them, for calls that let them overlap: rows, offsets, and begins
// and ends apart. Their number may be on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "fuzz/case.hpp"
#include "fuzz/segments.hpp"
#include "kogge/plan/segmented/layout.hpp"
#include "kogge/types/segments.hpp"

namespace fuzz {

/// What is no pointer: an input, or offsets, behind operator[].
template <class T>
struct Sequence {
    const T* items;
    KOGGE_HOST_DEVICE T operator[](std::uint64_t i) const { return items[i]; }
};

class GivenSegments {
public:
    /// Of the items that `count` counts. `by_begins`: they have no ends of their own, and offsets ascend.
    GivenSegments(Case& of, const Count& count, bool by_begins = false);

    bool are_rows() const { return form_ == Form::rows; }
    bool are_plain_offsets() const { return form_ == Form::offsets && !number_.on_device; }
    std::uint64_t row_length() const { return rows_.length; }
    /// How many there may be, and how many there are.
    std::uint64_t bound() const { return number_.bound; }
    std::uint64_t number() const { return number_.n; }
    /// Of segments that there are: begin ≤ end ≤ n.
    const std::vector<Part>& parts() const { return parts_; }

    /// The items of all rows, or what may be items, for plans; and of one segment.
    std::uint64_t items() const { return are_rows() ? rows_.length * rows_.count : count_.bound; }
    std::uint64_t longest() const { return are_rows() ? rows_.length : count_.bound; }
    kogge::segment_layout layout() const {
        return {.have_ends = form_ == Form::bounds, .are_stored = form_ == Form::sequence};
    }

    /// call(rows), call(n, offsets, number) or call(n, segments).
    template <class Call>
    void with(const Call& call) const {
        switch (form_) {
            case Form::rows:
                return call(rows_);
            case Form::offsets:
                return call(n(), offsets_, kogge::item_count(number_));
            case Form::narrow_offsets:
                return call(n(), narrow_, kogge::item_count(number_));
            case Form::sequence:
                return call(n(), Sequence<std::uint64_t>{offsets_}, kogge::item_count(number_));
            case Form::bounds:
                return call(n(), kogge::segments_of(begins_, ends_, number_));
        }
    }

private:
    enum class Form { rows, offsets, narrow_offsets, sequence, bounds };
    kogge::item_count n() const { return count_; }
    void choose_rows(Case& of);
    void choose_number(Case& of, std::uint64_t bound);
    void choose_offsets(Case& of, bool ascending);
    void choose_bounds(Case& of);

    Count count_;
    Form form_;
    kogge::rows_of rows_{};
    Count number_{};
    std::vector<Part> parts_;
    const std::uint64_t* offsets_ = nullptr;
    const std::int32_t* narrow_ = nullptr;
    const std::int64_t* begins_ = nullptr;
    const std::uint32_t* ends_ = nullptr;
};

}  // namespace fuzz

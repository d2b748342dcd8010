#include "fuzz/given_segments.hpp"

#include <algorithm>

namespace fuzz {
namespace {

/// Of n items, in any order: begins and ends are anywhere, and all of them together are not too long.
std::vector<Part> parts_anywhere(Case& of, std::uint64_t n) {
    std::vector<Part> parts(of.below(of.one_in(2) ? 40 : 2000));
    const std::uint64_t most = std::min(n, 400'000 / (parts.size() + 1)), length = 1 + of.below(most + 1);
    for (Part& part : parts) {
        part.begin = of.below(n + 3);
        part.end = of.one_in(10) ? of.below(part.begin + 1) : part.begin + of.below(length);
    }
    return parts;
}

}  // namespace

GivenSegments::GivenSegments(Case& of, const Count& count, bool by_begins)
    : count_(count),
      form_(of.pick({Form::rows, Form::offsets, Form::narrow_offsets, Form::sequence, Form::bounds, Form::bounds})) {
    if (by_begins && form_ == Form::bounds) form_ = Form::offsets;
    if (form_ == Form::rows) choose_rows(of);
    else if (form_ == Form::bounds) choose_bounds(of);
    else choose_offsets(of, by_begins);
}

void GivenSegments::choose_rows(Case& of) {
    rows_.length = of.below(of.one_in(2) ? 70 : 9000);
    rows_.count = rows_.length > 0 ? count_.bound / rows_.length : of.below(20);
    number_ = {rows_.count, rows_.count, {}};
    for (std::uint64_t r = 0; r < rows_.count; ++r) parts_.push_back({r * rows_.length, (r + 1) * rows_.length});
    of.say(rows_.count, " rows of ", rows_.length, ",");
}

void GivenSegments::choose_number(Case& of, std::uint64_t bound) {
    number_ = {bound, bound, {}};
    if (kOnDevice && of.one_in(4)) {
        number_.n = of.some_of(bound);
        number_.on_device = kogge::device_count{of.memory().input(std::vector<std::uint64_t>{number_.n}), bound};
        number_.on_device->checked = of.one_in(3);
    }
    of.say(number_.n, number_.on_device ? " segments, a number on the device," : " segments,");
}

/// Unless they ascend, now and then an offset is less than the one before it: then that segment is empty.
void GivenSegments::choose_offsets(Case& of, bool ascending) {
    auto offsets = segment_offsets(of, count_.n);
    if (!ascending && offsets.size() > 1 && of.one_in(3))
        for (std::uint64_t times = 1 + of.below(3); times > 0; --times) {
            const std::uint64_t s = of.below(offsets.size() - 1);
            std::swap(offsets[s], offsets[s + 1]);
        }
    choose_number(of, offsets.size());
    if (form_ == Form::narrow_offsets) {
        narrow_ = of.memory().input(std::vector<std::int32_t>(offsets.begin(), offsets.end()));
        of.say("of 32 bits,");
    } else {
        offsets_ = of.memory().input(offsets);
        if (form_ == Form::sequence) of.say("a sequence,");
    }
    for (std::uint64_t s = 0; s < number_.n; ++s) {
        const std::uint64_t end = s + 1 < number_.n ? offsets[s + 1] : count_.n;
        parts_.push_back({std::min(offsets[s], end), end});
    }
}

void GivenSegments::choose_bounds(Case& of) {
    auto given = of.one_in(2) ? parts_apart(of, count_.n) : parts_anywhere(of, count_.n);
    std::vector<std::int64_t> begins;
    std::vector<std::uint32_t> ends;
    for (const Part& part : given) {
        // A negative number counts as one past all items.
        begins.push_back(of.one_in(50) ? -1 : static_cast<std::int64_t>(part.begin));
        ends.push_back(static_cast<std::uint32_t>(part.end));
    }
    choose_number(of, given.size());
    begins_ = of.memory().input(begins);
    ends_ = of.memory().input(ends);
    of.say("by begins and ends,");
    for (std::uint64_t s = 0; s < number_.n; ++s) {
        const std::uint64_t end = std::min<std::uint64_t>(ends[s], count_.n);
        parts_.push_back({begins[s] < 0 ? end : std::min(static_cast<std::uint64_t>(begins[s]), end), end});
    }
}

}  // namespace fuzz

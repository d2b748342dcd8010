// Segments with begins and ends apart, and what a call makes of each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/inputs.hpp"

namespace tests {

struct Span {
    std::uint64_t begin, end;
};
struct Spans {
    std::string name;
    std::uint64_t n;
    std::vector<Span> list;

    template <class Offset = std::uint64_t>
    std::vector<Offset> begins() const {
        std::vector<Offset> all;
        for (const Span& span : list) all.push_back(static_cast<Offset>(span.begin));
        return all;
    }
    template <class Offset = std::uint64_t>
    std::vector<Offset> ends() const {
        std::vector<Offset> all;
        for (const Span& span : list) all.push_back(static_cast<Offset>(span.end));
        return all;
    }
    /// The places of those that hold items, clipped to n.
    std::vector<Span> real() const {
        std::vector<Span> all;
        for (const Span& span : list)
            if (span.begin < std::min(span.end, n)) all.push_back({span.begin, std::min(span.end, n)});
        return all;
    }
};

/// Gaps and lengths in turn: gap, length, gap, length, …, gap.
inline Spans spans_of(const std::string& name, const std::vector<std::uint64_t>& gaps_and_lengths) {
    Spans spans{name, 0, {}};
    for (std::size_t i = 0; i < gaps_and_lengths.size(); ++i) {
        if (i % 2 == 1) spans.list.push_back({spans.n, spans.n + gaps_and_lengths[i]});
        spans.n += gaps_and_lengths[i];
    }
    return spans;
}

/// Small and large gaps before, between and behind short and long segments; in any order; and empty ones anywhere.
inline std::vector<Spans> spans_with_gaps() {
    Random random(7);
    std::vector<std::uint64_t> tiny, ragged;
    for (int i = 0; i < 900; ++i) {
        tiny.push_back(random() % 4);
        tiny.push_back(random() % 9);
    }
    for (int i = 0; i < 12; ++i) {
        ragged.push_back(random() % 700);
        ragged.push_back(random() % 900);
    }
    std::vector<Spans> all{
        spans_of("no gap", {0, 300, 0, 500}),
        spans_of("all gap", {7000}),
        spans_of("one item", {3000, 1, 3000}),
        spans_of("of words", {32, 32, 64, 64, 31, 33, 1, 31, 32}),
        spans_of("tiny", tiny),
        spans_of("ragged", ragged),
        spans_of("large gaps", {12000, 40, 17000, 5, 9000, 300, 8191}),
        spans_of("long ones", {5, 9000, 1, 12000, 13000, 6000, 70}),
        spans_of("a gap as long as a window and a short segment", {2720, 5472, 5472, 2720, 8192, 1, 5473}),
    };
    Spans shuffled = spans_of("in any order", ragged);
    for (std::size_t i = shuffled.list.size(); i > 1; --i) std::swap(shuffled.list[i - 1], shuffled.list[random() % i]);
    shuffled.list.insert(shuffled.list.begin() + 3, {{0, 0}, {700, 700}, {9, 3}, {shuffled.n + 9, shuffled.n + 20}});
    all.push_back(shuffled);
    Spans clipped = spans_of("past n", {10, 500, 100, 900});
    clipped.n -= 50;
    all.push_back(clipped);
    Spans skipped{"skipped rows", 8 * 600, {}};
    for (std::uint64_t row = 0; row < 8; ++row)
        skipped.list.push_back({row % 3 == 1 ? (row + 1) * 600 : row * 600, (row + 1) * 600});
    all.push_back(skipped);
    return all;
}

/// The places of a segment in the order that before(a, b) of two places says, equal ones as they stand.
template <class Before>
std::vector<std::uint64_t> places_in_order(const Span& span, const Before& before) {
    std::vector<std::uint64_t> places;
    for (std::uint64_t i = span.begin; i < span.end; ++i) places.push_back(i);
    std::stable_sort(places.begin(), places.end(), before);
    return places;
}
/// Rows of one length.
inline std::vector<Span> row_spans(std::uint64_t length, std::uint64_t rows) {
    std::vector<Span> spans;
    for (std::uint64_t r = 0; r < rows; ++r) spans.push_back({r * length, (r + 1) * length});
    return spans;
}

/// A strided counting sequence, as clients write one.
struct Counting {
    std::int64_t first;
    std::int64_t step;
    KOGGE_HOST_DEVICE std::int64_t operator[](std::uint64_t i) const {
        return first + static_cast<std::int64_t>(i) * step;
    }
};

}  // namespace tests

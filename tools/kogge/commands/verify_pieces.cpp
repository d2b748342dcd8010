#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "commands/each_piece.hpp"
#include "failure.hpp"
#include "io/numbers.hpp"
#include "verify.hpp"
#include "verify_order.hpp"

namespace kogge::command {
namespace {

/// Calls f(item, index) with each item of the input, from its beginning.
template <class T, class F>
void for_each_item(OpenInput& input, std::uint64_t memory, const F& f) {
    std::uint64_t index = 0;
    input.pieces().rewind();
    for_each_piece(input, memory, sizeof(T), [&](const Array& piece) {
        for (std::uint64_t i = 0; i < piece.size(); ++i) f(piece.as<T>()[i], index++);
    });
}

template <class T>
bool same_bits(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

Failure wrong(const char* what, std::uint64_t place) {
    return Failure("verification failed: " + std::string(what) + " " + with_separators(place) +
                   " is not the right one");
}

}  // namespace

void verify_top_k(OpenInput& input, const TopKSettings& settings, const Array& items, const Array& indices) {
    visit(items.type(), [&]<class T>() {
        std::map<std::pair<std::uint64_t, std::uint64_t>, T> first;  // by place and index
        for_each_item<T>(input, settings.memory, [&](T item, std::uint64_t index) {
            first.emplace(std::pair(place_of(item, settings.order), index), item);
            if (first.size() > settings.k) first.erase(std::prev(first.end()));
        });
        if (items.size() != first.size()) throw Failure("verification failed: there are too many items, or too few");
        std::uint64_t i = 0;
        for (const auto& [place, item] : first) {
            if (!same_bits(items.as<T>()[i], item)) throw wrong("item", i);
            if (settings.indices && static_cast<std::uint64_t>(indices.as<std::int64_t>()[i]) != place.second)
                throw wrong("index", i);
            ++i;
        }
    });
}

void verify_unique(OpenInput& input, const UniqueSettings& settings, const Run& run) {
    visit(run.items.type(), [&]<class T>() {
        std::map<std::uint64_t, std::pair<T, std::uint64_t>> distinct;  // by place: the first one, and the count
        for_each_item<T>(input, settings.memory, [&](T item, std::uint64_t) {
            ++distinct.try_emplace(place_of(item, settings.order), item, 0).first->second.second;
        });
        if (run.size() != distinct.size()) throw Failure("verification failed: there are too many items, or too few");
        std::uint64_t i = 0;
        for (const auto& [place, found] : distinct) {
            if (!same_bits(run.items.as<T>()[i], found.first)) throw wrong("item", i);
            if (settings.counts && run.counts.as<std::uint64_t>()[i] != found.second) throw wrong("count", i);
            ++i;
        }
    });
}

void verify_histogram(OpenInput& input, const HistogramSettings& settings, const Bins& bins, const Tally& tally) {
    std::vector<std::uint64_t> counts(bins.size(), 0);
    LeftOut out;
    std::map<Wide, std::uint32_t> bin_at;  // by the lower edge, the last of those that begin there
    for (std::uint32_t b = 0; b < bins.size(); ++b) bin_at[bins.edges()[b]] = b;
    const Wide lower = bins.edges().front(), upper = bins.edges().back();
    visit(input.type(), [&]<class T>() {
        for_each_item<T>(input, settings.memory, [&](T item, std::uint64_t) {
            const auto value = static_cast<Wide>(static_cast<std::conditional_t<sizeof(T) == 2, float, T>>(item));
            if (value != value) ++out.nan;
            else if (value < lower) ++out.below;
            else if (value > upper) ++out.above;
            else ++counts[value == upper ? bins.size() - 1 : std::prev(bin_at.upper_bound(value))->second];
        });
    });
    for (std::uint32_t b = 0; b < bins.size(); ++b)
        if (counts[b] != tally.counts().as<std::uint64_t>()[b]) throw wrong("the count of bin", b);
    const LeftOut& told = tally.left_out();
    if (out.below != told.below || out.above != told.above || out.nan != told.nan)
        throw Failure("verification failed: more items are left out, or fewer");
}

}  // namespace kogge::command

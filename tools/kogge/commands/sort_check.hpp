// How the result of a sort is checked that was never in memory as a whole.
#pragma once

#include <cstdint>
#include <cstring>

#include "failure.hpp"
#include "io/array.hpp"
#include "io/numbers.hpp"
#include "verify_order.hpp"

namespace kogge::command {

/// The same for any order of the items: so what came in is what goes out.
class Digest {
public:
    void add(const Array& keys, const Array* values) {
        for (std::uint64_t i = 0; i < keys.size(); ++i)
            sum_ += mixed(mixed(bits(keys, i)) + (values ? mixed(~bits(*values, i)) : 0));
        items_ += keys.size();
    }
    bool operator==(const Digest& other) const { return sum_ == other.sum_ && items_ == other.items_; }
    std::uint64_t sum() const { return sum_; }

private:
    static std::uint64_t bits(const Array& array, std::uint64_t i) {
        std::uint64_t item = 0;
        std::memcpy(&item, array.data() + i * array.item_bytes(), array.item_bytes());
        return item;
    }
    /// The finaliser of Steele, Lea and Flood's SplitMix64 (2014).
    static std::uint64_t mixed(std::uint64_t word) {
        word += 0x9e3779b97f4a7c15u;
        word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
        word = (word ^ word >> 27) * 0x94d049bb133111ebu;
        return word ^ word >> 31;
    }

    std::uint64_t sum_ = 0, items_ = 0;
};

/// Looks at blocks of a result, one after the other: the order, by code of another kind than the library's; of indices
/// that equal keys have ascending ones; how many different keys there are.
class OrderCheck {
public:
    OrderCheck(const sort_options& order, bool indices) : order_(order), indices_(indices) {}

    void look_at(const Array& keys, const Array* values) {
        visit(keys.type(), [&]<class T>() {
            for (std::uint64_t i = 0; i < keys.size(); ++i) {
                const std::uint64_t place = place_of(keys.as<T>()[i], order_);
                const std::int64_t index = indices_ ? values->as<std::int64_t>()[i] : 0;
                if (seen_ > 0 && (place < last_ || (indices_ && place == last_ && index <= last_index_)))
                    throw Failure("verification failed: key " + with_separators(seen_) +
                                  " is not behind the one before");
                if (seen_++ == 0 || place != last_) ++distinct_;
                last_ = place;
                last_index_ = index;
            }
        });
    }
    std::uint64_t distinct() const { return distinct_; }

private:
    sort_options order_;
    bool indices_;
    std::uint64_t seen_ = 0, distinct_ = 0, last_ = 0;
    std::int64_t last_index_ = 0;
};

}  // namespace kogge::command

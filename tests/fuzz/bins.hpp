// The bins of a histogram of numbers, in each of the forms in which calls take them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fuzz/case.hpp"
#include "fuzz/sorts.hpp"
#include "kogge/types/bins.hpp"

namespace fuzz {

/// The bin of a number; of some there is none.
struct BinOfNumber {
    std::uint32_t kind, bins, past;
    KOGGE_HOST_DEVICE std::int64_t operator()(std::uint32_t key) const {
        if (past != 0 && key % past == 0) return key % 2 == 0 ? -1 : std::int64_t{bins} + key % 3;
        if (kind == 0) return key % bins;
        if (kind == 1) return static_cast<std::int64_t>((std::uint64_t{key} * bins) >> 32);
        return key % 100 == 0 ? key / 100 % bins : bins / 2;
    }
};

/// By a function, evenly, by bounds, or by the first bits of a key's code.
class ChosenBins {
public:
    enum class Form { function, even, bounds, leading };

    ChosenBins(Case& of, std::uint32_t most)
        : form_(of.pick({Form::function, Form::function, Form::even, Form::bounds, Form::leading})),
          number_(static_cast<std::uint32_t>(of.one_in(3)   ? 1 + of.below(8)
                                             : of.one_in(2) ? 1 + of.below(600)
                                                            : 1 + of.below(most))) {
        if (form_ == Form::leading) choose_leading(of);
        if (form_ == Form::bounds) choose_bounds(of);
        if (form_ == Form::even) choose_even(of);
        function_ = {static_cast<std::uint32_t>(of.below(3)), number_,
                     static_cast<std::uint32_t>(of.one_in(3) ? 1 + of.below(2000) : 0)};
        of.say(number_, " bins",
               form_ == Form::function ? " by a function,"
               : form_ == Form::even   ? ", even,"
               : form_ == Form::bounds ? " by bounds,"
                                       : " by leading bits,");
    }
    std::uint32_t number() const { return number_; }
    /// What stands where a call reads it, if it reads bounds.
    const std::vector<std::uint32_t>& bounds() const { return bounds_; }

    /// call(bins), or call(number, function).
    template <class Call>
    void with(const std::uint32_t* bounds, const Call& call) const {
        if (form_ == Form::function) call(number_, function_);
        else if (form_ == Form::even) call(kogge::even_bins<std::uint32_t>(lower_, upper_, number_));
        else if (form_ == Form::bounds) call(kogge::bin_bounds<std::uint32_t>(bounds, number_));
        else call(kogge::leading_bits{bits_, order_});
    }

    /// Negative: it has none.
    std::int64_t bin_of(std::uint32_t item) const {
        if (form_ == Form::function) {
            const std::int64_t bin = function_(item);
            return bin < std::int64_t{number_} ? bin : -1;
        }
        if (form_ == Form::even)
            return item < lower_ || item >= upper_
                       ? -1
                       : static_cast<std::int64_t>(uint128{item - lower_} * number_ / (upper_ - lower_));
        if (form_ == Form::bounds) {
            if (item < bounds_.front() || item >= bounds_.back()) return -1;
            return std::upper_bound(bounds_.begin(), bounds_.end(), item) - bounds_.begin() - 1;
        }
        const int last = order_.end_bit == -1 ? 32 : order_.end_bit;
        if (bits_ == 0) return 0;
        return static_cast<std::int64_t>(order_of(item, order_) >> (last - bits_) & ((uint128{1} << bits_) - 1));
    }

private:
    void choose_leading(Case& of) {
        order_ = sort_options_of<std::uint32_t>(of);
        const int width = (order_.end_bit == -1 ? 32 : order_.end_bit) - order_.begin_bit;
        while ((std::uint32_t{2} << bits_) <= number_ && bits_ < width) ++bits_;
        number_ = std::uint32_t{1} << bits_;
    }
    void choose_bounds(Case& of) {
        for (std::uint32_t b = 0; b <= number_; ++b) bounds_.push_back(static_cast<std::uint32_t>(of.random()()));
        if (of.one_in(3)) std::fill_n(bounds_.begin(), bounds_.size() / 3 + 1, bounds_[0]);  // empty bins
        std::sort(bounds_.begin(), bounds_.end());
    }
    void choose_even(Case& of) {
        lower_ = static_cast<std::uint32_t>(of.one_in(2) ? of.below(200) : of.below(~std::uint32_t{0}));
        upper_ = of.one_in(2) ? ~std::uint32_t{0}
                              : lower_ + 1 + static_cast<std::uint32_t>(of.below(~std::uint32_t{0} - lower_));
    }

    Form form_;
    std::uint32_t number_;
    BinOfNumber function_{};
    std::vector<std::uint32_t> bounds_;
    std::uint32_t lower_ = 0, upper_ = 0;
    int bits_ = 0;
    kogge::sort_options order_{};
};

}  // namespace fuzz

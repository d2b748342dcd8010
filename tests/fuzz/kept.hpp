// What compactions share: the forms in which their number comes back, and what they keep.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "fuzz/case.hpp"
#include "kogge/operators.hpp"
#include "kogge/plan.hpp"
#include "kogge/types/counts.hpp"

namespace fuzz {

/// Where the number goes: it is returned, written, as it is or to a narrower integer, both, or nobody wants it.
enum class Form { returned, written, narrowed, both, discarded };

/// The call in one of the forms; `call(place, how)` is given kogge::detail::NoPlace for the form that has no place.
class Number {
public:
    explicit Number(Case& of)
        : form_(of.pick({Form::returned, Form::written, Form::narrowed, Form::both, Form::discarded})),
          place_(of.memory().output<std::uint64_t>(1)),
          narrow_(of.memory().output<std::int32_t>(1)) {
        static constexpr const char* kNames[] = {"returned", "written", "narrowed", "both returned and written",
                                                 "discarded"};
        of.say("number ", kNames[static_cast<int>(form_)], ",");
    }
    template <class Call>
    void operator()(const Call& call, const kogge::exec& how) {
        if (form_ == Form::returned) returned_ = call(kogge::detail::NoPlace{}, how);
        else if (form_ == Form::written) call(place_, how);
        else if (form_ == Form::narrowed) call(narrow_, how);
        else if (form_ == Form::discarded) call(kogge::discard{}, how);
        else returned_ = call(kogge::count_at(place_), how);
    }
    void expect(Case& of, std::uint64_t want) const {
        const bool returned = form_ == Form::returned || form_ == Form::both;
        const bool written = form_ == Form::written || form_ == Form::both;
        if (returned) of.expect_number("the number returned", returned_, want);
        if (written) of.expect_number("the number written", of.memory().get(place_, 1)[0], want);
        else of.expect_untouched("the number", place_, 0, 1);
        if (form_ == Form::narrowed)
            of.expect_number("the narrow number", static_cast<std::uint64_t>(of.memory().get(narrow_, 1)[0]), want);
        else of.expect_untouched("the narrow number", narrow_, 0, 1);
    }

private:
    Form form_;
    std::uint64_t* place_;
    std::int32_t* narrow_;
    std::uint64_t returned_ = ~std::uint64_t{0};
};

template <class Place>
inline constexpr bool kNoPlace = std::is_same_v<Place, kogge::detail::NoPlace>;

template <class T>
kogge::compare<T> comparison(Case& of, const std::vector<T>& values) {
    using kogge::relation;
    const auto test = of.pick({relation::less, relation::less_equal, relation::greater, relation::greater_equal,
                               relation::equal, relation::not_equal});
    return {test, values.empty() ? T{} : values[of.below(values.size())]};
}

/// Of any density.
inline std::vector<bool> any_flags(Case& of, std::uint64_t n) {
    std::vector<bool> flags(n);
    const std::uint64_t kind = of.below(4), many = 1 + of.below(of.one_in(2) ? 10 : 2000);
    const std::uint64_t begin = of.below(n + 1), end = of.below(n + 1);
    for (std::uint64_t i = 0; i < n; ++i)
        flags[i] = kind == 0   ? of.one_in(many)
                   : kind == 1 ? !of.one_in(many)
                   : kind == 2 ? i >= begin && i < end
                               : true;
    return flags;
}
inline std::vector<std::uint8_t> as_bytes(Case& of, const std::vector<bool>& flags) {
    std::vector<std::uint8_t> bytes(flags.size());
    for (std::size_t i = 0; i < flags.size(); ++i)
        bytes[i] = flags[i] ? static_cast<std::uint8_t>(1 + of.below(255)) : std::uint8_t{0};
    return bytes;
}
/// Bits past the last flag are any.
inline std::vector<std::uint32_t> as_words(Case& of, const std::vector<bool>& flags) {
    std::vector<std::uint32_t> words((flags.size() + 31) / 32);
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(of.random()());
    for (std::size_t i = 0; i < flags.size(); ++i) {
        const std::uint32_t bit = std::uint32_t{1} << i % 32;
        words[i / 32] = flags[i] ? words[i / 32] | bit : words[i / 32] & ~bit;
    }
    return words;
}

/// The first n items whose flag is set, or not.
template <class T>
std::vector<T> flagged(const std::vector<T>& values, const std::vector<bool>& flags, std::uint64_t n, bool set = true) {
    std::vector<T> kept;
    for (std::uint64_t i = 0; i < n; ++i)
        if (flags[i] == set) kept.push_back(values[i]);
    return kept;
}

/// What a partition has written: to `out` and `rejected`, or, where that is null, one after the other to `out`.
template <class T>
void expect_partition(Case& of, const Number& number, const std::vector<T>& values, const std::vector<bool>& flags,
                      const Count& count, const T* out, const T* rejected, bool in_place) {
    std::vector<T> want = flagged(values, flags, count.n);
    const std::vector<T> others = flagged(values, flags, count.n, false);
    number.expect(of, want.size());
    if (rejected) {
        of.expect("rejected", rejected, others);
        of.expect_untouched("rejected", rejected, others.size(), count.bound);
    } else {
        want.insert(want.end(), others.begin(), others.end());
    }
    of.expect("out", out, want);
    if (!in_place) of.expect_untouched("out", out, want.size(), count.bound);
}

inline Plan plan_of(const Case& of, const Count& count, std::size_t item_bytes, bool keeps_rejected = false,
                    bool in_place = false) {
    return plan_of([&] {
        return kogge::plan_compact(count.bound, item_bytes, keeps_rejected, in_place,
                                   kogge::simt::properties_of(of.how().stream))
            .scratch_bytes;
    });
}

}  // namespace fuzz

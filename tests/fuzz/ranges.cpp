// Range expressions.
#include "kogge/ranges.hpp"
#include "fuzz/families.hpp"
#include "fuzz/kept.hpp"
#include "fuzz/scans.hpp"
#include "fuzz/sorts.hpp"

namespace fuzz {
namespace {

/// A range where the backend looks for it.
template <class T>
struct Range {
    const T* items;
    std::uint64_t n;
    const T* data() const { return items; }
    std::uint64_t size() const { return n; }
};

template <class T>
void expect(Case& of, const kogge::buffer<T>& got, const std::vector<T>& want) {
    of.expect_number("the size", got.size(), want.size());
    of.expect("the buffer", got.data(), want);
}

template <class T>
void run(Case& of) {
    const std::uint64_t n = of.size();
    const auto values = summable_values<T>(of, n);
    const std::uint64_t form = of.below(4);
    of.say("n = ", n, " ", name_of<T>(), " | ",
           form == 0   ? "compact"
           : form == 1 ? "inclusive_scan"
           : form == 2 ? "exclusive_scan"
                       : "radix_sort");
    const Range<T> range{of.memory().input(values), n};
    const kogge::exec how = of.how();
    if (form == 0) {
        const auto predicate = comparison(of, values);
        std::vector<T> want;
        std::copy_if(values.begin(), values.end(), std::back_inserter(want), predicate);
        expect(of, range | kogge::compact(predicate, how), want);
    } else if (form == 1) {
        expect(of, range | kogge::inclusive_scan(kogge::plus{}, how),
               scanned<T>(values, n, kogge::plus{}, nullptr, true));
    } else if (form == 2) {
        const T init{3};
        expect(of, range | kogge::exclusive_scan(init, kogge::plus{}, how),
               scanned<T>(values, n, kogge::plus{}, &init, false));
    } else {
        const kogge::sort_options options = sort_options_of<T>(of);
        expect(of, range | kogge::radix_sort(options, how), gathered(values, sorted_places(values, n, options)));
    }
}

}  // namespace

void ranges(Case& of) {
    with_type<std::uint8_t, std::uint32_t, std::int64_t, float>(of.below(4), [&]<class T>() { run<T>(of); });
}

}  // namespace fuzz

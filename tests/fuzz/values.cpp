#include "fuzz/values.hpp"

#include <algorithm>

namespace fuzz {
namespace {

using Words = std::vector<std::uint64_t>;

Words uniform(Case& of, std::uint64_t n) {
    Words words(n);
    for (std::uint64_t& word : words) word = of.random()();
    return words;
}
Words few_values(Case& of, std::uint64_t n) {
    const Words values = uniform(of, 1 + of.below(of.one_in(2) ? 4 : 80));
    Words words(n);
    for (std::uint64_t& word : words) word = values[of.below(values.size())];
    return words;
}
/// All bits but those of one stretch are the same, or come from few values.
Words clustered(Case& of, std::uint64_t n) {
    const std::uint64_t low = of.below(64);
    const std::uint64_t mask = (~std::uint64_t{0} >> of.below(64 - low)) & (~std::uint64_t{0} << low);
    const Words prefixes = uniform(of, 1 + of.below(3));
    Words words(n);
    for (std::uint64_t& word : words) word = (prefixes[of.below(prefixes.size())] & ~mask) | (of.random()() & mask);
    return words;
}
/// One value, and others here and there: at random, or only where a sample at regular places does not look.
Words outliers(Case& of, std::uint64_t n) {
    const std::uint64_t value = of.random()(), rarely = 2 + of.below(2000);
    const bool regular = of.one_in(2), swapped = of.one_in(2);
    Words words(n);
    for (std::uint64_t i = 0; i < n; ++i) {
        const bool is_value = regular ? (i % rarely == 0) != swapped : !of.one_in(rarely);
        words[i] = is_value ? value : of.random()();
    }
    return words;
}
/// Ever fewer large ones.
Words skewed(Case& of, std::uint64_t n) {
    Words words(n);
    for (std::uint64_t& word : words) word = of.random()() >> of.below(64);
    return words;
}
Words sawtooth(Case& of, std::uint64_t n) {
    const std::uint64_t period = 1 + of.below(3000), step = std::uint64_t{1} << of.below(64);
    Words words(n);
    for (std::uint64_t i = 0; i < n; ++i) words[i] = i % period * step;
    return words;
}
/// Runs of equal items, short and long ones.
Words runs(Case& of, std::uint64_t n) {
    const std::uint64_t longest = 1 + of.below(of.one_in(3) ? 10000 : 20);
    Words words(n);
    for (std::uint64_t i = 0; i < n;) {
        const std::uint64_t word = of.random()(), end = std::min(n, i + 1 + of.below(longest));
        while (i < end) words[i++] = word;
    }
    return words;
}
/// All bits, or all but the highest few, hold the place: no two items are equal.
Words places(Case& of, std::uint64_t n) {
    const std::uint64_t shift = of.below(50);
    Words words(n);
    for (std::uint64_t i = 0; i < n; ++i) words[i] = i << shift;
    for (std::uint64_t i = n; i > 1; --i) std::swap(words[i - 1], words[of.below(i)]);
    return words;
}

Words unordered(Case& of, std::uint64_t n) {
    switch (of.below(9)) {
        case 0:
            return few_values(of, n);
        case 1:
            return clustered(of, n);
        case 2:
            return outliers(of, n);
        case 3:
            return skewed(of, n);
        case 4:
            return sawtooth(of, n);
        case 5:
            return runs(of, n);
        case 6:
            return places(of, n);
        default:
            return uniform(of, n);
    }
}

}  // namespace

std::vector<std::uint64_t> words(Case& of, std::uint64_t n) {
    Words words = unordered(of, n);
    const std::uint64_t order = of.below(10);
    if (order < 3) std::sort(words.begin(), words.end());
    if (order == 1) std::reverse(words.begin(), words.end());
    if (order == 2)  // nearly
        for (std::uint64_t times = of.below(10); n > 0 && times > 0; --times)
            std::swap(words[of.below(n)], words[of.below(n)]);
    return words;
}

}  // namespace fuzz

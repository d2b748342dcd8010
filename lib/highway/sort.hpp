// Highway's vectorised quicksort (vqsort), compiled for one target, which HWY_BASELINE_TARGETS names: its headers are
// all that this needs, so that who links the library needs no Highway. The library's own choice between targets differs
// from this one's: on AMD processors to Zen 4, stores of packed lanes make AVX-512 slower for 32-bit lanes than AVX2.
#define HWY_COMPILE_ONLY_STATIC 1
#include <hwy/contrib/sort/traits-inl.h>
#include <hwy/contrib/sort/vqsort-inl.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace kogge::host::HWY_NAMESPACE {

template <class Key>
void sort_keys(Key* keys, std::size_t n) {
    namespace target = hwy::HWY_NAMESPACE;
    using Traits = target::detail::SharedTraits<target::detail::TraitsLane<target::detail::OrderAscending<Key>>>;
    if (n < 2) return;
    // As the library's entry does it, but with a seed that is always the same: calls take the same time again.
    HWY_ALIGN Key buffer[hwy::SortConstants::BufNum<Key>(HWY_LANES(Key))] = {};
    target::detail::Generator random(std::uint64_t{n});
    const std::size_t most_levels = 2 * hwy::CeilLog2(n) + 4;
    target::detail::Recurse(target::SortTag<Key>(), Traits(), keys, keys + n, n, buffer, random, most_levels);
}

void vector_sort(std::uint32_t* keys, std::size_t n) { sort_keys(keys, n); }
void vector_sort(std::uint64_t* keys, std::size_t n) { sort_keys(keys, n); }

}  // namespace kogge::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

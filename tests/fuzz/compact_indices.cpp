// Indices of what is kept: by byte flags, bits, a stencil and the index itself.
#include "kogge/calls/compact_indices.hpp"
#include "fuzz/families.hpp"
#include "fuzz/kept.hpp"
#include "fuzz/mistakes.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"

namespace fuzz {
namespace {

struct IsSetIn {
    const std::uint8_t* flags;
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t i) const { return flags[i] != 0; }
};

template <class Index>
void run(Case& of) {
    const Count count = of.count();
    const std::vector<bool> flags = any_flags(of, count.bound);
    const std::uint64_t form = of.below(4);
    of.say("indices of ", sizeof(Index), " bytes by ",
           form == 0   ? "bytes,"
           : form == 1 ? "bits,"
           : form == 2 ? "a stencil,"
                       : "the index,");
    const std::uint8_t* const bytes = of.memory().input(as_bytes(of, flags));
    const std::uint32_t* const words = of.memory().input(as_words(of, flags));
    Index* const out = of.memory().output<Index>(count.bound);
    Number number(of);
    of.run(plan_of(of, count, sizeof(Index)), [&](const kogge::exec& how) {
        number(
            [&](const auto& place, const kogge::exec& with) {
                const auto call = [&](const auto& by, const auto&... predicate) {
                    if constexpr (kNoPlace<std::remove_cvref_t<decltype(place)>>)
                        return kogge::compact_indices(by, out, count, predicate..., with);
                    else return kogge::compact_indices(by, out, place, count, predicate..., with);
                };
                if (form == 0) return call(bytes);
                if (form == 1) return call(kogge::bit_mask(words));
                if (form == 2) return call(bytes, kogge::compare<std::uint8_t>{kogge::relation::not_equal, 0});
                return call(kogge::positions{}, IsSetIn{bytes});
            },
            how);
    });
    if (!of.ran()) return;
    std::vector<Index> want;
    for (std::uint64_t i = 0; i < count.n; ++i)
        if (flags[i]) want.push_back(static_cast<Index>(i));
    number.expect(of, want.size());
    of.expect("out", out, want);
    of.expect_untouched("out", out, want.size(), count.bound);
}

}  // namespace

void compact_indices(Case& of) {
    if (of.one_in(2)) run<std::uint32_t>(of);
    else run<std::int64_t>(of);
}

}  // namespace fuzz

// Sorts of an array of which each rank holds a part.
#include "fuzz/distributed_ranks.hpp"
#include "fuzz/families.hpp"
#include "fuzz/short_forms.hpp"
#include "fuzz/sorts.hpp"
#include "kogge/distributed/radix_sort.hpp"

namespace fuzz {
namespace {

namespace distributed = kogge::distributed;

enum class Form { in_place, keys, pairs, indices };

/// One array of all ranks: where each has its items, and where its results go.
template <class T>
struct PartsSorted {
    std::vector<T> items;
    std::vector<const T*> in;
    std::vector<T*> out;
    bool same;

    /// `room`: of each rank's results.
    PartsSorted(Case& of, Ranks& ranks, bool is_used, bool in_place, const std::vector<std::uint64_t>& room)
        : items(any_values<T>(of, ranks.n())), same(in_place) {
        of.say(is_used ? name_of<T>() : "", is_used && same ? " in place," : ",");
        if (!is_used) return;
        if (!same) {
            in = ranks.inputs(items);
            out = ranks.outputs<T>(room);
            return;
        }
        auto sizes = ranks.bounds();
        for (std::size_t r = 0; r < sizes.size(); ++r) sizes[r] = std::max(sizes[r], room[r]);
        out = ranks.in_outs(items, sizes);
        in.assign(out.begin(), out.end());
    }
};

distributed::sort_options options_of(Case& of, const kogge::sort_options& from) {
    distributed::sort_options options{from.order, from.begin_bit, from.end_bit, from.zeros, from.nans};
    if (of.one_in(2)) options.sizes = distributed::part_sizes::kept;
    if (of.one_in(2)) options.pieces = static_cast<int>(of.below(of.one_in(4) ? 65 : 6));
    of.say(options.sizes == distributed::part_sizes::kept ? "kept, " : "balanced, ", options.pieces, " pieces,");
    return options;
}

template <class Key, class Value, class Index>
void run(Case& of) {
    Ranks ranks(of);
    const bool left_out = of.one_in(4);
    const auto options = left_out ? distributed::sort_options{} : options_of(of, sort_options_of<Key>(of));
    const Form form = of.pick({Form::in_place, Form::keys, Form::pairs, Form::indices});
    const bool pairs = form == Form::pairs || (form == Form::in_place && of.one_in(2));
    const bool balanced = form != Form::in_place && options.sizes == distributed::part_sizes::balanced;
    of.say(form == Form::in_place ? "in place"
           : form == Form::keys   ? "keys"
           : form == Form::pairs  ? "pairs"
                                  : "indices",
           pairs ? " with values," : ",");
    // In place there is room for as many as each rank has, or may have.
    const auto room = balanced ? ranks.room_for_even(ranks.n()) : ranks.bounds();
    const PartsSorted<Key> keys(of, ranks, true, form == Form::in_place || (form != Form::indices && of.one_in(3)),
                                room);
    const PartsSorted<Value> values(of, ranks, pairs, form == Form::in_place || of.one_in(3), room);
    const auto indices = ranks.outputs<Index>(form == Form::indices ? room : std::vector<std::uint64_t>(ranks.size()));
    std::vector<std::uint64_t> got = ranks.counts();
    const auto call_with = [&](kogge::communicator& all, std::size_t r, const Key* in, std::uint64_t capacity,
                               const distributed::sort_options& with, const kogge::exec& how) {
        const Count& n = ranks.item_count(r);
        in_form(left_out, with, how, [&](const auto&... last) {
            if (form == Form::in_place && pairs)
                distributed::radix_sort_pairs(all, keys.out[r], values.out[r], n, last...);
            else if (form == Form::in_place) distributed::radix_sort(all, keys.out[r], n, last...);
            else if (form == Form::keys) got[r] = distributed::radix_sort(all, in, keys.out[r], capacity, n, last...);
            else if (form == Form::indices) got[r] = distributed::argsort(all, in, indices[r], capacity, n, last...);
            else
                got[r] = distributed::radix_sort_pairs(all, in, keys.out[r], values.in[r], values.out[r], capacity, n,
                                                       last...);
        });
    };
    const auto call = [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
        call_with(all, r, keys.in[r], room[r], options, how);
    };
    if (ranks.refused_one(call)) return;
    const std::size_t wrong = ranks.any_rank();
    if (!left_out && wrong > 0 && of.one_in(16))
        return ranks.refuse(kogge::errc::invalid_argument, wrong, "options that differ",
                            [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
                                auto with = options;
                                if (r == wrong) with.pieces = with.pieces == 0 ? 1 : 0;
                                call_with(all, r, keys.in[r], room[r], with, how);
                            });
    if (form != Form::in_place && ranks.count(wrong) > 0 && of.one_in(16))
        return ranks.refuse(kogge::errc::invalid_argument, wrong, "null for keys",
                            [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
                                call_with(all, r, r == wrong ? nullptr : keys.in[r], room[r], options, how);
                            });
    const std::uint64_t least = balanced ? ranks.n() / ranks.size() : ranks.count(wrong);
    if (form != Form::in_place && least > 0 && of.one_in(16))
        return ranks.refuse(kogge::errc::invalid_argument, wrong, "too little room",
                            [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
                                call_with(all, r, keys.in[r], r == wrong ? least - 1 : room[r], options, how);
                            });
    ranks.run(call);
    if (!ranks.ran()) return;
    if (balanced) ranks.expect_even(got, ranks.n());
    else if (got != ranks.counts()) of.fail("a rank has another number of items than it had");
    const auto places = sorted_places(keys.items, ranks.n(), options);
    if (form == Form::indices) {
        ranks.expect("indices", indices, std::vector<Index>(places.begin(), places.end()), got);
        return ranks.expect_untouched("indices", indices, got, room);
    }
    ranks.expect("keys", keys.out, gathered(keys.items, places), got);
    if (!keys.same) ranks.expect_untouched("keys", keys.out, got, room);
    if (!pairs) return;
    ranks.expect("values", values.out, gathered(values.items, places), got);
    if (!values.same) ranks.expect_untouched("values", values.out, got, room);
}

}  // namespace

void distributed_sort(Case& of) {
    switch (of.below(4)) {
        case 0:
            return run<std::uint32_t, std::uint64_t, std::uint64_t>(of);
        case 1:
            return run<float, Bytes<3>, std::int64_t>(of);
        case 2:
            return run<std::int64_t, std::uint8_t, std::uint64_t>(of);
        default:
            return run<std::uint8_t, Bytes<12, 4>, std::int64_t>(of);
    }
}

}  // namespace fuzz

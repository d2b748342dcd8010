// Items that the ranks have sorted: which of them belong to each part of the whole, and how the parts of all ranks are
// merged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/calls/merge.hpp"
#include "kogge/calls/search.hpp"
#include "kogge/distributed/call.hpp"
#include "kogge/distributed/memory.hpp"
#include "kogge/distributed/splitters.hpp"

namespace kogge::detail::KOGGE_CODE {

/// Items in order. Without values, `values` is null.
template <class Key, class Value>
struct SortedRun {
    static constexpr bool kHasValues = !std::is_same_v<Value, grid::NoValue>;
    Key* keys;
    Value* values;
    std::uint64_t n;

    SortedRun from(std::uint64_t first, std::uint64_t count) const {
        if constexpr (kHasValues) return {keys + first, values + first, count};
        else return {keys + first, nullptr, count};
    }
};

/// Which items of each sorted rank belong to each part between the cuts.
class PartsOfRanks {
public:
    /// Collective. keys[0 … counts[call.rank()]) are this rank's, sorted.
    template <class Key>
    PartsOfRanks(DistributedCall& call, RankWork& work, const CodeOfKey<Key>& code_of, const Key* keys,
                 const std::vector<Cut<typename CodeOfKey<Key>::Code>>& cuts, std::span<const std::uint64_t> counts) {
        using Code = typename CodeOfKey<Key>::Code;
        const std::size_t all = cuts.size();
        const std::vector<EqualItems> equal = call.gather<EqualItems>(all, [&](EqualItems* mine) {
            std::vector<Code> codes;
            for (const Cut<Code>& cut : cuts) codes.push_back(cut.code);
            auto of_work = work.take<Code>(all);
            auto found = work.take<std::uint64_t>(2 * all);
            work.write(of_work.data(), codes.data(), all);
            const CodesOfKeys<Key> sorted{code_of, keys};
            const std::uint64_t n = counts[call.rank()];
            kogge::lower_bound(sorted, of_work.data(), found.data(), n, all, work.how());
            kogge::upper_bound(sorted, of_work.data(), found.data() + all, n, all, work.how());
            std::vector<std::uint64_t> bounds(2 * all);
            work.read(bounds.data(), found.data(), 2 * all);
            for (std::size_t c = 0; c < all; ++c) mine[c] = {bounds[c], bounds[all + c]};
            work.give_back(found, 2 * all);
            work.give_back(of_work, all);
        });
        for (std::size_t r = 0; r < call.size(); ++r) begins_.push_back({0});
        for (std::size_t c = 0; c < all; ++c) {
            std::uint64_t in_front = cuts[c].position - cuts[c].lesser;  // equal items, those of lower ranks first
            for (std::size_t r = 0; r < call.size(); ++r) {
                const auto& [begin, end] = equal[r * all + c];
                const std::uint64_t taken = (std::min)(in_front, end - begin);
                begins_[r].push_back(cuts[c].at_end ? counts[r] : begin + taken);
                in_front -= taken;
            }
        }
        for (std::size_t r = 0; r < call.size(); ++r) begins_[r].push_back(counts[r]);
    }

    std::uint64_t begin(std::size_t rank, std::size_t part) const { return begins_[rank][part]; }
    std::uint64_t items(std::size_t rank, std::size_t part) const {
        return begins_[rank][part + 1] - begins_[rank][part];
    }

private:
    /// A rank's items with the code of a cut: how many lie before them, and before those behind them.
    struct EqualItems {
        std::uint64_t begin, end;
    };
    std::vector<std::vector<std::uint64_t>> begins_;  ///< of each rank those of the parts, and its number of items
};

/// Merges runs, one of each rank: neighbours in pairs, level by level, the last time to the results, the time before to
/// memory of its own, and so on.
template <class Key, class Value>
class RunMerges {
public:
    using Run = SortedRun<Key, Value>;

    RunMerges(RankWork& work, const CodeOfKey<Key>& code_of, std::size_t ranks, const Run& results)
        : work_(work), less_{code_of}, results_(results) {
        while ((std::size_t{1} << levels_) < ranks) ++levels_;
    }
    void take_memory() {
        if (levels_ < 2) return;
        spare_keys_ = work_.template take<Key>(results_.n);
        if constexpr (Run::kHasValues) spare_values_ = work_.template take<Value>(results_.n);
    }
    /// To the results from place `first` on. Does not wait.
    void operator()(std::vector<Run> runs, std::uint64_t first) const {
        const Run spare{spare_keys_.data(), spare_values_.data(), results_.n};
        for (int level = levels_; level > 0; --level) {
            runs.resize((runs.size() + 1) / 2 * 2);
            std::vector<Run> merged;
            std::uint64_t at = first;
            for (std::size_t r = 0; r < runs.size(); r += 2) {
                const std::uint64_t n = runs[r].n + runs[r + 1].n;
                merged.push_back((level % 2 == 1 ? results_ : spare).from(at, n));
                merge_two(runs[r], runs[r + 1], merged.back());
                at += n;
            }
            runs = std::move(merged);
        }
    }

private:
    void merge_two(const Run& a, const Run& b, const Run& to) const {
        if (a.n == 0 || b.n == 0) {
            const Run& one = a.n > 0 ? a : b;
            work_.copy(to.keys, one.keys, one.n);
            if constexpr (Run::kHasValues) work_.copy(to.values, one.values, one.n);
        } else if constexpr (Run::kHasValues) {
            kogge::merge_pairs(a.keys, a.values, b.keys, b.values, to.keys, to.values, a.n, b.n, less_, work_.how());
        } else {
            kogge::merge(a.keys, b.keys, to.keys, a.n, b.n, less_, work_.how());
        }
    }

    RankWork& work_;
    LessByCode<Key> less_;
    Run results_;
    int levels_ = 0;
    WorkArray<Key> spare_keys_;
    WorkArray<Value> spare_values_;
};

}  // namespace kogge::detail::KOGGE_CODE

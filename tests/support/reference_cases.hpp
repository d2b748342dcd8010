// Seeded calls whose results two libraries can be asked for: ours, and CUB on a GPU. A library is a struct of static
// functions from vectors to vectors; Ours is below, CUB's are in tests/cub_*_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kogge/partition.hpp"
#include "kogge/radix_sort.hpp"
#include "kogge/scan.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace tests {

inline constexpr std::size_t kReferenceSizes[] = {1, 777, 4097, 60001};

struct Ours {
    template <class T, class Op>
    static std::vector<T> inclusive(const std::vector<T>& items, Op op) {
        const Array<T> in(items);
        Array<T> out(items.size());
        kogge::inclusive_scan(in.data(), out.data(), items.size(), op);
        return out.get();
    }
    template <class T, class Acc, class Op>
    static std::vector<Acc> exclusive(const std::vector<T>& items, Acc init, Op op) {
        const Array<T> in(items);
        Array<Acc> out(items.size());
        kogge::exclusive_scan(in.data(), out.data(), items.size(), init, op);
        return out.get();
    }
    template <class Key, class T>
    static std::vector<T> sums_by_key(const std::vector<Key>& keys, const std::vector<T>& items) {
        const Array<Key> runs(keys);
        const Array<T> in(items);
        Array<T> out(items.size());
        kogge::inclusive_scan_by_key(runs.data(), in.data(), out.data(), items.size());
        return out.get();
    }

    template <class T, class Predicate>
    static std::vector<T> compact(const std::vector<T>& items, Predicate keep) {
        const Array<T> in(items);
        Array<T> out(items.size());
        return head(out.get(), kogge::compact(in.data(), out.data(), items.size(), keep));
    }
    template <class T>
    static std::vector<T> compact_flags(const std::vector<T>& items, const std::vector<std::uint8_t>& flags) {
        const Array<T> in(items);
        const Array<std::uint8_t> marks(flags);
        Array<T> out(items.size());
        const std::uint64_t kept = kogge::compact_flags(in.data(), marks.data(), out.data(), items.size());
        return head(out.get(), kept);
    }
    template <class T, class Predicate>
    static std::vector<T> partition(const std::vector<T>& items, Predicate keep) {
        const Array<T> in(items);
        Array<T> out(items.size());
        kogge::partition(in.data(), out.data(), items.size(), keep);
        return out.get();
    }

    template <class Key>
    static std::vector<Key> sort(const std::vector<Key>& keys, const kogge::sort_options& options) {
        const Array<Key> in(keys);
        Array<Key> out(keys.size());
        kogge::radix_sort(in.data(), out.data(), keys.size(), options);
        return out.get();
    }
    /// The values, in their keys' order.
    template <class Key, class Value>
    static std::vector<Value> sort_pairs(const std::vector<Key>& keys, const std::vector<Value>& values,
                                         const kogge::sort_options& options) {
        Array<Key> in(keys);
        Array<Value> with(values);
        kogge::radix_sort_pairs(in.data(), with.data(), keys.size(), options);
        return with.get();
    }

private:
    template <class T>
    static std::vector<T> head(std::vector<T> items, std::uint64_t n) {
        items.resize(n);
        return items;
    }
};

/// report(name, result) for each case.
template <class Library, class Report>
void scan_cases(Report&& report) {
    for (const std::size_t n : kReferenceSizes) {
        const std::string size = " of " + std::to_string(n);
        const auto bytes = random_items<std::uint8_t>(n, 1);
        const auto words = random_items<std::uint32_t>(n, 2);
        const auto signs = random_items<std::int32_t>(n, 3);
        const auto longs = random_items<std::int64_t>(n, 4);
        std::vector<Bicyclic> brackets;
        std::vector<Matrix> matrices;
        std::vector<std::uint32_t> runs;
        for (const std::uint32_t word : words) {
            brackets.push_back({word & 3, word >> 2 & 3});
            matrices.push_back({word, word >> 3, word >> 5, word >> 7});
            runs.push_back(!runs.empty() && word % 20 != 0 ? runs.back() : word % 7);
        }
        report("inclusive sums u8" + size, Library::inclusive(bytes, kogge::plus{}));
        report("inclusive sums u32" + size, Library::inclusive(words, kogge::plus{}));
        report("inclusive sums i64" + size, Library::inclusive(longs, kogge::plus{}));
        report("inclusive maximum i32" + size, Library::inclusive(signs, kogge::maximum{}));
        report("inclusive bicyclic" + size, Library::inclusive(brackets, JoinBrackets{}));
        report("exclusive sums u32" + size, Library::exclusive(words, 7u, kogge::plus{}));
        report("exclusive sums u8 to u64" + size, Library::exclusive(bytes, std::uint64_t{5}, kogge::plus{}));
        report("exclusive matrices" + size, Library::exclusive(matrices, Matrix{1, 2, 3, 4}, Multiply{}));
        report("sums by key u32" + size, Library::sums_by_key(runs, words));
    }
}

struct KeepsOneIn {
    std::uint32_t share;
    template <class T>
    KOGGE_HOST_DEVICE bool operator()(const T& item) const {
        return item % share == 0;
    }
};

template <class Library, class Report>
void partition_cases(Report&& report) {
    for (const std::size_t n : kReferenceSizes)
        for (const std::uint32_t share : {1u, 2u, 50u}) {
            const std::string size = " 1 in " + std::to_string(share) + " of " + std::to_string(n);
            const auto words = random_items<std::uint32_t>(n, 2);
            auto flags = random_items<std::uint8_t>(n, 5);
            for (auto& flag : flags) flag = flag % share == 0;
            report("compact u8" + size, Library::compact(random_items<std::uint8_t>(n, 1), KeepsOneIn{share}));
            report("compact u32" + size, Library::compact(words, KeepsOneIn{share}));
            report("compact u64" + size, Library::compact(random_items<std::uint64_t>(n, 3), KeepsOneIn{share}));
            report("compact by flags u32" + size, Library::compact_flags(words, flags));
            report("partition u32" + size, Library::partition(words, KeepsOneIn{share}));
        }
}

template <class Library, class Key, class Report>
void sort_case(const std::string& type, Report&& report) {
    for (const std::size_t n : kReferenceSizes)
        for (const auto order : {kogge::ascending, kogge::descending}) {
            // CUB takes -0 and +0 for equal.
            const kogge::sort_options options{.order = order, .zeros = kogge::zero_order::equal};
            const char* const name = order == kogge::ascending ? " up" : " down";
            report(type + name + " of " + std::to_string(n), Library::sort(random_items<Key>(n, n), options));
        }
}
template <class Library, class Key, class Report>
void sort_pairs_case(const std::string& type, Report&& report) {
    for (const std::size_t n : kReferenceSizes)
        for (const auto& [begin, end] : {std::pair{0, -1}, {3, 17}, {0, 5}}) {
            std::vector<std::uint32_t> indices(n);
            for (std::size_t i = 0; i < n; ++i) indices[i] = static_cast<std::uint32_t>(i);
            const kogge::sort_options options{.begin_bit = begin, .end_bit = end, .zeros = kogge::zero_order::equal};
            report("values by " + type + " bits " + std::to_string(begin) + " to " + std::to_string(end) + " of " +
                       std::to_string(n),
                   Library::sort_pairs(random_items<Key>(n, n), indices, options));
        }
}
template <class Library, class Report>
void sort_cases(Report&& report) {
    sort_case<Library, std::uint8_t>("u8", report);
    sort_case<Library, std::int16_t>("i16", report);
    sort_case<Library, std::uint32_t>("u32", report);
    sort_case<Library, std::int64_t>("i64", report);
    sort_case<Library, kogge::uint128>("u128", report);
    sort_case<Library, kogge::half>("half", report);
    sort_case<Library, float>("float", report);
    sort_case<Library, double>("double", report);
    sort_pairs_case<Library, std::uint32_t>("u32", report);
    sort_pairs_case<Library, float>("float", report);
    for (const Distribution distribution : kDistributions)
        report("u32 of distribution " + std::to_string(static_cast<int>(distribution)),
               Library::sort(items_of<std::uint32_t>(distribution, 60001), kogge::sort_options{}));
}

}  // namespace tests

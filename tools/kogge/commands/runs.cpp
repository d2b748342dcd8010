#include "kogge/runs.hpp"

#include <cstdint>
#include <utility>

#include "commands/runs.hpp"
#include "io/memory.hpp"

namespace kogge::command {

Run make_run(const Array& sorted, const sort_options& order, bool counts, int threads) {
    const std::uint64_t n = sorted.size();
    Run run{Array(sorted.type(), n), Array(Type::u64, counts ? n : 0)};
    const std::uint64_t distinct = visit(sorted.type(), [&]<class T>() {
        using Bits = detail::stored_key<T>;
        const auto codec = detail::make_codec<T>(order);
        const auto equal = [codec](Bits a, Bits b) { return codec.encode(a) == codec.encode(b); };
        const exec how{.where = backend::host, .host_threads = threads};
        const auto* in = sorted.as<Bits>();
        auto* out = run.items.as<Bits>();
        if (counts) return run_length_encode(in, out, run.counts.as<std::uint64_t>(), n, equal, how);
        return unique(in, out, n, equal, how);
    });
    run.items.resize(distinct);
    if (counts) run.counts.resize(distinct);
    return run;
}

Run merge_runs(const Run& a, const Run& b, const sort_options& order) {
    const bool counts = a.counts.size() + b.counts.size() > 0;
    const std::uint64_t most = a.size() + b.size(), bytes = a.items.item_bytes() + (counts ? sizeof(std::uint64_t) : 0);
    require_memory(most * bytes, "keeping all distinct numbers");
    Run all{Array(a.items.type(), most), Array(Type::u64, counts ? most : 0)};
    visit(a.items.type(), [&]<class T>() {
        using Bits = detail::stored_key<T>;
        const auto codec = detail::make_codec<T>(order);
        const auto *of_a = a.items.as<Bits>(), *of_b = b.items.as<Bits>();
        auto* out = all.items.as<Bits>();
        std::uint64_t n = 0;
        for (std::uint64_t i = 0, j = 0; i < a.size() || j < b.size(); ++n) {
            const bool takes_a = j == b.size() || (i < a.size() && codec.encode(of_a[i]) <= codec.encode(of_b[j]));
            const bool takes_b = i == a.size() || (j < b.size() && codec.encode(of_b[j]) <= codec.encode(of_a[i]));
            out[n] = takes_a ? of_a[i] : of_b[j];
            if (counts)
                all.counts.as<std::uint64_t>()[n] =
                    (takes_a ? a.counts.as<std::uint64_t>()[i] : 0) + (takes_b ? b.counts.as<std::uint64_t>()[j] : 0);
            i += takes_a;
            j += takes_b;
        }
        all.items.resize(n);
        if (counts) all.counts.resize(n);
    });
    return all;
}

void RunStack::add(Run run) {
    runs_.push_back(std::move(run));
    while (runs_.size() > 1 && runs_[runs_.size() - 2].size() <= 2 * runs_.back().size()) merge_last_two();
}

void RunStack::merge_last_two() {
    Run merged = merge_runs(runs_[runs_.size() - 2], runs_.back(), order_);
    runs_.pop_back();
    runs_.back() = std::move(merged);
}

Run RunStack::take() {
    while (runs_.size() > 1) merge_last_two();
    Run all = std::move(runs_.back());
    runs_.clear();
    return all;
}

}  // namespace kogge::command

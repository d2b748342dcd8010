// Calls that must be refused: with null, with arrays that overlap, with a count where it cannot be, with memory that
// the backend does not reach.
#pragma once

#include <cstdint>
#include <vector>

#include "fuzz/case.hpp"

namespace fuzz {

enum class Mistake { null_input, null_output, overlap, count_on_host, other_memory };

inline Mistake choose_mistake(Case& of, const Count& count) {
    if (count.bound < 2) return Mistake::null_input;
    return of.pick({Mistake::null_input, Mistake::null_output, Mistake::overlap, Mistake::overlap,
                    kOnDevice ? Mistake::other_memory : Mistake::count_on_host});
}

/// call(in, out, count, how) with one of them; `in` has count.bound items. Where there are no items, there is none to
/// be found: then nothing happens. Of an output that is `open_ended` only the beginning is checked.
template <class T, class Out, class Call>
void refuse_two(Case& of, Mistake mistake, const T* in, const Count& count, const Call& call, bool open_ended = false) {
    using kogge::errc;
    Memory& memory = of.memory();
    const std::uint64_t n = count.bound;
    if (n == 0) return;
    const kogge::item_count items = count;
    switch (mistake) {
        case Mistake::null_input: {
            Out* const out = memory.output<Out>(n);
            return of.refuse(errc::invalid_argument, "null for the input",
                             [&](const kogge::exec& how) { call(static_cast<const T*>(nullptr), out, items, how); });
        }
        case Mistake::null_output:
            return of.refuse(errc::invalid_argument, "null for the output",
                             [&](const kogge::exec& how) { call(in, static_cast<Out*>(nullptr), items, how); });
        case Mistake::overlap: {
            // Both in one array: apart by so many items, fewer than n.
            auto* const both = memory.output<T>(2 * n + 2);
            const std::uint64_t apart = 1 + of.below(n - 1);
            const bool input_first = open_ended || of.one_in(2);
            const T* const from = input_first ? both : both + apart;
            Out* const to = reinterpret_cast<Out*>(input_first ? both + apart : both);
            return of.refuse(errc::overlap, "an overlap", [&](const kogge::exec& how) { call(from, to, items, how); });
        }
        case Mistake::count_on_host: {
            Out* const out = memory.output<Out>(n);
            const std::uint64_t number = n;
            return of.refuse(errc::invalid_argument, "a device_count on the host", [&](const kogge::exec& how) {
                call(in, out, kogge::device_count{&number, n}, how);
            });
        }
        case Mistake::other_memory: {
            std::vector<Out> out(n);
            return of.refuse(errc::unreachable, "an output in host memory",
                             [&](const kogge::exec& how) { call(in, out.data(), items, how); });
        }
    }
}

}  // namespace fuzz

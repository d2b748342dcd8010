// The ranks of a case, each a thread with a part of an array: how many there are, what each has and where, and calls
// that they make together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "fuzz/case.hpp"
#include "kogge/distributed/communicator.hpp"

namespace fuzz {

class Ranks {
public:
    using Call = std::function<void(kogge::communicator& ranks, std::size_t rank, const kogge::exec& how)>;

    /// One to five ranks. Some have no items, and where there is a device some are in host memory.
    explicit Ranks(Case& of);

    std::size_t size() const { return counts_.size(); }
    std::uint64_t n() const { return begins_.back(); }  ///< of all ranks
    std::uint64_t begin(std::size_t rank) const { return begins_[rank]; }
    std::uint64_t count(std::size_t rank) const { return counts_[rank].n; }
    const Count& item_count(std::size_t rank) const { return counts_[rank]; }
    std::vector<std::uint64_t> counts() const;
    /// How many items the arrays of each rank have.
    std::vector<std::uint64_t> bounds() const;

    // ---- arrays, one per rank
    template <class T>
    std::vector<const T*> inputs(const std::vector<T>& all) {
        return arrays<const T*>(all, bounds(), [&](const std::vector<T>& part) { return of_.memory().input(part); });
    }
    /// Each rank's part, and room behind it where `sizes` says so.
    template <class T>
    std::vector<T*> in_outs(const std::vector<T>& all, const std::vector<std::uint64_t>& sizes) {
        return arrays<T*>(all, sizes, [&](const std::vector<T>& part) { return of_.memory().in_out(part); });
    }
    /// All items on each rank.
    template <class T>
    std::vector<const T*> copies(const std::vector<T>& items) {
        std::vector<const T*> all;
        for (std::size_t r = 0; r < size(); ++r) {
            of_.memory().set_place(places_[r]);
            all.push_back(of_.memory().input(items));
        }
        return all;
    }
    template <class T>
    std::vector<T*> outputs(const std::vector<std::uint64_t>& sizes) {
        std::vector<T*> all;
        for (std::size_t r = 0; r < size(); ++r) {
            of_.memory().set_place(places_[r]);
            all.push_back(of_.memory().output<T>(sizes[r]));
        }
        return all;
    }
    /// Rank r's sizes[r] results are the next ones of `want`.
    template <class T>
    void expect(const char* name, const std::vector<T*>& out, const std::vector<T>& want,
                const std::vector<std::uint64_t>& sizes) {
        auto from = want.begin();
        for (std::size_t r = 0; r < size(); ++r) {
            const auto to = from + static_cast<std::ptrdiff_t>(sizes[r]);
            of_.expect(name, out[r], std::vector<T>(from, to));
            from = to;
        }
    }
    template <class T>
    void expect_untouched(const char* name, const std::vector<T*>& out, const std::vector<std::uint64_t>& from,
                          const std::vector<std::uint64_t>& to) {
        for (std::size_t r = 0; r < size(); ++r) of_.expect_untouched(name, out[r], from[r], to[r]);
    }
    /// All ranks have the same results.
    template <class T>
    void expect_alike(const char* name, const std::vector<T*>& out, const std::vector<T>& want) {
        for (std::size_t r = 0; r < size(); ++r) of_.expect(name, out[r], want);
    }

    // ---- even shares of `all` items
    /// Room for one on each rank, or for a little more.
    std::vector<std::uint64_t> room_for_even(std::uint64_t all);
    void expect_even(const std::vector<std::uint64_t>& got, std::uint64_t all) const;

    // ---- calls
    /// Makes the call once that is checked afterwards. At times ranks have little memory: then it may run out of it,
    /// and nothing may have changed.
    void run(const Call& call);
    /// False where memory was too small: then there are no results.
    bool ran() const { return ran_; }
    /// The call must throw this on all ranks, for the fault of `rank`, and change no byte.
    void refuse(kogge::errc code, std::size_t rank, const std::string& why, const Call& call);
    /// A rank, for a mistake of its own.
    std::size_t any_rank() { return static_cast<std::size_t>(of_.below(size())); }
    /// At times the call is made with a mistake that every call refuses. Then there are no results.
    bool refused_one(const Call& call);

private:
    template <class Array, class T, class Hold>
    std::vector<Array> arrays(const std::vector<T>& all, const std::vector<std::uint64_t>& sizes, const Hold& hold) {
        std::vector<Array> parts;
        for (std::size_t r = 0; r < size(); ++r) {
            const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin(r));
            std::vector<T> part(from, from + static_cast<std::ptrdiff_t>(count(r)));
            part.resize(std::max<std::uint64_t>(sizes[r], count(r)));
            of_.memory().set_place(places_[r]);
            parts.push_back(hold(part));
        }
        return parts;
    }
    void choose_counts(std::size_t ranks);
    void choose_how();
    /// Makes the call on all ranks. Where one throws, all must throw the same, which is thrown.
    void together(const Call& call);

    Case& of_;
    std::vector<Count> counts_;
    std::vector<std::uint64_t> begins_;
    std::vector<Memory::Place> places_;
    std::vector<kogge::exec> how_;
    bool ran_ = true;
};

}  // namespace fuzz

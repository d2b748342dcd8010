// kogge top-k: the first k numbers in order. The input is read a piece at a time, behind the first k of the pieces
// before it, and the first k of both are kept.
#include "kogge/top_k.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "commands/commands.hpp"
#include "io/memory.hpp"
#include "io/numbers.hpp"
#include "io/output.hpp"
#include "io/pieces.hpp"
#include "verify.hpp"

namespace kogge::command {
namespace {

class TopK {
public:
    TopK(const TopKSettings& settings, OpenInput& input)
        : settings_(settings),
          input_(input),
          machine_(settings.common.machine),
          items_(input.type(), 0),
          first_(input.type(), 0),
          indices_(Type::i64, 0),
          places_(Type::i64, 0) {}

    void run() {
        while (read()) keep_first();
        items_.shrink(kept_);
        input_.end();
    }
    const Array& items() const { return items_; }
    const Array& indices() const { return indices_; }
    Report report() const {
        const bool largest = settings_.order.order == descending;
        return {"found the " + with_separators(kept_) + (largest ? " largest of " : " smallest of ") +
                    with_separators(seen_) + " " + name_of(items_.type()),
                seen_,
                "items",
                seconds_,
                machine_.machine().copy_seconds(),
                machine_.machine().name()};
    }

private:
    /// The next piece goes behind what is kept; false at the end. Pieces are at least as large as what is kept, so that
    /// this does not cost more than they do.
    bool read() {
        const std::size_t bytes = 2 * items_.item_bytes() + (settings_.indices ? sizeof(std::int64_t) : 0);
        const std::uint64_t room = kept_ + std::max(piece_items(settings_.memory, bytes), kept_);
        if (room > items_.size()) {
            require_memory((room - kept_) * bytes,
                           "the first " + with_separators(settings_.k) + " items of " + input_.name());
            items_.resize(room);
        }
        piece_ = input_.pieces().read(items_.data() + kept_ * items_.item_bytes(), items_.size() - kept_);
        return piece_ > 0;
    }

    void keep_first() {
        const std::uint64_t n = kept_ + piece_, first = std::min(settings_.k, n);
        first_.resize(first);
        if (settings_.indices) places_.resize(first);
        machine_([&](Machine& machine) { visit(items_.type(), [&]<class T>() { find<T>(machine, n, first); }); });
        if (first > 0) std::memcpy(items_.data(), first_.data(), first_.byte_count());
        if (settings_.indices) keep_indices(first);
        seen_ += piece_;
        kept_ = first;
    }

    template <class T>
    void find(Machine& machine, std::uint64_t n, std::uint64_t first) {
        Placed<T> items(machine, items_.as<T>(), n);
        Placed<T> out(machine, first_.as<T>(), first, false);
        if (settings_.indices) {
            Placed<std::int64_t> places(machine, places_.as<std::int64_t>(), first, false);
            seconds_ += machine.time(
                [&] { arg_top_k(items.data(), out.data(), places.data(), n, first, settings_.order, machine.how()); });
            places.fetch(first);
        } else {
            seconds_ +=
                machine.time([&] { top_k(items.data(), out.data(), n, first, settings_.order, machine.how()); });
        }
        out.fetch(first);
    }

    /// Of places among what is kept and the piece.
    void keep_indices(std::uint64_t first) {
        const auto* old = indices_.as<std::int64_t>();
        auto* places = places_.as<std::int64_t>();
        const auto kept = static_cast<std::int64_t>(kept_), seen = static_cast<std::int64_t>(seen_);
        for (std::uint64_t i = 0; i < first; ++i)
            places[i] = places[i] < kept ? old[places[i]] : places[i] - kept + seen;
        std::swap(indices_, places_);
    }

    const TopKSettings& settings_;
    OpenInput& input_;
    MachineRuns machine_;
    Array items_, first_, indices_, places_;
    std::uint64_t kept_ = 0;   ///< the first items_ are the first of all that were seen
    std::uint64_t piece_ = 0;  ///< items read behind them
    std::uint64_t seen_ = 0;
    double seconds_ = 0;
};

}  // namespace

void run_top_k(const TopKSettings& settings) {
    const CommonOptions& common = settings.common;
    OpenInput input(input_of(common), common.verify, "leave --verify out");
    const Format format = output_format(common, common.output, input.format());
    check_output(common.output, format);
    Output output(common.output);
    TopK top(settings, input);
    top.run();
    if (common.verify) verify_top_k(input, settings, top.items(), top.indices());
    const Array& result = settings.indices ? top.indices() : top.items();
    write_array(output, result, format, "the first items");
    output.finish();
    output.publish();
    print_report(common, top.report());
}

}  // namespace kogge::command

#include "commands/spilled_runs.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "commands/sort_items.hpp"
#include "progress.hpp"

namespace kogge::command {
namespace {

/// The next keys of some runs, in memory.
class Windows {
public:
    Windows(const SpilledRuns& from, std::uint64_t first, std::uint64_t last, const MergeSettings& settings)
        : from_(from),
          order_(settings.order),
          room_(settings.items / (last - first)),
          keys_(from.key_type(), room_ * (last - first)),
          values_(from.value_type().value_or(Type::u8), from.value_type() ? keys_.size() : 0) {
        for (std::uint64_t r = first; r < last; ++r) {
            const SpilledRuns::Run& run = from.runs()[r];
            windows_.push_back({run.begin, run.count, 0, 0});
        }
    }

    std::uint64_t items() const { return keys_.size(); }

    /// Moves what comes next into the block, run after run, and says of how many runs it is. False: nothing is left.
    template <class T>
    bool take(Array& keys, Array* values, int& sources) {
        for (std::size_t r = 0; r < windows_.size(); ++r) refill(r);
        const SortCode<T> code(order_);
        // What may still come of a run is not before its last key here. The least of these bounds the block: the run
        // it is of, and those before it, give all keys that equal it; what later runs have of these must wait.
        std::optional<std::size_t> bounding;
        for (std::size_t r = 0; r < windows_.size(); ++r)
            if (windows_[r].unread > 0 && (!bounding || last_code(code, r) < last_code(code, *bounding))) bounding = r;
        std::uint64_t taken = 0;
        sources = 0;
        for (std::size_t r = 0; r < windows_.size(); ++r) {
            Window& window = windows_[r];
            const std::uint64_t n =
                bounding ? count_to(code, r, last_code(code, *bounding), r <= *bounding) : window.end - window.begin;
            if (n == 0) continue;
            const std::uint64_t from = r * room_ + window.begin;
            copy(keys_, from, keys, taken, n);
            if (values) copy(values_, from, *values, taken, n);
            window.begin += n;
            taken += n;
            ++sources;
        }
        keys.shrink(taken);
        if (values) values->shrink(taken);
        return taken > 0;
    }

private:
    struct Window {
        std::uint64_t next, unread;  ///< in the file
        std::uint64_t begin, end;    ///< in the run's part of the arrays
    };

    static void copy(const Array& from, std::uint64_t at, Array& to, std::uint64_t place, std::uint64_t n) {
        const std::size_t item = from.item_bytes();
        std::memcpy(to.data() + place * item, from.data() + at * item, n * item);
    }
    void refill(std::size_t r) {
        Window& window = windows_[r];
        const std::uint64_t left = window.end - window.begin;
        if (window.unread == 0 || left > room_ / 2) return;
        for (Array* array : {&keys_, &values_})
            if (array->size() > 0)
                std::memmove(array->data() + r * room_ * array->item_bytes(),
                             array->data() + (r * room_ + window.begin) * array->item_bytes(),
                             left * array->item_bytes());
        const std::uint64_t n = std::min(window.unread, room_ - left), to = r * room_ + left;
        from_.read(window.next, n, keys_.data() + to * keys_.item_bytes(),
                   values_.size() > 0 ? values_.data() + to * values_.item_bytes() : nullptr);
        window = {window.next + n, window.unread - n, 0, left + n};
        from_.prefetch(window.next, std::min(window.unread, room_));
    }
    template <class T>
    auto last_code(const SortCode<T>& code, std::size_t r) const {
        return code(keys_.data(), r * room_ + windows_[r].end - 1);
    }
    /// The keys of a run below the bound, or also those that equal it.
    template <class T>
    std::uint64_t count_to(const SortCode<T>& code, std::size_t r, typename SortCode<T>::Bits bound, bool equal) const {
        const Window& window = windows_[r];
        std::uint64_t low = window.begin, high = window.end;
        while (low < high) {
            const std::uint64_t middle = low + (high - low) / 2;
            const auto found = code(keys_.data(), r * room_ + middle);
            if (found < bound || (equal && found == bound)) low = middle + 1;
            else high = middle;
        }
        return low - window.begin;
    }

    const SpilledRuns& from_;
    sort_options order_;
    std::uint64_t room_;  ///< of each run's part
    Array keys_, values_;
    std::vector<Window> windows_;
};

}  // namespace

SpilledRuns::SpilledRuns(const std::string& directory, Type key, std::optional<Type> value)
    : key_(key), value_(value), keys_(directory) {
    if (value) values_.emplace(directory);
}

SpilledRuns::SpilledRuns(Spill keys, std::optional<Spill> values, Type key, std::optional<Type> value,
                         std::vector<Run> runs)
    : key_(key), value_(value), keys_(std::move(keys)), values_(std::move(values)), runs_(std::move(runs)) {
    if (!runs_.empty()) written_ = runs_.back().begin + runs_.back().count;
}

std::size_t SpilledRuns::item_bytes() const { return info_of(key_).bytes + (value_ ? info_of(*value_).bytes : 0); }

void SpilledRuns::add(const Array& keys, const Array* values) {
    keys_.append(keys.data(), keys.byte_count());
    if (values) values_->append(values->data(), values->byte_count());
    runs_.back().count += keys.size();
    written_ += keys.size();
}

void SpilledRuns::read(std::uint64_t place, std::uint64_t n, std::byte* keys, std::byte* values) const {
    const std::size_t key = info_of(key_).bytes;
    keys_.read(place * key, keys, n * key);
    if (!values) return;
    const std::size_t value = info_of(*value_).bytes;
    values_->read(place * value, values, n * value);
}

void SpilledRuns::prefetch(std::uint64_t place, std::uint64_t n) const {
    const std::size_t key = info_of(key_).bytes;
    keys_.prefetch(place * key, n * key);
    if (values_) values_->prefetch(place * info_of(*value_).bytes, n * info_of(*value_).bytes);
}

void SpilledRuns::sync() const {
    keys_.sync();
    if (values_) values_->sync();
}

std::uint64_t most_runs_at_once(const MergeSettings& settings, std::size_t item_bytes) {
    constexpr std::uint64_t kWorthReading = 256 << 10, kLeastRuns = 16;
    const std::uint64_t bytes = settings.items * item_bytes;
    return std::min(settings.items, std::max(kLeastRuns, bytes / kWorthReading));
}

void merge_spilled(const SpilledRuns& from, std::uint64_t first, std::uint64_t last, const MergeSettings& settings,
                   MachineRuns& machine, const TakeBlock& take) {
    Windows windows(from, first, last, settings);
    Array keys(from.key_type(), windows.items());
    Array values(from.value_type().value_or(Type::u8), from.value_type() ? windows.items() : 0);
    Array* const with = from.value_type() ? &values : nullptr;
    visit(from.key_type(), [&]<class T>() {
        for (int sources = 0; windows.take<T>(keys, with, sources);) {
            if (sources > 1) machine([&](Machine& where) { sort_items(where, keys, with, settings.order); });
            take(keys, with);
        }
    });
}

void merge_to_few(SpilledRuns& runs, const std::string& directory, const MergeSettings& settings,
                  MachineRuns& machine) {
    const std::uint64_t most = most_runs_at_once(settings, runs.item_bytes());
    while (runs.runs().size() > most) {
        std::uint64_t all = 0;
        for (const SpilledRuns::Run& run : runs.runs()) all += run.count;
        Progress progress("merging " + std::to_string(runs.runs().size()) + " runs", all * runs.item_bytes());
        SpilledRuns longer(directory, runs.key_type(), runs.value_type());
        for (std::uint64_t first = 0; first < runs.runs().size(); first += most) {
            longer.begin_run();
            merge_spilled(runs, first, std::min<std::uint64_t>(first + most, runs.runs().size()), settings, machine,
                          [&](Array& keys, Array* values) {
                              longer.add(keys, values);
                              progress.advance(keys.size() * runs.item_bytes());
                          });
        }
        runs = std::move(longer);
    }
}

}  // namespace kogge::command

// kogge sort: keys, keys with values, or the indices that would sort them.
#include "kogge/radix_sort.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "commands/commands.hpp"
#include "failure.hpp"
#include "io/numbers.hpp"
#include "io/output.hpp"
#include "progress.hpp"
#include "verify.hpp"

namespace kogge::command {
namespace {

/// Calls f.operator()<V>() with an unsigned type of the items' size: values only move.
template <class F>
auto visit_size(std::size_t bytes, const F& f) {
    switch (bytes) {
        case 1:
            return f.template operator()<std::uint8_t>();
        case 2:
            return f.template operator()<std::uint16_t>();
        case 4:
            return f.template operator()<std::uint32_t>();
        default:
            return f.template operator()<std::uint64_t>();
    }
}

class Sort {
public:
    explicit Sort(const SortSettings& settings) : settings_(settings) {}

    void run() {
        if (!settings_.values.empty())
            values_path_ = second_path(settings_.common, {settings_.values_output, "keys", "values", "--with"});
        if (settings_.values == "-" && settings_.common.input == "-")
            throw usage_failure("the keys and the values cannot both come from standard input",
                                "name a file for one of them");
        read();
        if (settings_.common.verify) keep_originals();
        const Format format = output_format(settings_.common, settings_.common.output, format_);
        check_output(settings_.common.output, format);
        const Report report = sort();
        if (settings_.common.verify) verify();
        if (settings_.unique) keep_first_of_equals();
        write(format);
        print_report(settings_.common, report);
    }

private:
    void read() {
        const CommonOptions& common = settings_.common;
        // Scratch is as large as what is sorted; a verification keeps copies.
        const std::uint64_t copies = common.verify ? 3 : 2;
        const std::uint64_t extra =
            (settings_.indices ? 2 * sizeof(std::int64_t) : 0) + (common.verify ? kVerifySortBytes : 0);
        const auto memory = [=](std::uint64_t n, std::size_t item) { return n * (copies * item + extra); };
        Input input = read_input(input_of(common, memory));
        keys_ = std::move(input.array);
        format_ = input.format;
        if (settings_.values.empty()) return;
        const auto value_memory = [=](std::uint64_t n, std::size_t item) { return n * copies * item; };
        Input values = read_input({.path = settings_.values,
                                   .type = settings_.values_type,
                                   .format = format_of_path(settings_.values),
                                   .memory = value_memory});
        values_ = std::move(values.array);
        values_format_ = values.format;
        if (values_.size() != keys_.size())
            throw Failure("there are " + with_separators(keys_.size()) + " keys and " +
                              with_separators(values_.size()) + " values",
                          "give one value for each key");
    }

    void keep_originals() {
        original_keys_ = keys_.copy();
        original_values_ = values_.copy();
    }

    Report sort() {
        const Waiting waiting("sorting");
        return run_on_machine(settings_.common.machine, [&](Machine& machine) { return sort_on(machine); });
    }

    Report sort_on(Machine& machine) {
        const double seconds = visit(keys_.type(), [&]<class T>() { return sort_typed<T>(machine); });
        std::string done = settings_.indices ? "argsorted " : "sorted ";
        done += with_separators(keys_.size()) + " " + name_of(keys_.type());
        if (!settings_.values.empty()) done += std::string(" with ") + name_of(values_.type()) + " values";
        return {done, keys_.size(), "keys", seconds, machine.copy_seconds(), machine.name()};
    }

    template <class T>
    double sort_typed(Machine& machine) {
        const std::uint64_t n = keys_.size();
        const sort_options& order = settings_.order;
        Placed<T> keys(machine, keys_.as<T>(), n);
        double seconds = 0;
        if (settings_.indices) {
            indices_ = Array(Type::i64, n);
            Placed<std::int64_t> indices(machine, indices_.as<std::int64_t>(), n, false);
            seconds = machine.time([&] { argsort(keys.data(), indices.data(), n, order, machine.how()); });
            indices.fetch(n);
            return seconds;
        }
        if (settings_.values.empty()) {
            seconds = machine.time([&] { radix_sort(keys.data(), n, order, machine.how()); });
        } else {
            seconds = visit_size(values_.item_bytes(), [&]<class V>() {
                Placed<V> values(machine, values_.as<V>(), n);
                const double taken =
                    machine.time([&] { radix_sort_pairs(keys.data(), values.data(), n, order, machine.how()); });
                values.fetch(n);
                return taken;
            });
        }
        keys.fetch(n);
        return seconds;
    }

    void verify() const {
        const Waiting waiting("verifying");
        const bool pairs = !settings_.values.empty();
        verify_sort({&original_keys_, pairs ? &original_values_ : nullptr, settings_.indices ? nullptr : &keys_,
                     pairs ? &values_ : nullptr, settings_.indices ? &indices_ : nullptr},
                    settings_.order);
    }

    /// Of keys that agree in the bits that count, the first one stays, with what belongs to it.
    void keep_first_of_equals() {
        visit(keys_.type(), [&]<class T>() {
            using Bits = detail::stored_key<T>;
            const auto codec = detail::make_codec<T>(settings_.order);
            const detail::BitRange range = detail::bit_range<T>("radix_sort", settings_.order);
            const int width = range.end - range.begin;
            const auto code_of = [&](std::uint64_t place) -> Bits {
                Bits key;
                std::memcpy(&key, keys_.data() + place * sizeof key, sizeof key);
                if (width == 0) return 0;
                return static_cast<Bits>(codec.encode(key) << (detail::key_bits<T> - range.end)) >>
                       (detail::key_bits<T> - width);
            };
            const auto place_of = [&](std::uint64_t i) {
                return settings_.indices ? static_cast<std::uint64_t>(indices_.as<std::int64_t>()[i]) : i;
            };
            std::uint64_t kept = 0;
            Bits last = 0;
            for (std::uint64_t i = 0; i < keys_.size(); ++i) {
                const Bits code = code_of(place_of(i));
                if (i > 0 && code == last) continue;
                last = code;
                for (Array* array : {settings_.indices ? &indices_ : &keys_, &values_})
                    if (array->size() > i)
                        std::memmove(array->data() + kept * array->item_bytes(),
                                     array->data() + i * array->item_bytes(), array->item_bytes());
                ++kept;
            }
            if (settings_.indices) indices_.shrink(kept);
            else keys_.shrink(kept);
            if (!settings_.values.empty()) values_.shrink(kept);
        });
    }

    void write(Format format) const {
        const CommonOptions& common = settings_.common;
        Array count;
        Output output(common.output);
        std::optional<Output> values_output;
        write_array(output, result_or_count(common, settings_.indices ? indices_ : keys_, count), format,
                    "the sorted keys");
        output.finish();
        if (!settings_.values.empty()) {
            values_output.emplace(values_path_);
            write_array(*values_output, values_, output_format(common, values_path_, values_format_), "the values");
            values_output->finish();
        }
        output.publish();
        if (values_output) values_output->publish();
    }

    const SortSettings& settings_;
    std::string values_path_;
    Array keys_, values_, indices_;
    Array original_keys_, original_values_;
    Format format_ = Format::text;
    Format values_format_ = Format::text;
};

}  // namespace

void run_sort(const SortSettings& settings) { Sort(settings).run(); }

}  // namespace kogge::command

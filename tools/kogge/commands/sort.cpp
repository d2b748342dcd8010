// kogge sort: keys, keys with values, or the indices that would sort them.
#include "kogge/radix_sort.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "commands/commands.hpp"
#include "commands/sort_items.hpp"
#include "failure.hpp"
#include "io/memory.hpp"
#include "io/numbers.hpp"
#include "io/output.hpp"
#include "io/pieces.hpp"
#include "progress.hpp"
#include "verify.hpp"

namespace kogge::command {
namespace {

/// Scratch is as large as what is sorted; a verification keeps copies.
std::uint64_t bytes_per_key(const SortSettings& settings, std::size_t key) {
    const std::size_t indices = settings.indices ? 2 * sizeof(std::int64_t) : 0;
    return settings.common.verify ? 3 * key + indices + kVerifySortBytes : 2 * key + indices;
}
std::uint64_t bytes_per_value(const SortSettings& settings, std::size_t value) {
    return sort_item_bytes(0, value) + (settings.common.verify ? value : 0);
}

struct Estimate {
    std::uint64_t items = 0;
    std::size_t item_bytes = 1;
    std::uint64_t text = 0;  ///< bytes of it
};
/// Of a regular file, without reading it: of a text by the lines at its beginning.
Estimate estimate_of(const InputOptions& options) {
    struct stat status {};
    const bool is_input = options.path == "-";
    const int found = is_input ? fstat(STDIN_FILENO, &status) : stat(options.path.c_str(), &status);
    if (found != 0 || !S_ISREG(status.st_mode)) return {};
    const auto bytes = static_cast<std::uint64_t>(status.st_size);
    if (is_input) return {bytes, 1, 0};  // to look into it would take its beginning away
    Source source(options.path);
    const Format format = recognise_format(source, options);
    if (format == Format::text) {
        const std::string_view head = source.head();
        const auto lines = static_cast<std::uint64_t>(std::count(head.begin(), head.end(), '\n')) + 1;
        return {bytes * lines / (head.size() + 1) + 1, sizeof(std::int64_t), bytes};
    }
    if (format == Format::npy) {
        const NpyPieces pieces(source, options);
        return {*pieces.items(), info_of(pieces.type()).bytes, 0};
    }
    const std::size_t item = info_of(type_of_raw(source, options)).bytes;
    return {bytes / item, item, 0};
}

/// Whether the sort of these files in memory would need more than there is.
bool exceeds_memory(const SortSettings& settings) {
    const Estimate keys = estimate_of(input_of(settings.common));
    std::uint64_t needed = keys.text + keys.items * bytes_per_key(settings, keys.item_bytes);
    if (!settings.values.empty()) {
        const Estimate values = estimate_of(values_of(settings));
        needed += values.text + values.items * bytes_per_value(settings, values.item_bytes);
    }
    return needed > available_memory();
}

constexpr const char* kAdvice = "say --memory, and more is sorted in parts, by way of temporary files";

class Sort {
public:
    explicit Sort(const SortSettings& settings) : settings_(settings) {}

    void run() {
        values_path_ = values_path(settings_);
        read();
        if (settings_.common.verify) keep_originals();
        const Format format = output_format(settings_.common, settings_.common.output, format_);
        check_output(settings_.common.output, format);
        const Report report = sort();
        if (settings_.common.verify) verify();
        if (settings_.unique) keep_first();
        write(format);
        print_report(settings_.common, report);
    }

private:
    void read() {
        const CommonOptions& common = settings_.common;
        const auto memory = [this](std::uint64_t n, std::size_t item) { return n * bytes_per_key(settings_, item); };
        InputOptions options = input_of(common, memory);
        options.advice = kAdvice;
        Input input = read_input(options);
        keys_ = std::move(input.array);
        format_ = input.format;
        check_bits(settings_.order, keys_.type());
        if (settings_.values.empty()) return;
        InputOptions with = values_of(settings_);
        with.memory = [this](std::uint64_t n, std::size_t item) { return n * bytes_per_value(settings_, item); };
        with.advice = kAdvice;
        Input values = read_input(with);
        values_ = std::move(values.array);
        values_format_ = values.format;
        if (values_.size() != keys_.size())
            throw other_number_of_values(with_separators(keys_.size()), with_separators(values_.size()));
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
        const double seconds =
            settings_.indices
                ? visit(keys_.type(), [&]<class T>() { return find_indices<T>(machine); })
                : sort_items(machine, keys_, settings_.values.empty() ? nullptr : &values_, settings_.order);
        const std::string done = sort_done(settings_, keys_.size(), keys_.type(),
                                           settings_.values.empty() ? std::nullopt : std::optional(values_.type()));
        return {done, keys_.size(), "keys", seconds, machine.copy_seconds(), machine.name()};
    }

    template <class T>
    double find_indices(Machine& machine) {
        const std::uint64_t n = keys_.size();
        Placed<T> keys(machine, keys_.as<T>(), n);
        indices_ = Array(Type::i64, n);
        Placed<std::int64_t> indices(machine, indices_.as<std::int64_t>(), n, false);
        const double seconds =
            machine.time([&] { argsort(keys.data(), indices.data(), n, settings_.order, machine.how()); });
        indices.fetch(n);
        return seconds;
    }

    void verify() const {
        const Waiting waiting("verifying");
        const bool pairs = !settings_.values.empty();
        verify_sort({&original_keys_, pairs ? &original_values_ : nullptr, settings_.indices ? nullptr : &keys_,
                     pairs ? &values_ : nullptr, settings_.indices ? &indices_ : nullptr},
                    settings_.order);
    }

    void keep_first() {
        std::optional<std::uint64_t> last;
        if (settings_.indices)
            keep_first_of_equals(
                keys_, {&indices_}, settings_.order,
                [&](std::uint64_t i) { return static_cast<std::uint64_t>(indices_.as<std::int64_t>()[i]); }, last);
        else
            keep_first_of_equals(
                keys_, {&keys_, settings_.values.empty() ? nullptr : &values_}, settings_.order,
                [](std::uint64_t i) { return i; }, last);
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

void run_sort(const SortSettings& settings) {
    if (settings.values == "-" && settings.common.input == "-")
        throw usage_failure("the keys and the values cannot both come from standard input",
                            "name a file for one of them");
    if (settings.memory > 0 || !settings.resume.empty() || exceeds_memory(settings)) run_external_sort(settings);
    else Sort(settings).run();
}

}  // namespace kogge::command

// kogge sort: keys, keys with values, or the indices that would sort them.
#include "kogge/radix_sort.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "commands/commands.hpp"
#include "commands/sort_items.hpp"
#include "failure.hpp"
#include "io/memory.hpp"
#include "io/numbers.hpp"
#include "io/output.hpp"
#include "progress.hpp"
#include "verify.hpp"

namespace kogge::command {
namespace {

/// The bytes of a regular file, also if it is standard input.
std::uint64_t bytes_of_file(const std::string& path) {
    struct stat status {};
    const bool found = path == "-" ? fstat(STDIN_FILENO, &status) == 0 : stat(path.c_str(), &status) == 0;
    return found && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
}

/// Whether the sort of these files would need more memory than there is: for them, and as much scratch.
bool exceeds_memory(const SortSettings& settings) {
    const std::uint64_t values = settings.values.empty() ? 0 : bytes_of_file(settings.values);
    return 2 * (bytes_of_file(settings.common.input) + values) > available_memory();
}

constexpr const char* kAdvice = "say --memory, and more is sorted in parts, by way of temporary files";

class Sort {
public:
    explicit Sort(const SortSettings& settings) : settings_(settings) {}

    void run() {
        if (!settings_.values.empty())
            values_path_ = second_path(settings_.common, {settings_.values_output, "keys", "values", "--with"});
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
        InputOptions options = input_of(common, memory);
        options.advice = kAdvice;
        Input input = read_input(options);
        keys_ = std::move(input.array);
        format_ = input.format;
        if (settings_.values.empty()) return;
        const auto value_memory = [=](std::uint64_t n, std::size_t item) { return n * copies * item; };
        Input values = read_input({.path = settings_.values,
                                   .type = settings_.values_type,
                                   .format = format_of_path(settings_.values),
                                   .memory = value_memory,
                                   .advice = kAdvice});
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
        const double seconds =
            settings_.indices
                ? visit(keys_.type(), [&]<class T>() { return find_indices<T>(machine); })
                : sort_items(machine, keys_, settings_.values.empty() ? nullptr : &values_, settings_.order);
        std::string done = settings_.indices ? "argsorted " : "sorted ";
        done += with_separators(keys_.size()) + " " + name_of(keys_.type());
        if (!settings_.values.empty()) done += std::string(" with ") + name_of(values_.type()) + " values";
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

    /// Of keys that agree in the bits that count, the first one stays, with what belongs to it.
    void keep_first_of_equals() {
        visit(keys_.type(), [&]<class T>() {
            const SortCode<T> code_of(settings_.order);
            const auto place_of = [&](std::uint64_t i) {
                return settings_.indices ? static_cast<std::uint64_t>(indices_.as<std::int64_t>()[i]) : i;
            };
            std::uint64_t kept = 0;
            typename SortCode<T>::Bits last = 0;
            for (std::uint64_t i = 0; i < keys_.size(); ++i) {
                const auto code = code_of(keys_.data(), place_of(i));
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

void run_sort(const SortSettings& settings) {
    if (settings.values == "-" && settings.common.input == "-")
        throw usage_failure("the keys and the values cannot both come from standard input",
                            "name a file for one of them");
    if (settings.memory > 0 || exceeds_memory(settings)) run_external_sort(settings);
    else Sort(settings).run();
}

}  // namespace kogge::command

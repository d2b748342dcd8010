// kogge sort of more than memory holds. Parts of the input are sorted and kept in temporary files as runs, which are
// merged into the result. Where all of it is one part, no file is needed.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "commands/commands.hpp"
#include "commands/kept_runs.hpp"
#include "commands/sort_check.hpp"
#include "commands/sort_items.hpp"
#include "commands/spilled_runs.hpp"
#include "failure.hpp"
#include "io/memory.hpp"
#include "io/numbers.hpp"
#include "io/output.hpp"
#include "io/pieces.hpp"
#include "kogge/host/machine/threads.hpp"

namespace kogge::command {
namespace {

class ExternalSort {
public:
    explicit ExternalSort(const SortSettings& settings) : settings_(settings), machine_(settings.common.machine) {}

    void run() {
        const Stopwatch watch;
        open();
        const std::uint64_t all = read();
        if (runs_) {
            runs_count_ = runs_->runs().size();
            merge_to_few(*runs_, directory_, merge_settings(), machine_);
            open_results(all);
            merge_spilled(*runs_, 0, runs_->runs().size(), merge_settings(), machine_,
                          [&](Array& keys, Array* values) { write(keys, values); });
        }
        finish(all, watch.seconds());
    }

private:
    const CommonOptions& common() const { return settings_.common; }
    bool has_values() const { return values_input_.has_value() || settings_.indices; }
    Type value_type() const { return settings_.indices ? Type::i64 : values_input_->type(); }
    MergeSettings merge_settings() const { return {settings_.order, part_}; }

    void open() {
        values_path_ = values_path(settings_);
        const std::uint64_t available = available_memory();
        const std::uint64_t memory = settings_.memory > 0 ? std::min(settings_.memory, available) : available / 2;
        InputOptions keys = input_of(common());
        keys.most_kept = memory;
        input_.emplace(keys, false, "");
        check_bits(settings_.order, input_->type());
        if (!settings_.values.empty()) {
            InputOptions values = values_of(settings_);
            values.most_kept = memory;
            values_input_.emplace(values, false, "");
        }
        compare_sizes(input_->pieces().items(), values_input_ ? values_input_->pieces().items() : std::nullopt);
        format_ = output_format(common(), common().output, input_->format());
        check_output(common().output, format_);
        // A part and what its sort takes; and later as large are the parts of the runs, and a block of them.
        const std::size_t key = info_of(input_->type()).bytes, value = has_values() ? info_of(value_type()).bytes : 0;
        part_ = std::max(piece_items(memory, key + value + sort_item_bytes(key, value)), kLeastMergeItems);
        directory_ = temporary_directory(settings_.directory);
        std::uint64_t in_runs = 0;  // bytes
        bool at_once = true;
        if (const auto items = input_->pieces().items()) {
            if (*items > part_) {
                at_once = host::divide_up(*items, part_) <= most_runs_at_once(merge_settings(), key + value);
                in_runs = *items * (key + value);
            }
            part_ = std::min(part_, std::max(*items + 1, kLeastMergeItems));
        }
        for (const std::string& path : {common().output, values_path_})
            if (!settings_.resume.empty() && !path.empty() && KeptRuns::has_place(settings_.resume, path))
                throw usage_failure("'" + path + "' has the sorted parts, which are removed", "name another file");
        open_outputs();
        std::uint64_t in_temporary = at_once ? in_runs : 2 * in_runs;  // bytes
        if (!settings_.resume.empty()) {
            kept_.emplace(settings_.resume, description(), input_->type(), run_values());
            need(settings_.resume, in_runs - std::min(in_runs, kept_->items() * (key + value)));
            in_temporary -= in_runs;
        }
        need(directory_, in_temporary);
    }
    void need(const std::string& directory, std::uint64_t bytes) const {
        if (bytes > 0) require_room(directory, bytes, "sorting " + input_->name());
    }
    std::optional<Type> run_values() const { return has_values() ? std::optional(value_type()) : std::nullopt; }
    /// Of the sort, as far as it decides about runs.
    std::string description() const {
        const sort_options& order = settings_.order;
        std::string text = "kogge sort 1, " + std::string(name_of(input_->type()));
        if (has_values()) text += settings_.indices ? ", indices" : std::string(", with ") + name_of(value_type());
        for (const int number : {static_cast<int>(order.order), order.begin_bit, order.end_bit,
                                 static_cast<int>(order.zeros), static_cast<int>(order.nans)})
            text += ' ' + std::to_string(number);
        text += " of " + identity_of_file(common().input) + ' ' + std::to_string(static_cast<int>(input_->format())) +
                ' ' + common().column.column + ' ' + std::to_string(common().column.delimiter.value_or('\0')) +
                (common().header ? " header" : "");
        if (!settings_.values.empty()) text += " with " + identity_of_file(settings_.values);
        return text;
    }
    void open_outputs() {
        if (settings_.unique && format_ == Format::npy && !common().count && !is_file_to_be(common().output))
            throw usage_failure("a .npy file begins with the number of its items, which is known when all are written",
                                "write to a file with -o, or say --format raw");
        if (!values_path_.empty() && !is_file_to_be(values_path_))
            throw usage_failure("in parts, keys and values come side by side, and '" + values_path_ + "' is no file",
                                "name a file with --with-output");
        output_.emplace(common().output);
        if (!values_path_.empty()) values_output_.emplace(values_path_);
    }

    /// Sorts part after part; returns how many keys there are. One part goes straight to the result.
    std::uint64_t read() {
        Array keys(input_->type(), part_);
        Array values(has_values() ? value_type() : Type::u8, has_values() ? part_ : 0);
        Array* const with = has_values() ? &values : nullptr;
        std::uint64_t all = 0;
        const std::uint64_t kept = kept_ ? kept_->items() : 0;
        if (kept > 0) begin_runs();
        for (bool more = true; more;) {
            const bool is_kept = all < kept;
            const std::uint64_t wanted = is_kept ? std::min(part_, kept - all) : part_;
            const std::uint64_t got = input_->pieces().read(keys.data(), wanted);
            more = got == wanted;
            keys.shrink(got);
            if (with) read_values(values, got, all, more);
            if (common().verify) came_.add(keys, with);
            if (is_kept) {
                all += got;
                continue;
            }
            machine_([&](Machine& where) { sort_items(where, keys, with, settings_.order); });
            all += got;
            if (!more && !runs_) {
                open_results(all);
                write(keys, with);
            } else if (got > 0) {
                if (!runs_) begin_runs();
                runs_->begin_run();
                runs_->add(keys, with);
                if (kept_) kept_->note_run(*runs_);
            }
        }
        input_->end();
        if (values_input_) values_input_->end();
        return all;
    }

    void begin_runs() {
        if (common().verify && !output_->can_rewrite())
            throw usage_failure("a result that comes in parts is checked while it is written",
                                "write to a file with -o, which appears when all is right");
        if (kept_) runs_ = kept_->take_runs();
        else runs_.emplace(directory_, input_->type(), run_values());
    }

    void read_values(Array& values, std::uint64_t n, std::uint64_t before, bool more) {
        values.shrink(n);
        if (settings_.indices) {
            for (std::uint64_t i = 0; i < n; ++i) values.as<std::int64_t>()[i] = static_cast<std::int64_t>(before + i);
            return;
        }
        Pieces& pieces = values_input_->pieces();
        const std::uint64_t got = pieces.read(values.data(), n);
        const std::string keys = with_separators(before + n), with = with_separators(before + got);
        std::uint64_t one;
        if (got < n) throw other_number_of_values(input_->pieces().items() ? keys : "more than " + with, with);
        if (!more && pieces.read(&one, 1) > 0) throw other_number_of_values(keys, "more than " + with);
    }
    static void compare_sizes(std::optional<std::uint64_t> keys, std::optional<std::uint64_t> values) {
        if (keys && values && *keys != *values)
            throw other_number_of_values(with_separators(*keys), with_separators(*values));
    }

    /// `all`: how many keys there are, of which some may be left out.
    void open_results(std::uint64_t all) {
        const auto items = settings_.unique ? std::nullopt : std::optional(all);
        if (!common().count) {
            const Type type = settings_.indices ? Type::i64 : input_->type();
            writer_.emplace(*output_, type, format_, items, settings_.indices ? "the indices" : "the sorted keys");
        }
        if (settings_.values.empty()) return;
        const Format format = output_format(common(), values_path_, values_input_->format());
        values_writer_.emplace(*values_output_, values_input_->type(), format, items, "the values");
    }

    void write(Array& keys, Array* values) {
        if (common().verify) {
            went_.add(keys, values);
            check_.look_at(keys, values);
        }
        if (settings_.unique)
            keep_first_of_equals(
                keys, {&keys, values}, settings_.order, [](std::uint64_t i) { return i; }, last_);
        written_ += keys.size();
        if (writer_) writer_->write(settings_.indices ? *values : keys);
        if (values_writer_) values_writer_->write(*values);
    }

    void finish(std::uint64_t all, double seconds) {
        if (common().verify && (!(came_ == went_) || written_ != (settings_.unique ? check_.distinct() : all)))
            throw Failure("verification failed: other keys or values are in the result than in the input");
        if (common().count) {
            Array count(Type::u64, 1);
            *count.as<std::uint64_t>() = written_;
            write_array(*output_, count, format_, "the number of keys");
        }
        if (writer_) writer_->end();
        output_->finish();
        if (values_writer_) {
            values_writer_->end();
            values_output_->finish();
        }
        output_->publish();
        if (values_output_) values_output_->publish();
        if (kept_) kept_->remove();
        std::string done = sort_done(settings_, all, input_->type(),
                                     values_input_ ? std::optional(values_input_->type()) : std::nullopt);
        if (runs_count_ > 0) done += " by way of " + with_separators(runs_count_) + " runs";
        const Machine& machine = machine_.machine();
        print_report(common(), {done, all, "keys", seconds, machine.copy_seconds(), machine.name()});
    }

    const SortSettings& settings_;
    MachineRuns machine_;
    std::optional<OpenInput> input_, values_input_;
    std::string values_path_, directory_;
    Format format_ = Format::text;
    std::uint64_t part_ = 0;        ///< items that are sorted at a time
    std::optional<KeptRuns> kept_;  ///< those of an earlier program, and of this one if it is interrupted
    std::optional<SpilledRuns> runs_;
    std::uint64_t runs_count_ = 0;
    std::optional<Output> output_, values_output_;
    std::optional<ArrayWriter> writer_, values_writer_;
    std::optional<std::uint64_t> last_;  ///< the last key's code, if equal ones are left out
    std::uint64_t written_ = 0;
    Digest came_, went_;
    OrderCheck check_{settings_.order, settings_.indices};
};

}  // namespace

void run_external_sort(const SortSettings& settings) {
#if defined(__GLIBC__)
    // Scratch of block after block goes back to the system; otherwise the heap grows with how it happens to be divided.
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_TRIM_THRESHOLD, 128 << 10);
#endif
    ExternalSort(settings).run();
}

}  // namespace kogge::command

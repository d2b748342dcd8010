// kogge compact: the items that satisfy a comparison, in their order.
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>

#include "commands/commands.hpp"
#include "failure.hpp"
#include "io/numbers.hpp"
#include "io/output.hpp"
#include "kogge/partition.hpp"
#include "verify.hpp"
#include "where.hpp"

namespace kogge::command {
namespace {

/// 1 where an item is kept. Half has no comparison in plain C++: its items are compared as floats.
Array mark(const Array& array, const Where& where) {
    Array marks(Type::u8, array.size());
    visit(array.type(), [&]<class T>() {
        const auto mark_all = [&](const auto& keep, const auto& number) {
            for (std::uint64_t i = 0; i < array.size(); ++i)
                marks.as<std::uint8_t>()[i] = keep(number(array.as<T>()[i]));
        };
        if constexpr (std::is_same_v<T, half>) mark_all(comparison<float>(where, array.type()), to_float);
        else mark_all(comparison<T>(where, array.type()), [](T item) { return item; });
    });
    return marks;
}

/// Keeps the items, stored as T, that have marks.
template <class T>
std::uint64_t compact_marked(Machine& machine, Array& array, const Array& marks, double& seconds) {
    const std::uint64_t n = array.size();
    Placed<T> items(machine, array.as<T>(), n);
    Placed<std::uint8_t> flags(machine, marks.as<std::uint8_t>(), n);
    std::uint64_t kept = 0;
    seconds = machine.time([&] { kept = compact_flags(items.data(), flags.data(), items.data(), n, machine.how()); });
    items.fetch(kept);
    return kept;
}

Array all_indices(std::uint64_t n) {
    Array indices(Type::i64, n);
    std::iota(indices.as<std::int64_t>(), indices.as<std::int64_t>() + n, std::int64_t{0});
    return indices;
}

std::uint64_t compact_array(Machine& machine, Array& array, const Where& where, double& seconds) {
    return visit(array.type(), [&]<class T>() -> std::uint64_t {
        if constexpr (std::is_same_v<T, half>) {
            return compact_marked<std::uint16_t>(machine, array, mark(array, where), seconds);
        } else {
            const std::uint64_t n = array.size();
            const compare<T> keep = comparison<T>(where, array.type());
            Placed<T> items(machine, array.as<T>(), n);
            std::uint64_t kept = 0;
            seconds = machine.time([&] { kept = compact(items.data(), items.data(), n, keep, machine.how()); });
            items.fetch(kept);
            return kept;
        }
    });
}

}  // namespace

void verify_compact(const Array& input, const Array& kept, relation test, const std::string& value) {
    visit(input.type(), [&]<class T>() {
        const auto number = [](T item) {
            if constexpr (std::is_same_v<T, half>) return to_float(item);
            else return item;
        };
        using Number = std::conditional_t<std::is_same_v<T, half>, float, T>;
        const auto [relation_to, bound] = comparison<Number>({test, value}, input.type());
        std::uint64_t count = 0;
        for (std::uint64_t i = 0; i < input.size(); ++i) {
            const auto item = number(input.as<T>()[i]);
            const bool keep = relation_to == relation::less            ? item < bound
                              : relation_to == relation::less_equal    ? item <= bound
                              : relation_to == relation::greater       ? item > bound
                              : relation_to == relation::greater_equal ? item >= bound
                              : relation_to == relation::equal         ? item == bound
                                                                       : item != bound;
            if (!keep) continue;
            if (count >= kept.size() || std::memcmp(input.as<T>() + i, kept.as<T>() + count, sizeof(T)) != 0)
                throw Failure("verification failed: item " + with_separators(i) + " should be kept at " +
                              with_separators(count));
            ++count;
        }
        if (count != kept.size()) throw Failure("verification failed: more items are kept than satisfy the comparison");
    });
}

void verify_kept_indices(const Array& input, const Array& indices, relation test, const std::string& value) {
    Array kept(input.type(), indices.size());
    std::int64_t last = -1;
    for (std::uint64_t i = 0; i < indices.size(); ++i) {
        const std::int64_t index = indices.as<std::int64_t>()[i];
        if (index <= last || static_cast<std::uint64_t>(index) >= input.size())
            throw Failure("verification failed: index " + with_separators(i) + " does not follow those before it");
        last = index;
        std::memcpy(kept.data() + i * kept.item_bytes(),
                    input.data() + static_cast<std::uint64_t>(index) * kept.item_bytes(), kept.item_bytes());
    }
    verify_compact(input, kept, test, value);
}

void run_compact(const CompactSettings& settings) {
    const CommonOptions& common = settings.common;
    const Where where = parse_where(settings.where);
    const std::uint64_t copies = common.verify ? 2 : 1, index_bytes = settings.indices ? sizeof(std::int64_t) + 1 : 0;
    const auto memory = [=](std::uint64_t n, std::size_t item) { return n * (copies * item + index_bytes); };
    Input input = read_input(input_of(common, memory));
    Array& array = input.array;
    const Format format = output_format(common, common.output, input.format);
    check_output(common.output, format);
    const Array original = common.verify ? array.copy() : Array();
    const std::uint64_t n = array.size();
    const Type type = array.type();
    Array marks;
    if (settings.indices) {
        marks = mark(array, where);
        array = all_indices(n);
    }
    const Report report = run_on_machine(common.machine, [&](Machine& machine) -> Report {
        double seconds = 0;
        const std::uint64_t kept = settings.indices ? compact_marked<std::int64_t>(machine, array, marks, seconds)
                                                    : compact_array(machine, array, where, seconds);
        array.shrink(kept);
        const std::string what = settings.indices ? "kept the indices of " : "kept ";
        return {what + with_separators(kept) + " of " + with_separators(n) + " " + name_of(type),
                n,
                "items",
                seconds,
                machine.copy_seconds(),
                machine.name()};
    });
    if (common.verify && settings.indices) verify_kept_indices(original, array, where.test, where.value);
    else if (common.verify) verify_compact(original, array, where.test, where.value);
    write_result(common, array, format, "the kept items");
    print_report(common, report);
}

}  // namespace kogge::command

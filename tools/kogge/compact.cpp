// kogge compact: the items that satisfy a comparison, in their order.
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "commands.hpp"
#include "failure.hpp"
#include "kogge/partition.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "verify.hpp"

namespace kogge::command {
namespace {

struct Where {
    relation test;
    std::string value;
};

Where parse_where(const std::string& text) {
    constexpr std::pair<std::string_view, relation> kRelations[] = {
        {"<=", relation::less_equal}, {">=", relation::greater_equal}, {"==", relation::equal},
        {"!=", relation::not_equal},  {"<", relation::less},           {">", relation::greater},
    };
    const std::size_t begin = text.find_first_not_of(' ');
    const std::string_view trimmed = std::string_view(text).substr(begin == std::string::npos ? text.size() : begin);
    for (const auto& [sign, test] : kRelations) {
        if (trimmed.substr(0, sign.size()) != sign) continue;
        std::string_view value = trimmed.substr(sign.size());
        value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
        value = value.substr(0, value.find_last_not_of(' ') + 1);
        if (!value.empty()) return {test, std::string(value)};
    }
    throw usage_failure("--where '" + text + "' is no comparison",
                        "write it as --where '>1048576'; there are < <= > >= == !=");
}

template <class T>
T parse_value(const Where& where, Type type) {
    if (const auto value = parse_number<T>(where.value)) return *value;
    throw usage_failure("--where compares with '" + where.value + "', which is no number of type " + name_of(type));
}

/// Half has no comparison in plain C++: its items are marked as floats first.
std::uint64_t compact_half(Machine& machine, Array& array, const Where& where, double& seconds) {
    const std::uint64_t n = array.size();
    const compare<float> keep{where.test, to_float(parse_value<half>(where, array.type()))};
    Array marks(Type::u8, n);
    for (std::uint64_t i = 0; i < n; ++i) marks.as<std::uint8_t>()[i] = keep(to_float(array.as<half>()[i]));
    Placed<std::uint16_t> items(machine, array.as<std::uint16_t>(), n);
    Placed<std::uint8_t> flags(machine, marks.as<std::uint8_t>(), n);
    std::uint64_t kept = 0;
    seconds = machine.time([&] { kept = compact_flags(items.data(), flags.data(), n, items.data(), machine.how()); });
    items.fetch(kept);
    return kept;
}

std::uint64_t compact_array(Machine& machine, Array& array, const Where& where, double& seconds) {
    return visit(array.type(), [&]<class T>() -> std::uint64_t {
        if constexpr (std::is_same_v<T, half>) {
            return compact_half(machine, array, where, seconds);
        } else {
            const std::uint64_t n = array.size();
            const compare<T> keep{where.test, parse_value<T>(where, array.type())};
            Placed<T> items(machine, array.as<T>(), n);
            std::uint64_t kept = 0;
            seconds = machine.time([&] { kept = compact(items.data(), n, items.data(), keep, machine.how()); });
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
        const auto bound = number(*parse_number<T>(value));
        std::uint64_t count = 0;
        for (std::uint64_t i = 0; i < input.size(); ++i) {
            const auto item = number(input.as<T>()[i]);
            const bool keep = test == relation::less            ? item < bound
                              : test == relation::less_equal    ? item <= bound
                              : test == relation::greater       ? item > bound
                              : test == relation::greater_equal ? item >= bound
                              : test == relation::equal         ? item == bound
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

void run_compact(const CompactSettings& settings) {
    const CommonOptions& common = settings.common;
    const Where where = parse_where(settings.where);
    const std::uint64_t copies = common.verify ? 2 : 1;
    const auto memory = [=](std::uint64_t n, std::size_t item) { return n * copies * item; };
    Input input = read_input({common.input, common.type, common.input_format, memory});
    Array& array = input.array;
    const Format format = output_format(common, common.output, input.format);
    check_output(common.output, format);
    const Array original = common.verify ? array.copy() : Array();
    const std::uint64_t n = array.size();
    const Report report = run_on_machine(common.machine, [&](Machine& machine) -> Report {
        double seconds = 0;
        const std::uint64_t kept = compact_array(machine, array, where, seconds);
        array.shrink(kept);
        return {"kept " + with_separators(kept) + " of " + with_separators(n) + " " + name_of(array.type()),
                n,
                "items",
                seconds,
                machine.copy_seconds(),
                machine.name()};
    });
    if (common.verify) verify_compact(original, array, where.test, where.value);
    Output output(common.output);
    write_array(output, array, format, "the kept items");
    output.finish();
    output.publish();
    print_report(common, report);
}

}  // namespace kogge::command

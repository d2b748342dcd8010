// kogge scan: running sums, maxima and minima.
#include "kogge/scan.hpp"

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "commands/commands.hpp"
#include "failure.hpp"
#include "io/numbers.hpp"
#include "io/output.hpp"
#include "verify.hpp"

namespace kogge::command {
namespace {

/// The type of the results: sums of integers take 64 bits, half is widened, everything else stays.
Type result_type(const ScanSettings& settings, Type input) {
    if (settings.accumulate) return *settings.accumulate;
    if (input == Type::f16) return Type::f32;
    if (settings.op != ScanOperator::sum || is_float(input)) return input;
    return is_signed_integer(input) ? Type::i64 : Type::u64;
}

template <class To, class From>
To convert_item(From item, std::uint64_t i, Type to) {
    if constexpr (std::is_same_v<From, half>) {
        return convert_item<To>(to_float(item), i, to);
    } else {
        if constexpr (std::is_integral_v<To>) {
            const auto wide = static_cast<__int128>(item);
            if (wide < std::numeric_limits<To>::min() || wide > std::numeric_limits<To>::max())
                throw Failure(
                    "item " + with_separators(i) + " is " + number_text(item) + ", which does not fit " + name_of(to),
                    "choose a wider type with --accumulate");
        }
        return static_cast<To>(item);
    }
}

Array convert(Array array, Type to) {
    if (array.type() == to) return array;
    if (is_float(array.type()) && !is_float(to))
        throw usage_failure(std::string("--accumulate ") + name_of(to) + " would cut the fractions off " +
                            name_of(array.type()));
    Array wide(to, array.size());
    visit(array.type(), [&]<class From>() {
        visit(to, [&]<class To>() {
            if constexpr (!std::is_same_v<To, half>)
                for (std::uint64_t i = 0; i < array.size(); ++i)
                    wide.as<To>()[i] = convert_item<To>(array.as<From>()[i], i, to);
        });
    });
    return wide;
}

template <class T>
T parse_init(const ScanSettings& settings, Type type) {
    if (settings.init.empty()) {
        using Limits = std::numeric_limits<T>;
        if (settings.op == ScanOperator::sum) return T{};
        if (settings.op == ScanOperator::max) return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
        return Limits::has_infinity ? Limits::infinity() : Limits::max();
    }
    if (const auto value = parse_number<T>(settings.init)) return *value;
    throw usage_failure("--init '" + settings.init + "' is no number of type " + name_of(type));
}

/// Extremes are undefined where NaN takes part, and sums that leave their type would wrap around.
template <class T>
void check_items(const T* items, std::uint64_t n, const ScanSettings& settings, T init, Type type) {
    if constexpr (std::is_floating_point_v<T>) {
        if (settings.op == ScanOperator::sum) return;
        if (std::isnan(init)) throw usage_failure("--init is NaN, which has no order");
        for (std::uint64_t i = 0; i < n; ++i)
            if (std::isnan(items[i]))
                throw Failure("item " + with_separators(i) + " is NaN, which has no order",
                              "drop the NaNs first: kogge compact --where '>=-inf'");
    } else {
        if (settings.op != ScanOperator::sum) return;
        __int128 sum = init;
        const std::uint64_t used = settings.exclusive && n > 0 ? n - 1 : n;
        for (std::uint64_t i = 0; i < used; ++i) {
            sum += items[i];
            if (sum < std::numeric_limits<T>::min() || sum > std::numeric_limits<T>::max())
                throw Failure("the sum leaves " + std::string(name_of(type)) + " at item " + with_separators(i),
                              type == Type::u64 || type == Type::i64 ? "sum as floating point: --accumulate f64"
                                                                     : "choose a wider type with --accumulate");
        }
    }
}

template <class T, class Op>
double scan_typed(Machine& machine, Array& array, const ScanSettings& settings, T init, Op op) {
    const std::uint64_t n = array.size();
    Placed<T> items(machine, array.as<T>(), n);
    const double seconds = machine.time([&] {
        T* data = items.data();
        if (settings.exclusive) exclusive_scan(data, data, n, init, op, machine.how());
        else if (settings.init.empty()) inclusive_scan(data, data, n, op, machine.how());
        else inclusive_scan(data, data, n, op, init, scan_options{}, machine.how());
    });
    items.fetch(n);
    return seconds;
}

/// Parts of a signed sum may leave its type where no prefix does, which only unsigned numbers allow.
template <class T>
struct SummedAs {
    using type = T;
};
template <std::signed_integral T>
struct SummedAs<T> {
    using type = std::make_unsigned_t<T>;
};
template <class T>
using Summed = typename SummedAs<T>::type;

template <class T>
double scan_array(Machine& machine, Array& array, const ScanSettings& settings) {
    const T init = parse_init<T>(settings, array.type());
    switch (settings.op) {
        case ScanOperator::sum:
            return scan_typed(machine, array, settings, static_cast<Summed<T>>(init), plus{});
        case ScanOperator::max:
            return scan_typed(machine, array, settings, init, maximum{});
        case ScanOperator::min:
            return scan_typed(machine, array, settings, init, minimum{});
    }
    std::abort();
}

template <class T>
void verify_typed(const Array& input, const Array& result, const ScanSettings& settings) {
    constexpr bool kRounds = std::is_floating_point_v<T>;
    using Exact = std::conditional_t<kRounds, long double, __int128>;
    Exact sum = parse_init<T>(settings, input.type());
    long double magnitude = std::fabs(static_cast<long double>(sum));
    for (std::uint64_t i = 0; i < input.size(); ++i) {
        const auto item = static_cast<Exact>(input.as<T>()[i]);
        const Exact before = sum;
        if (settings.op == ScanOperator::sum) sum += item;
        else if (settings.op == ScanOperator::max ? item > sum : item < sum) sum = item;
        const Exact wanted = settings.exclusive ? before : sum;
        const auto got = static_cast<Exact>(result.as<T>()[i]);
        bool right = got == wanted;
        if constexpr (kRounds) {
            if (settings.op == ScanOperator::sum) {
                // Each of the i + 1 additions rounds by at most half a unit of what has been added up.
                magnitude += std::fabs(item);
                const long double allowed =
                    magnitude * std::numeric_limits<T>::epsilon() * static_cast<long double>(i + 2);
                const bool overflows = !(magnitude < std::numeric_limits<T>::max());
                right = right || overflows || std::fabs(got - wanted) <= allowed;
            }
        }
        if (!right)
            throw Failure("verification failed: item " + with_separators(i) + " is not what a serial loop gives");
    }
}

}  // namespace

void verify_scan(const Array& input, const Array& result, const ScanSettings& settings) {
    visit(input.type(), [&]<class T>() {
        if constexpr (!std::is_same_v<T, half>) verify_typed<T>(input, result, settings);
    });
}

void run_scan(const ScanSettings& settings) {
    const CommonOptions& common = settings.common;
    if (settings.accumulate == Type::f16 || settings.accumulate == Type::boolean)
        throw usage_failure(std::string("--accumulate ") + name_of(*settings.accumulate) + " is not possible",
                            "f32 holds what f16 holds");
    const auto memory = [&](std::uint64_t n, std::size_t item) {
        const std::size_t result = settings.accumulate ? info_of(*settings.accumulate).bytes : sizeof(std::uint64_t);
        return n * (item + (common.verify ? 2 : 1) * result);
    };
    Input input = read_input(input_of(common, memory));
    const Format format = output_format(common, common.output, input.format);
    check_output(common.output, format);
    const Type from = input.array.type(), to = result_type(settings, from);
    Array array = convert(std::move(input.array), to);
    visit(to, [&]<class T>() {
        if constexpr (!std::is_same_v<T, half>)
            check_items(array.as<T>(), array.size(), settings, parse_init<T>(settings, to), to);
    });
    const Array original = common.verify ? array.copy() : Array();
    const Report report = run_on_machine(common.machine, [&](Machine& machine) -> Report {
        const double seconds = visit(to, [&]<class T>() {
            if constexpr (std::is_same_v<T, half>) return 0.0;
            else return scan_array<T>(machine, array, settings);
        });
        const std::string types = from == to ? name_of(from) : std::string(name_of(from)) + " to " + name_of(to);
        return {"scanned " + with_separators(array.size()) + " " + types,
                array.size(),
                "items",
                seconds,
                machine.copy_seconds(),
                machine.name()};
    });
    if (common.verify) verify_scan(original, array, settings);
    write_result(common, array, format, "the scan");
    print_report(common, report);
}

}  // namespace kogge::command

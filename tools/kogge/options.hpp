// The kinds of options that several subcommands have.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/array.hpp"
#include "io/numbers.hpp"

namespace kogge::command {

inline std::string type_or_error(const std::string& name) {
    return type_named(name) ? std::string() : "'" + name + "' is no type; there are " + all_type_names();
}

template <class Target>
CLI::Option* add_type(CLI::App* app, const std::string& flag, Target& target, const std::string& help) {
    return app
        ->add_option_function<std::string>(
            flag, [&target](const std::string& name) { target = *type_named(name); }, help)
        ->check(CLI::Validator(type_or_error, ""))
        ->type_name("TYPE");
}

template <class Value>
using Choices = std::vector<std::pair<const char*, Value>>;

template <class Target, class Value>
CLI::Option* add_choice(CLI::App* app, const std::string& flag, Target& target, const Choices<Value>& choices,
                        const std::string& help) {
    std::string names;
    for (const auto& choice : choices) names += (names.empty() ? "" : "|") + std::string(choice.first);
    const auto known = [choices, names](const std::string& name) {
        for (const auto& choice : choices)
            if (name == choice.first) return std::string();
        return "'" + name + "' is not one of " + names;
    };
    const auto choose = [&target, choices](const std::string& name) {
        for (const auto& choice : choices)
            if (name == choice.first) target = choice.second;
    };
    return app->add_option_function<std::string>(flag, choose, help)
        ->check(CLI::Validator(known, ""))
        ->type_name(names);
}

/// 1000000, 1e6 or 2^20.
inline std::optional<std::uint64_t> parse_count(std::string_view text) {
    if (text.substr(0, 2) == "2^") {
        const std::optional<std::uint64_t> power = parse_number<std::uint64_t>(text.substr(2));
        return power && *power < 64 ? std::optional(std::uint64_t{1} << *power) : std::nullopt;
    }
    const std::size_t e = text.find('e');
    std::optional<std::uint64_t> count = parse_number<std::uint64_t>(text.substr(0, e));
    if (e == std::string_view::npos || !count) return count;
    const std::optional<std::uint64_t> zeros = parse_number<std::uint64_t>(text.substr(e + 1));
    if (!zeros || *zeros >= 20) return std::nullopt;
    for (std::uint64_t zero = 0; zero < *zeros; ++zero) {
        if (*count > ~std::uint64_t{0} / 10) return std::nullopt;
        *count *= 10;
    }
    return count;
}

/// 1000000, 64K, 2M or 1G, of 1024.
inline std::optional<std::uint64_t> parse_bytes(std::string_view text) {
    const std::size_t power = text.empty() ? std::string_view::npos : std::string_view("KMGT").find(text.back());
    if (power != std::string_view::npos) text.remove_suffix(1);
    const int shift = power == std::string_view::npos ? 0 : 10 * (static_cast<int>(power) + 1);
    const std::optional<std::uint64_t> number = parse_number<std::uint64_t>(text);
    if (!number || *number == 0 || *number > ~std::uint64_t{0} >> shift) return std::nullopt;
    return *number << shift;
}

/// A number that `parse` reads, or the message that it is none.
template <class Parse>
CLI::Option* add_number(CLI::App* app, const std::string& flag, std::uint64_t& target, const Parse& parse,
                        const std::string& kind, const std::string& help) {
    const auto known = [parse, kind](const std::string& text) {
        return parse(text) ? std::string() : "'" + text + "' is no " + kind;
    };
    return app
        ->add_option_function<std::string>(
            flag, [&target, parse](const std::string& text) { target = *parse(text); }, help)
        ->check(CLI::Validator(known, ""));
}

inline CLI::Option* add_count(CLI::App* app, const std::string& flag, std::uint64_t& target, const std::string& help) {
    return add_number(app, flag, target, parse_count, "number of items, such as 1000000, 1e6 or 2^20", help)
        ->type_name("N");
}

/// An empty word, of a variable of the shell that is not set, must not mean that the option was not given.
inline CLI::Validator not_empty(const std::string& what) {
    return {[what](const std::string& word) { return word.empty() ? "'' is no " + what : std::string(); }, ""};
}

inline CLI::Validator between(int least, int most) { return CLI::Range(least, most).description(""); }

}  // namespace kogge::command

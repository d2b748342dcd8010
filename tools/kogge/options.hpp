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

/// 1000000 or 2^20.
inline std::optional<std::uint64_t> parse_count(std::string_view text) {
    if (text.substr(0, 2) != "2^") return parse_number<std::uint64_t>(text);
    const std::optional<std::uint64_t> power = parse_number<std::uint64_t>(text.substr(2));
    return power && *power < 64 ? std::optional(std::uint64_t{1} << *power) : std::nullopt;
}

inline CLI::Option* add_count(CLI::App* app, const std::string& flag, std::uint64_t& target, const std::string& help) {
    const auto known = [](const std::string& text) {
        return parse_count(text) ? std::string() : "'" + text + "' is no number of items, such as 1000000 or 2^20";
    };
    return app
        ->add_option_function<std::string>(
            flag, [&target](const std::string& text) { target = *parse_count(text); }, help)
        ->check(CLI::Validator(known, ""))
        ->type_name("N");
}

/// An empty word, of a variable of the shell that is not set, must not mean that the option was not given.
inline CLI::Validator not_empty(const std::string& what) {
    return {[what](const std::string& word) { return word.empty() ? "'' is no " + what : std::string(); }, ""};
}

inline CLI::Validator between(int least, int most) { return CLI::Range(least, most).description(""); }

}  // namespace kogge::command

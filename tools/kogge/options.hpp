// The kinds of options that several subcommands have.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "array.hpp"

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

inline CLI::Validator between(int least, int most) { return CLI::Range(least, most).description(""); }

}  // namespace kogge::command

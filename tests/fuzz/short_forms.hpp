// Calls whose options may be left out: exec then stands right behind the arguments.
#pragma once

#include "fuzz/case.hpp"

namespace fuzz {

/// call(options, how), or call(how), where the options are the default ones and `left_out` says so.
template <class Options, class Exec, class Call>
void in_form(bool left_out, const Options& options, const Exec& how, const Call& call) {
    if (left_out) call(how);
    else call(options, how);
}

/// Options that may be left out.
template <class Options>
struct Chosen {
    Options options;
    bool left_out;

    template <class Exec, class Call>
    void in_form(const Exec& how, const Call& call) const {
        fuzz::in_form(left_out, options, how, call);
    }
};
/// The default options, left out, at times; else what choose() returns.
template <class Options, class Choose>
Chosen<Options> chosen_or_left_out(Case& of, const Choose& choose) {
    if (!of.one_in(5)) return {choose(), false};
    of.say("no options,");
    return {Options{}, true};
}

}  // namespace fuzz

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

}  // namespace fuzz

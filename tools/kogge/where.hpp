// The comparison of --where, as the user wrote it and as items of a type are compared.
#pragma once

#include <string>

#include "io/array.hpp"
#include "kogge/operators.hpp"

namespace kogge::command {

struct Where {
    relation test;
    std::string value;
};

/// '<=1.5M': a relation and a number, which may end in K, M, G or T (of 1024, 1024^2, …). Throws a usage failure.
Where parse_where(const std::string& text);

/// The comparison of items of type T that holds exactly for those that satisfy `where`: fractions and numbers that T
/// does not hold are compared as they are, but for decimal fractions beside floating-point items, which mean T's
/// nearest number. For half T is float.
template <class T>
compare<T> comparison(const Where& where, Type type);

}  // namespace kogge::command

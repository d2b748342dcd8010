// Several arrays as one argument: arrays whose items at one index move together.
#pragma once

#include <tuple>

namespace kogge {

template <class... T>
struct array_pack {
    std::tuple<T*...> pointers;
};
template <class... T>
array_pack<T...> arrays(T*... pointers) {
    return {{pointers...}};
}

}  // namespace kogge

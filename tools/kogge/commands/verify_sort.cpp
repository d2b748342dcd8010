#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "failure.hpp"
#include "io/numbers.hpp"
#include "verify.hpp"
#include "verify_order.hpp"

namespace kogge::command {
namespace {

std::vector<std::uint64_t> stable_order(const Array& keys, const sort_options& options) {
    std::vector<std::uint64_t> order(keys.size()), places(keys.size());
    visit(keys.type(), [&]<class T>() {
        for (std::uint64_t i = 0; i < keys.size(); ++i) places[i] = place_of(keys.as<T>()[i], options);
    });
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint64_t a, std::uint64_t b) { return places[a] < places[b]; });
    return order;
}

void compare_items(const Array* input, const Array* result, const std::vector<std::uint64_t>& order, const char* what) {
    if (!result) return;
    const std::size_t bytes = input->item_bytes();
    for (std::uint64_t i = 0; i < order.size(); ++i)
        if (std::memcmp(result->data() + i * bytes, input->data() + order[i] * bytes, bytes) != 0)
            throw Failure(std::string("verification failed: ") + what + " " + with_separators(i) +
                          " is not what std::stable_sort gives");
}

}  // namespace

void verify_sort(const SortResult& result, const sort_options& options) {
    const std::vector<std::uint64_t> order = stable_order(*result.keys, options);
    compare_items(result.keys, result.sorted_keys, order, "key");
    compare_items(result.values, result.sorted_values, order, "value");
    if (!result.indices) return;
    for (std::uint64_t i = 0; i < order.size(); ++i)
        if (static_cast<std::uint64_t>(result.indices->as<std::int64_t>()[i]) != order[i])
            throw Failure("verification failed: index " + with_separators(i) + " is not what std::stable_sort gives");
}

}  // namespace kogge::command

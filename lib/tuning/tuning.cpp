#include "tuning/tuning.hpp"

#include "tuning/tuning_table.hpp"

namespace kogge::grid {
namespace {

constexpr bool has_all_choices() {
    for (int i = 0; i < kChoices; ++i)
        if (!find_tuned(kTuning, static_cast<Choice>(i), 1)) return false;
    return true;
}
static_assert(has_all_choices(), "tuning_table.hpp lacks a value");

}  // namespace

std::uint64_t chosen(Choice what, std::size_t item_bytes) { return find_tuned(kTuning, what, item_bytes)->value; }

}  // namespace kogge::grid

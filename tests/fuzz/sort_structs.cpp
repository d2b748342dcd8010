// Radix sorts of structs.
#include "fuzz/families.hpp"
#include "fuzz/sort_keys.hpp"

namespace fuzz {

void sort_structs(Case& of) { sort_any<Tagged, Bytes<16, 16>>(of); }

}  // namespace fuzz

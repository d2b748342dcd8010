// Sorts of clients' keys: u32.
#include "find_rows.hpp"

namespace bench::clients {

std::optional<Task> find_u32_row(const RowName& row, std::uint64_t n) {
    return find_sort<std::uint32_t, std::uint32_t, std::uint64_t>(row, n);
}

}  // namespace bench::clients

// Sorts of clients' keys: u64.
#include "find_rows.hpp"

namespace bench::clients {

std::optional<Task> find_u64_row(const RowName& row, std::uint64_t n) {
    return find_sort<std::uint64_t, std::uint32_t, std::uint64_t>(row, n);
}

}  // namespace bench::clients

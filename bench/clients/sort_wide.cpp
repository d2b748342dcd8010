// Sorts of clients' keys: i64 and f64.
#include "find_rows.hpp"

namespace bench::clients {

std::optional<Task> find_wide_row(const RowName& row, std::uint64_t n) {
    if (row.type.starts_with("i64")) return find_sort<std::int64_t>(row, n);
    return find_sort<double, std::uint32_t>(row, n);
}

}  // namespace bench::clients

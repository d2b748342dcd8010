// Sorts of clients' keys: f32, half and bf16.
#include "find_rows.hpp"

namespace bench::clients {

std::optional<Task> find_tensor_row(const RowName& row, std::uint64_t n) {
    if (row.type.starts_with("half")) return find_sort<__half>(row, n);
    if (row.type.starts_with("bf16")) return find_sort<__nv_bfloat16, std::uint32_t>(row, n);
    return find_sort<float, std::uint32_t>(row, n);
}

}  // namespace bench::clients

// A sort by several columns as plain data, for the code that the library holds ready.
#pragma once

#include <cstdint>
#include <vector>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/exec.hpp"
#include "kogge/types/columns.hpp"

namespace kogge::detail {

/// A call's arrays, checked.
struct ColumnSort {
    const char* call;
    std::vector<KeyColumn> columns;  ///< the first counts most
    std::vector<void*> keys_out;     ///< of each column, which may be the column itself; none for argsort
    std::vector<grid::value_array> values;
    item_count n;

    bool writes_keys() const { return !keys_out.empty(); }
    /// Codes of `group` tell everything about the keys: sorted codes become sorted keys.
    bool unpacks(const std::vector<ColumnGroup>& groups) const {
        if (!writes_keys() || groups.size() > 1) return false;
        for (const KeyColumn& column : columns)
            if (!column.is_invertible()) return false;
        return true;
    }
    /// What moves with the codes.
    std::vector<grid::value_array> moved(bool with_keys) const {
        std::vector<grid::value_array> all;
        if (with_keys)
            for (std::size_t c = 0; c < columns.size(); ++c) {
                const auto bytes = static_cast<std::size_t>(columns[c].bytes);
                all.push_back({columns[c].keys, keys_out[c], bytes, bytes});
            }
        all.insert(all.end(), values.begin(), values.end());
        return all;
    }
};

}  // namespace kogge::detail

namespace kogge::grid {
/// On the device. Global traffic besides the sorts: for each group of columns a read of these and a write of its codes,
/// of 4, 8 or 16 bytes; then a read of the codes and a write of the keys where one group tells everything about them.
void device_sort_columns(const detail::ColumnSort& sort, const exec& how);
}  // namespace kogge::grid

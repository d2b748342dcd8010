// Sorts of rows by keys in several arrays.
#include <cstdint>
#include <string>

#include "c/arguments.hpp"
#include "c/checks.hpp"
#include "c/guard.hpp"
#include "kogge/calls/sort_columns.hpp"

namespace kogge::c {
namespace {

void require_array(const char* call, const void* array, const std::string& name, std::uint64_t n) {
    if (n > 0 && !array) throw error(errc::invalid_argument, call, "null given for " + name);
}

/// The structs stand as far apart as the first one is long, which may be of another version than the library.
void add_columns(detail::ColumnSort& sort, const kogge_column* given, std::uint64_t count) {
    if (count == 0) throw error(errc::invalid_argument, sort.call, "column_count is 0; there is a column at least");
    if (!given) throw error(errc::invalid_argument, sort.call, "null given for columns");
    const auto* at = reinterpret_cast<const unsigned char*>(given);
    std::size_t bytes = 0;
    for (std::uint64_t c = 0; c < count; ++c, at += bytes) {
        const std::string name = "columns[" + std::to_string(c) + "]";
        const std::string place = sort.call + (": " + name);
        const Column column = column_of(place.c_str(), reinterpret_cast<const kogge_column*>(at));
        if (c == 0) bytes = column.struct_bytes;
        if (column.struct_bytes != bytes)
            throw error(errc::invalid_argument, sort.call,
                        "the size of " + name + " is " + std::to_string(column.struct_bytes) + ", and of columns[0] " +
                            std::to_string(bytes) + "; all are of one version");
        number_of(place.c_str(), column.type, "keys");
        require_array(sort.call, column.keys, name + ".keys", sort.n.bound());
        with_number(column.type, [&]<class Key>(Key) {
            const sort_column<const Key> typed{static_cast<const Key*>(column.keys), column.options};
            sort.columns.push_back(detail::plain_column(place.c_str(), typed));
        });
    }
}

void add_outputs(detail::ColumnSort& sort, void* const* keys_out) {
    require_array(sort.call, keys_out, "keys_out", sort.n.bound());
    for (std::size_t c = 0; c < sort.columns.size(); ++c) {
        sort.keys_out.push_back(keys_out ? keys_out[c] : nullptr);
        require_array(sort.call, sort.keys_out[c], "keys_out[" + std::to_string(c) + "]", sort.n.bound());
    }
}

}  // namespace
}  // namespace kogge::c

using kogge::c::Arguments;
using kogge::c::guard;

kogge_status kogge_radix_sort_columns(const kogge_column* columns, uint64_t column_count, void* const* keys_out,
                                      uint64_t n, const kogge_exec* exec) {
    const char* const call = "radix_sort_columns";
    return guard(call, [&] {
        const Arguments arguments(call, exec, n);
        kogge::detail::ColumnSort sort{call, {}, {}, {}, arguments.n()};
        kogge::c::add_columns(sort, columns, column_count);
        kogge::c::add_outputs(sort, keys_out);
        kogge::detail::run_column_sort(sort, arguments.how());
    });
}

kogge_status kogge_radix_sort_columns_pairs(const kogge_column* columns, uint64_t column_count, const void* values,
                                            kogge_type value_type, void* const* keys_out, void* values_out, uint64_t n,
                                            const kogge_exec* exec) {
    const char* const call = "radix_sort_columns_pairs";
    return guard(call, [&] {
        const Arguments arguments(call, exec, n);
        kogge::detail::ColumnSort sort{call, {}, {}, {}, arguments.n()};
        kogge::c::add_columns(sort, columns, column_count);
        kogge::c::add_outputs(sort, keys_out);
        const kogge::c::TypeInfo value = kogge::c::item_of(call, value_type, "values");
        sort.values.push_back({values, values_out, value.bytes, value.alignment});
        kogge::detail::run_column_sort(sort, arguments.how());
    });
}

kogge_status kogge_argsort_columns(const kogge_column* columns, uint64_t column_count, void* indices,
                                   kogge_type index_type, uint64_t n, const kogge_exec* exec) {
    const char* const call = "argsort_columns";
    return guard(call, [&] {
        const Arguments arguments(call, exec, n);
        kogge::detail::ColumnSort sort{call, {}, {}, {}, arguments.n()};
        kogge::c::add_columns(sort, columns, column_count);
        const std::size_t bytes = kogge::c::index_bytes(call, index_type, "the indices");
        kogge::c::check_indices(call, index_type, n);
        sort.values.push_back({nullptr, indices, bytes, bytes});
        kogge::detail::run_column_sort(sort, arguments.how());
    });
}

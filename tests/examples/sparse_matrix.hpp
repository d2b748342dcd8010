// A sparse matrix from triplets (row, column, value) in any order, whose equal places are summed: rows and columns
// stand in arrays of their own, sorted and reduced as one key.
#pragma once

#include <cstdint>

#include "kogge/kogge.hpp"

namespace examples {

template <class Value>
struct SparseMatrix {
    kogge::buffer<std::uint32_t> rows, columns;  ///< room for as many as there were triplets
    kogge::buffer<Value> values;
    std::uint64_t count;
};

/// Sorts the triplets by row and column. All are in the memory of how.where.
template <class Value>
SparseMatrix<Value> assemble(std::uint32_t* rows, std::uint32_t* columns, Value* values, std::uint64_t n,
                             const kogge::exec& how) {
    SparseMatrix<Value> matrix{{n, how.where, how.stream}, {n, how.where, how.stream}, {n, how.where, how.stream}, 0};
    kogge::radix_sort_pairs(kogge::arrays(rows, columns), values, n, how);
    matrix.count =
        kogge::reduce_by_key(kogge::arrays(rows, columns), values,
                             kogge::arrays(matrix.rows.data(), matrix.columns.data()), matrix.values.data(), n, how);
    return matrix;
}

}  // namespace examples

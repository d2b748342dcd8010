// A sparse matrix from triplets (row, column, value) in any order, whose equal places are summed: rows and columns
// stand in arrays of their own, sorted and reduced as one key. A sort takes several arrays of keys; calls by key take
// an input that gives a key of both, and an output that takes it apart.
#pragma once

#include <cstdint>

#include "kogge/kogge.hpp"

namespace examples {

struct Place {
    std::uint32_t row, column;
    KOGGE_HOST_DEVICE friend bool operator==(const Place& a, const Place& b) {
        return a.row == b.row && a.column == b.column;
    }
};

/// Two arrays as one of places.
template <class Index>
struct Places {
    Index* rows;
    Index* columns;

    struct Reference {
        Index& row;
        Index& column;
        KOGGE_HOST_DEVICE operator Place() const { return {row, column}; }  // NOLINT: implicit, as references are
        KOGGE_HOST_DEVICE const Reference& operator=(const Place& place) const {
            row = place.row;
            column = place.column;
            return *this;
        }
    };
    KOGGE_HOST_DEVICE decltype(auto) operator[](std::uint64_t i) const {
        if constexpr (std::is_const_v<Index>) return Place{rows[i], columns[i]};
        else return Reference{rows[i], columns[i]};
    }
};

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
    matrix.count = kogge::reduce_by_key(Places<const std::uint32_t>{rows, columns}, values,
                                        Places<std::uint32_t>{matrix.rows.data(), matrix.columns.data()},
                                        matrix.values.data(), n, how);
    return matrix;
}

}  // namespace examples

/* kogge-test: EMULATED GPU HOST
 * Sorts of rows by several columns, against a stable sort in plain C. */
#include "numbers.h"

enum { n = 211, most_columns = 4 };

/* Columns as the caller has them, and their arrays where the test runs. */
struct table {
    size_t count;
    kogge_column columns[most_columns]; /* of arrays that are placed */
    unsigned char* items[most_columns];
    uint32_t* valid[most_columns]; /* null: all keys are there */
    void* out[most_columns];
};

static size_t column_bytes(const struct table* table, size_t c) { return kogge_type_bytes(table->columns[c].type); }

static void add_column(struct table* table, kogge_type type, kogge_order order, kogge_nans nans) {
    kogge_column* const column = &table->columns[table->count];
    unsigned char* const items = random_items(type, n);
    memset(column, 0, sizeof *column);
    column->size = sizeof *column;
    column->keys = place_copy(items, n * kogge_type_bytes(type));
    column->type = type;
    column->order = order;
    column->nans = nans;
    column->zeros = nans == KOGGE_NANS_BY_SIGN ? KOGGE_NEGATIVE_ZERO_FIRST : KOGGE_ZEROS_EQUAL;
    table->items[table->count] = items;
    table->valid[table->count] = NULL;
    table->out[table->count++] = place(n * kogge_type_bytes(type));
}

/* About a third of the last column's keys become null. */
static void add_nulls(struct table* table, kogge_nulls nulls, uint64_t valid_from) {
    const size_t c = table->count - 1, words = (size_t)(valid_from + n + 31) / 32;
    uint32_t* const valid = (uint32_t*)calloc(words, sizeof *valid);
    for (size_t w = 0; w < words; ++w) valid[w] = (uint32_t)(random_bits() | random_bits());
    table->valid[c] = valid;
    table->columns[c].valid = (const uint32_t*)place_copy(valid, words * sizeof *valid);
    table->columns[c].valid_from = valid_from;
    table->columns[c].nulls = nulls;
}

static void drop_table(struct table* table) {
    for (size_t c = 0; c < table->count; ++c) {
        free(table->items[c]);
        free(table->valid[c]);
        drop((void*)table->columns[c].keys);
        if (table->columns[c].valid) drop((void*)table->columns[c].valid);
        drop(table->out[c]);
    }
}

static int is_null(const struct table* table, size_t c, size_t row) {
    const uint64_t bit = table->columns[c].valid_from + row;
    return table->valid[c] && (table->valid[c][bit / 32] >> bit % 32 & 1u) == 0;
}

/* Whether row a comes before row b. */
static int row_before(const struct table* table, size_t a, size_t b) {
    for (size_t c = 0; c < table->count; ++c) {
        const kogge_column* const column = &table->columns[c];
        const int null_a = is_null(table, c, a), null_b = is_null(table, c, b);
        if (null_a != null_b) return null_a == (column->nulls == KOGGE_NULLS_FIRST);
        if (null_a) continue;
        kogge_sort_options by;
        memset(&by, 0, sizeof by);
        by.order = column->order;
        by.zeros = column->zeros;
        by.nans = column->nans;
        const size_t bytes = column_bytes(table, c);
        const struct code code_a = code_of(column->type, table->items[c] + a * bytes, &by);
        const struct code code_b = code_of(column->type, table->items[c] + b * bytes, &by);
        if (comes_before(code_a, code_b)) return 1;
        if (comes_before(code_b, code_a)) return 0;
    }
    return 0;
}

static void check_table(struct table* table) {
    uint64_t expected[n], indices[n];
    uint32_t narrow[n];
    unsigned char out[n * 16];
    for (size_t i = 0; i < n; ++i) {
        size_t rank = 0;
        for (size_t j = 0; j < n; ++j) rank += (size_t)(row_before(table, j, i) || (!row_before(table, i, j) && j < i));
        expected[rank] = i;
    }
    void* const placed = place(sizeof indices);
    OK(kogge_argsort_columns(table->columns, table->count, placed, KOGGE_I64, n, NULL));
    fetch(indices, placed, sizeof indices);
    CHECK(memcmp(indices, expected, sizeof expected) == 0);
    OK(kogge_argsort_columns(table->columns, table->count, placed, KOGGE_U32, n, NULL));
    fetch(narrow, placed, sizeof narrow);
    for (size_t i = 0; i < n; ++i) CHECK(narrow[i] == expected[i]);

    static const kogge_type value_types[] = {KOGGE_U32, KOGGE_BYTES(3)};
    for (size_t v = 0; v < 2; ++v) {
        const size_t bytes = kogge_type_bytes(value_types[v]);
        unsigned char* const tags = random_items(KOGGE_U32, n);
        void* const values = place_copy(tags, n * bytes);
        void* const values_out = place(n * bytes);
        OK(kogge_radix_sort_columns_pairs(table->columns, table->count, values, value_types[v], table->out, values_out,
                                          n, NULL));
        fetch(out, values_out, n * bytes);
        CHECK(is_gathered(out, tags, bytes, expected, n));
        free(tags);
        drop(values);
        drop(values_out);
    }
    void* in_place[most_columns];
    for (size_t c = 0; c < table->count; ++c) {
        const size_t bytes = column_bytes(table, c);
        fetch(out, table->out[c], n * bytes); /* of the pairs */
        CHECK(is_gathered(out, table->items[c], bytes, expected, n));
        in_place[c] = (void*)table->columns[c].keys;
    }
    OK(kogge_radix_sort_columns(table->columns, table->count, in_place, n, NULL));
    for (size_t c = 0; c < table->count; ++c) {
        const size_t bytes = column_bytes(table, c);
        fetch(out, in_place[c], n * bytes);
        CHECK(is_gathered(out, table->items[c], bytes, expected, n));
    }
    drop(placed);
    drop_table(table);
}

/* Each type behind a column of few values. */
static void test_types(void) {
    for (size_t t = 0; t < all_type_count; ++t)
        for (int down = 0; down < 2; ++down) {
            struct table table = {0};
            const kogge_order order = down ? KOGGE_DESCENDING : KOGGE_NATURAL_ORDER;
            add_column(&table, KOGGE_BOOL, KOGGE_ASCENDING, KOGGE_NANS_BY_SIGN);
            add_column(&table, all_types[t], order, KOGGE_NANS_BY_SIGN);
            check_table(&table);
        }
}

static void test_options(void) {
    for (int nulls = KOGGE_NULLS_LAST; nulls <= KOGGE_NULLS_FIRST; ++nulls)
        for (int nans = KOGGE_NANS_BY_SIGN; nans <= KOGGE_NANS_GREATEST; ++nans) {
            struct table table = {0};
            add_column(&table, KOGGE_BOOL, KOGGE_DESCENDING, KOGGE_NANS_BY_SIGN);
            add_nulls(&table, (kogge_nulls)nulls, 0);
            add_column(&table, KOGGE_F32, nulls ? KOGGE_DESCENDING : KOGGE_ASCENDING, (kogge_nans)nans);
            add_nulls(&table, (kogge_nulls)(1 - nulls), 37);
            add_column(&table, KOGGE_F16, KOGGE_DESCENDING, (kogge_nans)nans);
            check_table(&table);
        }
    struct table wide = {0}; /* more bits than one code has */
    add_column(&wide, KOGGE_BOOL, KOGGE_ASCENDING, KOGGE_NANS_BY_SIGN);
    add_column(&wide, KOGGE_U8, KOGGE_ASCENDING, KOGGE_NANS_BY_SIGN);
    add_column(&wide, KOGGE_I128, KOGGE_DESCENDING, KOGGE_NANS_BY_SIGN);
    add_nulls(&wide, KOGGE_NULLS_FIRST, 3);
    add_column(&wide, KOGGE_F64, KOGGE_ASCENDING, KOGGE_NANS_LAST);
    check_table(&wide);
}

/* Only bits 4 to 8 of the first column count. */
static void test_bits(void) {
    static const uint8_t keys[] = {0x2f, 0x1a, 0x21, 0x1b}, numbers[] = {1, 9, 0, 8};
    kogge_column columns[2];
    memset(columns, 0, sizeof columns);
    for (size_t c = 0; c < 2; ++c) {
        columns[c].size = sizeof columns[c];
        columns[c].keys = place_copy(c ? numbers : keys, 4);
        columns[c].type = KOGGE_U8;
    }
    columns[0].begin_bit = 4;
    columns[0].end_bit = 8;
    uint32_t indices[4];
    void* const placed = place(sizeof indices);
    OK(kogge_argsort_columns(columns, 2, placed, KOGGE_U32, 4, NULL));
    fetch(indices, placed, sizeof indices);
    CHECK(indices[0] == 3 && indices[1] == 1 && indices[2] == 2 && indices[3] == 0);
    for (size_t c = 0; c < 2; ++c) drop((void*)columns[c].keys);
    drop(placed);
}

/* Structs of another version are as far apart as their size says. */
static void test_versions(void) {
    struct earlier { /* without bitmaps */
        size_t size;
        const void* keys;
        kogge_type type;
        kogge_order order;
    } earlier[2];
    struct later {
        kogge_column known;
        uint64_t unknown;
    } later[2];
    static const uint8_t keys[2][4] = {{1, 0, 1, 0}, {5, 6, 7, 8}};
    static const uint32_t expected[] = {3, 1, 2, 0};
    uint32_t indices[4];
    memset(earlier, 0, sizeof earlier);
    memset(later, 0, sizeof later);
    for (size_t c = 0; c < 2; ++c) {
        earlier[c].size = sizeof earlier[c];
        later[c].known.size = sizeof later[c];
        earlier[c].keys = later[c].known.keys = place_copy(keys[c], 4);
        earlier[c].type = later[c].known.type = KOGGE_U8;
    }
    earlier[1].order = later[1].known.order = KOGGE_DESCENDING;
    void* const placed = place(sizeof indices);
    for (int version = 0; version < 2; ++version) {
        const void* const columns = version ? (const void*)later : (const void*)earlier;
        OK(kogge_argsort_columns((const kogge_column*)columns, 2, placed, KOGGE_U32, 4, NULL));
        fetch(indices, placed, sizeof indices);
        CHECK(memcmp(indices, expected, sizeof expected) == 0);
    }
    later[1].unknown = 1;
    REFUSED(KOGGE_INVALID_ARGUMENT, "columns[1]: kogge_column is of a later version",
            kogge_argsort_columns(&later[0].known, 2, placed, KOGGE_U32, 4, NULL));
    for (size_t c = 0; c < 2; ++c) drop((void*)earlier[c].keys);
    drop(placed);
}

/* A number of rows that only the device knows. */
static void test_count_on_device(void) {
    static const uint8_t keys[] = {3, 2, 1, 0};
    static const uint64_t number = 3;
    static const uint32_t before[] = {9, 9, 9, 9}, expected[] = {2, 1, 0, 9};
    uint32_t indices[4];
    kogge_column column;
    memset(&column, 0, sizeof column);
    column.size = sizeof column;
    column.keys = place_copy(keys, sizeof keys);
    column.type = KOGGE_U8;
    void* const placed = place_copy(before, sizeof before);
    void* const count = place_copy(&number, sizeof number);
    kogge_exec exec;
    memset(&exec, 0, sizeof exec);
    exec.size = sizeof exec;
    exec.n_on_device = (const uint64_t*)count;
    if (on_device()) {
        OK(kogge_argsort_columns(&column, 1, placed, KOGGE_U32, 4, &exec));
        fetch(indices, placed, sizeof indices);
        CHECK(memcmp(indices, expected, sizeof expected) == 0);
    } else {
        REFUSED(KOGGE_INVALID_ARGUMENT, "kogge::argsort_columns: a device_count needs the device",
                kogge_argsort_columns(&column, 1, placed, KOGGE_U32, 4, &exec));
    }
    drop((void*)column.keys);
    drop(placed);
    drop(count);
}

int main(void) {
    (void)on_device(); /* may skip the test */
    test_types();
    test_options();
    test_bits();
    test_versions();
    test_count_on_device();
    return report();
}

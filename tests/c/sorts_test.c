/* kogge-test: EMULATED GPU HOST
 * Sorts and top-k of all types, against a stable sort in plain C. */
#include "numbers.h"

enum { n = 211, places = n };

static kogge_sort_options options_of(kogge_order order, kogge_zeros zeros, kogge_nans nans) {
    kogge_sort_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.order = order;
    options.zeros = zeros;
    options.nans = nans;
    return options;
}

static void test_sorts(kogge_type type, const kogge_sort_options* options) {
    const size_t bytes = kogge_type_bytes(type);
    unsigned char* const items = random_items(type, n);
    unsigned char out[n * 16];
    uint64_t expected[n];
    sort_indices(type, items, options, 0, n, expected);
    void* const keys = place_copy(items, n * bytes);
    void* const keys_out = place(n * bytes);

    OK(kogge_radix_sort(keys, type, keys_out, n, options, NULL));
    fetch(out, keys_out, n * bytes);
    CHECK(is_gathered(out, items, bytes, expected, n));

    static const kogge_type value_types[] = {KOGGE_U8,   KOGGE_U32,      KOGGE_F64,
                                             KOGGE_I128, KOGGE_BYTES(3), KOGGE_BYTES(8)};
    for (size_t v = 0; v < sizeof value_types / sizeof value_types[0]; ++v) {
        const size_t value_bytes = kogge_type_bytes(value_types[v]);
        unsigned char* const tags = random_items(value_bytes == 3                   ? KOGGE_U32
                                                 : value_types[v] == KOGGE_BYTES(8) ? KOGGE_U64
                                                                                    : value_types[v],
                                                 n);
        void* const values = place_copy(tags, n * value_bytes);
        void* const values_out = place(n * value_bytes);
        OK(kogge_radix_sort_pairs(keys, type, values, value_types[v], keys_out, values_out, n, options, NULL));
        fetch(out, keys_out, n * bytes);
        CHECK(is_gathered(out, items, bytes, expected, n));
        fetch(out, values_out, n * value_bytes);
        CHECK(is_gathered(out, tags, value_bytes, expected, n));
        free(tags);
        drop(values);
        drop(values_out);
    }

    static const kogge_type index_types[] = {KOGGE_U32, KOGGE_I32, KOGGE_U64, KOGGE_I64};
    for (size_t t = 0; t < 4; ++t) {
        const size_t index_bytes = kogge_type_bytes(index_types[t]);
        void* const indices = place(n * index_bytes);
        OK(kogge_argsort(keys, type, indices, index_types[t], n, options, NULL));
        fetch(out, indices, n * index_bytes);
        int same = 1;
        for (size_t i = 0; i < n; ++i) {
            uint64_t index = 0;
            memcpy(&index, out + i * index_bytes, index_bytes);
            same &= index == expected[i];
        }
        CHECK(same);
        drop(indices);
    }

    OK(kogge_radix_sort(keys, type, keys, n, options, NULL)); /* in place */
    fetch(out, keys, n * bytes);
    CHECK(is_gathered(out, items, bytes, expected, n));
    free(items);
    drop(keys);
    drop(keys_out);
}

static void test_segments(kogge_type type) {
    const size_t bytes = kogge_type_bytes(type);
    unsigned char* const items = random_items(type, n);
    static const uint64_t bounds[] = {0, 5, 5, 100, 102, n};
    unsigned char out[n * 16];
    uint64_t expected[n], tags[n];
    for (size_t s = 0; s < 5; ++s) sort_indices(type, items, NULL, bounds[s], bounds[s + 1], expected);
    for (size_t i = 0; i < n; ++i) tags[i] = i;
    void* const keys = place_copy(items, n * bytes);
    void* const keys_out = place(n * bytes);
    void* const values = place_copy(tags, sizeof tags);
    void* const values_out = place(sizeof tags);
    uint64_t* const offsets = (uint64_t*)place_copy(bounds + 1, 4 * sizeof bounds[0]);
    OK(kogge_segmented_sort(keys, type, offsets, keys_out, n, 4, NULL, NULL));
    fetch(out, keys_out, n * bytes);
    CHECK(is_gathered(out, items, bytes, expected, n));
    OK(kogge_segmented_sort_pairs(keys, type, values, KOGGE_U64, offsets, keys_out, values_out, n, 4, NULL, NULL));
    fetch(out, keys_out, n * bytes);
    CHECK(is_gathered(out, items, bytes, expected, n));
    fetch(tags, values_out, sizeof tags);
    CHECK(memcmp(tags, expected, sizeof tags) == 0);
    for (int form = 0; form < 4; ++form) { /* indices of the whole or of the segment, with keys or without */
        const int of_whole = form & 1, with_keys = form & 2;
        OK(kogge_segmented_argsort(keys, type, offsets, with_keys ? keys_out : NULL, values_out, KOGGE_I64, n, 4,
                                   of_whole, NULL, NULL));
        fetch(tags, values_out, sizeof tags);
        for (size_t s = 0; s < 5; ++s)
            for (size_t i = bounds[s]; i < bounds[s + 1]; ++i)
                CHECK(tags[i] + (of_whole ? 0 : bounds[s]) == expected[i]);
        fetch(out, keys_out, n * bytes);
        CHECK(is_gathered(out, items, bytes, expected, n));
    }

    enum { rows = 7, length = 30 }; /* rows of one length need no offsets */
    for (size_t s = 0; s < rows; ++s) sort_indices(type, items, NULL, s * length, (s + 1) * length, expected);
    OK(kogge_segmented_sort(keys, type, NULL, keys_out, rows * length, rows, NULL, NULL));
    fetch(out, keys_out, rows * length * bytes);
    CHECK(is_gathered(out, items, bytes, expected, rows * length));
    OK(kogge_segmented_argsort(keys, type, NULL, NULL, values_out, KOGGE_U64, rows * length, rows, 1, NULL, NULL));
    fetch(tags, values_out, rows * length * sizeof tags[0]);
    CHECK(memcmp(tags, expected, rows * length * sizeof tags[0]) == 0);
    REFUSED(KOGGE_INVALID_ARGUMENT, "no 4 rows", kogge_segmented_sort(keys, type, NULL, keys_out, n, 4, NULL, NULL));
    free(items);
    drop(keys);
    drop(keys_out);
    drop(values);
    drop(values_out);
    drop(offsets);
}

static void test_top_k(kogge_type type, kogge_order order) {
    enum { k = 17 };
    const size_t bytes = kogge_type_bytes(type);
    unsigned char* const items = random_items(type, n);
    const kogge_sort_options by = options_of(order, KOGGE_NEGATIVE_ZERO_FIRST, KOGGE_NANS_BY_SIGN);
    kogge_sort_options sorted_by = by; /* the first of a top-k are the greatest */
    if (order == KOGGE_NATURAL_ORDER) sorted_by.order = KOGGE_DESCENDING;
    uint64_t expected[n], tags[n], got[n];
    for (size_t i = 0; i < n; ++i) tags[i] = 3 * i;
    sort_indices(type, items, &sorted_by, 0, n, expected);
    unsigned char out[n * 16];
    void* const keys = place_copy(items, n * bytes);
    void* const keys_out = place(n * bytes);
    void* const values = place_copy(tags, sizeof tags);
    void* const values_out = place(sizeof tags);

    OK(kogge_top_k(keys, type, keys_out, n, k, &by, NULL));
    fetch(out, keys_out, k * bytes);
    CHECK(is_gathered(out, items, bytes, expected, k));
    OK(kogge_top_k_pairs(keys, type, values, KOGGE_U64, keys_out, values_out, n, k, &by, NULL));
    fetch(got, values_out, k * sizeof got[0]);
    for (size_t i = 0; i < k; ++i) CHECK(got[i] == 3 * expected[i]);
    OK(kogge_arg_top_k(keys, type, NULL, values_out, KOGGE_I64, n, k, &by, NULL));
    fetch(got, values_out, k * sizeof got[0]);
    CHECK(memcmp(got, expected, k * sizeof got[0]) == 0);
    OK(kogge_arg_top_k(keys, type, keys_out, values_out, KOGGE_U64, n, k, &by, NULL));
    fetch(out, keys_out, k * bytes);
    CHECK(is_gathered(out, items, bytes, expected, k));

    if (bytes <= 8) { /* two rows, and the same by offsets */
        enum { length = 90, few = 5 };
        static const uint64_t starts[] = {0, length};
        uint64_t* const offsets = (uint64_t*)place_copy(starts, sizeof starts);
        sort_indices(type, items, &sorted_by, 0, length, expected);
        sort_indices(type, items, &sorted_by, length, (size_t)2 * length, expected);
        for (int rows = 0; rows < 2; ++rows) {
            OK(kogge_segmented_top_k(keys, type, values, KOGGE_U64, rows ? NULL : offsets, keys_out, values_out, NULL,
                                     KOGGE_NONE, 2 * length, 2, few, &by, NULL));
            fetch(out, keys_out, 2 * few * bytes);
            fetch(got, values_out, 2 * few * sizeof got[0]);
            for (size_t s = 0; s < 2; ++s) {
                CHECK(is_gathered(out + s * few * bytes, items, bytes, expected + s * length, few));
                for (size_t i = 0; i < few; ++i) CHECK(got[s * few + i] == 3 * expected[s * length + i]);
            }
            OK(kogge_segmented_top_k(keys, type, NULL, KOGGE_NONE, rows ? NULL : offsets, NULL, NULL, values_out,
                                     KOGGE_U64, 2 * length, 2, few, &by, NULL));
            fetch(got, values_out, 2 * few * sizeof got[0]);
            for (size_t s = 0; s < 2; ++s)
                for (size_t i = 0; i < few; ++i) CHECK(got[s * few + i] == expected[s * length + i] - s * length);
        }
        drop(offsets);
    } else {
        REFUSED(KOGGE_NOT_BUILT, "keys of type",
                kogge_segmented_top_k(keys, type, NULL, KOGGE_NONE, NULL, keys_out, NULL, NULL, KOGGE_NONE, 100, 2, 1,
                                      &by, NULL));
    }
    free(items);
    drop(keys);
    drop(keys_out);
    drop(values);
    drop(values_out);
}

/* Only some bits count. */
static void test_bits(void) {
    uint32_t items[n], out[n];
    for (size_t i = 0; i < n; ++i) items[i] = (uint32_t)random_bits();
    kogge_sort_options options = options_of(KOGGE_ASCENDING, KOGGE_NEGATIVE_ZERO_FIRST, KOGGE_NANS_BY_SIGN);
    options.begin_bit = 8;
    options.end_bit = 16;
    void* const keys = place_copy(items, sizeof items);
    OK(kogge_radix_sort(keys, KOGGE_U32, keys, n, &options, NULL));
    fetch(out, keys, sizeof out);
    for (size_t i = 1; i < n; ++i) CHECK((out[i - 1] >> 8 & 255u) <= (out[i] >> 8 & 255u));
    options.begin_bit = options.end_bit = 16; /* none: the order remains */
    OK(kogge_radix_sort(keys, KOGGE_U32, keys, n, &options, NULL));
    fetch(items, keys, sizeof items);
    CHECK(memcmp(items, out, sizeof out) == 0);
    drop(keys);
}

/* A number that only the device knows: of sorts, and of top-k. */
static void test_counts_on_device(void) {
    uint32_t items[n], out[n];
    for (size_t i = 0; i < n; ++i) items[i] = (uint32_t)(n - i);
    const uint64_t numbers[] = {100, 3, n + 5};
    void* const keys = place_copy(items, sizeof items);
    void* const keys_out = place_copy(items, sizeof items);
    uint64_t* const counts = (uint64_t*)place_copy(numbers, sizeof numbers);
    kogge_exec exec;
    memset(&exec, 0, sizeof exec);
    exec.size = sizeof exec;
    exec.n_on_device = counts;
    if (!on_device()) {
        REFUSED(KOGGE_INVALID_ARGUMENT, "needs the device",
                kogge_radix_sort(keys, KOGGE_U32, keys_out, n, NULL, &exec));
    } else {
        OK(kogge_radix_sort(keys, KOGGE_U32, keys_out, n, NULL, &exec));
        fetch(out, keys_out, sizeof out);
        for (size_t i = 0; i < n; ++i) CHECK(out[i] == (i < 100 ? items[99 - i] : items[i]));
        exec.k_on_device = counts + 1;
        OK(kogge_top_k(keys, KOGGE_U32, keys_out, n, 10, NULL, &exec));
        fetch(out, keys_out, sizeof out);
        CHECK(out[0] == items[0] && out[2] == items[2]);
        REFUSED(KOGGE_INVALID_ARGUMENT, "no k", kogge_radix_sort(keys, KOGGE_U32, keys_out, n, NULL, &exec));
        exec.k_on_device = NULL;
        exec.n_on_device = counts + 2; /* above the bound: as the bound */
        OK(kogge_radix_sort(keys, KOGGE_U32, keys_out, n, NULL, &exec));
        fetch(out, keys_out, sizeof out);
        CHECK(out[0] == 1 && out[n - 1] == n);
    }
    drop(keys);
    drop(keys_out);
    drop(counts);
}

int main(void) {
    (void)on_device(); /* may skip the test */
    const kogge_sort_options descending = options_of(KOGGE_DESCENDING, KOGGE_NEGATIVE_ZERO_FIRST, KOGGE_NANS_BY_SIGN);
    const kogge_sort_options merging = options_of(KOGGE_NATURAL_ORDER, KOGGE_ZEROS_EQUAL, KOGGE_NANS_LAST);
    const kogge_sort_options merging_down = options_of(KOGGE_DESCENDING, KOGGE_ZEROS_EQUAL, KOGGE_NANS_LAST);
    for (size_t t = 0; t < all_type_count; ++t) {
        test_sorts(all_types[t], NULL);
        test_sorts(all_types[t], &descending);
        if (is_float(all_types[t])) {
            test_sorts(all_types[t], &merging);
            test_sorts(all_types[t], &merging_down);
        }
        test_segments(all_types[t]);
        test_top_k(all_types[t], KOGGE_NATURAL_ORDER);
        test_top_k(all_types[t], KOGGE_ASCENDING);
    }
    test_bits();
    test_counts_on_device();
    return report();
}

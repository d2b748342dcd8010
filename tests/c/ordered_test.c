/* kogge-test: EMULATED GPU HOST
 * Searches, merges, keys by rank and histograms of all types, against loops in plain C. */
#include "numbers.h"

enum { n = 300, m = 200 };

/* Items of a type with values [0, below), ascending. */
static unsigned char* ascending_items(kogge_type type, size_t count, int below) {
    const size_t bytes = kogge_type_bytes(type);
    unsigned char* const items = (unsigned char*)calloc(count, bytes);
    for (size_t i = 0; i < count; ++i) put(type, items + i * bytes, (int)(i * (size_t)below / count));
    return items;
}

static int below_of(kogge_type type) { return type == KOGGE_BOOL ? 2 : 100; }

static void test_searches(kogge_type type) {
    const size_t bytes = kogge_type_bytes(type);
    unsigned char* const items = ascending_items(type, n, below_of(type));
    unsigned char needles[m * 16], got[m * 8];
    for (size_t j = 0; j < m; ++j)
        put(type, needles + j * bytes,
            type == KOGGE_BOOL ? (int)(j % 2) : (int)(random_bits() % 104) - is_signed(type));
    if (is_float(type)) needles[bytes - 1] |= 0x80; /* −0, or a negative number */
    void* const sorted = place_copy(items, n * bytes);
    void* const out = place(m * 8);
    static const kogge_type index_types[] = {KOGGE_U32, KOGGE_I32, KOGGE_U64, KOGGE_I64};
    for (size_t t = 0; t < 4; ++t) {
        const size_t index_bytes = kogge_type_bytes(index_types[t]);
        for (int upper = 0; upper < 2; ++upper) {
            for (int in_place = 0; in_place <= (index_bytes == bytes); ++in_place) {
                void* const wanted = place_copy(needles, m * bytes);
                void* const results = in_place ? wanted : out;
                const kogge_status status =
                    upper ? kogge_upper_bound(sorted, wanted, type, results, index_types[t], n, m, NULL)
                          : kogge_lower_bound(sorted, wanted, type, results, index_types[t], n, m, NULL);
                if (on_device() && !is_arithmetic(type)) {
                    CHECK(status == KOGGE_NOT_BUILT);
                    drop(wanted);
                    continue;
                }
                CHECK(status == KOGGE_OK);
                fetch(got, results, m * index_bytes);
                for (size_t j = 0; j < m; ++j) {
                    const double needle = get(type, needles + j * bytes);
                    uint64_t expected = 0, result = 0;
                    for (size_t i = 0; i < n; ++i) {
                        const double item = get(type, items + i * bytes);
                        expected += upper ? !(needle < item) : item < needle;
                    }
                    memcpy(&result, got + j * index_bytes, index_bytes);
                    CHECK(result == expected);
                }
                drop(wanted);
            }
        }
    }
    free(items);
    drop(sorted);
    drop(out);
}

static void test_merges(kogge_type type) {
    const size_t bytes = kogge_type_bytes(type);
    unsigned char* const a = ascending_items(type, n, below_of(type));
    unsigned char* const b = ascending_items(type, m, below_of(type));
    void* const placed_a = place_copy(a, n * bytes);
    void* const placed_b = place_copy(b, m * bytes);
    void* const out = place((n + m) * bytes);
    unsigned char got[(n + m) * 16];
    static const kogge_type value_types[] = {KOGGE_NONE, KOGGE_U32, KOGGE_F64,      KOGGE_U16,
                                             KOGGE_U128, KOGGE_I8,  KOGGE_BYTES(3), KOGGE_BYTES(8)};
    for (size_t v = 0; v < sizeof value_types / sizeof value_types[0]; ++v) {
        const size_t value_bytes = kogge_type_bytes(value_types[v]);
        unsigned char tags_a[n * 16], tags_b[m * 16], tags[(n + m) * 16];
        for (size_t i = 0; i < n * value_bytes; ++i) tags_a[i] = (unsigned char)random_bits();
        for (size_t i = 0; i < m * value_bytes; ++i) tags_b[i] = (unsigned char)random_bits();
        void* const values_a = place_copy(tags_a, n * value_bytes);
        void* const values_b = place_copy(tags_b, m * value_bytes);
        void* const values_out = place((n + m) * value_bytes);
        const kogge_status status = value_bytes == 0 ? kogge_merge(placed_a, placed_b, type, out, n, m, NULL)
                                                     : kogge_merge_pairs(placed_a, values_a, placed_b, values_b, type,
                                                                         value_types[v], out, values_out, n, m, NULL);
        const int are_words = value_types[v] == KOGGE_U32 || value_types[v] == KOGGE_F64;
        if (on_device() && (!is_arithmetic(type) || (value_bytes > 0 && !are_words))) {
            CHECK(status == KOGGE_NOT_BUILT);
        } else {
            CHECK(status == KOGGE_OK);
            fetch(got, out, (n + m) * bytes);
            fetch(tags, values_out, (n + m) * value_bytes);
            size_t i = 0, j = 0;
            for (size_t k = 0; k < n + m; ++k) {
                const int from_b = i == n || (j < m && get(type, b + j * bytes) < get(type, a + i * bytes));
                const unsigned char* const item = from_b ? b + j * bytes : a + i * bytes;
                const unsigned char* const tag = from_b ? tags_b + j * value_bytes : tags_a + i * value_bytes;
                CHECK(memcmp(got + k * bytes, item, bytes) == 0);
                CHECK(memcmp(tags + k * value_bytes, tag, value_bytes) == 0);
                if (from_b) ++j;
                else ++i;
            }
        }
        drop(values_a);
        drop(values_b);
        drop(values_out);
    }
    free(a);
    free(b);
    drop(placed_a);
    drop(placed_b);
    drop(out);
}

static void test_ranks(kogge_type type, const kogge_sort_options* options) {
    enum { wanted = 5, segments = 4 };
    static const uint64_t ranks[wanted] = {0, n / 2, n - 1, 3, n / 2}, starts[segments] = {5, 5, 100, 290};
    static const uint64_t each_rank[segments] = {0, 1, 150, 1000};
    const size_t bytes = kogge_type_bytes(type);
    unsigned char* const items = random_items(type, n);
    unsigned char got[n * 16];
    uint64_t order[n];
    sort_indices(type, items, options, 0, n, order);
    void* const keys = place_copy(items, n * bytes);
    void* const out = place(n * bytes);
    uint64_t* const places = (uint64_t*)place_copy(ranks, sizeof ranks);
    for (size_t j = 0; j < wanted; ++j) {
        OK(kogge_select(keys, type, out, n, ranks[j], options, NULL));
        fetch(got, out, bytes);
        CHECK(memcmp(got, items + order[ranks[j]] * bytes, bytes) == 0);
    }
    OK(kogge_quantiles(keys, type, places, out, n, wanted, options, NULL));
    fetch(got, out, wanted * bytes);
    for (size_t j = 0; j < wanted; ++j) CHECK(memcmp(got + j * bytes, items + order[ranks[j]] * bytes, bytes) == 0);
    drop(places);

    uint64_t* const offsets = (uint64_t*)place_copy(starts, sizeof starts);
    uint64_t* const placed_ranks = (uint64_t*)place_copy(each_rank, sizeof each_rank);
    for (int form = 0; form < 3; ++form) { /* rows, offsets, and offsets with a rank each */
        const uint64_t rank = 20;
        const kogge_status status =
            kogge_segmented_select(keys, type, form > 0 ? offsets : NULL, form > 1 ? placed_ranks : NULL, out, n,
                                   segments, rank, options, NULL);
        if (bytes > 8) {
            CHECK(status == KOGGE_NOT_BUILT);
            continue;
        }
        CHECK(status == KOGGE_OK);
        fetch(got, out, segments * bytes);
        for (size_t s = 0; s < segments; ++s) {
            const size_t begin = form == 0 ? s * n / segments : starts[s];
            const size_t end = form == 0 ? (s + 1) * n / segments : s + 1 < segments ? starts[s + 1] : n;
            if (begin == end) continue;
            uint64_t own = form > 1 ? each_rank[s] : rank;
            if (own >= end - begin) own = end - begin - 1;
            sort_indices(type, items, options, begin, end, order);
            CHECK(memcmp(got + s * bytes, items + order[begin + own] * bytes, bytes) == 0);
        }
    }
    free(items);
    drop(keys);
    drop(out);
    drop(offsets);
    drop(placed_ranks);
}

static void test_histograms(kogge_type type) {
    enum { bins = 7, rows = 3 };
    const size_t bytes = kogge_type_bytes(type);
    const int is_integer = !is_float(type);
    unsigned char items[n * 8], lower[8], upper[8], bounds[(bins + 1) * 8];
    int values[n];
    int16_t amounts[n];
    for (size_t i = 0; i < n; ++i) {
        values[i] = type == KOGGE_BOOL ? (int)(i % 2) : (int)(random_bits() % 100);
        put(type, items + i * bytes, values[i]);
        amounts[i] = (int16_t)(random_bits() % 100 - 50);
    }
    const kogge_type bound_type = type == KOGGE_F16 || type == KOGGE_BF16 ? KOGGE_F32
                                  : is_integer && type != KOGGE_U64       ? KOGGE_I64
                                                                          : type;
    const kogge_type placed_type = bound_type == KOGGE_I64 && is_integer ? type : bound_type;
    const size_t placed_bytes = kogge_type_bytes(placed_type);
    put(bound_type, lower, 0);
    put(bound_type, upper, 70);
    for (int b = 0; b <= bins; ++b)
        put(placed_type, bounds + (size_t)b * placed_bytes, type == KOGGE_BOOL ? b > 0 : b * b * 2);
    void* const in = place_copy(items, n * bytes);
    void* const weights = place_copy(amounts, sizeof amounts);
    void* const edges = place_copy(bounds, (bins + 1) * placed_bytes);
    void* const counts = place(rows * bins * 8);
    const int is_prebuilt = is_arithmetic(type) && type != KOGGE_I8 && type != KOGGE_I16;
    static const kogge_type count_types[] = {KOGGE_U32, KOGGE_I32, KOGGE_U64, KOGGE_I64};
    for (int form = 0; form < 32; ++form) {
        const int by_bounds = form & 1, weighted = form >> 1 & 1, in_rows = form >> 2 & 1;
        const kogge_type count_type = count_types[form >> 3];
        const size_t count_bytes = kogge_type_bytes(count_type);
        const uint64_t parts = in_rows ? rows : 1;
        const kogge_type weight_type = weighted ? KOGGE_I16 : KOGGE_NONE;
        const kogge_status status = by_bounds ? kogge_histogram_bounds(in, type, weights, weight_type, edges, counts,
                                                                       count_type, n, parts, bins, NULL)
                                              : kogge_histogram_even(in, type, weights, weight_type, counts, count_type,
                                                                     n, parts, bins, lower, upper, NULL);
        if (weighted && count_bytes == 4) {
            CHECK(status == KOGGE_INVALID_ARGUMENT);
            continue;
        }
        if (on_device() && (weighted || !is_prebuilt)) {
            CHECK(status == KOGGE_NOT_BUILT);
            continue;
        }
        CHECK(status == KOGGE_OK);
        double expected[rows * bins] = {0};
        for (size_t i = 0; i < n; ++i) {
            int bin = -1;
            for (int b = 0; b < bins; ++b) {
                const int from = by_bounds ? (type == KOGGE_BOOL ? b > 0 : b * b * 2) : 10 * b;
                const int to = by_bounds ? (type == KOGGE_BOOL ? 1 : (b + 1) * (b + 1) * 2) : 10 * b + 10;
                if (values[i] >= from && values[i] < to) bin = b;
            }
            if (bin >= 0) expected[i / (n / parts) * bins + (size_t)bin] += weighted ? amounts[i] : 1;
        }
        unsigned char got[rows * bins * 8];
        fetch(got, counts, parts * bins * count_bytes);
        for (size_t b = 0; b < parts * bins; ++b)
            CHECK(get(weighted ? KOGGE_I64 : count_type, got + b * count_bytes) == expected[b]);
    }
    drop(in);
    drop(weights);
    drop(edges);
    drop(counts);
}

int main(void) {
    (void)on_device();
    kogge_sort_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.order = KOGGE_DESCENDING;
    options.nans = KOGGE_NANS_LAST;
    options.zeros = KOGGE_ZEROS_EQUAL;
    for (size_t t = 0; t < all_type_count; ++t) {
        const kogge_type type = all_types[t];
        test_searches(type);
        test_merges(type);
        test_ranks(type, NULL);
        test_ranks(type, &options);
        if (kogge_type_bytes(type) <= 8) test_histograms(type);
    }
    return report();
}

/* kogge-test: EMULATED GPU HOST
 * Reductions of all items, of segments and by key, and first extremes, against loops in plain C. */
#include <math.h>

#include "numbers.h"

enum { n = 300 };

static double fold(kogge_operator op, double a, double b) {
    if (op == KOGGE_PLUS) return a + b;
    return op == KOGGE_MAXIMUM ? (a > b ? a : b) : (a < b ? a : b);
}

static kogge_reduce_options options_of(kogge_operator op, const void* init) {
    kogge_reduce_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.op = op;
    options.init = init;
    return options;
}

static int has_sign(kogge_type type) {
    return type == KOGGE_I8 || type == KOGGE_I16 || type == KOGGE_I32 || type == KOGGE_I64 || is_float(type);
}

/* Every pair of types and operator, from an initial value and from none, to where the data is and to the host's memory;
 * of all items, of segments and by key. Sums are of few ones, which every type holds. */
static void test_pair(kogge_type type, kogge_type out_type, kogge_operator op, int has_init) {
    const size_t bytes = kogge_type_bytes(type), out_bytes = kogge_type_bytes(out_type);
    enum { segments = 3 };
    static const uint64_t starts[segments] = {10, 10, 250};
    unsigned char items[n * 8], init[8], got[n * 8];
    double values[n];
    for (size_t i = 0; i < n; ++i) {
        const int value = op == KOGGE_PLUS     ? i % 4 == 0
                          : type == KOGGE_BOOL ? (int)(i % 2)
                                               : (int)(random_bits() % 100) - (has_sign(type) ? 50 : 0);
        put(type, items + i * bytes, value);
        values[i] = value;
    }
    put(out_type, init, 1);
    const kogge_reduce_options options = options_of(op, has_init ? init : NULL);
    void* const in = place_copy(items, n * bytes);
    void* const out = place(n * out_bytes);
    for (int here = 0; here < 2; ++here) {
        unsigned char result[8];
        OK(kogge_reduce(in, type, here ? result : out, out_type, n, &options, NULL));
        if (!here) fetch(result, out, out_bytes);
        double expected = has_init ? fold(op, 1, values[0]) : values[0];
        for (size_t i = 1; i < n; ++i) expected = fold(op, expected, values[i]);
        CHECK(get(out_type, result) == expected);
    }

    uint64_t* const offsets = (uint64_t*)place_copy(starts, sizeof starts);
    for (int rows = 0; rows < 2; ++rows) {
        OK(kogge_segmented_reduce(in, type, rows ? NULL : offsets, out, out_type, n, segments, &options, NULL));
        fetch(got, out, segments * out_bytes);
        for (size_t s = 0; s < segments; ++s) {
            const size_t begin = rows ? s * n / segments : starts[s];
            const size_t end = rows ? (s + 1) * n / segments : s + 1 < segments ? starts[s + 1] : n;
            if (begin == end && !has_init) continue; /* test_no_items */
            double expected = has_init ? 1 : values[begin];
            for (size_t i = begin + !has_init; i < end; ++i) expected = fold(op, expected, values[i]);
            CHECK(get(out_type, got + s * out_bytes) == expected);
        }
    }
    drop(offsets);

    for (size_t t = 0; t < all_type_count && !has_init; ++t) { /* runs of 7 keys */
        const kogge_type key_type = all_types[t];
        const size_t key_bytes = kogge_type_bytes(key_type);
        unsigned char keys[n * 16], keys_got[n * 16];
        for (size_t i = 0; i < n; ++i) put(key_type, keys + i * key_bytes, (int)(i / 7 % 2));
        if (is_float(key_type)) keys[key_bytes - 1] = 0x80; /* −0, which equals 0 */
        void* const placed = place_copy(keys, n * key_bytes);
        void* const keys_out = place(n * key_bytes);
        uint64_t runs = 0;
        if (key_bytes > 8)
            ON_HOST(kogge_reduce_by_key(placed, key_type, in, type, keys_out, out, out_type, &runs, n, op, NULL));
        else OK(kogge_reduce_by_key(placed, key_type, in, type, keys_out, out, out_type, &runs, n, op, NULL));
        fetch(got, out, n * out_bytes);
        fetch(keys_got, keys_out, n * key_bytes);
        CHECK((key_bytes > 8 && on_device()) || runs == (n + 6) / 7);
        for (size_t r = 0; r < runs; ++r) {
            double expected = values[7 * r];
            for (size_t i = 7 * r + 1; i < 7 * r + 7 && i < n; ++i) expected = fold(op, expected, values[i]);
            CHECK(get(out_type, got + r * out_bytes) == expected);
            CHECK(memcmp(keys_got + r * key_bytes, keys + 7 * r * key_bytes, key_bytes) == 0);
        }
        drop(placed);
        drop(keys_out);
    }
    drop(in);
    drop(out);
}

/* Many items, in which an order of additions shows: the same bits from both forms. */
static void test_order(void) {
    enum { many = 100000 };
    float* const items = (float*)malloc(many * sizeof *items);
    for (size_t i = 0; i < many; ++i) items[i] = (float)(random_bits() % 100000) / 7;
    void* const in = place_copy(items, many * sizeof *items);
    float* const out = (float*)place(sizeof *out);
    float first = 0, second = 1;
    OK(kogge_reduce(in, KOGGE_F32, out, KOGGE_F32, many, NULL, NULL));
    OK(kogge_reduce(in, KOGGE_F32, &second, KOGGE_F32, many, NULL, NULL));
    fetch(&first, out, sizeof first);
    CHECK(memcmp(&first, &second, sizeof first) == 0);
    free(items);
    drop(in);
    drop(out);
}

/* Runs and segments of any length among many items: reductions and scans of them, and from the end. Sums are exact. */
static void test_many(void) {
    enum { many = 70001 };
    double* const items = (double*)malloc(many * sizeof *items);
    double* const results = (double*)malloc(many * sizeof *results);
    int16_t* const keys = (int16_t*)malloc(many * sizeof *keys);
    int16_t* const firsts = (int16_t*)malloc(many * sizeof *firsts);
    uint64_t* const starts = (uint64_t*)malloc(many * sizeof *starts);
    size_t segments = 0;
    for (size_t i = 0; i < many; ++i) {
        items[i] = (double)(random_bits() % 1000) - 500;
        const int is_start = i == 0 || random_bits() % (i < many / 2 ? 3 : 20000) == 0;
        keys[i] = (int16_t)(i == 0 ? 0 : keys[i - 1] + is_start);
        if (is_start) starts[segments++] = i;
    }
    void* const in = place_copy(items, many * sizeof *items);
    void* const keys_in = place_copy(keys, many * sizeof *keys);
    void* const offsets = place_copy(starts, segments * sizeof *starts);
    void* const out = place(many * sizeof *results);
    void* const keys_out = place(many * sizeof *firsts);
    uint64_t runs = 0;
    for (int by_key = 0; by_key < 2; ++by_key) {
        if (by_key)
            OK(kogge_reduce_by_key(keys_in, KOGGE_I16, in, KOGGE_F64, keys_out, out, KOGGE_F64, &runs, many, KOGGE_PLUS,
                                   NULL));
        else
            OK(kogge_segmented_reduce(in, KOGGE_F64, (const uint64_t*)offsets, out, KOGGE_F64, many, segments, NULL,
                                      NULL));
        fetch(results, out, segments * sizeof *results);
        for (size_t s = 0; s < segments; ++s) {
            double expected = 0;
            for (size_t i = starts[s]; i < (s + 1 < segments ? starts[s + 1] : many); ++i) expected += items[i];
            CHECK(results[s] == expected);
        }
    }
    fetch(firsts, keys_out, segments * sizeof *firsts);
    CHECK(runs == segments);
    for (size_t s = 0; s < segments; ++s) CHECK(firsts[s] == keys[starts[s]]);
    for (int form = 0; form < 4; ++form) { /* by key or of segments, inclusive or not */
        kogge_scan_options options;
        memset(&options, 0, sizeof options);
        options.size = sizeof options;
        options.exclusive = form & 1;
        if (form & 2) OK(kogge_scan_by_key(keys_in, KOGGE_I16, in, KOGGE_F64, out, KOGGE_F64, many, &options, NULL));
        else
            OK(kogge_segmented_scan(in, KOGGE_F64, (const uint64_t*)offsets, out, KOGGE_F64, many, segments, &options,
                                    NULL));
        fetch(results, out, many * sizeof *results);
        double sum = 0;
        for (size_t i = 0; i < many; ++i) {
            if (i > 0 && keys[i] != keys[i - 1]) sum = 0;
            CHECK(results[i] == (form & 1 ? sum : sum + items[i]));
            sum += items[i];
        }
        if (form & 2) continue;
        options.reverse = 1;
        OK(kogge_scan(in, KOGGE_F64, out, KOGGE_F64, many, &options, NULL));
        fetch(results, out, many * sizeof *results);
        sum = 0;
        for (size_t i = many; i-- > 0; sum += items[i]) CHECK(results[i] == (form & 1 ? sum : sum + items[i]));
    }
    free(items);
    free(results);
    free(keys);
    free(firsts);
    free(starts);
    drop(in);
    drop(keys_in);
    drop(offsets);
    drop(out);
    drop(keys_out);
}

static void test_no_items(void) {
    static const struct {
        kogge_operator op;
        int32_t integer;
        float number;
    } neutral[] = {{KOGGE_PLUS, 0, 0}, {KOGGE_MAXIMUM, INT32_MIN, -INFINITY}, {KOGGE_MINIMUM, INT32_MAX, INFINITY}};
    void* const in = place(8);
    for (size_t i = 0; i < 3; ++i) {
        int32_t integer = 7;
        float number = 7;
        kogge_reduce_options options = options_of(neutral[i].op, NULL);
        OK(kogge_reduce(in, KOGGE_I32, &integer, KOGGE_I32, 0, &options, NULL));
        OK(kogge_reduce(NULL, KOGGE_F32, &number, KOGGE_F32, 0, &options, NULL));
        CHECK(integer == neutral[i].integer && number == neutral[i].number);
        const int32_t init = 55;
        options.init = &init;
        OK(kogge_reduce(in, KOGGE_I32, &integer, KOGGE_I32, 0, &options, NULL));
        CHECK(integer == init);
        const uint64_t offsets[] = {0, 0}; /* segments of none */
        int32_t results[] = {7, 7};
        void* const placed = place_copy(offsets, sizeof offsets);
        void* const out = place(sizeof results);
        options.init = NULL;
        OK(kogge_segmented_reduce(in, KOGGE_I32, (const uint64_t*)placed, out, KOGGE_I32, 0, 2, &options, NULL));
        fetch(results, out, sizeof results);
        CHECK(results[0] == neutral[i].integer && results[1] == neutral[i].integer);
        drop(placed);
        drop(out);
    }
    uint64_t index = 7, runs = 7;
    OK(kogge_arg_max(in, KOGGE_F32, NULL, &index, 0, NULL));
    CHECK(index == UINT64_MAX);
    OK(kogge_reduce_by_key(in, KOGGE_F32, in, KOGGE_F32, in, in, KOGGE_F32, &runs, 0, KOGGE_PLUS, NULL));
    CHECK(runs == 0);
    drop(in);
}

/* The first of equal ones, and NaNs before all. */
static void test_extremes(void) {
    for (size_t t = 0; t < all_type_count; ++t) {
        const kogge_type type = all_types[t];
        const size_t bytes = kogge_type_bytes(type);
        unsigned char items[n * 16], item[16];
        for (size_t i = 0; i < n; ++i) put(type, items + i * bytes, (int)(i % 5 % 2));
        void* const in = place_copy(items, n * bytes);
        unsigned char* const item_out = (unsigned char*)place(16);
        uint64_t* const index_out = (uint64_t*)place(sizeof *index_out);
        for (int greatest = 0; greatest < 2; ++greatest) {
            for (int here = 0; here < 2; ++here) {
                uint64_t index = 77;
                kogge_status status =
                    greatest ? kogge_arg_max(in, type, here ? item : item_out, here ? &index : index_out, n, NULL)
                             : kogge_arg_min(in, type, here ? item : item_out, here ? &index : index_out, n, NULL);
                if (!is_arithmetic(type)) {
                    CHECK(status == KOGGE_NOT_BUILT);
                    continue;
                }
                CHECK(status == KOGGE_OK);
                if (!here) fetch(&index, index_out, sizeof index), fetch(item, item_out, bytes);
                CHECK(index == (uint64_t)greatest && get(type, item) == greatest);
            }
            if (type == KOGGE_F32) { /* a NaN wins, the first of two */
                uint64_t index = 0;
                const float nan_ = NAN;
                memcpy(items + 100 * bytes, &nan_, bytes);
                memcpy(items + 200 * bytes, &nan_, bytes);
                void* const with_nans = place_copy(items, n * bytes);
                if (greatest) OK(kogge_arg_max(with_nans, type, NULL, &index, n, NULL));
                else OK(kogge_arg_min(with_nans, type, NULL, &index, n, NULL));
                CHECK(index == 100);
                const kogge_reduce_options by = options_of(greatest ? KOGGE_MAXIMUM : KOGGE_MINIMUM, NULL);
                float result = 0;
                OK(kogge_reduce(with_nans, type, &result, type, n, &by, NULL));
                CHECK(result != result);
                drop(with_nans);
            }
        }
        drop(in);
        drop(item_out);
        drop(index_out);
    }
}

int main(void) {
    (void)on_device();
    for (size_t p = 0; p < sum_pair_count; ++p)
        for (int op = KOGGE_PLUS; op <= KOGGE_MINIMUM; ++op)
            for (int has_init = 0; has_init < 2; ++has_init)
                if (op == KOGGE_PLUS || sum_pairs[p][0] == sum_pairs[p][1])
                    test_pair(sum_pairs[p][0], sum_pairs[p][1], (kogge_operator)op, has_init);
    for (int has_init = 0; has_init < 2; ++has_init) test_pair(KOGGE_BOOL, KOGGE_BOOL, KOGGE_MAXIMUM, has_init);
    test_order();
    test_many();
    test_no_items();
    test_extremes();
    return report();
}

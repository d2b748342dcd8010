/* kogge-test: EMULATED GPU HOST
 * Wrong arguments on purpose: a status, a message that names the fault, and no byte changed. And plans. */
#include "numbers.h"

enum { n = 64 };

static void* no_memory(void* context, size_t bytes, void* stream) {
    (void)context, (void)bytes, (void)stream;
    return NULL;
}

static void test_wrong_arguments(void) {
    uint32_t items[n], after[n];
    for (size_t i = 0; i < n; ++i) items[i] = (uint32_t)(n - i);
    uint32_t* const keys = (uint32_t*)place_copy(items, sizeof items);
    uint32_t* const out = (uint32_t*)place_copy(items, sizeof items);
    uint64_t count = 7;
    const uint32_t value = 3;
    const kogge_type no_type = (kogge_type)77;

    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for the keys", kogge_radix_sort(NULL, KOGGE_U32, out, n, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null", kogge_radix_sort(keys, KOGGE_U32, NULL, n, NULL, NULL));
    OK(kogge_radix_sort(NULL, KOGGE_U32, NULL, 0, NULL, NULL)); /* no items */
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for the values",
            kogge_radix_sort_pairs(keys, KOGGE_U32, NULL, KOGGE_U32, out, out, n, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for the count",
            kogge_compact(keys, KOGGE_U32, out, NULL, n, KOGGE_LESS, &value, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for value",
            kogge_compact(keys, KOGGE_U32, out, &count, n, KOGGE_LESS, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for the boundary",
            kogge_partition(keys, KOGGE_U32, out, NULL, NULL, n, KOGGE_LESS, &value, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for the number of runs",
            kogge_unique(keys, KOGGE_U32, out, NULL, n, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "no output",
            kogge_segmented_top_k(keys, KOGGE_U32, NULL, KOGGE_NONE, NULL, NULL, NULL, NULL, KOGGE_NONE, n, 2, 1, NULL,
                                  NULL));

    REFUSED(KOGGE_INVALID_ARGUMENT, "type 77", kogge_radix_sort(keys, no_type, out, n, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "none", kogge_radix_sort(keys, KOGGE_NONE, out, n, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "4 bytes", kogge_radix_sort(keys, KOGGE_BYTES(4), out, n, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "type 77",
            kogge_radix_sort_pairs(keys, KOGGE_U32, keys, no_type, out, out, n, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "f32", kogge_argsort(keys, KOGGE_U32, out, KOGGE_F32, n, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "too small",
            kogge_argsort(keys, KOGGE_U32, out, KOGGE_I32, (uint64_t)1 << 40, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "relation is 9",
            kogge_compact(keys, KOGGE_U32, out, &count, n, (kogge_relation)9, &value, NULL));
    REFUSED(KOGGE_NOT_BUILT, "f16", kogge_compact(keys, KOGGE_F16, out, &count, n, KOGGE_LESS, &value, NULL));
    REFUSED(KOGGE_NOT_BUILT, "i32", kogge_split(keys, KOGGE_I32, NULL, KOGGE_NONE, out, NULL, NULL, n, 4, 0, 0, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "k is 65", kogge_top_k(keys, KOGGE_U32, out, n, n + 1, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "no 7 rows",
            kogge_segmented_top_k(keys, KOGGE_U32, NULL, KOGGE_NONE, NULL, out, NULL, NULL, KOGGE_NONE, n, 7, 1, NULL,
                                  NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "a row has 32",
            kogge_segmented_top_k(keys, KOGGE_U32, NULL, KOGGE_NONE, NULL, out, NULL, NULL, KOGGE_NONE, n, 2, 33, NULL,
                                  NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "memory can hold",
            kogge_radix_sort(keys, KOGGE_U32, out, (uint64_t)1 << 62, NULL, NULL));

    kogge_sort_options options;
    memset(&options, 0, sizeof options);
    REFUSED(KOGGE_INVALID_ARGUMENT, "size of kogge_sort_options is 0",
            kogge_radix_sort(keys, KOGGE_U32, out, n, &options, NULL));
    options.size = 8;
    REFUSED(KOGGE_INVALID_ARGUMENT, "size of kogge_sort_options is 8",
            kogge_radix_sort(keys, KOGGE_U32, out, n, &options, NULL));
    options.size = sizeof options - 1;
    REFUSED(KOGGE_INVALID_ARGUMENT, "no version", kogge_radix_sort(keys, KOGGE_U32, out, n, &options, NULL));
    options.size = (size_t)1 << 40;
    REFUSED(KOGGE_INVALID_ARGUMENT, "no version", kogge_radix_sort(keys, KOGGE_U32, out, n, &options, NULL));
    options.size = sizeof options;
    options.order = (kogge_order)3;
    REFUSED(KOGGE_INVALID_ARGUMENT, "kogge_sort_options.order is 3",
            kogge_radix_sort(keys, KOGGE_U32, out, n, &options, NULL));
    options.order = KOGGE_NATURAL_ORDER;
    options.zeros = (kogge_zeros)2;
    REFUSED(KOGGE_INVALID_ARGUMENT, "zeros is 2", kogge_radix_sort(keys, KOGGE_U32, out, n, &options, NULL));
    options.zeros = KOGGE_NEGATIVE_ZERO_FIRST;
    options.nans = (kogge_nans)3;
    REFUSED(KOGGE_INVALID_ARGUMENT, "nans is 3", kogge_radix_sort(keys, KOGGE_U32, out, n, &options, NULL));
    options.nans = KOGGE_NANS_BY_SIGN;
    options.begin_bit = -1;
    REFUSED(KOGGE_INVALID_ARGUMENT, "bits [-1, 32)", kogge_radix_sort(keys, KOGGE_U32, out, n, &options, NULL));
    options.begin_bit = 0;
    options.end_bit = 33;
    REFUSED(KOGGE_INVALID_ARGUMENT, "bits [0, 33)", kogge_top_k(keys, KOGGE_U32, out, n, 1, &options, NULL));
    options.end_bit = -1;
    REFUSED(KOGGE_INVALID_ARGUMENT, "end_bit is -1", kogge_top_k(keys, KOGGE_U32, out, n, 1, &options, NULL));

    /* Of a later version: what is not known must be 0. */
    struct {
        kogge_sort_options known;
        int later;
    } newer;
    memset(&newer, 0, sizeof newer);
    newer.known.size = sizeof newer;
    OK(kogge_radix_sort(keys, KOGGE_U32, out, 0, &newer.known, NULL));
    newer.later = 1;
    REFUSED(KOGGE_INVALID_ARGUMENT, "later version", kogge_radix_sort(keys, KOGGE_U32, out, n, &newer.known, NULL));

    kogge_scan_options scan;
    memset(&scan, 0, sizeof scan);
    scan.size = sizeof scan;
    scan.op = (kogge_operator)3;
    REFUSED(KOGGE_INVALID_ARGUMENT, "op is 3", kogge_scan(keys, KOGGE_U32, out, KOGGE_U32, n, &scan, NULL));
    scan.op = KOGGE_MAXIMUM;
    REFUSED(KOGGE_NOT_BUILT, "u32 to u64", kogge_scan(keys, KOGGE_U32, out, KOGGE_U64, n, &scan, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "type 77", kogge_scan(keys, no_type, out, KOGGE_U64, n, NULL, NULL));

    kogge_reduce_options reduce;
    memset(&reduce, 0, sizeof reduce);
    REFUSED(KOGGE_INVALID_ARGUMENT, "size of kogge_reduce_options is 0",
            kogge_reduce(keys, KOGGE_U32, out, KOGGE_U32, n, &reduce, NULL));
    reduce.size = sizeof reduce;
    reduce.op = (kogge_operator)-1;
    REFUSED(KOGGE_INVALID_ARGUMENT, "op is -1", kogge_reduce(keys, KOGGE_U32, out, KOGGE_U32, n, &reduce, NULL));
    reduce.op = KOGGE_MINIMUM;
    REFUSED(KOGGE_NOT_BUILT, "reductions of u32 to u64",
            kogge_reduce(keys, KOGGE_U32, out, KOGGE_U64, n, &reduce, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for in", kogge_reduce(NULL, KOGGE_U32, out, KOGGE_U32, n, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for the result",
            kogge_reduce(keys, KOGGE_U32, NULL, KOGGE_U32, n, NULL, NULL));
    REFUSED(KOGGE_OVERLAP, "overlap", kogge_reduce(keys, KOGGE_U32, keys + 3, KOGGE_U32, n, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "no 7 rows",
            kogge_segmented_reduce(keys, KOGGE_U32, NULL, out, KOGGE_U32, n, 7, NULL, NULL));
    REFUSED(KOGGE_OVERLAP, "overlap", kogge_segmented_reduce(keys, KOGGE_U32, NULL, keys, KOGGE_U32, n, 2, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for the index", kogge_arg_min(keys, KOGGE_U32, NULL, NULL, n, NULL));
    if (on_device())
        REFUSED(KOGGE_INVALID_ARGUMENT, "same memory", kogge_arg_max(keys, KOGGE_U32, out, &count, n, NULL));
    REFUSED(
        KOGGE_INVALID_ARGUMENT, "the operator is 3",
        kogge_reduce_by_key(keys, KOGGE_U32, keys, KOGGE_U32, out, out, KOGGE_U32, &count, n, (kogge_operator)3, NULL));
    REFUSED(KOGGE_OVERLAP, "overlap",
            kogge_reduce_by_key(keys, KOGGE_U32, keys, KOGGE_U32, out, out, KOGGE_U32, &count, n, KOGGE_PLUS, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for the number of runs",
            kogge_reduce_by_key(keys, KOGGE_U32, keys, KOGGE_U32, out, out + n / 2, KOGGE_U32, NULL, n / 2, KOGGE_PLUS,
                                NULL));

    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for needles",
            kogge_lower_bound(keys, NULL, KOGGE_U32, out, KOGGE_U32, n, n, NULL));
    REFUSED(KOGGE_OVERLAP, "overlap", kogge_upper_bound(keys, keys, KOGGE_U32, keys + 1, KOGGE_U32, n, n / 2, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "f32", kogge_lower_bound(keys, keys, KOGGE_U32, out, KOGGE_F32, n, n, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "i32 is too small for the results",
            kogge_lower_bound(keys, keys, KOGGE_U32, out, KOGGE_I32, (uint64_t)1 << 31, n, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for b", kogge_merge(keys, NULL, KOGGE_U32, out, 5, 5, NULL));
    REFUSED(KOGGE_OVERLAP, "overlap", kogge_merge(keys, keys, KOGGE_U32, keys + 5, 5, 6, NULL));
    REFUSED(KOGGE_OVERLAP, "overlap", kogge_merge(keys, keys, KOGGE_F16, keys + 2, 5, 6, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for the values of a",
            kogge_merge_pairs(keys, NULL, keys, keys, KOGGE_U32, KOGGE_U32, out, out + 10, 5, 5, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for the values of b",
            kogge_merge_pairs(keys, keys, keys, NULL, KOGGE_U32, KOGGE_U16, out, out + 10, 5, 5, NULL));

    REFUSED(KOGGE_INVALID_ARGUMENT, "the rank is 64", kogge_select(keys, KOGGE_U32, out, n, n, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for the ranks",
            kogge_quantiles(keys, KOGGE_U32, NULL, out, n, 1, NULL, NULL));
    REFUSED(KOGGE_OVERLAP, "overlap", kogge_select(keys, KOGGE_U32, keys + 1, n, 1, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "a row has 32",
            kogge_segmented_select(keys, KOGGE_U32, NULL, NULL, out, n, 2, 32, NULL, NULL));
    REFUSED(KOGGE_NOT_BUILT, "u128",
            kogge_segmented_select(keys, KOGGE_U128, NULL, NULL, out, n / 4, 2, 1, NULL, NULL));
    REFUSED(KOGGE_OVERLAP, "overlap", kogge_segmented_select(keys, KOGGE_U32, NULL, NULL, keys, n, 2, 1, NULL, NULL));

    const int64_t lower = 0, upper = 10;
    REFUSED(KOGGE_INVALID_ARGUMENT, "at least one bin",
            kogge_histogram_even(keys, KOGGE_U32, NULL, KOGGE_NONE, out, KOGGE_U32, n, 1, 0, &lower, &upper, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "not below",
            kogge_histogram_even(keys, KOGGE_U32, NULL, KOGGE_NONE, out, KOGGE_U32, n, 1, 5, &upper, &lower, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for upper",
            kogge_histogram_even(keys, KOGGE_U32, NULL, KOGGE_NONE, out, KOGGE_U32, n, 1, 5, &lower, NULL, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "no 7 rows",
            kogge_histogram_even(keys, KOGGE_U32, NULL, KOGGE_NONE, out, KOGGE_U32, n, 7, 5, &lower, &upper, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "no 0 rows",
            kogge_histogram_even(keys, KOGGE_U32, NULL, KOGGE_NONE, out, KOGGE_U32, n, 0, 5, &lower, &upper, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "i32 is too small for the counts",
            kogge_histogram_even(keys, KOGGE_U32, NULL, KOGGE_NONE, out, KOGGE_I32, (uint64_t)1 << 31, 1, 5, &lower,
                                 &upper, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for the bounds",
            kogge_histogram_bounds(keys, KOGGE_U32, NULL, KOGGE_NONE, NULL, out, KOGGE_U32, n, 1, 5, NULL));
    REFUSED(KOGGE_OVERLAP, "overlap",
            kogge_histogram_bounds(keys, KOGGE_U32, NULL, KOGGE_NONE, out, out, KOGGE_U32, n, 1, 5, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "64 bits",
            kogge_histogram_even(keys, KOGGE_U32, keys, KOGGE_U32, out, KOGGE_U32, n, 1, 5, &lower, &upper, NULL));
    REFUSED(KOGGE_NOT_BUILT, "weights of type f32",
            kogge_histogram_even(keys, KOGGE_U32, keys, KOGGE_F32, out, KOGGE_U64, n, 1, 5, &lower, &upper, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for the weights",
            kogge_histogram_even(keys, KOGGE_U32, NULL, KOGGE_U32, out, KOGGE_U64, n, 1, 5, &lower, &upper, NULL));

    /* A count is an output as others are. */
    REFUSED(KOGGE_OVERLAP, "the count",
            kogge_compact(keys, KOGGE_U32, out, (uint64_t*)out, n, KOGGE_LESS, &value, NULL));
    REFUSED(KOGGE_OVERLAP, "the number of runs",
            kogge_run_length_encode(keys, KOGGE_U32, out, out + n / 2, KOGGE_U32, (uint64_t*)out, n / 2, NULL));
    REFUSED(KOGGE_OVERLAP, "the count", kogge_nonzero(keys, KOGGE_U32, out, KOGGE_U32, (uint64_t*)keys, n, NULL));

    kogge_exec exec;
    memset(&exec, 0, sizeof exec);
    REFUSED(KOGGE_INVALID_ARGUMENT, "size of kogge_exec is 0", kogge_radix_sort(keys, KOGGE_U32, out, n, NULL, &exec));
    exec.size = sizeof exec;
    exec.where = (kogge_backend)3;
    REFUSED(KOGGE_INVALID_ARGUMENT, "where is 3", kogge_radix_sort(keys, KOGGE_U32, out, n, NULL, &exec));
    exec.where = on_device() ? KOGGE_ON_HOST : KOGGE_ON_DEVICE;
    REFUSED(KOGGE_UNREACHABLE, "", kogge_radix_sort(keys, KOGGE_U32, out, n, NULL, &exec));
    exec.where = KOGGE_AUTOMATIC;
    exec.host_threads = -1;
    REFUSED(KOGGE_INVALID_ARGUMENT, "host_threads", kogge_radix_sort(keys, KOGGE_U32, out, n, NULL, &exec));
    exec.host_threads = 0;
    exec.allocate = no_memory;
    REFUSED(KOGGE_INVALID_ARGUMENT, "together", kogge_radix_sort(keys, KOGGE_U32, out, n, NULL, &exec));

    exec.allocate = NULL;
    exec.n_on_device = &count;
    REFUSED(KOGGE_INVALID_ARGUMENT, "two numbers", kogge_merge(keys, keys, KOGGE_U32, out, 5, 5, &exec));
    exec.n_on_device = NULL;

    REFUSED(KOGGE_OVERLAP, "overlap", kogge_radix_sort(keys, KOGGE_U32, keys + 1, n - 1, NULL, NULL));
    REFUSED(KOGGE_OVERLAP, "overlap", kogge_unique(keys, KOGGE_U32, keys + 1, &count, n - 1, NULL));
    CHECK(strcmp(kogge_status_name(KOGGE_OVERLAP), "KOGGE_OVERLAP") == 0);
    CHECK(strcmp(kogge_status_name((kogge_status)99), "unknown status") == 0);

    CHECK(count == 7);
    fetch(after, keys, sizeof after);
    CHECK(memcmp(after, items, sizeof items) == 0);
    fetch(after, out, sizeof after);
    CHECK(memcmp(after, items, sizeof items) == 0);
    if (!on_device()) { /* offsets that fall, which a device does not see */
        const uint64_t falling[] = {5, 4};
        REFUSED(KOGGE_INVALID_ARGUMENT, "offsets[1] is 4",
                kogge_segmented_sort(keys, KOGGE_U32, falling, out, n, 2, NULL, NULL));
        REFUSED(KOGGE_INVALID_ARGUMENT, "offsets[1] is 4",
                kogge_segmented_scan(keys, KOGGE_U32, falling, out, KOGGE_U32, n, 2, NULL, NULL));
    }
    drop(keys);
    drop(out);
}

/* What a struct of an earlier version lacks is 0, whatever stands behind it. */
static void test_earlier_versions(void) {
    uint32_t items[n], sorted[n];
    for (size_t i = 0; i < n; ++i) items[i] = (uint32_t)(i << 8);
    uint32_t* const keys = (uint32_t*)place_copy(items, sizeof items);
    struct {
        size_t size;
        kogge_order order;
        int begin_bit;
        int not_its_own; /* is where kogge_sort_options.end_bit stands */
    } sort = {2 * sizeof(size_t), KOGGE_DESCENDING, 8, 9};
    OK(kogge_radix_sort(keys, KOGGE_U32, keys, n, (const kogge_sort_options*)(const void*)&sort, NULL));
    fetch(sorted, keys, sizeof sorted);
    for (size_t i = 0; i < n; ++i) CHECK(sorted[i] == items[n - 1 - i]);
    struct {
        size_t size;
        void* stream;
        kogge_backend where;
        int not_its_own; /* kogge_exec.host_threads */
    } exec = {2 * sizeof(size_t), NULL, (kogge_backend)9, -1};
    OK(kogge_radix_sort(keys, KOGGE_U32, keys, n, NULL, (const kogge_exec*)(const void*)&exec));
    fetch(sorted, keys, sizeof sorted);
    CHECK(memcmp(sorted, items, sizeof items) == 0);
    drop(keys);

    kogge_plan plan; /* an output: nothing is written past its end */
    memset(&plan, 0, sizeof plan);
    plan.size = offsetof(kogge_plan, scratch_bytes);
    plan.scratch_bytes = 12345;
    plan.launches = -7;
    OK(kogge_plan_scan(KOGGE_U32, KOGGE_U32, 1000, "H100", &plan));
    CHECK(plan.text_length > 0 && plan.scratch_bytes == 12345 && plan.launches == -7);
}

static void test_wrong_columns(void) {
    uint32_t items[n], after[n];
    for (size_t i = 0; i < n; ++i) items[i] = (uint32_t)(n - i);
    uint32_t* const keys = (uint32_t*)place_copy(items, sizeof items);
    uint32_t* const out = (uint32_t*)place_copy(items, sizeof items);
    void* const two = place_copy(items, sizeof items);
    void* outputs[] = {out, two};
    kogge_column columns[2], right;
    memset(columns, 0, sizeof columns);
    columns[0].size = sizeof columns[0];
    columns[0].keys = keys;
    columns[0].type = KOGGE_U32;
    columns[1] = right = columns[0];

#define REFUSED_SORT(expected, words)                                                                               \
    REFUSED(expected, "kogge::radix_sort_columns: " words, kogge_radix_sort_columns(columns, 2, outputs, n, NULL)); \
    columns[1] = right
    OK(kogge_radix_sort_columns(columns, 2, outputs, 0, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "kogge::radix_sort_columns: null given for columns",
            kogge_radix_sort_columns(NULL, 2, outputs, n, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "kogge::argsort_columns: column_count is 0",
            kogge_argsort_columns(columns, 0, out, KOGGE_U32, n, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "kogge::radix_sort_columns: null given for keys_out",
            kogge_radix_sort_columns(columns, 2, NULL, n, NULL));
    outputs[1] = NULL;
    REFUSED_SORT(KOGGE_INVALID_ARGUMENT, "null given for keys_out[1]");
    outputs[1] = out;
    REFUSED_SORT(KOGGE_OVERLAP, "the sorted keys and the sorted keys overlap");
    outputs[1] = two;
    columns[1].keys = NULL;
    REFUSED_SORT(KOGGE_INVALID_ARGUMENT, "null given for columns[1].keys");
    columns[1].size = 0;
    REFUSED_SORT(KOGGE_INVALID_ARGUMENT, "columns[1]: the size of kogge_column is 0");
    columns[1].size -= sizeof(uint64_t);
    REFUSED_SORT(KOGGE_INVALID_ARGUMENT, "the size of columns[1] is ");
    columns[1].type = KOGGE_NONE;
    REFUSED_SORT(KOGGE_INVALID_ARGUMENT, "columns[1]: the type of keys is none");
    columns[1].type = KOGGE_BYTES(4);
    REFUSED_SORT(KOGGE_INVALID_ARGUMENT, "columns[1]: keys are 4 bytes");
    columns[1].order = (kogge_order)3;
    REFUSED_SORT(KOGGE_INVALID_ARGUMENT, "columns[1]: kogge_column.order is 3");
    columns[1].zeros = (kogge_zeros)2;
    REFUSED_SORT(KOGGE_INVALID_ARGUMENT, "columns[1]: kogge_column.zeros is 2");
    columns[1].nans = (kogge_nans)3;
    REFUSED_SORT(KOGGE_INVALID_ARGUMENT, "columns[1]: kogge_column.nans is 3");
    columns[1].nulls = (kogge_nulls)2;
    REFUSED_SORT(KOGGE_INVALID_ARGUMENT, "columns[1]: kogge_column.nulls is 2");
    columns[1].end_bit = 33;
    REFUSED_SORT(KOGGE_INVALID_ARGUMENT, "columns[1]: bits [0, 33)");
    columns[1].end_bit = -1;
    REFUSED_SORT(KOGGE_INVALID_ARGUMENT, "columns[1]: kogge_column.end_bit is -1");
    columns[1].valid = out;
    REFUSED_SORT(KOGGE_OVERLAP, "the validity bitmap and the sorted keys overlap");
#undef REFUSED_SORT
    REFUSED(KOGGE_INVALID_ARGUMENT, "kogge::radix_sort_columns_pairs: the type of values is none",
            kogge_radix_sort_columns_pairs(columns, 2, keys, KOGGE_NONE, outputs, keys, n, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "kogge::radix_sort_columns_pairs: null given for the values",
            kogge_radix_sort_columns_pairs(columns, 2, NULL, KOGGE_U32, outputs, keys, n, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "kogge::argsort_columns: the indices are f32",
            kogge_argsort_columns(columns, 2, out, KOGGE_F32, n, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "kogge::argsort_columns: i32 is too small",
            kogge_argsort_columns(columns, 2, out, KOGGE_I32, (uint64_t)1 << 40, NULL));
    REFUSED(KOGGE_INVALID_ARGUMENT, "kogge::argsort_columns: null given for the indices",
            kogge_argsort_columns(columns, 2, NULL, KOGGE_U32, n, NULL));
    REFUSED(KOGGE_OVERLAP, "kogge::argsort_columns: the keys and the indices overlap",
            kogge_argsort_columns(columns, 2, keys, KOGGE_U32, n, NULL));
    kogge_exec exec;
    memset(&exec, 0, sizeof exec);
    REFUSED(KOGGE_INVALID_ARGUMENT, "kogge::argsort_columns: the size of kogge_exec is 0",
            kogge_argsort_columns(columns, 2, out, KOGGE_U32, n, &exec));
    fetch(after, keys, sizeof after);
    CHECK(memcmp(after, items, sizeof items) == 0);
    fetch(after, out, sizeof after);
    CHECK(memcmp(after, items, sizeof items) == 0);
    drop(keys);
    drop(out);
    drop(two);
}

static void test_plans(void) {
    char text[2000], little[8];
    kogge_plan plan;
    memset(&plan, 0, sizeof plan);
    REFUSED(KOGGE_INVALID_ARGUMENT, "size of kogge_plan is 0",
            kogge_plan_scan(KOGGE_U32, KOGGE_U32, 1000, "H100", &plan));
    REFUSED(KOGGE_INVALID_ARGUMENT, "null given for plan", kogge_plan_scan(KOGGE_U32, KOGGE_U32, 1000, "H100", NULL));
    plan.size = sizeof plan;
    plan.text_bytes = 5;
    REFUSED(KOGGE_INVALID_ARGUMENT, "kogge_plan.text", kogge_plan_scan(KOGGE_U32, KOGGE_U32, 1000, "H100", &plan));
    plan.text_bytes = 0;
    REFUSED(KOGGE_INVALID_ARGUMENT, "no device called \"Voodoo 2\"",
            kogge_plan_scan(KOGGE_U32, KOGGE_U32, 1000, "Voodoo 2", &plan));
    CHECK(strstr(kogge_message(), "RTX 4090 (sm_89)") != NULL);

    const uint64_t many = (uint64_t)1 << 28;
    int devices = 0;
    for (; kogge_known_devices(devices) != NULL; ++devices) {
        const char* const device = kogge_known_devices(devices);
        plan.text = NULL;
        plan.text_bytes = 0;
        OK(kogge_plan_radix_sort(KOGGE_F32, KOGGE_U32, 1, many, NULL, NULL, device, &plan));
        /* about one more array of both */
        CHECK(plan.scratch_bytes > 8 * many * 9 / 10 && plan.scratch_bytes < 8 * many * 12 / 10);
        CHECK(plan.launches > 0 && plan.text_length > 0 && plan.text_length < sizeof text);
        plan.text = text;
        plan.text_bytes = sizeof text;
        OK(kogge_plan_radix_sort(KOGGE_F32, KOGGE_U32, 1, many, NULL, NULL, device, &plan));
        CHECK(strlen(text) == plan.text_length);
        plan.text = little;
        plan.text_bytes = sizeof little;
        OK(kogge_plan_radix_sort(KOGGE_F32, KOGGE_U32, 1, many, NULL, NULL, device, &plan));
        CHECK(strlen(little) == sizeof little - 1 && memcmp(little, text, sizeof little - 1) == 0);
        OK(kogge_plan_argsort(KOGGE_U64, KOGGE_I64, many, NULL, NULL, device, &plan));
        OK(kogge_plan_segmented_sort(KOGGE_U64, KOGGE_NONE, 0, many, 1000, NULL, device, &plan));
        OK(kogge_plan_top_k(KOGGE_F32, 1, KOGGE_I64, KOGGE_NONE, many, 40, NULL, NULL, device, &plan));
        CHECK(plan.scratch_bytes < many / 8);
        OK(kogge_plan_segmented_top_k(KOGGE_F32, 1, KOGGE_I32, KOGGE_NONE, 1, 64 * 32000, 64, 40, NULL, device, &plan));
        OK(kogge_plan_compact(KOGGE_U8, 0, 0, many, device, &plan));
        OK(kogge_plan_scan(KOGGE_U8, KOGGE_U64, many, device, &plan));
    }
    CHECK(devices >= 8 && kogge_known_devices(-1) == NULL);
    OK(kogge_plan_scan(KOGGE_U8, KOGGE_U64, many, "sm_90", &plan));
    kogge_exec exec;
    memset(&exec, 0, sizeof exec);
    exec.size = sizeof exec;
    exec.scratch_limit = 1 << 20;
    REFUSED(KOGGE_OUT_OF_MEMORY, "scratch",
            kogge_plan_radix_sort(KOGGE_F32, KOGGE_NONE, 1, many, NULL, &exec, "H100", &plan));
    /* Of the device here, if there is one; a library for devices may find no driver. */
    const kogge_status here = kogge_plan_scan(KOGGE_U8, KOGGE_U64, many, NULL, &plan);
    if (on_device()) CHECK(here == KOGGE_OK);
    else CHECK(here == KOGGE_UNREACHABLE || here == KOGGE_DEVICE_FAILED || here == KOGGE_OK);
}

int main(void) {
    (void)on_device();
    char version[40];
    snprintf(version, sizeof version, "%d.%d.%d", KOGGE_VERSION_MAJOR, KOGGE_VERSION_MINOR, KOGGE_VERSION_PATCH);
    CHECK(strcmp(kogge_version(), version) == 0);
    CHECK(kogge_runtime()[0] != '\0');
    CHECK((kogge_device_count() > 0) == on_device() || !on_device());
    CHECK(kogge_type_bytes(KOGGE_I128) == 16 && kogge_type_bytes(KOGGE_BYTES(12)) == 12);
    CHECK(kogge_type_bytes((kogge_type)77) == 0 && kogge_type_bytes(KOGGE_NONE) == 0);
    CHECK(strcmp(kogge_message(), "") == 0 && kogge_device_code() == 0);
    test_wrong_arguments();
    test_earlier_versions();
    test_wrong_columns();
    test_plans();
    return report();
}

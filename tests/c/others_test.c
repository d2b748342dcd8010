/* kogge-test: EMULATED GPU HOST
 * Compactions, partitions, runs and scans against loops in plain C; scratch of the caller's. What the library has no
 * device code for is refused there with a status. */
#include "numbers.h"

enum { n = 5000 };

static uint32_t* numbers(uint32_t below) {
    uint32_t* const items = (uint32_t*)malloc(n * sizeof *items);
    for (size_t i = 0; i < n; ++i) items[i] = (uint32_t)(random_bits() % below);
    return items;
}

/* By flags and by bits, with the count where the data is and in the host's memory, for items of each size. */
static void test_compact(void) {
    unsigned char flags[n];
    uint32_t words[(n + 31) / 32] = {0};
    uint64_t expected = 0;
    for (size_t i = 0; i < n; ++i) {
        flags[i] = (unsigned char)(random_bits() % 3);
        if (flags[i]) words[i / 32] |= (uint32_t)1 << i % 32;
        expected += flags[i] != 0;
    }
    uint8_t* const placed_flags = (uint8_t*)place_copy(flags, sizeof flags);
    uint32_t* const placed_words = (uint32_t*)place_copy(words, sizeof words);
    uint64_t* const count = (uint64_t*)place(sizeof *count);
    for (size_t t = 0; t < all_type_count; ++t) {
        const kogge_type type = all_types[t];
        const size_t bytes = kogge_type_bytes(type);
        unsigned char* const items = random_items(type, n);
        unsigned char* const out = (unsigned char*)malloc(n * bytes);
        void* const in = place_copy(items, n * bytes);
        void* const kept = place(n * bytes);
        for (int by_bits = 0; by_bits < 2; ++by_bits) {
            for (int here = 0; here < 2; ++here) {
                uint64_t got = 77;
                uint64_t* const where = here ? &got : count;
                const kogge_status status = by_bits ? kogge_compact_bits(in, type, placed_words, kept, where, n, NULL)
                                                    : kogge_compact_flags(in, type, placed_flags, kept, where, n, NULL);
                if (bytes == 16 && on_device()) {
                    CHECK(status == KOGGE_NOT_BUILT);
                    continue;
                }
                CHECK(status == KOGGE_OK);
                if (!here) fetch(&got, count, sizeof got);
                CHECK(got == expected);
                fetch(out, kept, n * bytes);
                size_t next = 0;
                for (size_t i = 0; i < n; ++i)
                    if (flags[i]) CHECK(memcmp(out + next++ * bytes, items + i * bytes, bytes) == 0);
            }
        }
        /* partitions: a device has code for two outputs */
        void* const others = place(n * bytes);
        for (int form = 0; form < 4; ++form) {
            const int by_bits = form & 1;
            void* const rejected = form & 2 ? others : NULL;
            uint64_t boundary = 77;
            const kogge_status status =
                by_bits ? kogge_partition_bits(in, type, placed_words, kept, rejected, &boundary, n, NULL)
                        : kogge_partition_flags(in, type, placed_flags, kept, rejected, &boundary, n, NULL);
            if (on_device() && (bytes == 16 || !rejected)) {
                CHECK(status == KOGGE_NOT_BUILT);
                continue;
            }
            CHECK(status == KOGGE_OK && boundary == expected);
            fetch(out, kept, n * bytes);
            if (rejected) fetch(out + expected * bytes, others, (n - expected) * bytes);
            size_t next[] = {expected, 0};
            for (size_t i = 0; i < n; ++i)
                CHECK(memcmp(out + next[flags[i] != 0]++ * bytes, items + i * bytes, bytes) == 0);
        }
        drop(others);
        free(items);
        free(out);
        drop(in);
        drop(kept);
    }
    drop(placed_flags);
    drop(placed_words);
    drop(count);
}

static int holds(kogge_relation relation, float a, float b) {
    switch (relation) {
        case KOGGE_LESS:
            return a < b;
        case KOGGE_LESS_EQUAL:
            return a <= b;
        case KOGGE_GREATER:
            return a > b;
        case KOGGE_GREATER_EQUAL:
            return a >= b;
        case KOGGE_EQUAL:
            return a == b;
        default:
            return a != b;
    }
}

static void test_relations(void) {
    float items[n], out[n], others[n];
    for (size_t i = 0; i < n; ++i) items[i] = (float)(random_bits() % 9);
    const float value = 4;
    void* const in = place_copy(items, sizeof items);
    void* const first = place(sizeof items);
    void* const second = place(sizeof items);
    for (int r = KOGGE_LESS; r <= KOGGE_NOT_EQUAL; ++r) {
        const kogge_relation relation = (kogge_relation)r;
        uint64_t kept = 0, next = 0, next_other = 0;
        OK(kogge_compact(in, KOGGE_F32, first, &kept, n, relation, &value, NULL));
        fetch(out, first, sizeof out);
        for (size_t i = 0; i < n; ++i)
            if (holds(relation, items[i], value)) CHECK(out[next++] == items[i]);
        CHECK(kept == next);
        OK(kogge_partition(in, KOGGE_F32, first, NULL, &kept, n, relation, &value, NULL));
        CHECK(kept == next);
        fetch(out, first, sizeof out);
        for (size_t i = 0; i < n; ++i)
            if (!holds(relation, items[i], value)) CHECK(out[next++] == items[i]);
        OK(kogge_partition(in, KOGGE_F32, first, second, &kept, n, relation, &value, NULL));
        fetch(others, second, sizeof others);
        for (size_t i = 0; i < n; ++i)
            if (!holds(relation, items[i], value)) CHECK(others[next_other++] == items[i]);
        CHECK(kept + next_other == n);
    }
    drop(in);
    drop(first);
    drop(second);
}

static void test_nonzero(void) {
    for (size_t t = 0; t < all_type_count; ++t) {
        const kogge_type type = all_types[t];
        const size_t bytes = kogge_type_bytes(type);
        unsigned char* const items = random_items(type, n);
        void* const in = place_copy(items, n * bytes);
        int64_t* const indices = (int64_t*)place(n * sizeof *indices);
        uint64_t count = 0, next = 0;
        ON_HOST(kogge_nonzero(in, type, indices, KOGGE_I64, &count, n, NULL));
        for (size_t i = 0; i < n && !on_device(); ++i) {
            int zero = 1;
            for (size_t b = 0; b < bytes; ++b) {
                const int is_sign = is_float(type) && b == bytes - 1;
                zero &= (items[i * bytes + b] & (is_sign ? 0x7f : 0xff)) == 0;
            }
            if (!zero) CHECK(indices[next++] == (int64_t)i);
        }
        CHECK(count == next);
        free(items);
        drop(in);
        drop(indices);
    }
    const uint32_t words[] = {0x80000001u, 0, 6};
    uint32_t* const placed = (uint32_t*)place_copy(words, sizeof words);
    int32_t* const indices = (int32_t*)place(66 * sizeof *indices);
    uint64_t count = 0;
    ON_HOST(kogge_nonzero_bits(placed, indices, KOGGE_I32, &count, 66, NULL)); /* of bit 66 not */
    if (!on_device()) CHECK(count == 3 && indices[0] == 0 && indices[1] == 31 && indices[2] == 65);
    drop(placed);
    drop(indices);
}

static void test_split(void) {
    enum { bins = 5 };
    uint32_t* const items = numbers(bins << 8);
    uint32_t* const keys = (uint32_t*)place_copy(items, n * sizeof *items);
    uint32_t* const keys_out = (uint32_t*)place(n * sizeof *items);
    uint16_t tags[n];
    for (size_t i = 0; i < n; ++i) tags[i] = (uint16_t)i;
    uint16_t* const values = (uint16_t*)place_copy(tags, sizeof tags);
    uint16_t* const values_out = (uint16_t*)place(sizeof tags);
    uint64_t* const offsets = (uint64_t*)place((bins + 1) * sizeof *offsets);
    ON_HOST(kogge_split(keys, KOGGE_U32, values, KOGGE_U16, keys_out, values_out, offsets, n, bins, 8, 0, NULL));
    ON_HOST(kogge_split(keys, KOGGE_U32, NULL, KOGGE_NONE, keys_out, NULL, NULL, n, 4, 0, 2, NULL));
    if (!on_device()) {
        OK(kogge_split(keys, KOGGE_U32, values, KOGGE_U16, keys_out, values_out, offsets, n, bins, 8, 0, NULL));
        size_t next = 0;
        for (uint32_t bin = 0; bin < bins; ++bin) {
            CHECK(offsets[bin] == next);
            for (size_t i = 0; i < n; ++i)
                if (items[i] >> 8 == bin) {
                    CHECK(keys_out[next] == items[i] && values_out[next] == tags[i]);
                    ++next;
                }
        }
        CHECK(offsets[bins] == n);
        REFUSED(KOGGE_INVALID_ARGUMENT, "bin",
                kogge_split(keys, KOGGE_U32, NULL, KOGGE_NONE, keys_out, NULL, NULL, n, bins, 0, 0, NULL));
        REFUSED(KOGGE_INVALID_ARGUMENT, "bits [30, 40)",
                kogge_split(keys, KOGGE_U32, NULL, KOGGE_NONE, keys_out, NULL, NULL, n, bins, 30, 40, NULL));
    }
    free(items);
    drop(keys);
    drop(keys_out);
    drop(values);
    drop(values_out);
    drop(offsets);
}

static void test_runs(void) {
    for (size_t t = 0; t < all_type_count; ++t) {
        const kogge_type type = all_types[t];
        const size_t bytes = kogge_type_bytes(type);
        unsigned char* const items = (unsigned char*)calloc(n, bytes);
        uint64_t heads[n], runs = 0;
        for (size_t i = 0; i < n; ++i) { /* 0 and 1, and of floats −0 and NaNs */
            const uint64_t choice = random_bits() % 4;
            unsigned char* const item = items + i * bytes;
            item[0] = (unsigned char)(choice == 1);
            if (is_float(type) && choice >= 2) item[0] = 0, item[bytes - 1] = choice == 2 ? 0x80u : 0x7fu;
            if (is_float(type) && choice == 3) item[bytes - 2] = 0xffu;
            const int is_nan = is_float(type) && choice == 3;
            const unsigned char* const before = item - bytes;
            const int is_zero = is_float(type) && i > 0 && item[0] == 0 && before[0] == 0 && !is_nan &&
                                (before[bytes - 1] & 0x7fu) == 0;
            if (i == 0 || is_nan || (!is_zero && memcmp(before, item, bytes) != 0)) heads[runs++] = i;
        }
        unsigned char* const out = (unsigned char*)malloc(n * bytes);
        uint16_t tags[n], tags_out[n];
        uint32_t lengths_out[n];
        for (size_t i = 0; i < n; ++i) tags[i] = (uint16_t)i;
        void* const in = place_copy(items, n * bytes);
        void* const firsts = place(n * bytes);
        void* const values = place_copy(tags, sizeof tags);
        void* const values_out = place(sizeof tags);
        void* const lengths = place(n * sizeof(uint64_t));
        uint64_t count = 0;
        ON_HOST(kogge_unique(in, type, firsts, &count, n, NULL));
        if (!on_device()) {
            CHECK(count == runs);
            fetch(out, firsts, n * bytes);
            CHECK(is_gathered(out, items, bytes, heads, runs));
        }
        ON_HOST(kogge_unique_by_key(in, type, values, KOGGE_U16, firsts, values_out, &count, n, NULL));
        fetch(tags_out, values_out, sizeof tags_out);
        for (size_t r = 0; r < runs && !on_device(); ++r) CHECK(tags_out[r] == heads[r]);
        ON_HOST(kogge_run_length_encode(in, type, firsts, lengths, KOGGE_I32, &count, n, NULL));
        fetch(lengths_out, lengths, sizeof lengths_out);
        for (size_t r = 0; r < runs && !on_device(); ++r)
            CHECK(lengths_out[r] == (r + 1 < runs ? heads[r + 1] : n) - heads[r]);
        free(items);
        free(out);
        drop(in);
        drop(firsts);
        drop(values);
        drop(values_out);
        drop(lengths);
    }
}

static uint64_t join(kogge_operator op, uint64_t a, uint64_t b) {
    if (op == KOGGE_PLUS) return a + b;
    return op == KOGGE_MAXIMUM ? (a > b ? a : b) : (a < b ? a : b);
}

static void test_scans(void) {
    uint32_t* const items = numbers(1000);
    uint64_t expected[n], got[n], starts[] = {10, 10, 4000};
    uint8_t groups[n];
    for (size_t i = 0; i < n; ++i) groups[i] = (uint8_t)(i / 7);
    uint64_t wide[n];
    for (size_t i = 0; i < n; ++i) wide[i] = items[i];
    void* const in = place_copy(wide, sizeof wide);
    void* const narrow = place_copy(items, n * sizeof *items);
    void* const out = place(sizeof got);
    void* const keys = place_copy(groups, sizeof groups);
    uint64_t* const offsets = (uint64_t*)place_copy(starts, sizeof starts);
    for (int o = KOGGE_PLUS; o <= KOGGE_MINIMUM; ++o) {
        for (int form = 0; form < 8; ++form) { /* inclusive or not, from an end, with an initial value or not */
            kogge_scan_options options;
            memset(&options, 0, sizeof options);
            options.size = sizeof options;
            options.op = (kogge_operator)o;
            options.exclusive = form & 1;
            options.reverse = form & 2;
            const uint64_t init = 500, none = o == KOGGE_MINIMUM ? ~(uint64_t)0 : 0;
            options.init = form & 4 ? &init : NULL;
            uint64_t sum = form & 4 ? init : none;
            for (size_t j = 0; j < n; ++j) {
                const size_t i = options.reverse ? n - 1 - j : j;
                if (options.exclusive) expected[i] = sum;
                sum = join(options.op, sum, items[i]);
                if (!options.exclusive) expected[i] = sum;
            }
            if (options.reverse) ON_HOST(kogge_scan(in, KOGGE_U64, out, KOGGE_U64, n, &options, NULL));
            else OK(kogge_scan(in, KOGGE_U64, out, KOGGE_U64, n, &options, NULL));
            fetch(got, out, sizeof got);
            CHECK((options.reverse && on_device()) || memcmp(got, expected, sizeof got) == 0);
            if (options.op == KOGGE_PLUS && !options.reverse) { /* of narrower items */
                OK(kogge_scan(narrow, KOGGE_U32, out, KOGGE_U64, n, &options, NULL));
                fetch(got, out, sizeof got);
                CHECK(memcmp(got, expected, sizeof got) == 0);
            }

            if (options.reverse || (options.init && !options.exclusive)) {
                REFUSED(KOGGE_INVALID_ARGUMENT, "kogge_scan_options",
                        kogge_scan_by_key(keys, KOGGE_U8, in, KOGGE_U64, out, KOGGE_U64, n, &options, NULL));
                continue;
            }
            for (int by_key = 0; by_key < 2; ++by_key) {
                for (size_t i = 0; i < n; ++i) {
                    const int head = by_key ? i % 7 == 0 : i == 0 || i == 10 || i == 4000;
                    if (head) sum = options.init ? init : none;
                    if (options.exclusive) expected[i] = sum;
                    sum = join(options.op, sum, items[i]);
                    if (!options.exclusive) expected[i] = sum;
                }
                if (by_key)
                    ON_HOST(kogge_scan_by_key(keys, KOGGE_U8, in, KOGGE_U64, out, KOGGE_U64, n, &options, NULL));
                else ON_HOST(kogge_segmented_scan(in, KOGGE_U64, offsets, out, KOGGE_U64, n, 3, &options, NULL));
                fetch(got, out, sizeof got);
                CHECK(on_device() || memcmp(got, expected, sizeof got) == 0);
            }
        }
    }
    REFUSED(KOGGE_NOT_BUILT, "scans of u32 to f32", kogge_scan(narrow, KOGGE_U32, out, KOGGE_F32, n, NULL, NULL));
    free(items);
    drop(in);
    drop(narrow);
    drop(out);
    drop(keys);
    drop(offsets);
}

/* Sums of all pairs of types: 1 + 1 + …; halves of 1, too. */
static void test_pairs_of_types(void) {
    enum { few = 100 };
    for (size_t p = 0; p < sum_pair_count; ++p) {
        const size_t bytes = kogge_type_bytes(sum_pairs[p][0]), out_bytes = kogge_type_bytes(sum_pairs[p][1]);
        unsigned char items[few * 8] = {0}, results[few * 8];
        for (size_t i = 0; i < few; ++i) put(sum_pairs[p][0], items + i * bytes, 1);
        void* const in = place_copy(items, few * bytes);
        void* const out = place(few * out_bytes);
        const kogge_status status = kogge_scan(in, sum_pairs[p][0], out, sum_pairs[p][1], few, NULL, NULL);
        if (on_device() && !is_prebuilt_pair(p)) CHECK(status == KOGGE_NOT_BUILT);
        else CHECK(status == KOGGE_OK);
        if (status == KOGGE_OK) {
            fetch(results, out, few * out_bytes);
            for (size_t i = 0; i < few; ++i) CHECK(get(sum_pairs[p][1], results + i * out_bytes) == (double)(i + 1));
        }
        drop(in);
        drop(out);
    }
}

/* An allocator that counts, and one that has nothing. */
struct memory {
    size_t bytes;
    int live, calls;
};
static void* count_allocate(void* context, size_t bytes, void* stream) {
    struct memory* const memory = (struct memory*)context;
    (void)stream;
    memory->bytes = bytes;
    ++memory->live;
    ++memory->calls;
    return place(bytes);
}
static void count_deallocate(void* context, void* allocation, size_t bytes, void* stream) {
    struct memory* const memory = (struct memory*)context;
    (void)stream;
    CHECK(bytes == memory->bytes);
    --memory->live;
    unsigned char byte;
    fetch(&byte, allocation, 0); /* waits for the work */
    drop(allocation);
}
static void* refuse(void* context, size_t bytes, void* stream) {
    (void)context, (void)bytes, (void)stream;
    return NULL;
}

static void test_scratch(void) {
    enum { many = 30000 };
    unsigned char* const items = random_items(KOGGE_U64, many);
    void* const keys = place_copy(items, many * 8);
    struct memory memory = {0, 0, 0};
    kogge_exec exec;
    memset(&exec, 0, sizeof exec);
    exec.size = sizeof exec;
    exec.allocate = count_allocate;
    exec.deallocate = count_deallocate;
    exec.context = &memory;
    if (!on_device()) {
        OK(kogge_radix_sort(keys, KOGGE_U64, keys, many, NULL, &exec));
        CHECK(memory.calls == 0); /* the host takes its own */
    } else {
        kogge_plan plan;
        memset(&plan, 0, sizeof plan);
        plan.size = sizeof plan;
        OK(kogge_plan_radix_sort(KOGGE_U64, KOGGE_NONE, 1, many, NULL, NULL, NULL, &plan));
        CHECK(plan.scratch_bytes > 0 && plan.launches > 0);
        OK(kogge_radix_sort(keys, KOGGE_U64, keys, many, NULL, &exec));
        CHECK(memory.calls == 1 && memory.live == 0 && memory.bytes == plan.scratch_bytes);
        exec.allocate = refuse;
        REFUSED(KOGGE_OUT_OF_MEMORY, "no scratch memory", kogge_radix_sort(keys, KOGGE_U64, keys, many, NULL, &exec));
        exec.allocate = NULL;
        exec.deallocate = NULL;
        exec.space = place((size_t)plan.scratch_bytes);
        exec.space_bytes = (size_t)plan.scratch_bytes;
        OK(kogge_radix_sort(keys, KOGGE_U64, keys, many, NULL, &exec));
        exec.space_bytes -= 1;
        REFUSED(KOGGE_OUT_OF_MEMORY, "workspace", kogge_radix_sort(keys, KOGGE_U64, keys, many, NULL, &exec));
        unsigned char byte;
        fetch(&byte, keys, 1);
        drop(exec.space);
        exec.space = NULL;
        exec.space_bytes = 0;
        exec.scratch_limit = 8;
        REFUSED(KOGGE_OUT_OF_MEMORY, "scratch", kogge_radix_sort(keys, KOGGE_U64, keys, many, NULL, &exec));
        uint64_t held = 1;
        OK(kogge_trim(0, &held));
    }
    free(items);
    drop(keys);
}

/* What a call allocates is what its plan says, of calls of each kind. */
#define AS_PLANNED(planned, call)                                      \
    do {                                                               \
        memory.bytes = 0;                                              \
        OK(planned);                                                   \
        OK(call);                                                      \
        CHECK(memory.bytes == (on_device() ? plan.scratch_bytes : 0)); \
        any |= plan.scratch_bytes > 0;                                 \
    } while (0)

static void test_planned_scratch(void) {
    enum { many = 40000, k = 30, segments = 4 };
    const char* const device = on_device() ? NULL : "H100";
    const uint64_t starts[segments] = {0, 100, 20000, 20001};
    int any = 0;
    unsigned char* const items = random_items(KOGGE_F32, many);
    void* const keys = place_copy(items, many * 4);
    void* const out = place(many * 8);
    void* const more = place(many * 8);
    uint64_t* const offsets = (uint64_t*)place_copy(starts, sizeof starts);
    uint8_t* const flags = (uint8_t*)place_copy(items, many);
    uint64_t* const count = (uint64_t*)place(sizeof *count);
    struct memory memory = {0, 0, 0};
    kogge_exec exec;
    memset(&exec, 0, sizeof exec);
    exec.size = sizeof exec;
    exec.allocate = count_allocate;
    exec.deallocate = count_deallocate;
    exec.context = &memory;
    kogge_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.size = sizeof plan;
    kogge_sort_options merging;
    memset(&merging, 0, sizeof merging);
    merging.size = sizeof merging;
    merging.nans = KOGGE_NANS_LAST;
    for (int m = 0; m < 2; ++m) {
        const kogge_sort_options* const by = m ? &merging : NULL;
        AS_PLANNED(kogge_plan_radix_sort(KOGGE_F32, KOGGE_NONE, 0, many, by, NULL, device, &plan),
                   kogge_radix_sort(keys, KOGGE_F32, out, many, by, &exec));
        AS_PLANNED(
            kogge_plan_radix_sort(KOGGE_F32, KOGGE_BYTES(3), 0, many, by, NULL, device, &plan),
            kogge_radix_sort_pairs(keys, KOGGE_F32, more, KOGGE_BYTES(3), out, (char*)out + many * 4, many, by, &exec));
        AS_PLANNED(kogge_plan_argsort(KOGGE_F32, KOGGE_I64, many, by, NULL, device, &plan),
                   kogge_argsort(keys, KOGGE_F32, out, KOGGE_I64, many, by, &exec));
        AS_PLANNED(kogge_plan_segmented_sort(KOGGE_F32, KOGGE_U32, 0, many, segments, by, device, &plan),
                   kogge_segmented_sort_pairs(keys, KOGGE_F32, keys, KOGGE_U32, offsets, out, more, many, segments, by,
                                              &exec));
        AS_PLANNED(kogge_plan_top_k(KOGGE_F32, 1, KOGGE_I32, KOGGE_NONE, many, k, by, NULL, device, &plan),
                   kogge_arg_top_k(keys, KOGGE_F32, out, more, KOGGE_I32, many, k, by, &exec));
        AS_PLANNED(
            kogge_plan_segmented_top_k(KOGGE_F32, 1, KOGGE_NONE, KOGGE_NONE, 1, many, segments, k, by, device, &plan),
            kogge_segmented_top_k(keys, KOGGE_F32, NULL, KOGGE_NONE, NULL, out, NULL, NULL, KOGGE_NONE, many, segments,
                                  k, by, &exec));
    }
    AS_PLANNED(kogge_plan_compact(KOGGE_F32, 0, 0, many, device, &plan),
               kogge_compact_flags(keys, KOGGE_F32, flags, out, count, many, &exec));
    AS_PLANNED(kogge_plan_scan(KOGGE_F32, KOGGE_F64, many, device, &plan),
               kogge_scan(keys, KOGGE_F32, out, KOGGE_F64, many, NULL, &exec));
    CHECK(any && memory.live == 0);
    free(items);
    drop(keys);
    drop(out);
    drop(more);
    drop(offsets);
    drop(flags);
    drop(count);
}

int main(void) {
    (void)on_device();
    test_compact();
    test_relations();
    test_nonzero();
    test_split();
    test_runs();
    test_scans();
    test_pairs_of_types();
    test_scratch();
    test_planned_scratch();
    return report();
}

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
        /* partitions: a device has no code for bits and one output */
        void* const others = place(n * bytes);
        for (int form = 0; form < 4; ++form) {
            const int by_bits = form & 1;
            void* const rejected = form & 2 ? others : NULL;
            uint64_t boundary = 77;
            const kogge_status status =
                by_bits ? kogge_partition_bits(in, type, placed_words, kept, rejected, &boundary, n, NULL)
                        : kogge_partition_flags(in, type, placed_flags, kept, rejected, &boundary, n, NULL);
            if (on_device() && (bytes == 16 || (by_bits && !rejected))) {
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

/* Whether an item is 0: of a float, −0 too. */
static int is_zero(kogge_type type, const unsigned char* item) {
    const size_t bytes = kogge_type_bytes(type);
    int zero = 1;
    for (size_t b = 0; b < bytes; ++b) {
        const int is_sign = is_float(type) && b == bytes - 1;
        zero &= (item[b] & (is_sign ? 0x7f : 0xff)) == 0;
    }
    return zero;
}

/* Indices of both widths, with the count where the data is and in the host's memory. */
static void test_nonzero(void) {
    uint64_t* const placed_count = (uint64_t*)place(sizeof *placed_count);
    void* const indices = place(n * sizeof(int64_t));
    for (size_t t = 0; t < all_type_count; ++t) {
        const kogge_type type = all_types[t];
        const size_t bytes = kogge_type_bytes(type);
        unsigned char* const items = random_items(type, n);
        for (size_t i = 0; i < n; ++i) /* zeros of both signs */
            if (random_bits() % 2) memset(items + i * bytes, 0, bytes - (i % 2 && is_float(type)));
        for (size_t i = 1; i < n && is_float(type); i += 2) items[i * bytes + bytes - 1] &= 0x80u;
        void* const in = place_copy(items, n * bytes);
        for (int form = 0; form < 4; ++form) {
            const kogge_type index_type = form & 1 ? KOGGE_I64 : KOGGE_U32;
            uint64_t count = 0, next = 0;
            OK(kogge_nonzero(in, type, indices, index_type, form & 2 ? placed_count : &count, n, NULL));
            if (form & 2) fetch(&count, placed_count, sizeof count);
            int64_t wide[n];
            uint32_t narrow[n];
            fetch(form & 1 ? (void*)wide : narrow, indices, n * kogge_type_bytes(index_type));
            for (size_t i = 0; i < n; ++i) {
                if (is_zero(type, items + i * bytes)) continue;
                CHECK((form & 1 ? (uint64_t)wide[next] : narrow[next]) == i);
                ++next;
            }
            CHECK(count == next && next > 0 && next < n);
        }
        REFUSED(KOGGE_OVERLAP, "in", kogge_nonzero(in, type, in, KOGGE_U32, placed_count, n, NULL));
        if (on_device()) { /* as many items as the device says */
            uint64_t count = 77;
            const uint64_t few = 100;
            kogge_exec exec;
            memset(&exec, 0, sizeof exec);
            exec.size = sizeof exec;
            exec.n_on_device = (const uint64_t*)place_copy(&few, sizeof few);
            OK(kogge_nonzero(in, type, indices, KOGGE_U32, &count, n, &exec));
            for (size_t i = 0; i < few; ++i) count -= !is_zero(type, items + i * bytes);
            CHECK(count == 0);
            drop((void*)exec.n_on_device);
        }
        free(items);
        drop(in);
    }
    drop(indices);
    drop(placed_count);
    const uint32_t words[] = {0x80000001u, 0, 6};
    uint32_t* const placed = (uint32_t*)place_copy(words, sizeof words);
    for (int wide = 0; wide < 2; ++wide) {
        const size_t width = wide ? 8 : 4;
        void* const found = place(66 * width);
        uint64_t count = 0;
        OK(kogge_nonzero_bits(placed, found, wide ? KOGGE_I64 : KOGGE_I32, &count, 66, NULL)); /* of bit 66 not */
        unsigned char got[3 * 8] = {0};
        fetch(got, found, 3 * width);
        CHECK(count == 3 && got[0] == 0 && got[width] == 31 && got[2 * width] == 65);
        drop(found);
    }
    drop(placed);
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

static const kogge_type run_value_types[] = {KOGGE_U8,   KOGGE_U16,      KOGGE_F32,      KOGGE_I64,
                                             KOGGE_U128, KOGGE_BYTES(3), KOGGE_BYTES(12)};
enum { run_value_type_count = sizeof run_value_types / sizeof run_value_types[0], most_value_bytes = 16 };

/* Runs of m items of a type, with the number of runs where the data is and in the host's memory. */
static void test_runs_of(kogge_type type, size_t m, int few_runs) {
    const size_t bytes = kogge_type_bytes(type);
    unsigned char* const items = (unsigned char*)calloc(m, bytes);
    uint64_t* const heads = (uint64_t*)malloc(m * sizeof *heads);
    uint64_t runs = 0, count = 0;
    for (size_t i = 0; i < m; ++i) { /* 0 and 1, and of floats −0 and NaNs */
        const uint64_t choice = few_runs ? i / (m / 3 + 1) : random_bits() % 4;
        unsigned char* const item = items + i * bytes;
        item[0] = (unsigned char)(choice == 1);
        if (is_float(type) && choice >= 2) item[0] = 0, item[bytes - 1] = choice == 2 ? 0x80u : 0x7fu;
        if (is_float(type) && choice == 3) item[bytes - 2] = 0xffu;
        const int is_nan = is_float(type) && choice == 3;
        const int both_zero = i > 0 && is_zero(type, item) && is_zero(type, item - bytes);
        if (i == 0 || is_nan || (!both_zero && memcmp(item - bytes, item, bytes) != 0)) heads[runs++] = i;
    }
    unsigned char* const out = (unsigned char*)malloc(m * most_value_bytes);
    unsigned char* const tags = (unsigned char*)malloc(m * most_value_bytes);
    for (size_t i = 0; i < m * most_value_bytes; ++i) tags[i] = (unsigned char)random_bits();
    void* const in = place_copy(items, m * bytes);
    void* const firsts = place(m * bytes);
    void* const values = place_copy(tags, m * most_value_bytes);
    void* const values_out = place(m * most_value_bytes);
    void* const lengths = place(m * sizeof(uint64_t));
    uint64_t* const placed_count = (uint64_t*)place(sizeof *placed_count);
    if (on_device() && bytes == 16) {
        ON_HOST(kogge_unique(in, type, firsts, &count, m, NULL));
        ON_HOST(kogge_unique_by_key(in, type, values, KOGGE_U16, firsts, values_out, placed_count, m, NULL));
        ON_HOST(kogge_run_length_encode(in, type, firsts, lengths, KOGGE_I32, &count, m, NULL));
    } else {
        for (int here = 0; here < 2; ++here) {
            count = 0;
            OK(kogge_unique(in, type, firsts, here ? &count : placed_count, m, NULL));
            if (!here) fetch(&count, placed_count, sizeof count);
            CHECK(count == runs);
            fetch(out, firsts, m * bytes);
            CHECK(is_gathered(out, items, bytes, heads, runs));
        }
        for (size_t v = 0; v < run_value_type_count; ++v) {
            const size_t value_bytes = kogge_type_bytes(run_value_types[v]);
            OK(kogge_unique_by_key(in, type, values, run_value_types[v], firsts, values_out,
                                   v % 2 ? &count : placed_count, m, NULL));
            if (v % 2 == 0) fetch(&count, placed_count, sizeof count);
            CHECK(count == runs);
            fetch(out, firsts, m * bytes);
            CHECK(is_gathered(out, items, bytes, heads, runs));
            fetch(out, values_out, m * value_bytes);
            CHECK(is_gathered(out, tags, value_bytes, heads, runs));
        }
        for (int wide = 0; wide < 2; ++wide) {
            OK(kogge_run_length_encode(in, type, firsts, lengths, wide ? KOGGE_U64 : KOGGE_I32,
                                       wide ? &count : placed_count, m, NULL));
            if (!wide) fetch(&count, placed_count, sizeof count);
            CHECK(count == runs);
            fetch(out, firsts, m * bytes);
            CHECK(is_gathered(out, items, bytes, heads, runs));
            fetch(out, lengths, m * (wide ? 8 : 4));
            for (size_t r = 0; r < runs; ++r) {
                uint64_t length = 0; /* least significant byte first */
                memcpy(&length, out + r * (wide ? 8 : 4), wide ? 8 : 4);
                CHECK(length == (r + 1 < runs ? heads[r + 1] : m) - heads[r]);
            }
        }
        OK(kogge_unique(in, type, in, &count, m, NULL)); /* in place */
        CHECK(count == runs);
        fetch(out, in, m * bytes);
        CHECK(is_gathered(out, items, bytes, heads, runs));
        REFUSED(KOGGE_OVERLAP, "values_out",
                kogge_unique_by_key(in, type, values, KOGGE_U8, firsts, firsts, placed_count, m, NULL));
        OK(kogge_unique(in, type, firsts, &count, 0, NULL));
        CHECK(count == 0);
    }
    free(items);
    free(heads);
    free(out);
    free(tags);
    drop(in);
    drop(firsts);
    drop(values);
    drop(values_out);
    drop(lengths);
    drop(placed_count);
}

static void test_runs(void) {
    for (size_t t = 0; t < all_type_count; ++t)
        for (int few_runs = 0; few_runs < 2; ++few_runs) test_runs_of(all_types[t], n, few_runs);
    /* so many that a device takes them in other ways */
    const kogge_type types[] = {KOGGE_I8, KOGGE_F16, KOGGE_F32, KOGGE_U64};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t) test_runs_of(types[t], 90001, (int)(t % 2));
}

/* Outputs with room for just the runs, in front of each other and of the input. */
static void test_exact_room(void) {
    enum { runs_here = 5, keys_at = 2 * runs_here, all = keys_at + n };
    const uint32_t length = (n + runs_here - 1) / runs_here;
    uint32_t words[all], got[all];
    for (size_t i = 0; i < all; ++i) words[i] = i < keys_at ? 99 : (uint32_t)(i - keys_at) / length;
    for (int call = 0; call < 4; ++call) {
        uint32_t* const pool = (uint32_t*)place_copy(words, sizeof words);
        uint32_t *const keys = pool + keys_at, *const beside = pool + runs_here;
        uint64_t runs = 0;
        if (call == 0) OK(kogge_unique(keys, KOGGE_U32, pool, &runs, n, NULL));
        if (call == 1) OK(kogge_unique_by_key(keys, KOGGE_U32, keys, KOGGE_U32, pool, beside, &runs, n, NULL));
        if (call == 2) OK(kogge_run_length_encode(keys, KOGGE_U32, pool, beside, KOGGE_I32, &runs, n, NULL));
        if (call == 3)
            OK(kogge_reduce_by_key(keys, KOGGE_U32, keys, KOGGE_U32, pool, beside, KOGGE_U32, &runs, n, KOGGE_MAXIMUM,
                                   NULL));
        CHECK(runs == runs_here);
        fetch(got, pool, sizeof got);
        for (uint32_t r = 0; r < runs_here; ++r) {
            const uint32_t last = n - (runs_here - 1) * length;
            CHECK(got[r] == r);
            CHECK(got[runs_here + r] == (call == 0 ? 99 : call == 2 ? (r + 1 < runs_here ? length : last) : r));
        }
        CHECK(memcmp(got + keys_at, words + keys_at, n * sizeof *got) == 0);
        drop(pool);
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
            OK(kogge_scan(in, KOGGE_U64, out, KOGGE_U64, n, &options, NULL));
            fetch(got, out, sizeof got);
            CHECK(memcmp(got, expected, sizeof got) == 0);
            if (options.op == KOGGE_PLUS) { /* of narrower items */
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
                for (int is_narrow = 0; is_narrow < (options.op == KOGGE_PLUS ? 2 : 1); ++is_narrow) {
                    const void* const from = is_narrow ? narrow : in;
                    const kogge_type type = is_narrow ? KOGGE_U32 : KOGGE_U64;
                    if (by_key) OK(kogge_scan_by_key(keys, KOGGE_U8, from, type, out, KOGGE_U64, n, &options, NULL));
                    else OK(kogge_segmented_scan(from, type, offsets, out, KOGGE_U64, n, 3, &options, NULL));
                    fetch(got, out, sizeof got);
                    CHECK(memcmp(got, expected, sizeof got) == 0);
                }
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
        OK(kogge_scan(in, sum_pairs[p][0], out, sum_pairs[p][1], few, NULL, NULL));
        fetch(results, out, few * out_bytes);
        for (size_t i = 0; i < few; ++i) CHECK(get(sum_pairs[p][1], results + i * out_bytes) == (double)(i + 1));
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
    AS_PLANNED(kogge_plan_compact(KOGGE_I64, 0, 0, many, device, &plan),
               kogge_nonzero(keys, KOGGE_F32, out, KOGGE_I64, count, many, &exec));
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
    test_exact_room();
    test_scans();
    test_pairs_of_types();
    test_scratch();
    test_planned_scratch();
    return report();
}

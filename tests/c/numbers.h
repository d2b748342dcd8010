/* Numbers of all types, and the order of their sorts, told by plain C. */
#ifndef KOGGE_TESTS_NUMBERS_H
#define KOGGE_TESTS_NUMBERS_H

#include "check.h"

static const kogge_type all_types[] = {KOGGE_BOOL, KOGGE_U8,  KOGGE_I8,   KOGGE_U16, KOGGE_I16,
                                       KOGGE_U32,  KOGGE_I32, KOGGE_U64,  KOGGE_I64, KOGGE_U128,
                                       KOGGE_I128, KOGGE_F16, KOGGE_BF16, KOGGE_F32, KOGGE_F64};
enum { all_type_count = sizeof all_types / sizeof all_types[0] };

static inline int is_float(kogge_type type) { return type >= KOGGE_F16 && type <= KOGGE_F64; }
static inline int is_signed(kogge_type type) {
    return type == KOGGE_I8 || type == KOGGE_I16 || type == KOGGE_I32 || type == KOGGE_I64 || type == KOGGE_I128;
}

static uint64_t random_state = 88172645463325252u;
static inline uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Bytes of n items; every other item has few values, so that there are equal ones, zeros and NaNs. */
static inline unsigned char* random_items(kogge_type type, size_t n) {
    const size_t bytes = kogge_type_bytes(type);
    unsigned char* const items = (unsigned char*)calloc(n > 0 ? n : 1, bytes);
    for (size_t i = 0; i < n; ++i) {
        unsigned char* const item = items + i * bytes;
        if (type == KOGGE_BOOL) {
            item[0] = (unsigned char)(random_bits() % 2);
        } else if (i % 2 == 0) {
            for (size_t b = 0; b < bytes; ++b) item[b] = (unsigned char)random_bits();
        } else {
            item[bytes - 1] = (unsigned char)(random_bits() % 2 * 0x80u);
            item[0] = (unsigned char)(is_float(type) ? 0 : random_bits() % 4);
            if (is_float(type) && random_bits() % 4 == 0) item[bytes - 1] |= 0x7fu, item[bytes - 2] = 0xffu; /* NaN */
        }
    }
    return items;
}

/* A small integer as an item of a type, and a number as a double, which holds small ones. */
static inline void put(kogge_type type, unsigned char* item, int value) {
    const int64_t integer[2] = {value, value < 0 ? -1 : 0};
    const float single = (float)value;
    const double wide = value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    const uint16_t bfloat = (uint16_t)(bits >> 16), sign = (uint16_t)(bits >> 16 & 0x8000u);
    const uint16_t half =
        value == 0 ? 0 : (uint16_t)(sign | (((bits >> 23 & 0xffu) - 112u) << 10 | (bits >> 13 & 0x3ffu)));
    const void* const from = type == KOGGE_F64    ? (const void*)&wide
                             : type == KOGGE_F32  ? (const void*)&single
                             : type == KOGGE_F16  ? (const void*)&half
                             : type == KOGGE_BF16 ? (const void*)&bfloat
                                                  : (const void*)integer;
    memcpy(item, from, kogge_type_bytes(type));
}
static inline double get_half(kogge_type type, const unsigned char* item) { /* normal, or 0 */
    uint16_t half;
    memcpy(&half, item, sizeof half);
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, magnitude = half & 0x7fffu;
    const uint32_t bits = sign | (type == KOGGE_BF16 ? magnitude << 16
                                  : magnitude == 0   ? 0
                                                     : (magnitude << 13) + (112u << 23));
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
static inline double get(kogge_type type, const unsigned char* item) {
    const size_t bytes = kogge_type_bytes(type);
    uint64_t number = 0;
    float single;
    double wide;
    if (type == KOGGE_F16 || type == KOGGE_BF16) return get_half(type, item);
    memcpy(&number, item, bytes < 8 ? bytes : 8);
    memcpy(&single, item, sizeof single < bytes ? sizeof single : bytes);
    memcpy(&wide, item, sizeof wide < bytes ? sizeof wide : bytes);
    if (type == KOGGE_F32) return single;
    if (type == KOGGE_F64) return wide;
    if (!is_signed(type) || bytes >= 8) return is_signed(type) ? (double)(int64_t)number : (double)number;
    const uint64_t sign_bit = (uint64_t)1 << (8 * bytes - 1);
    return (double)(int64_t)((number ^ sign_bit) - sign_bit);
}

/* Items and results of sums. */
static const kogge_type sum_pairs[][2] = {
    {KOGGE_U8, KOGGE_U8},    {KOGGE_I8, KOGGE_I8},    {KOGGE_U16, KOGGE_U16}, {KOGGE_I16, KOGGE_I16},
    {KOGGE_U32, KOGGE_U32},  {KOGGE_I32, KOGGE_I32},  {KOGGE_U64, KOGGE_U64}, {KOGGE_I64, KOGGE_I64},
    {KOGGE_F32, KOGGE_F32},  {KOGGE_F64, KOGGE_F64},  {KOGGE_U8, KOGGE_U32},  {KOGGE_U8, KOGGE_U64},
    {KOGGE_U32, KOGGE_U64},  {KOGGE_I32, KOGGE_I64},  {KOGGE_F16, KOGGE_F32}, {KOGGE_F32, KOGGE_F64},
    {KOGGE_BOOL, KOGGE_U64}, {KOGGE_BOOL, KOGGE_I64}, {KOGGE_U16, KOGGE_U64}, {KOGGE_I8, KOGGE_I64},
    {KOGGE_I16, KOGGE_I64},  {KOGGE_BF16, KOGGE_F32}};
enum { sum_pair_count = sizeof sum_pairs / sizeof sum_pairs[0] };

/* Whether the library's device code has arithmetic for the type. */
static inline int is_arithmetic(kogge_type type) {
    return (type >= KOGGE_BOOL && type <= KOGGE_I64) || type == KOGGE_F32 || type == KOGGE_F64;
}

/* A number whose unsigned order is the sort's. */
struct code {
    uint64_t high, low;
};
static inline struct code code_of(kogge_type type, const unsigned char* item, const kogge_sort_options* options) {
    const size_t bytes = kogge_type_bytes(type);
    struct code code = {0, 0};
    memcpy(&code.low, item, bytes < 8 ? bytes : 8);
    if (bytes == 16) memcpy(&code.high, item + 8, 8);
    uint64_t* const word = bytes == 16 ? &code.high : &code.low;
    const uint64_t sign = (uint64_t)1 << (bytes >= 8 ? 63 : 8 * bytes - 1);
    const uint64_t mask = bytes >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * bytes) - 1;
    if (is_float(type)) {
        const uint64_t infinity = type == KOGGE_F16    ? 0x7c00u
                                  : type == KOGGE_BF16 ? 0x7f80u
                                  : type == KOGGE_F32  ? 0x7f800000u
                                                       : 0x7ff0000000000000u;
        const uint64_t magnitude = *word & ~sign & mask;
        if (options && options->nans != KOGGE_NANS_BY_SIGN && magnitude > infinity) {
            const struct code first = {0, 0}, last = {~(uint64_t)0, ~(uint64_t)0};
            return options->nans == KOGGE_NANS_GREATEST && options->order == KOGGE_DESCENDING ? first : last;
        }
        if (options && options->zeros == KOGGE_ZEROS_EQUAL && magnitude == 0) *word = 0;
        *word = *word & sign ? ~*word & mask : *word | sign;
    } else if (is_signed(type)) {
        *word ^= sign;
    }
    if (options && options->order == KOGGE_DESCENDING) {
        code.low = ~code.low & mask;
        code.high = bytes == 16 ? ~code.high : 0;
    }
    return code;
}
static inline int comes_before(struct code a, struct code b) {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/* The indices of a stable sort of items [begin, end). */
static inline void sort_indices(kogge_type type, const unsigned char* items, const kogge_sort_options* options,
                                size_t begin, size_t end, uint64_t* indices) {
    const size_t bytes = kogge_type_bytes(type);
    for (size_t i = begin; i < end; ++i) {
        const struct code own = code_of(type, items + i * bytes, options);
        size_t rank = begin;
        for (size_t j = begin; j < end; ++j) {
            const struct code other = code_of(type, items + j * bytes, options);
            rank += (size_t)(comes_before(other, own) || (!comes_before(own, other) && j < i));
        }
        indices[rank] = i;
    }
}

/* Whether out[i] is items[indices[i]] for all i < n. */
static inline int is_gathered(const unsigned char* out, const unsigned char* items, size_t bytes,
                              const uint64_t* indices, size_t n) {
    for (size_t i = 0; i < n; ++i)
        if (memcmp(out + i * bytes, items + indices[i] * bytes, bytes) != 0) return 0;
    return 1;
}

#endif

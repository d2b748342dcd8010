/* The C interface: every call of the library that needs no function of the caller's, over arrays of a type that is
 * named at run time. C11 and C++17. Link with -lkogge (libkogge.so); its calls throw nothing, and need no C++.
 *
 * Shared by all of them
 *   arrays       a pointer and the kogge_type of its items. Host memory or device memory: the data decide where a call
 *                runs, as kogge_exec.where says. Inputs stand before outputs, then n, then options and exec.
 *   n            counts items. kogge_exec.n_on_device gives the number in device memory; then n is its bound.
 *   counts       a uint64_t* that a call writes a number to is the last output. Where the data is (or pinned or managed
 *                memory), it is written in stream order, and the call does not wait. In ordinary host memory, while the
 *                data is on a device, the call waits for the number; it is refused while the stream is captured.
 *   options      null for the defaults. Otherwise a struct whose first member is its size. A struct of zeros but for
 *                the size is the default: kogge_exec how = {.size = sizeof how, .stream = stream};
 *   versions     structs grow at their end. In one of an earlier version the members that it lacks are 0. One of a
 *                later version is taken if all that the library does not know is 0.
 *   returns      KOGGE_OK, or what was wrong; kogge_message() says it in words. Wrong arguments are found before a
 *                byte has changed. On the device a call returns when its work is queued; on the host when it is done.
 *   code         the host has all types but where a function names fewer. On the device the library has code for the
 *                types that a function names; for others it returns KOGGE_NOT_BUILT.
 *   threads      all functions may be called by several threads at once.
 */
#ifndef KOGGE_KOGGE_H
#define KOGGE_KOGGE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define KOGGE_API __attribute__((visibility("default")))
#else
#define KOGGE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types and options -------------------------------------------------------------------------------------- */

typedef enum kogge_type {
    KOGGE_NONE = 0, /* no array: of values that are not wanted */
    KOGGE_BOOL = 1, /* a byte, 0 or 1 */
    KOGGE_U8 = 2,
    KOGGE_I8 = 3,
    KOGGE_U16 = 4,
    KOGGE_I16 = 5,
    KOGGE_U32 = 6,
    KOGGE_I32 = 7,
    KOGGE_U64 = 8,
    KOGGE_I64 = 9,
    KOGGE_U128 = 10, /* 16 bytes, least significant first, at a multiple of 16 */
    KOGGE_I128 = 11,
    KOGGE_F16 = 12, /* IEEE 754 binary16 */
    KOGGE_BF16 = 13,
    KOGGE_F32 = 14,
    KOGGE_F64 = 15,
    KOGGE_BYTES_0 = 0x10000,    /* see KOGGE_BYTES */
    KOGGE_TYPE_MAX = 0x7fffffff /* no type: it gives the enumeration its width */
} kogge_type;

/* Items of `bytes` bytes, 1 to 65535, that only move: values of sorts and of top-k. */
#define KOGGE_BYTES(bytes) ((kogge_type)(KOGGE_BYTES_0 + (bytes)))

typedef enum kogge_status {
    KOGGE_OK = 0,
    KOGGE_INVALID_ARGUMENT = 1, /* null with items, an unknown type, a bit range outside the key, … */
    KOGGE_OVERLAP = 2,          /* input and output share memory in a way that would corrupt the result */
    KOGGE_UNREACHABLE = 3,      /* the chosen backend cannot reach a pointer, or there is no device */
    KOGGE_OUT_OF_MEMORY = 4,    /* no scratch, or no memory of the host */
    KOGGE_NOT_BUILT = 5,        /* the library has no code for these types there */
    KOGGE_DEVICE_FAILED = 6,    /* the device or its runtime reported a failure: kogge_device_code() */
    KOGGE_INTERNAL = 7,         /* a fault of the library's own */
    KOGGE_STATUS_MAX = 0x7fffffff
} kogge_status;

/* Where a call runs. KOGGE_AUTOMATIC follows the data: device or managed memory, the device; host memory, its threads.
 */
typedef enum kogge_backend {
    KOGGE_AUTOMATIC = 0,
    KOGGE_ON_HOST = 1,
    KOGGE_ON_DEVICE = 2,
    KOGGE_BACKEND_MAX = 0x7fffffff
} kogge_backend;

/* The natural order is ascending for sorts, and descending for top-k, whose greatest keys come first. */
typedef enum kogge_order {
    KOGGE_NATURAL_ORDER = 0,
    KOGGE_ASCENDING = 1,
    KOGGE_DESCENDING = 2,
    KOGGE_ORDER_MAX = 0x7fffffff
} kogge_order;

/* Floating-point zeros: −0 before +0, or equal keys that keep their order. */
typedef enum kogge_zeros {
    KOGGE_NEGATIVE_ZERO_FIRST = 0,
    KOGGE_ZEROS_EQUAL = 1,
    KOGGE_ZEROS_MAX = 0x7fffffff
} kogge_zeros;

/* NaNs: by their sign bit (negative ones before −∞, positive ones after +∞), or all of them as equal keys: after
 * everything else, in both orders, or after +∞, so that they come first in descending order. */
typedef enum kogge_nans {
    KOGGE_NANS_BY_SIGN = 0,
    KOGGE_NANS_LAST = 1,
    KOGGE_NANS_GREATEST = 2,
    KOGGE_NANS_MAX = 0x7fffffff
} kogge_nans;

/* Where null keys stand, in both orders: after all others, or before them. */
typedef enum kogge_nulls { KOGGE_NULLS_LAST = 0, KOGGE_NULLS_FIRST = 1, KOGGE_NULLS_MAX = 0x7fffffff } kogge_nulls;

/* item <relation> value */
typedef enum kogge_relation {
    KOGGE_LESS = 0,
    KOGGE_LESS_EQUAL = 1,
    KOGGE_GREATER = 2,
    KOGGE_GREATER_EQUAL = 3,
    KOGGE_EQUAL = 4,
    KOGGE_NOT_EQUAL = 5,
    KOGGE_RELATION_MAX = 0x7fffffff
} kogge_relation;

/* Integers wrap around in sums. A NaN wins in maximum and minimum. */
typedef enum kogge_operator {
    KOGGE_PLUS = 0,
    KOGGE_MAXIMUM = 1,
    KOGGE_MINIMUM = 2,
    KOGGE_OPERATOR_MAX = 0x7fffffff
} kogge_operator;

typedef struct kogge_sort_options {
    size_t size; /* sizeof(kogge_sort_options) */
    kogge_order order;
    int begin_bit; /* the first bit of the encoded key that counts */
    int end_bit;   /* one past the last; 0: all bits */
    kogge_zeros zeros;
    kogge_nans nans;
} kogge_sort_options;

/* An array of keys among several, and how it orders rows. */
typedef struct kogge_column {
    size_t size; /* sizeof(kogge_column) */
    const void* keys;
    kogge_type type; /* of the keys: numbers */
    kogge_order order;
    int begin_bit; /* the first bit of the encoded key that counts */
    int end_bit;   /* one past the last; 0: all bits */
    kogge_zeros zeros;
    kogge_nans nans;
    kogge_nulls nulls;
    const uint32_t* valid; /* a bitmap where the keys are, as Arrow has it: key i is null if bit b % 32 of valid[b / 32]
                              is 0, where b = valid_from + i. Null keys are equal, whatever the array holds. Null: all
                              keys are there */
    uint64_t valid_from;   /* the bit of key 0 */
} kogge_column;

typedef struct kogge_scan_options {
    size_t size; /* sizeof(kogge_scan_options) */
    kogge_operator op;
    int exclusive;    /* not 0: a result holds the items before its own, and `init` */
    int reverse;      /* not 0: from the last item to the first */
    const void* init; /* an item of the results' type in host memory. Null: none; an exclusive scan then begins with the
                         operator's neutral item (0 of a sum, the type's least item of a maximum) */
} kogge_scan_options;

typedef struct kogge_reduce_options {
    size_t size; /* sizeof(kogge_reduce_options) */
    kogge_operator op;
    const void* init; /* an item of the results' type in host memory, which precedes the items. Null: none */
} kogge_reduce_options;

/* Scratch memory of the caller's. Both calls are stream-ordered: work queued on `stream` between them may use the
 * memory. allocate returns null if there is none. Neither may throw. */
typedef void* (*kogge_allocate)(void* context, size_t bytes, void* stream);
typedef void (*kogge_deallocate)(void* context, void* memory, size_t bytes, void* stream);

typedef struct kogge_exec {
    size_t size;  /* sizeof(kogge_exec) */
    void* stream; /* a cudaStream_t; null: the legacy default stream */
    kogge_backend where;
    int host_threads;        /* of the host backend; 0: all */
    kogge_allocate allocate; /* null, with deallocate: a pool of the library's, for each device */
    kogge_deallocate deallocate;
    void* context;               /* is passed to both */
    void* space;                 /* scratch in place of an allocator's: space_bytes bytes that the device reaches */
    size_t space_bytes;          /* kogge_plan.scratch_bytes says how many a call needs */
    size_t scratch_limit;        /* the most bytes of scratch on the device; 0: no limit */
    const uint64_t* n_on_device; /* the number of items, in device memory: read when the work runs; a number above n
                                    counts as n. No call writes it */
    const uint64_t* k_on_device; /* the same for the k of a top-k that is not of segments */
} kogge_exec;

/* ---- the library ---------------------------------------------------------------------------------------------- */

#define KOGGE_VERSION_MAJOR 0
#define KOGGE_VERSION_MINOR 2
#define KOGGE_VERSION_PATCH 0

/* "0.2.0": of the library that is loaded. */
KOGGE_API const char* kogge_version(void);
/* What its devices are: "cuda" or "none". */
KOGGE_API const char* kogge_runtime(void);
/* The number of devices; 0 without a driver. */
KOGGE_API int kogge_device_count(void);
/* Gives free scratch memory of the current device back to the system, but for bytes_to_keep. `held`, unless it is null,
 * gets the number of bytes that the pool then holds. */
KOGGE_API kogge_status kogge_trim(uint64_t bytes_to_keep, uint64_t* held);

/* Waits for the work in a stream, and tells what failed in it. */
KOGGE_API kogge_status kogge_synchronize(void* stream);

/* "KOGGE_OVERLAP"; for an unknown number "unknown status". */
KOGGE_API const char* kogge_status_name(kogge_status status);
/* What was wrong with this thread's last call that failed; "" if none has. Valid until this thread's next call. */
KOGGE_API const char* kogge_message(void);
/* The cudaError_t of this thread's last failure, otherwise 0. */
KOGGE_API int kogge_device_code(void);
/* The bytes of an item; 0 if there is no such type. */
KOGGE_API size_t kogge_type_bytes(kogge_type type);

/* ---- sorts ------------------------------------------------------------------------------------------------------
 * Stable in both orders. Keys: all types of numbers; values: any type, KOGGE_BYTES too. In place where keys_out is keys
 * and values_out is values; any other overlap is an error. On the device: all of these. */

KOGGE_API kogge_status kogge_radix_sort(const void* keys, kogge_type key_type, void* keys_out, uint64_t n,
                                        const kogge_sort_options* options, const kogge_exec* exec);
/* Moves each value with its key. */
KOGGE_API kogge_status kogge_radix_sort_pairs(const void* keys, kogge_type key_type, const void* values,
                                              kogge_type value_type, void* keys_out, void* values_out, uint64_t n,
                                              const kogge_sort_options* options, const kogge_exec* exec);
/* Writes the indices that would sort the keys, which are only read: integers of 32 or 64 bits. */
KOGGE_API kogge_status kogge_argsort(const void* keys, kogge_type key_type, void* indices, kogge_type index_type,
                                     uint64_t n, const kogge_sort_options* options, const kogge_exec* exec);

/* The same of rows, whose keys are in column_count arrays: ordered by the first column, rows that it does not tell
 * apart by the second one, and so on. columns: structs of one size, in host memory, each with an array of n keys.
 * keys_out, in host memory: an array for each column, which may be the column's own; outputs are apart from each other
 * and from bitmaps. Bitmaps are only read: kogge_argsort_columns says where each bit belongs. Its columns may be one
 * array. No plan tells the scratch. */
KOGGE_API kogge_status kogge_radix_sort_columns(const kogge_column* columns, uint64_t column_count,
                                                void* const* keys_out, uint64_t n, const kogge_exec* exec);
KOGGE_API kogge_status kogge_radix_sort_columns_pairs(const kogge_column* columns, uint64_t column_count,
                                                      const void* values, kogge_type value_type, void* const* keys_out,
                                                      void* values_out, uint64_t n, const kogge_exec* exec);
KOGGE_API kogge_status kogge_argsort_columns(const kogge_column* columns, uint64_t column_count, void* indices,
                                             kogge_type index_type, uint64_t n, const kogge_exec* exec);

/* Sorts each segment on its own. Segment s begins at offsets[s] and ends where the next one begins, the last one at n;
 * items before offsets[0] form a segment of their own. Offsets ascend, are where the data is, and overlap no output.
 * offsets null: rows of n / segments items each, one behind the other. */
KOGGE_API kogge_status kogge_segmented_sort(const void* keys, kogge_type key_type, const uint64_t* offsets,
                                            void* keys_out, uint64_t n, uint64_t segments,
                                            const kogge_sort_options* options, const kogge_exec* exec);
KOGGE_API kogge_status kogge_segmented_sort_pairs(const void* keys, kogge_type key_type, const void* values,
                                                  kogge_type value_type, const uint64_t* offsets, void* keys_out,
                                                  void* values_out, uint64_t n, uint64_t segments,
                                                  const kogge_sort_options* options, const kogge_exec* exec);

/* Writes to each segment's places the indices that would sort its keys, integers of 32 or 64 bits, and, unless keys_out
 * is null, the keys. Indices count from the segment's first item, or, if of_whole is not 0, from the array's. */
KOGGE_API kogge_status kogge_segmented_argsort(const void* keys, kogge_type key_type, const uint64_t* offsets,
                                               void* keys_out, void* indices, kogge_type index_type, uint64_t n,
                                               uint64_t segments, int of_whole, const kogge_sort_options* options,
                                               const kogge_exec* exec);

/* ---- top-k ------------------------------------------------------------------------------------------------------
 * The first k items of the stable sort by the same options, in order; the greatest first unless the options say
 * KOGGE_ASCENDING. Outputs have room for k items, and are apart from inputs. k is at most n. On the device: all. */

KOGGE_API kogge_status kogge_top_k(const void* keys, kogge_type key_type, void* keys_out, uint64_t n, uint64_t k,
                                   const kogge_sort_options* options, const kogge_exec* exec);
KOGGE_API kogge_status kogge_top_k_pairs(const void* keys, kogge_type key_type, const void* values,
                                         kogge_type value_type, void* keys_out, void* values_out, uint64_t n,
                                         uint64_t k, const kogge_sort_options* options, const kogge_exec* exec);
/* The indices of the first k keys, integers of 32 or 64 bits, and, unless keys_out is null, the keys. */
KOGGE_API kogge_status kogge_arg_top_k(const void* keys, kogge_type key_type, void* keys_out, void* indices,
                                       kogge_type index_type, uint64_t n, uint64_t k, const kogge_sort_options* options,
                                       const kogge_exec* exec);

/* The first k of each segment: segment s writes to places [s × k, s × k + k) of each output. Keys of up to 64 bits.
 * offsets as in kogge_segmented_sort, but items before offsets[0] belong to none, and of a segment of fewer than k
 * items these are written. offsets null: rows of n / segments items each, one behind the other; k is at most that. Any
 * of keys_out, indices (which count from the segment's first item) and values_out may be null: it is not wanted. */
KOGGE_API kogge_status kogge_segmented_top_k(const void* keys, kogge_type key_type, const void* values,
                                             kogge_type value_type, const uint64_t* offsets, void* keys_out,
                                             void* values_out, void* indices, kogge_type index_type, uint64_t n,
                                             uint64_t segments, uint64_t k, const kogge_sort_options* options,
                                             const kogge_exec* exec);

/* ---- keys by rank -----------------------------------------------------------------------------------------------
 * The keys that the stable sort by the same options would put at given places, counted from 0; no interpolation. Keys:
 * all types of numbers. Outputs are where the keys are, apart from inputs. On the device: all. */

/* The key of a rank, which is less than n. */
KOGGE_API kogge_status kogge_select(const void* keys, kogge_type key_type, void* out, uint64_t n, uint64_t rank,
                                    const kogge_sort_options* options, const kogge_exec* exec);
/* The keys of m ranks, in any order, which are where the keys are. */
KOGGE_API kogge_status kogge_quantiles(const void* keys, kogge_type key_type, const uint64_t* ranks, void* out,
                                       uint64_t n, uint64_t m, const kogge_sort_options* options,
                                       const kogge_exec* exec);
/* The key of a rank of each segment, with offsets as in kogge_segmented_top_k; ranks null: `rank` of all, otherwise
 * ranks[s]. A rank past the last key of a segment is that of the last one; of rows `rank` is less than their length.
 * out[s] of an empty segment is left as it was. Keys of up to 64 bits. */
KOGGE_API kogge_status kogge_segmented_select(const void* keys, kogge_type key_type, const uint64_t* offsets,
                                              const uint64_t* ranks, void* out, uint64_t n, uint64_t segments,
                                              uint64_t rank, const kogge_sort_options* options, const kogge_exec* exec);

/* ---- histograms -------------------------------------------------------------------------------------------------
 * counts[b], an integer of 32 or 64 bits, is the number of items of bin b, or, unless weight_type is KOGGE_NONE, the
 * sum of weights[i] over them: integers, summed in 64 bits. What stood there is overwritten; items without a bin, NaNs
 * among them, are not counted. rows: the items are that many rows of equal length (1: one array), and counts[r × bins +
 * b] is that of row r. Items: integers to 64 bits, bool, and all floating types; "as bounds" they are float for f16 and
 * bf16. counts overlap no input. On the device: counts, not weights, of u8, u16, u32, i32, u64, i64, f32, f64. */

/* `bins` bins of equal width: bin ⌊(item − lower) × bins / (upper − lower)⌋ for lower ≤ item < upper. lower and upper
 * are numbers in host memory: int64_t for integers of less than 64 bits, otherwise the type of the items as bounds. */
KOGGE_API kogge_status kogge_histogram_even(const void* in, kogge_type type, const void* weights,
                                            kogge_type weight_type, void* counts, kogge_type count_type, uint64_t n,
                                            uint64_t rows, uint32_t bins, const void* lower, const void* upper,
                                            const kogge_exec* exec);
/* Bin b has the items with bounds[b] ≤ item < bounds[b + 1]: bins + 1 ascending numbers of the items' type as bounds,
 * where the items are. */
KOGGE_API kogge_status kogge_histogram_bounds(const void* in, kogge_type type, const void* weights,
                                              kogge_type weight_type, const void* bounds, void* counts,
                                              kogge_type count_type, uint64_t n, uint64_t rows, uint32_t bins,
                                              const kogge_exec* exec);

/* ---- compaction and partition -----------------------------------------------------------------------------------
 * Items keep their order. Outputs whose length depends on the data have room for as many items as they get, and only
 * their beginnings are checked: that they do not run into what stands behind them is the caller's to see to. compact:
 * out may be in; items past the kept ones are unspecified. On the device: items of 1, 2, 4 and 8 bytes; by a relation
 * integers to 64 bits, float and double. */

/* Keeps in[i] if flags[i], a byte, is not 0. */
KOGGE_API kogge_status kogge_compact_flags(const void* in, kogge_type type, const uint8_t* flags, void* out,
                                           uint64_t* kept, uint64_t n, const kogge_exec* exec);
/* Keeps in[i] if bit i % 32 of words[i / 32] is 1. */
KOGGE_API kogge_status kogge_compact_bits(const void* in, kogge_type type, const uint32_t* words, void* out,
                                          uint64_t* kept, uint64_t n, const kogge_exec* exec);
/* Keeps items for which `item <relation> *value` holds; value is in host memory. */
KOGGE_API kogge_status kogge_compact(const void* in, kogge_type type, void* out, uint64_t* kept, uint64_t n,
                                     kogge_relation relation, const void* value, const kogge_exec* exec);
/* Those items first, the others after them; *boundary is where these begin. out may be in, or, unless rejected is null,
 * both sides go to outputs of their own, apart from each other and from in. */
KOGGE_API kogge_status kogge_partition(const void* in, kogge_type type, void* out, void* rejected, uint64_t* boundary,
                                       uint64_t n, kogge_relation relation, const void* value, const kogge_exec* exec);
/* kogge_partition by flags or by bits, as kogge_compact_flags and kogge_compact_bits have them. On the device bits go
 * into two outputs only. */
KOGGE_API kogge_status kogge_partition_flags(const void* in, kogge_type type, const uint8_t* flags, void* out,
                                             void* rejected, uint64_t* boundary, uint64_t n, const kogge_exec* exec);
KOGGE_API kogge_status kogge_partition_bits(const void* in, kogge_type type, const uint32_t* words, void* out,
                                            void* rejected, uint64_t* boundary, uint64_t n, const kogge_exec* exec);
/* The indices of the items that are not 0 (−0 is 0, and a NaN is not): integers of 32 or 64 bits. Items of all types of
 * numbers, on the device too. in is only read, and apart from indices. */
KOGGE_API kogge_status kogge_nonzero(const void* in, kogge_type type, void* indices, kogge_type index_type,
                                     uint64_t* count, uint64_t n, const kogge_exec* exec);
/* The indices of the bits that are 1, of n bits as in kogge_compact_bits. On the device too. */
KOGGE_API kogge_status kogge_nonzero_bits(const uint32_t* words, void* indices, kogge_type index_type, uint64_t* count,
                                          uint64_t n, const kogge_exec* exec);
/* Sorts keys, and values unless value_type is KOGGE_NONE, into bins, stably. The bin of a key, an unsigned integer, is
 * the number in its bits [begin_bit, end_bit); end_bit 0: all above. offsets, unless it is null, gets bins + 1 numbers:
 * bin b is [offsets[b], offsets[b + 1]). Outputs and inputs are apart. A number that is no bin is an error. On the
 * host; values of 1, 2, 4, 8 and 16 bytes. */
KOGGE_API kogge_status kogge_split(const void* keys, kogge_type key_type, const void* values, kogge_type value_type,
                                   void* keys_out, void* values_out, uint64_t* offsets, uint64_t n, uint32_t bins,
                                   int begin_bit, int end_bit, const kogge_exec* exec);

/* ---- runs of equal neighbours -----------------------------------------------------------------------------------
 * Equal as the type's numbers: −0 equals 0, and a NaN nothing. Outputs have room for as many items as there are runs;
 * where they end is not checked, as in compactions. They are apart from inputs and from each other, except that
 * kogge_unique may be in place; then items past the runs are unspecified.
 * On the device: items and keys of 1 to 8 bytes, and values of any type. */

/* The first item of each run. */
KOGGE_API kogge_status kogge_unique(const void* in, kogge_type type, void* out, uint64_t* runs, uint64_t n,
                                    const kogge_exec* exec);
/* The first key of each run, and the value beside it. */
KOGGE_API kogge_status kogge_unique_by_key(const void* keys, kogge_type key_type, const void* values,
                                           kogge_type value_type, void* keys_out, void* values_out, uint64_t* runs,
                                           uint64_t n, const kogge_exec* exec);
/* The first item of each run, and its length: integers of 32 or 64 bits that hold it. */
KOGGE_API kogge_status kogge_run_length_encode(const void* in, kogge_type type, void* out, void* lengths,
                                               kogge_type length_type, uint64_t* runs, uint64_t n,
                                               const kogge_exec* exec);

/* ---- scans ------------------------------------------------------------------------------------------------------
 * Prefix sums in the type of the results. Items and results of one type: integers to 64 bits, float, double. Sums also
 * of narrower items: bool, u8, u16, u32 to u64; bool, i8, i16, i32 to i64; u8 to u32; half, bfloat16 to float; float to
 * double. out may be in where their items have one size, but not for exclusive scans by key and of segments. The same
 * bits from run to run. On the device: all of these, with keys of 1 to 8 bytes. */

KOGGE_API kogge_status kogge_scan(const void* in, kogge_type type, void* out, kogge_type out_type, uint64_t n,
                                  const kogge_scan_options* options, const kogge_exec* exec);
/* Each run of equal neighbouring keys on its own, equal as in kogge_unique. init: only of exclusive scans, whose runs
 * begin with it. Not from the end. */
KOGGE_API kogge_status kogge_scan_by_key(const void* keys, kogge_type key_type, const void* in, kogge_type type,
                                         void* out, kogge_type out_type, uint64_t n, const kogge_scan_options* options,
                                         const kogge_exec* exec);
/* Each segment on its own, with offsets as in kogge_segmented_sort. */
KOGGE_API kogge_status kogge_segmented_scan(const void* in, kogge_type type, const uint64_t* offsets, void* out,
                                            kogge_type out_type, uint64_t n, uint64_t segments,
                                            const kogge_scan_options* options, const kogge_exec* exec);

/* ---- reductions -------------------------------------------------------------------------------------------------
 * Folds of items in the type of the results, for the pairs of types of scans. Without items a result is `init`, or the
 * operator's neutral item. The same bits from run to run. Results are written where the data is; a single one may be
 * written to ordinary host memory too, as counts are. They overlap no input. On the device: all of these, with keys of
 * 1 to 8 bytes. */

KOGGE_API kogge_status kogge_reduce(const void* in, kogge_type type, void* out, kogge_type out_type, uint64_t n,
                                    const kogge_reduce_options* options, const kogge_exec* exec);
/* Of each segment: segment s begins at offsets[s] and ends where the next one begins, the last one at n; items before
 * offsets[0] belong to none. offsets null: rows of n / segments items each, one behind the other. */
KOGGE_API kogge_status kogge_segmented_reduce(const void* in, kogge_type type, const uint64_t* offsets, void* out,
                                              kogge_type out_type, uint64_t n, uint64_t segments,
                                              const kogge_reduce_options* options, const kogge_exec* exec);
/* The first key of each run of equal neighbouring keys (equal as in kogge_unique), and the fold of the values beside
 * them. Outputs have room for as many items as there are runs, where they end is not checked, and they are apart from
 * inputs and from each other. */
KOGGE_API kogge_status kogge_reduce_by_key(const void* keys, kogge_type key_type, const void* values, kogge_type type,
                                           void* keys_out, void* sums, kogge_type sum_type, uint64_t* runs, uint64_t n,
                                           kogge_operator op, const kogge_exec* exec);
/* The index of the first least (or greatest) item and, unless item_out is null, the item. A NaN counts as less, or
 * greater, than every number. Without items the index is UINT64_MAX. Integers to 64 bits, float, double. On the device:
 * all of these. */
KOGGE_API kogge_status kogge_arg_min(const void* in, kogge_type type, void* item_out, uint64_t* index_out, uint64_t n,
                                     const kogge_exec* exec);
KOGGE_API kogge_status kogge_arg_max(const void* in, kogge_type type, void* item_out, uint64_t* index_out, uint64_t n,
                                     const kogge_exec* exec);

/* ---- sorted arrays ----------------------------------------------------------------------------------------------
 * Sorted in ascending order as the type's numbers compare: −0 equals 0, and there are no NaNs. Otherwise results are
 * unspecified. On the device: integers to 64 bits, float, double; values of 4 and 8 bytes. */

/* out[j], an integer of 32 or 64 bits, is the number of the n sorted items that are less than needle j (upper_bound:
 * not greater), of m needles. out overlaps no input, but may be the needles where their items have one size.
 * kogge_exec.n_on_device is the number of sorted items. */
KOGGE_API kogge_status kogge_lower_bound(const void* sorted, const void* needles, kogge_type type, void* out,
                                         kogge_type index_type, uint64_t n, uint64_t m, const kogge_exec* exec);
KOGGE_API kogge_status kogge_upper_bound(const void* sorted, const void* needles, kogge_type type, void* out,
                                         kogge_type index_type, uint64_t n, uint64_t m, const kogge_exec* exec);
/* All items of a and b in order; of equal ones those of a first, and each input's in their order. Outputs of n_a + n_b
 * items are apart from inputs and from each other. Without kogge_exec.n_on_device. */
KOGGE_API kogge_status kogge_merge(const void* a, const void* b, kogge_type type, void* out, uint64_t n_a, uint64_t n_b,
                                   const kogge_exec* exec);
/* Moves each value with its key. */
KOGGE_API kogge_status kogge_merge_pairs(const void* a, const void* values_a, const void* b, const void* values_b,
                                         kogge_type key_type, kogge_type value_type, void* out, void* values_out,
                                         uint64_t n_a, uint64_t n_b, const kogge_exec* exec);

/* ---- plans ------------------------------------------------------------------------------------------------------
 * What a call will do on a device. `device`: null for the current one, or the name of a card that is not here: one of
 * kogge_known_devices() ("H100", "RTX 4090", …) or an architecture ("sm_90"), for which no GPU is needed. */

typedef struct kogge_plan {
    size_t size;        /* in: sizeof(kogge_plan) */
    char* text;         /* in: room for the plan in words, or null */
    size_t text_bytes;  /* in: of that room */
    size_t text_length; /* out: bytes of the words; the room should hold one more. What it does not hold is cut off */
    uint64_t scratch_bytes; /* out: a workspace must hold this many; the exact size of what a call allocates */
    int launches;           /* out: kernels, fills and copies */
} kogge_plan;

/* The name of the known device `i`, from 0; null past the last. */
KOGGE_API const char* kogge_known_devices(int i);
/* value_type KOGGE_NONE: no values. exec: only its scratch_limit is read. */
KOGGE_API kogge_status kogge_plan_radix_sort(kogge_type key_type, kogge_type value_type, int in_place, uint64_t n,
                                             const kogge_sort_options* options, const kogge_exec* exec,
                                             const char* device, kogge_plan* plan);
KOGGE_API kogge_status kogge_plan_argsort(kogge_type key_type, kogge_type index_type, uint64_t n,
                                          const kogge_sort_options* options, const kogge_exec* exec, const char* device,
                                          kogge_plan* plan);
KOGGE_API kogge_status kogge_plan_segmented_sort(kogge_type key_type, kogge_type value_type, int in_place, uint64_t n,
                                                 uint64_t segments, const kogge_sort_options* options,
                                                 const char* device, kogge_plan* plan);
/* index_type, value_type KOGGE_NONE: not wanted. */
KOGGE_API kogge_status kogge_plan_top_k(kogge_type key_type, int writes_keys, kogge_type index_type,
                                        kogge_type value_type, uint64_t n, uint64_t k,
                                        const kogge_sort_options* options, const kogge_exec* exec, const char* device,
                                        kogge_plan* plan);
/* rows: n / segments items each; otherwise by offsets. */
KOGGE_API kogge_status kogge_plan_segmented_top_k(kogge_type key_type, int writes_keys, kogge_type index_type,
                                                  kogge_type value_type, int rows, uint64_t n, uint64_t segments,
                                                  uint64_t k, const kogge_sort_options* options, const char* device,
                                                  kogge_plan* plan);
/* keeps_rejected: a partition into one output. Beside its scratch, a count in ordinary host memory takes 8 bytes. */
KOGGE_API kogge_status kogge_plan_compact(kogge_type type, int keeps_rejected, int in_place, uint64_t n,
                                          const char* device, kogge_plan* plan);
KOGGE_API kogge_status kogge_plan_scan(kogge_type type, kogge_type out_type, uint64_t n, const char* device,
                                       kogge_plan* plan);

#ifdef __cplusplus
}
#endif

#endif

/* The strongest of many signals, some of which are missing (NaN): options, scratch from the caller's allocator, and a
 * plan in words, for this machine's GPU or for a card that is not here.
 *
 *     cc -std=c11 strongest.c -lkogge                            on the host
 *     cc -std=c11 -DWITH_CUDA strongest.c -lkogge -lcudart       on a GPU */
#include <kogge/kogge.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef WITH_CUDA
#include <cuda_runtime_api.h>
static const char* const card = NULL; /* the current device */
static void* take(size_t bytes, void* stream) {
    void* memory = NULL;
    return cudaMallocAsync(&memory, bytes, (cudaStream_t)stream) == cudaSuccess ? memory : NULL;
}
static void give_back(void* memory, void* stream) { cudaFreeAsync(memory, (cudaStream_t)stream); }
static void copy(void* to, const void* from, size_t bytes) { cudaMemcpy(to, from, bytes, cudaMemcpyDefault); }
#else
#include <string.h>
static const char* const card = "H100";
static void* take(size_t bytes, void* stream) { return (void)stream, malloc(bytes); }
static void give_back(void* memory, void* stream) { (void)stream, free(memory); }
static void copy(void* to, const void* from, size_t bytes) { memcpy(to, from, bytes); }
#endif

enum { kSignals = 1 << 16, kBest = 5 };

/* An allocator: it lends memory, and knows how much. On the host's arrays calls take scratch from the host, and ask it
 * for none. */
struct lender {
    size_t lent, most;
};
static void* lend(void* context, size_t bytes, void* stream) {
    struct lender* const lender = context;
    lender->lent += bytes;
    if (lender->lent > lender->most) lender->most = lender->lent;
    return take(bytes, stream);
}
static void take_back(void* context, void* memory, size_t bytes, void* stream) {
    ((struct lender*)context)->lent -= bytes;
    give_back(memory, stream);
}

static void check(kogge_status status) {
    if (status == KOGGE_OK) return;
    fprintf(stderr, "%s: %s\n", kogge_status_name(status), kogge_message());
    exit(1);
}

int main(void) {
    float* const signals = malloc(kSignals * sizeof *signals);
    uint32_t* const order = malloc(kSignals * sizeof *order);
    uint32_t state = 1, best[kBest];
    for (int i = 0; i < kSignals; ++i) {
        state = state * 1664525u + 1013904223u;
        signals[i] = state >> 28 ? (float)(state >> 8) : NAN;
    }
    float* const placed = take(kSignals * sizeof *signals, NULL);
    uint32_t* const placed_order = take(kSignals * sizeof *order, NULL);
    uint32_t* const placed_best = take(sizeof best, NULL);
    copy(placed, signals, kSignals * sizeof *signals);

    /* Everything that is not said is 0, the default. */
    const kogge_sort_options strongest_first = {
        .size = sizeof strongest_first, .order = KOGGE_DESCENDING, .nans = KOGGE_NANS_LAST};
    struct lender lender = {0};
    const kogge_exec how = {.size = sizeof how, .allocate = lend, .deallocate = take_back, .context = &lender};

    /* What the call will do there, and how much scratch it will take. */
    char words[1000];
    kogge_plan plan = {.size = sizeof plan, .text = words, .text_bytes = sizeof words};
    check(kogge_plan_argsort(KOGGE_F32, KOGGE_U32, kSignals, &strongest_first, &how, card, &plan));
    printf("plan for %s: %s\n", card ? card : "this device", words);
    printf("scratch: %zu bytes\n", (size_t)plan.scratch_bytes);

    check(kogge_argsort(placed, KOGGE_F32, placed_order, KOGGE_U32, kSignals, &strongest_first, &how));
    printf("lent: %zu bytes\n", lender.most);
    check(kogge_arg_top_k(placed, KOGGE_F32, NULL, placed_best, KOGGE_U32, kSignals, kBest, &strongest_first, &how));
    /* On a device the work is queued by now: in the default stream, for which cudaMemcpy waits. */
    copy(order, placed_order, kSignals * sizeof *order);
    copy(best, placed_best, sizeof best);

    for (int i = 0; i < kBest; ++i) {
        if (best[i] != order[i]) return 1;
        printf("signal %u: %g\n", best[i], signals[best[i]]);
    }
    for (int i = 1; i < kSignals; ++i) {
        const float before = signals[order[i - 1]], after = signals[order[i]];
        if (isnan(before) ? !isnan(after) : before < after) return 1; /* NaNs are last */
        if (before == after && order[i - 1] > order[i]) return 1;     /* and sorts are stable */
    }
    give_back(placed, NULL);
    give_back(placed_order, NULL);
    give_back(placed_best, NULL);
    free(signals);
    free(order);
    return lender.lent == 0 ? 0 : 1;
}

/* What the tests in C share: checks that count, and arrays where the test runs. */
#ifndef KOGGE_TESTS_CHECK_H
#define KOGGE_TESTS_CHECK_H

#include <kogge/kogge.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            ++failures;                                                     \
        }                                                                   \
    } while (0)

/* The call succeeds. */
#define OK(call)                                                                                          \
    do {                                                                                                  \
        const kogge_status status_ = (call);                                                              \
        if (status_ != KOGGE_OK) {                                                                        \
            fprintf(stderr, "%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call, kogge_status_name(status_), \
                    kogge_message());                                                                     \
            ++failures;                                                                                   \
        }                                                                                                 \
    } while (0)

/* The call fails with this status, and its message has these words. */
#define REFUSED(expected, words, call)                                                                    \
    do {                                                                                                  \
        const kogge_status status_ = (call);                                                              \
        if (status_ != (expected) || strstr(kogge_message(), words) == NULL) {                            \
            fprintf(stderr, "%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call, kogge_status_name(status_), \
                    status_ == KOGGE_OK ? "" : kogge_message());                                          \
            ++failures;                                                                                   \
        }                                                                                                 \
    } while (0)

/* place.c: where a test's arrays are. */
int on_device(void);                                    /* whether they are on a device */
void* place(size_t bytes);                              /* new memory there */
void* place_copy(const void* from, size_t bytes);       /* with these bytes */
void fetch(void* to, const void* placed, size_t bytes); /* waits for the work before it */
void drop(void* placed);

/* The call has the host alone. */
#define ON_HOST(call)                                                      \
    do {                                                                   \
        if (on_device()) REFUSED(KOGGE_NOT_BUILT, "no device code", call); \
        else OK(call);                                                     \
    } while (0)

/* What is done there: the call, or, without a device, a call on the host. */
static inline int report(void) {
    if (failures == 0) return 0;
    fprintf(stderr, "%d checks failed\n", failures);
    return 1;
}

#endif

/* cc hello.c -lkogge */
#include <kogge/kogge.h>
#include <stdio.h>

int main(void) {
    float numbers[] = {3, -1, 2, 0.5f, -7};
    if (kogge_radix_sort(numbers, KOGGE_F32, numbers, 5, NULL, NULL) != KOGGE_OK) {
        fprintf(stderr, "%s\n", kogge_message());
        return 1;
    }
    for (int i = 0; i < 5; ++i) printf("%g\n", numbers[i]);

    uint64_t kept = 0; /* the positive ones */
    const float zero = 0;
    if (kogge_compact(numbers, KOGGE_F32, numbers, &kept, 5, KOGGE_GREATER, &zero, NULL) != KOGGE_OK) return 1;
    printf("%d are positive\n", (int)kept);
    return 0;
}

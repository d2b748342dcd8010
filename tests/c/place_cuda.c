/* Arrays of tests in C: on a GPU. Without one the test is skipped. */
#include <cuda_runtime_api.h>

#include "check.h"

static void succeed(cudaError_t status) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(status));
    exit(2);
}

int on_device(void) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("skipped: no GPU\n");
        exit(77);
    }
    return 1;
}
void* place(size_t bytes) {
    void* placed = NULL;
    succeed(cudaMalloc(&placed, bytes > 0 ? bytes : 1));
    return placed;
}
void* place_copy(const void* from, size_t bytes) {
    void* const placed = place(bytes);
    succeed(cudaMemcpy(placed, from, bytes, cudaMemcpyHostToDevice));
    return placed;
}
void fetch(void* to, const void* placed, size_t bytes) {
    succeed(cudaMemcpy(to, placed, bytes, cudaMemcpyDeviceToHost));
}
void drop(void* placed) { succeed(cudaFree(placed)); }

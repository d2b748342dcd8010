// Compiles kernels for an operator that the library does not know, and runs them where there is a device.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "kogge/scan.hpp"

struct Xor {
    __host__ __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a ^ b; }
};

int main() {
    if (kogge::simt::device_count() == 0) {
        std::puts("device consumer: builds; no device to run on");
        return 0;
    }
    const std::vector<std::uint32_t> items = {1, 2, 4, 8, 1};
    std::vector<std::uint32_t> sums(items.size());
    const std::size_t bytes = items.size() * sizeof(std::uint32_t);
    std::uint32_t* device = nullptr;
    if (cudaMalloc(&device, bytes) != cudaSuccess) return 1;
    cudaMemcpy(device, items.data(), bytes, cudaMemcpyHostToDevice);
    kogge::inclusive_scan(device, device, items.size(), Xor{});
    cudaMemcpy(sums.data(), device, bytes, cudaMemcpyDeviceToHost);
    cudaFree(device);
    if (sums != std::vector<std::uint32_t>{1, 3, 7, 15, 14}) return 2;
    std::puts("device consumer: right");
    return 0;
}

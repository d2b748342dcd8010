// Compiles kernels for an operator that the library does not know, and runs them where there is a device.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "kogge/scan.hpp"
#include "xor.hpp"

void scan_once_more(std::uint32_t* items, std::uint64_t n);  // device_file.cu

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
    scan_once_more(device, items.size());
    cudaMemcpy(sums.data(), device, bytes, cudaMemcpyDeviceToHost);
    cudaFree(device);
    if (sums != std::vector<std::uint32_t>{1, 2, 5, 10, 4}) return 2;
    std::puts("device consumer: right");
    return 0;
}

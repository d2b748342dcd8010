// A count where its place is narrower than 64 bits. See types/counts.hpp.
#include <cstddef>
#include <cstdint>

#include "kogge/simt/device.cuh"
#include "kogge/types/counts.hpp"

namespace kogge::grid {
namespace {

template <class Number>
KOGGE_KERNEL void write_number_kernel(Number* place, std::uint64_t most, const std::uint64_t* number) {
    simt::wait_for_stream();
    if (simt::thread_rank() == 0) *place = static_cast<Number>(*number < most ? *number : most);
}

}  // namespace

void write_number(void* place, std::size_t bytes, std::uint64_t most, const std::uint64_t* number, stream_t stream) {
    detail::with_number_of(bytes, [&]<class Number>(Number) {
        simt::launch(write_number_kernel<Number>, {1, simt::kWarpSize, 0, stream, "write_number_kernel"},
                     static_cast<Number*>(place), most, number);
    });
}

}  // namespace kogge::grid

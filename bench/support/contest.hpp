// The two sides of a row, ours and CUB's, with their arrays in device memory.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "inputs.cuh"
#include "kogge/exec.hpp"
#include "kogge/keys.hpp"
#include "run.hpp"

namespace bench {

inline void check_cuda(cudaError_t status, const char* what) {
    if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

/// Device memory for one array a call of a batch; each begins at a multiple of 256 bytes. Copies share the memory.
template <class T>
class Slots {
public:
    Slots() = default;
    Slots(std::uint64_t items, int slots) : items_(items), slots_(slots) {
        stride_ = (items * sizeof(T) + 255) / 256 * 256;
        const std::size_t bytes = stride_ * static_cast<std::size_t>(slots) + 256;
        void* memory = nullptr;
        if (cudaMalloc(&memory, bytes) == cudaErrorMemoryAllocation) {
            (void)cudaGetLastError();
            throw LeftOut("no device memory for " + std::to_string(bytes) + " bytes more");
        }
        check_cuda(cudaGetLastError(), "allocating memory");
        memory_ = {memory, [](void* pointer) { cudaFree(pointer); }};
    }
    T* operator[](int slot) const {
        return reinterpret_cast<T*>(static_cast<char*>(memory_.get()) + stride_ * static_cast<std::size_t>(slot));
    }
    void fill(unsigned char pattern, kogge::stream_t stream) const {
        kogge::simt::fill(memory_.get(), pattern, stride_ * static_cast<std::size_t>(slots_), stream);
    }
    std::uint64_t items() const { return items_; }

private:
    std::shared_ptr<void> memory_;
    std::size_t stride_ = 0;
    std::uint64_t items_ = 0;
    int slots_ = 0;
};

/// Scratch that keeps what it once got: like CUB, our calls find theirs allocated.
class KeptScratch : public kogge::scratch_resource {
public:
    void* allocate(std::size_t bytes, kogge::stream_t) override {
        Block* best = nullptr;
        for (Block& block : blocks_)
            if (!block.used && block.memory.items() >= bytes && (!best || block.memory.items() < best->memory.items()))
                best = &block;
        if (!best) best = &blocks_.emplace_back(Block{Slots<unsigned char>(bytes, 1), false});
        best->used = true;
        return best->memory[0];
    }
    void deallocate(void* pointer, std::size_t, kogge::stream_t) noexcept override {
        for (Block& block : blocks_)
            if (block.memory[0] == pointer) block.used = false;
    }

private:
    struct Block {
        Slots<unsigned char> memory;
        bool used;
    };
    std::vector<Block> blocks_;
};

/// The library's side of a contest runs with this.
inline kogge::exec with_scratch(const std::shared_ptr<KeptScratch>& scratch, kogge::stream_t stream) {
    return {.stream = stream, .where = kogge::backend::device, .scratch = scratch.get()};
}

/// Whether two arrays hold the same bits, NaNs and zeros too; waits for the answer.
template <class T>
bool is_same_bits(const T* items, const T* other, std::uint64_t n, stream_t stream) {
    using Bits = kogge::detail::unsigned_of<sizeof(T)>;
    return is_equal(reinterpret_cast<const Bits*>(items), reinterpret_cast<const Bits*>(other), n, stream);
}

using Call = std::function<void(int slot, kogge::stream_t)>;

/// CUB's side: call(temporary, bytes, slot, stream) with the temporary memory that it asks for.
template <class CubCall>
Call with_temporary(CubCall call) {
    std::size_t bytes = 0;
    check_cuda(call(nullptr, bytes, 0, nullptr), "CUB's size query");
    const Slots<unsigned char> memory(bytes, 1);
    return [call, bytes, memory](int slot, kogge::stream_t stream) {
        std::size_t size = bytes;
        check_cuda(call(static_cast<void*>(memory[0]), size, slot, stream), "CUB");
    };
}

/// The shortest of three calls behind another one, in milliseconds.
inline double time_of_call(const Call& call, kogge::stream_t stream) {
    cudaEvent_t start = nullptr, stop = nullptr;
    check_cuda(cudaEventCreate(&start), "creating an event");
    check_cuda(cudaEventCreate(&stop), "creating an event");
    call(0, stream);
    float shortest = 0;
    for (int turn = 0; turn < 3; ++turn) {
        check_cuda(cudaEventRecord(start, stream), "recording an event");
        call(0, stream);
        check_cuda(cudaEventRecord(stop, stream), "recording an event");
        check_cuda(cudaEventSynchronize(stop), "waiting for CUB");
        float milliseconds = 0;
        check_cuda(cudaEventElapsedTime(&milliseconds, start, stop), "reading the time");
        shortest = turn == 0 ? milliseconds : std::min(shortest, milliseconds);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return shortest;
}
/// Of two calls for the same result, the one that is faster here.
inline Call faster_of(const Call& one, const Call& other, kogge::stream_t stream) {
    return time_of_call(one, stream) <= time_of_call(other, stream) ? one : other;
}
/// CUB's side where the count's type decides how kernels are tuned, as in its radix sorts: with n as 32 or as 64 bits,
/// whichever is faster. call(temporary, bytes, count, slot, stream)
template <class CubCall>
Call with_either_count(std::uint64_t n, CubCall call, kogge::stream_t stream) {
    const auto with = [&](auto count) {
        return with_temporary([=](void* temporary, std::size_t& bytes, int slot, kogge::stream_t s) {
            return call(temporary, bytes, count, slot, s);
        });
    };
    return faster_of(with(static_cast<int>(n)), with(n), stream);
}

inline constexpr unsigned char kPattern = 0xa5;

/// A contest, ready to run for a number of slots.
struct Contest {
    Call ours, cub;
    Call cub_in_graph;                                        ///< in place of `cub`, where no graph can hold that
    std::function<void(int slot, kogge::stream_t)> restore;   ///< before each call, untimed: what calls change in place
    std::function<void(kogge::stream_t)> spoil;               ///< fills all outputs of ours with a pattern
    std::function<bool(int slot, kogge::stream_t)> is_right;  ///< compares our output with CUB's
};
using Prepare = std::function<Contest(int slots, kogge::stream_t)>;

/// What a row asks for: a contest, and the bytes that it must at least read and write.
struct Task {
    double bytes;
    Prepare prepare;
};

inline double bytes_of(std::uint64_t n, double each) { return static_cast<double>(n) * each; }

/// A contest over one input array of n items and one output array of as many of type Out. make(seed) makes the items;
/// ours(in, out, exec) and cub(temporary, bytes, in, out, stream) are the calls; or cub(temporary, bytes, in, out,
/// count, stream), where the count's type matters.
template <class T, class Out = T, class Make, class Ours, class Cub>
Prepare array_contest(std::uint64_t n, Make make, Ours ours, Cub cub) {
    return [=](int slots, kogge::stream_t stream) {
        const Slots<T> in(n, slots);
        const Slots<Out> out(n, slots), expected(n, slots);
        for (int slot = 0; slot < slots; ++slot)
            make_items(in[slot], n, make(static_cast<std::uint64_t>(slot)), stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, kogge::stream_t s) {
            ours(static_cast<const T*>(in[slot]), out[slot], with_scratch(scratch, s));
        };
        if constexpr (std::is_invocable_v<Cub, void*, std::size_t&, const T*, Out*, int, kogge::stream_t>)
            contest.cub = with_either_count(
                n,
                [=](void* temporary, std::size_t& bytes, auto count, int slot, kogge::stream_t s) {
                    return cub(temporary, bytes, static_cast<const T*>(in[slot]), expected[slot], count, s);
                },
                stream);
        else
            contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, kogge::stream_t s) {
                return cub(temporary, bytes, static_cast<const T*>(in[slot]), expected[slot], s);
            });
        contest.spoil = [=](kogge::stream_t s) { out.fill(kPattern, s); };
        contest.is_right = [=](int slot, kogge::stream_t s) {
            return is_equal(static_cast<const Out*>(out[slot]), static_cast<const Out*>(expected[slot]), n, s);
        };
        return contest;
    };
}

}  // namespace bench

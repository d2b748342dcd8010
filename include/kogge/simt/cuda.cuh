// The simt interface on a CUDA GPU: thin names over the built-ins, and the only PTX in the library.
//
// Every operation that synchronises or communicates takes a trailing `Site`. It is empty here; under the
// emulator it is the file and line of the call, which reports and mutation tests name.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kogge/simt/config.hpp"

namespace kogge::simt {

struct Site {
    KOGGE_HOST_DEVICE static constexpr Site here() { return {}; }
};
#define KOGGE_SITE ::kogge::simt::Site = ::kogge::simt::Site::here()

using mask_t = std::uint32_t;
inline constexpr int kWarpSize = 32;
inline constexpr mask_t kAllLanes = 0xffffffffu;

// ---- position ------------------------------------------------------------------------------------------
KOGGE_DEVICE int thread_rank() { return static_cast<int>(threadIdx.x); }
KOGGE_DEVICE int block_size() { return static_cast<int>(blockDim.x); }
KOGGE_DEVICE std::uint32_t block_rank() { return blockIdx.x; }
KOGGE_DEVICE std::uint32_t grid_size() { return gridDim.x; }
KOGGE_DEVICE int lane() { return static_cast<int>(threadIdx.x) & (kWarpSize - 1); }
KOGGE_DEVICE int warp_rank() { return static_cast<int>(threadIdx.x) / kWarpSize; }
/// The lanes before this one, as a mask.
KOGGE_DEVICE mask_t lanes_before() {
    mask_t mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

// ---- shared memory -------------------------------------------------------------------------------------
/// The block's shared memory as one struct. A kernel uses one struct type; its launch asks for at least
/// sizeof(Struct) bytes. Contents are undefined at the start of a block. Aligned to 128 bytes.
template <class Struct>
KOGGE_DEVICE Struct& shared_memory() {
    static_assert(alignof(Struct) <= 128);
    extern __shared__ __align__(128) unsigned char kogge_shared_bytes[];
    return *reinterpret_cast<Struct*>(kogge_shared_bytes);
}

// ---- barriers and fences -------------------------------------------------------------------------------
KOGGE_DEVICE void sync_block(KOGGE_SITE) { __syncthreads(); }
KOGGE_DEVICE void sync_warp(mask_t mask = kAllLanes, KOGGE_SITE) { __syncwarp(mask); }
/// A barrier of some of the block's warps: `threads` (a multiple of 32) take part, under one of the ids 1..15.
KOGGE_DEVICE void named_sync(int id, int threads, KOGGE_SITE) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
/// Counts this warp in without waiting.
KOGGE_DEVICE void named_arrive(int id, int threads, KOGGE_SITE) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
namespace detail {
// The word that a cooperative launch has for barriers: its top bit turns once all blocks have come. The driver passes
// the address of what a launch's blocks share in two of the registers that PTX calls driver-defined; cooperative_groups
// finds its barrier there, too, but its headers add a fifth to the time that all of ours take to compile.
// tests/simt/cuda_runtime_test.cpp compares the two.
KOGGE_DEVICE std::uint32_t* grid_word() {
    std::uint32_t low, high;
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    return reinterpret_cast<std::uint32_t*>(std::uint64_t{high} << 32 | low) + 1;
}
}  // namespace detail
/// A barrier of all blocks of a cooperative launch in two steps, between which a thread may do what neither reads nor
/// writes what others do: what was written before arrive_grid, all see behind wait_grid. Each block calls both, in
/// turns.
///
/// grid_group::sync() would do, but for code that is not optimised (-G, --Ofast-compile=max): where the lanes of a warp
/// have come apart, its barrier of the block lets some of them pass and holds the others for good. (As of CUDA 13.0,
/// and without any of this library.) __syncthreads() takes them together.
struct GridArrival {
    std::uint32_t word = 0;
};
KOGGE_DEVICE GridArrival arrive_grid(KOGGE_SITE) {
    GridArrival arrival;
    __syncthreads();
    if (threadIdx.x == 0) {
        const std::uint32_t part = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1;
        asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;"
                     : "=r"(arrival.word)
                     : "l"(detail::grid_word()), "r"(part)
                     : "memory");
    }
    return arrival;
}
KOGGE_DEVICE void wait_grid(GridArrival arrival, KOGGE_SITE) {
    if (threadIdx.x == 0) {
        std::uint32_t word;
        do {
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(word) : "l"(detail::grid_word()) : "memory");
        } while (((arrival.word ^ word) & 0x80000000u) == 0);
    }
    __syncthreads();
}
/// The same in one step.
KOGGE_DEVICE void sync_grid(KOGGE_SITE) { wait_grid(arrive_grid()); }
/// The blocks of this block's cluster; 1 where the launch made none.
KOGGE_DEVICE std::uint32_t cluster_size() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    std::uint32_t blocks;
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(blocks));
    return blocks;
#else
    return 1;
#endif
}
/// A barrier of all blocks of a cluster, in two steps as a grid's, which takes a fraction of its time.
struct ClusterArrival {};
KOGGE_DEVICE ClusterArrival arrive_cluster(KOGGE_SITE) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    __syncwarp();  // lanes that have parted come together, as aligned barriers demand
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");  // aligned, as in arrive_grid
#endif
    return {};
}
KOGGE_DEVICE void wait_cluster(ClusterArrival, KOGGE_SITE) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    __syncwarp();
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
#endif
}
KOGGE_DEVICE void sync_cluster(KOGGE_SITE) { wait_cluster(arrive_cluster()); }
/// The place in the shared memory of a block of this cluster, by its rank, that `place` is in this block's. It can be
/// reached after a barrier that shows that the block has begun, and before one that lets it exit.
template <class T>
KOGGE_DEVICE T* map_shared_rank(T* place, std::uint32_t block, KOGGE_SITE) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    std::uint64_t mapped;
    asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(place), "r"(block));
    return reinterpret_cast<T*>(mapped);
#else
    return place;
#endif
}
/// Until all that is before this launch in its stream is done, and to be seen. Every kernel begins with it.
KOGGE_DEVICE void wait_for_stream(KOGGE_SITE) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
KOGGE_DEVICE void fence_device(KOGGE_SITE) { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
/// Between two looks at a word that another thread will change.
KOGGE_DEVICE void poll_pause(KOGGE_SITE) { __nanosleep(20); }

// ---- warp collectives: every lane of `mask`, and no other, calls with the same mask ---------------------
namespace detail {
// Applies a 32-bit warp exchange to each word of a value of any trivially copyable type.
template <class T, class Exchange>
KOGGE_DEVICE T exchange_words(const T& value, Exchange exchange) {
    static_assert(std::is_trivially_copyable_v<T>);
    constexpr int words = (sizeof(T) + 3) / 4;
    std::uint32_t buffer[words] = {};
    memcpy(buffer, &value, sizeof(T));
    KOGGE_UNROLL
    for (int i = 0; i < words; ++i) buffer[i] = exchange(buffer[i]);
    T result;
    memcpy(&result, buffer, sizeof(T));
    return result;
}
}  // namespace detail

/// The value of lane `source` modulo 32.
template <class T>
KOGGE_DEVICE T shuffle(const T& value, int source, mask_t mask = kAllLanes, KOGGE_SITE) {
    return detail::exchange_words(value, [=](std::uint32_t w) { return __shfl_sync(mask, w, source); });
}
/// The value of the lane `delta` before this one; lanes without one get their own value back.
template <class T>
KOGGE_DEVICE T shuffle_up(const T& value, int delta, mask_t mask = kAllLanes, KOGGE_SITE) {
    return detail::exchange_words(value, [=](std::uint32_t w) { return __shfl_up_sync(mask, w, delta); });
}
template <class T>
KOGGE_DEVICE T shuffle_down(const T& value, int delta, mask_t mask = kAllLanes, KOGGE_SITE) {
    return detail::exchange_words(value, [=](std::uint32_t w) { return __shfl_down_sync(mask, w, delta); });
}
template <class T>
KOGGE_DEVICE T shuffle_xor(const T& value, int lanes, mask_t mask = kAllLanes, KOGGE_SITE) {
    return detail::exchange_words(value, [=](std::uint32_t w) { return __shfl_xor_sync(mask, w, lanes); });
}
KOGGE_DEVICE mask_t ballot(bool vote, mask_t mask = kAllLanes, KOGGE_SITE) { return __ballot_sync(mask, vote); }
KOGGE_DEVICE bool any(bool vote, mask_t mask = kAllLanes, KOGGE_SITE) { return __any_sync(mask, vote); }
KOGGE_DEVICE bool all(bool vote, mask_t mask = kAllLanes, KOGGE_SITE) { return __all_sync(mask, vote); }

/// The sum over all 32 lanes, in every lane.
KOGGE_DEVICE std::uint32_t reduce_add(std::uint32_t value, KOGGE_SITE) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(kAllLanes, value);
#else
    for (int lanes = kWarpSize / 2; lanes > 0; lanes /= 2) value += __shfl_xor_sync(kAllLanes, value, lanes);
    return value;
#endif
}
/// The largest number of all 32 lanes, in every lane.
KOGGE_DEVICE std::uint32_t reduce_max(std::uint32_t value, KOGGE_SITE) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_max_sync(kAllLanes, value);
#else
    for (int lanes = kWarpSize / 2; lanes > 0; lanes /= 2)
        value = (max)(value, __shfl_xor_sync(kAllLanes, value, lanes));
    return value;
#endif
}

/// The lanes of the warp whose lowest `bits` bits of `digit` equal this lane's. All 32 lanes call.
/// One ballot a bit; the complement is predicated, which halves the instructions of the obvious C++. Of more than eight
/// bits the next is shifted to the sign: nvcc 13.0 tests constant bits by an instruction that takes all seven
/// predicates, and fails where one of them is in use.
template <int bits>
KOGGE_DEVICE mask_t match_digit(std::uint32_t digit, KOGGE_SITE) {
    mask_t peers = kAllLanes;
    [[maybe_unused]] std::uint32_t left = digit << (32 - bits) % 32;
    KOGGE_UNROLL
    for (int bit = 0; bit < bits; ++bit) {
        mask_t votes;
        if constexpr (bits <= 8)
            asm volatile(
                "{\n .reg .pred p;\n and.b32 %0, %1, %2;\n setp.ne.u32 p, %0, 0;\n"
                " vote.sync.ballot.b32 %0, p, 0xffffffff;\n @!p not.b32 %0, %0;\n}"
                : "=&r"(votes)
                : "r"(digit), "r"(1u << bit));
        else
            asm volatile(
                "{\n .reg .pred p;\n setp.lt.s32 p, %1, 0;\n shl.b32 %1, %1, 1;\n"
                " vote.sync.ballot.b32 %0, p, 0xffffffff;\n @!p not.b32 %0, %0;\n}"
                : "=&r"(votes), "+r"(left));
        peers &= votes;
    }
    return peers;
}

/// Keeps the compiler from knowing that a number is one that it has seen.
KOGGE_DEVICE void forget_origin(int& number) { asm volatile("" : "+r"(number)); }
KOGGE_DEVICE void forget_origin(std::uint32_t& number) { asm volatile("" : "+r"(number)); }

// ---- bits ----------------------------------------------------------------------------------------------
KOGGE_DEVICE int count_bits(mask_t bits) { return __popc(bits); }
/// The upper half of a product.
KOGGE_DEVICE std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) { return __umulhi(a, b); }
/// Byte `index` of a word, the lowest one being 0.
KOGGE_DEVICE std::uint32_t byte_of(std::uint32_t word, int index) {
    return __byte_perm(word, 0, 0x4440u | static_cast<std::uint32_t>(index));
}
/// Four bytes, lowest first, of `word` followed by zeros: the lowest nibbles of `code`, up to 7, number them.
KOGGE_DEVICE std::uint32_t pick_bytes(std::uint32_t word, std::uint32_t code) {
    std::uint32_t picked;
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(picked) : "r"(word), "r"(code));
    return picked;
}
/// `sum`, and the products of the bytes of two words, pair by pair.
KOGGE_DEVICE std::uint32_t add_products(std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
    return __dp4a(a, b, sum);
}
/// The upper word of two that are shifted left together, by `bits` modulo 32.
KOGGE_DEVICE std::uint32_t shift_left(std::uint32_t high, std::uint32_t low, std::uint32_t bits) {
    return __funnelshift_l(low, high, bits);
}
/// What lies between 0 and 1 of a number; of NaN, 0.
KOGGE_DEVICE float saturate(float number) { return __saturatef(number); }
KOGGE_DEVICE int lowest_bit(mask_t bits) { return __ffs(static_cast<int>(bits)) - 1; }
KOGGE_DEVICE int highest_bit(mask_t bits) { return 31 - __clz(static_cast<int>(bits)); }

// ---- atomics -------------------------------------------------------------------------------------------
// Relaxed read-modify-writes on 32- and 64-bit unsigned integers; all return the old value. The scope says
// which threads take part: Scope::block suits shared memory, Scope::device global memory.
enum class Scope { block, device };

template <Scope scope, class T>
KOGGE_DEVICE T atomic_add(T* target, std::type_identity_t<T> value, KOGGE_SITE) {
    using Native = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned int>;
    static_assert(std::is_integral_v<T> && sizeof(T) == sizeof(Native));
    auto* address = reinterpret_cast<Native*>(target);
    if constexpr (scope == Scope::block) return static_cast<T>(atomicAdd_block(address, static_cast<Native>(value)));
    else return static_cast<T>(atomicAdd(address, static_cast<Native>(value)));
}
template <Scope scope>
KOGGE_DEVICE std::uint32_t atomic_or(std::uint32_t* target, std::uint32_t value, KOGGE_SITE) {
    if constexpr (scope == Scope::block) return atomicOr_block(target, value);
    else return atomicOr(target, value);
}
template <Scope scope>
KOGGE_DEVICE std::uint32_t atomic_max(std::uint32_t* target, std::uint32_t value, KOGGE_SITE) {
    if constexpr (scope == Scope::block) return atomicMax_block(target, value);
    else return atomicMax(target, value);
}
/// Writes `desired` where `expected` stands.
template <Scope scope>
KOGGE_DEVICE std::uint32_t atomic_compare_swap(std::uint32_t* target, std::uint32_t expected, std::uint32_t desired,
                                               KOGGE_SITE) {
    if constexpr (scope == Scope::block) return atomicCAS_block(target, expected, desired);
    else return atomicCAS(target, expected, desired);
}

// Ordered loads and stores of global memory between blocks, 32- or 64-bit.
template <class T>
KOGGE_DEVICE T load_relaxed(const T* source, KOGGE_SITE) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    if constexpr (sizeof(T) == 8) {
        std::uint64_t bits;
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                     : "=l"(bits)
                     : "l"(__cvta_generic_to_global(source))
                     : "memory");
        return static_cast<T>(bits);
    } else {
        std::uint32_t bits;
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                     : "=r"(bits)
                     : "l"(__cvta_generic_to_global(source))
                     : "memory");
        return static_cast<T>(bits);
    }
}
template <class T>
KOGGE_DEVICE T load_acquire(const T* source, KOGGE_SITE) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    if constexpr (sizeof(T) == 8) {
        std::uint64_t bits;
        asm volatile("ld.acquire.gpu.global.u64 %0, [%1];"
                     : "=l"(bits)
                     : "l"(__cvta_generic_to_global(source))
                     : "memory");
        return static_cast<T>(bits);
    } else {
        std::uint32_t bits;
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(bits)
                     : "l"(__cvta_generic_to_global(source))
                     : "memory");
        return static_cast<T>(bits);
    }
}
template <class T>
KOGGE_DEVICE void store_relaxed(T* target, std::type_identity_t<T> value, KOGGE_SITE) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    if constexpr (sizeof(T) == 8)
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(target)),
                     "l"(static_cast<std::uint64_t>(value))
                     : "memory");
    else
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(target)),
                     "r"(static_cast<std::uint32_t>(value))
                     : "memory");
}
template <class T>
KOGGE_DEVICE void store_release(T* target, std::type_identity_t<T> value, KOGGE_SITE) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    if constexpr (sizeof(T) == 8)
        asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(target)),
                     "l"(static_cast<std::uint64_t>(value))
                     : "memory");
    else
        asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(target)),
                     "r"(static_cast<std::uint32_t>(value))
                     : "memory");
}
/// Loads four words from global memory in one access, at a 16-byte boundary; in the L2 cache they are the first to make
/// room for others.
KOGGE_DEVICE void load_words_once(const std::uint32_t* source, std::uint32_t (&words)[4]) {
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "l"(__cvta_generic_to_global(source))
                 : "memory");
}
/// Stores four words to global memory in one access, at a 16-byte boundary.
KOGGE_DEVICE void store_words(std::uint32_t* target, const std::uint32_t (&words)[4]) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(target)), "r"(words[0]),
                 "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
}
/// The same; in the L2 cache they are the first to make room for others.
KOGGE_DEVICE void store_words_once(std::uint32_t* target, const std::uint32_t (&words)[4]) {
    asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(target)), "r"(words[0]),
                 "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
}
/// The word, of which the compiler shall not know how it is composed: it would keep small items apart that share one.
KOGGE_DEVICE std::uint32_t kept_together(std::uint32_t word) {
    asm("" : "+r"(word));
    return word;
}
/// An object at an address in global memory that was kept as a number.
template <class T>
KOGGE_DEVICE T* global_at(std::uint64_t address) {
    return static_cast<T*>(__cvta_global_to_generic(address));
}
/// Adds in global memory; what this thread wrote before is visible to whoever acquires the sum.
KOGGE_DEVICE void add_release(std::uint32_t* target, std::uint32_t value, KOGGE_SITE) {
    asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(target)), "r"(value)
                 : "memory");
}
/// Adds in global memory; what this thread wrote before is visible to whoever sees the sum, and the reverse.
KOGGE_DEVICE std::uint32_t atomic_add_acq_rel(std::uint32_t* target, std::uint32_t value, KOGGE_SITE) {
    std::uint32_t old;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(__cvta_generic_to_global(target)), "r"(value)
                 : "memory");
    return old;
}

// ---- asynchronous copies (sm_90) -----------------------------------------------------------------------
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
inline constexpr bool kHasBulkCopy = true;
#else
inline constexpr bool kHasBulkCopy = false;
#endif

/// A transaction barrier in shared memory. A phase ends when `arrivals` have arrived and all announced bytes
/// have landed. A waiter may be at most one phase behind: wait(parity) tells only odd phases from even ones.
struct TransactionBarrier {
    std::uint64_t state;

    /// One thread; a block barrier must follow before others use it.
    KOGGE_DEVICE void init(std::uint32_t arrivals, KOGGE_SITE) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    KOGGE_DEVICE void arrive(KOGGE_SITE) {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
    }
    /// Arrives and announces bytes that bulk copies will bring in this phase.
    KOGGE_DEVICE void arrive_expect(std::uint32_t bytes, KOGGE_SITE) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes) : "memory");
    }
    /// Returns once the phase of that parity is over; acquires what arrivers and bulk copies wrote.
    KOGGE_DEVICE void wait(std::uint32_t parity, KOGGE_SITE) {
        std::uint32_t done = 0;
        while (!done)
            asm volatile(
                "{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
                : "=r"(done)
                : "r"(address()), "r"(parity)
                : "memory");
    }
    /// The same for speed alone: nothing may rely on it, so that no mutation switches it off.
    KOGGE_DEVICE void pace(std::uint32_t parity, KOGGE_SITE) { wait(parity); }

private:
    KOGGE_DEVICE std::uint32_t address() { return static_cast<std::uint32_t>(__cvta_generic_to_shared(&state)); }
};
/// A warp arrives as one behind a sync_warp: by the lanes for which arrives_for_warp is true, kWarpArrivals of them.
/// That is one; racecheck does not know what a sync_warp orders before the arrival of one, and gets all of them.
#ifdef KOGGE_RACECHECK
inline constexpr int kWarpArrivals = kWarpSize;
KOGGE_DEVICE bool arrives_for_warp() { return true; }
#else
inline constexpr int kWarpArrivals = 1;
KOGGE_DEVICE bool arrives_for_warp() { return lane() == 0; }
#endif

/// Copies global → shared without the calling thread; `bytes` and both addresses are multiples of 16. Completion is
/// counted on `barrier`, which must have been told the bytes with arrive_expect.
KOGGE_DEVICE void bulk_load(void* shared, const void* global, std::uint32_t bytes, TransactionBarrier& barrier,
                            KOGGE_SITE) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     static_cast<std::uint32_t>(__cvta_generic_to_shared(shared))),
                 "l"(__cvta_generic_to_global(global)), "r"(bytes),
                 "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(&barrier.state)))
                 : "memory");
}
/// The same; in the L2 cache what is read is the first to make room for others.
KOGGE_DEVICE void bulk_load_once(void* shared, const void* global, std::uint32_t bytes, TransactionBarrier& barrier,
                                 KOGGE_SITE) {
    std::uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::
            "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(shared))),
        "l"(__cvta_generic_to_global(global)), "r"(bytes),
        "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(&barrier.state))), "l"(policy)
        : "memory");
}
/// Begins to bring the 16-byte units that lie within [global, global + bytes) into the L2 cache.
KOGGE_DEVICE void prefetch(const void* global, std::uint32_t bytes) {
    const std::uint64_t from = __cvta_generic_to_global(global), begin = (from + 15) / 16 * 16;
    const std::uint64_t end = (from + bytes) / 16 * 16;
    if (begin < end)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin),
                     "r"(static_cast<std::uint32_t>(end - begin))
                     : "memory");
}
/// Copies shared → global without the calling thread. Ordinary writes to that shared memory must be followed by
/// fence_bulk in each writing thread and a barrier. Then bulk_commit, and bulk_wait_* by the same thread.
KOGGE_DEVICE void bulk_store(void* global, const void* shared, std::uint32_t bytes, KOGGE_SITE) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(global)),
                 "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(shared))), "r"(bytes)
                 : "memory");
}
KOGGE_DEVICE void bulk_commit(KOGGE_SITE) { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
/// Until at most `groups` of this thread's committed stores still read shared memory.
template <int groups>
KOGGE_DEVICE void bulk_wait_read(KOGGE_SITE) {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(groups) : "memory");
}
/// Until at most `groups` of this thread's committed stores are unfinished.
template <int groups>
KOGGE_DEVICE void bulk_wait(KOGGE_SITE) {
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(groups) : "memory");
}
/// Orders this thread's ordinary shared-memory accesses before later bulk copies, from or to that memory, of any thread
/// that this one arrives at a barrier for. A barrier alone does not: on an H200, loads that were still queued behind
/// atomics have returned what the next bulk_load brought.
KOGGE_DEVICE void fence_bulk(KOGGE_SITE) { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

}  // namespace kogge::simt

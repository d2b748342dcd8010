// How a call runs: where, in which stream, with which scratch memory, and on how many items.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "kogge/error.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge {

/// Where a call runs. `automatic` follows the data; the first rule that applies decides:
///   1. An array with items in device or managed memory → the device. It must be able to reach all other arrays.
///   2. A device_count that the device reaches, and no array in ordinary host memory → the device.
///   3. Arrays with items in ordinary or pinned host memory → the host's threads.
///   4. No such array, although there are items to process, as where all inputs and outputs are objects with operator[]
///      of the caller's, or where emit is asked for its size: a pointer without items into device or managed memory, or
///      an exec.stream, exec.scratch or exec.space → the device. If there is none of these → the device, if there is
///      one and the file is compiled for it (by nvcc); otherwise the host. What such an object reads or writes is not
///      looked at: if it is in host memory, `where` has to say so.
///
/// With several devices, the call runs on the device that holds the device memory; if there is none, on the device of
/// exec.stream; if that is a default stream, on the current device. Arrays, or arrays and an exec.stream, of two
/// devices are errc::unreachable. A call leaves the current device unchanged, and uses the default stream of the device
/// that it runs on.
enum class backend { automatic, host, device };

/// A source of scratch memory, instead of the default stream-ordered allocator. Both calls are stream-ordered: work
/// queued on `stream` between them may use the memory.
class scratch_resource {
public:
    virtual ~scratch_resource() = default;
    /// Returns at least `bytes` bytes of device memory of any alignment. Throws or returns nullptr if there are none.
    virtual void* allocate(std::size_t bytes, stream_t stream) = 0;
    virtual void deallocate(void* pointer, std::size_t bytes, stream_t stream) noexcept = 0;
};

/// Scratch memory owned by the caller. The device reaches it, and it overlaps neither the call's arrays nor its
/// device_count. It must stay alive until the call's work in the stream is done, and serves one call at a time.
/// scratch_bytes (calls/scratch_bytes.hpp) and the plan of a call say how many bytes it needs. Unused by the host
/// backend.
struct workspace {
    void* data = nullptr;
    std::size_t bytes = 0;
};

/// Scratch memory that calls have freed stays in a pool of the library, one per device, for later calls. Page-locked
/// host memory of out-of-core sorts stays likewise, with the first device of the call. trim() returns the current
/// device's pooled memory to the system, except for bytes_to_keep bytes and memory that unfinished work still uses; and
/// its page-locked memory, except for what running calls use and the largest pieces that have at most bytes_to_keep
/// bytes together. Returns the number of bytes that the pool then holds; 0 without a device. Waits for nothing, but
/// while page-locked memory is given back the driver may wait for the device.
std::uint64_t trim(std::uint64_t bytes_to_keep = 0);

inline constexpr std::size_t kNoLimit = ~std::size_t{0};

/// How a call runs. All members have defaults; use designated initialisers: {.stream = s}.
struct exec {
    stream_t stream = nullptr;
    backend where = backend::automatic;
    scratch_resource* scratch = nullptr;  ///< nullptr: the stream-ordered allocator of the device
    workspace space = {};                 ///< used instead of `scratch` if set
    int host_threads = 0;                 ///< threads of the host backend; 0: all
    /// The most scratch, in bytes, that a call may use on the device, besides 8 bytes for a count that it waits for,
    /// writes to a narrower integer, or discards. Radix sorts take the fastest way that fits. If none fits, or another
    /// call needs more, errc::out_of_memory is thrown, which states the least, and nothing has changed.
    std::size_t scratch_limit = kNoLimit;
};

/// A count in device memory, with an upper bound known to the host. The work reads the count when it runs, so that
/// chains of calls need no synchronisation. A count above its bound is taken as the bound, or is an error if `checked`.
/// No call writes the count that it reads.
struct device_count {
    const std::uint64_t* value = nullptr;
    std::uint64_t bound = 0;
    /// If true, the call waits for the work queued on exec.stream and reads the count: above the bound it throws
    /// errc::invalid_argument, and nothing has changed. The same error if the stream is being captured.
    bool checked = false;
};

/// The number of items of a call: any integer, or a device_count.
class item_count {
public:
    template <std::integral Integer>
    item_count(Integer n) : bound_(static_cast<std::uint64_t>(n)) {  // NOLINT: implicit by design
        if constexpr (std::is_signed_v<Integer>)
            if (n < 0)
                throw error(errc::invalid_argument, "item_count",
                            std::to_string(n) + " is given as a number of items, of results or of segments");
    }
    item_count(device_count n) : bound_(n.bound), value_(n.value), checked_(n.checked) {  // NOLINT: implicit by design
        if (!n.value) value_ = place_to_come();
    }

    /// The number of items, or its upper bound.
    std::uint64_t bound() const { return bound_; }
    /// Null if the host knows the number.
    const std::uint64_t* on_device() const { return value_; }
    /// Whether a call reads the number on the device before it queues work.
    bool is_checked() const { return checked_; }

private:
    /// Throws errc::invalid_argument, unless this thread asks for scratch_bytes.
    static const std::uint64_t* place_to_come();

    std::uint64_t bound_;
    const std::uint64_t* value_ = nullptr;
    bool checked_ = false;
};

namespace detail {

/// A region of memory that a call reads or writes, for check_call.
struct Region {
    const void* data;
    std::uint64_t bytes;
    const char* name;  ///< the parameter's name
};

/// Of an output of at most n items, whose number depends on the data, what check_call is given: the first item. Where
/// the output ends, only the caller knows.
inline Region open_ended(Region output, std::uint64_t n) {
    if (n > 0) output.bytes /= n;
    return output;
}

/// Where a call runs. During its lifetime the call's device is the thread's current device.
class [[nodiscard]] RunsOn {
public:
    explicit RunsOn(backend where) : where_(where) {}
    explicit RunsOn(int device) : where_(backend::device), device_(device) {}
    operator backend() const& { return where_; }  // NOLINT: implicit by design
    operator backend() && = delete;               // which would restore the other device at once

private:
    backend where_;
    simt::OnDevice device_;
};

/// The first step of each call. Chooses the backend and the device, as `backend` says. Throws errc::invalid_argument
/// for null with bytes > 0, errc::unreachable for memory that the chosen backend cannot reach, and errc::overlap if a
/// written region shares a byte with another region, except that the first `in_place` written regions may start where
/// the read region at the same position starts; then they are as long as that. Regions without bytes are ignored. On
/// the device a workspace must not overlap any region, and a device_count must overlap neither the workspace nor
/// written regions, because work that starts late would read what other work has written. Last, a checked device_count
/// is checked. `without_arrays` is where a call runs that nothing says it of.
RunsOn check_call(const char* call, const exec& how, const item_count& n, std::span<const Region> reads,
                  std::span<const Region> writes, std::size_t in_place, backend without_arrays);

}  // namespace detail
namespace detail::KOGGE_CODE {

/// Of a file that is compiled for the device: there.
inline constexpr backend kWithoutArrays = KOGGE_KERNELS ? backend::device : backend::host;

inline RunsOn check_call(const char* call, const exec& how, const item_count& n, std::span<const Region> reads,
                         std::span<const Region> writes, std::size_t in_place = 0) {
    return check_call(call, how, n, reads, writes, in_place, kWithoutArrays);
}
inline RunsOn check_call(const char* call, const exec& how, const item_count& n, std::initializer_list<Region> reads,
                         std::initializer_list<Region> writes, std::size_t in_place = 0) {
    return check_call(call, how, n, std::span(reads.begin(), reads.size()), std::span(writes.begin(), writes.size()),
                      in_place, kWithoutArrays);
}

}  // namespace detail::KOGGE_CODE
namespace detail {

/// Throws errc::invalid_argument if the stream is being captured, because then a call cannot wait. `instead` names a
/// remedy.
void check_may_wait(const char* call, stream_t stream, const char* instead);
/// Reads a checked device_count, as described there.
void check_bound(const char* call, const item_count& n, stream_t stream);
/// Waits for the stream and returns the number, which may be in device memory.
std::uint64_t wait_for_number(const std::uint64_t* number, stream_t stream);

/// The size in bytes of `count` items of `size` bytes. Throws errc::invalid_argument above 2^62 bytes, and if `size` is
/// 0.
std::uint64_t bytes_of(const char* call, std::uint64_t count, std::size_t size);

/// The array itself; for null, while this thread asks for scratch_bytes, an address for it. `which` tells a call's
/// arrays apart.
template <class T>
T* array_to_come(T* array, int which) {
    constexpr int kOfCalls = 1 << 13;
    return array || !simt::is_measuring() ? array : static_cast<T*>(simt::stand_in(kOfCalls + which));
}

inline constexpr std::size_t kScratchAlignment = 256;

/// Carves aligned arrays out of one region of scratch. With a null base it only measures.
class Carver {
public:
    explicit Carver(void* base = nullptr) : base_(static_cast<std::byte*>(base)) {}

    template <class T>
    T* take(std::uint64_t count) {
        const std::size_t offset = used_;
        used_ += (count * sizeof(T) + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
        return base_ ? reinterpret_cast<T*>(base_ + offset) : nullptr;
    }
    std::size_t used() const { return used_; }
    /// The arrays that `then` takes overlay the arrays that `first` takes, whose use is over by then.
    template <class First, class Then>
    void take_in_turns(const First& first, const Then& then) {
        const std::size_t start = used_;
        first();
        const std::size_t end = std::exchange(used_, start);
        then();
        used_ = (std::max)(used_, end);
    }

private:
    std::byte* base_;
    std::size_t used_ = 0;
};

/// The scratch of one call, freed in stream order at the end of the scope. `bytes` are a plan's scratch_bytes, which
/// hold the slack that alignment to kScratchAlignment may cost.
class Scratch {
public:
    Scratch(const char* call, const exec& how, std::size_t bytes);
    struct Beside {};  ///< the workspace and the limit: for a number that a call waits for
    Scratch(Beside, const char* call, const exec& how, std::size_t bytes);
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    void* data() const { return aligned_; }

private:
    void allocate(const char* call, scratch_resource* resource, std::size_t bytes);
    void align(void* start);

    scratch_resource* resource_ = nullptr;
    void* allocation_ = nullptr;
    void* aligned_ = nullptr;
    std::size_t allocated_ = 0;
    stream_t stream_ = nullptr;
};

/// The size of a workspace for a call whose carved arrays take `carved` bytes.
inline std::size_t scratch_with_slack(std::size_t carved) { return carved ? carved + kScratchAlignment : 0; }

/// The scratch of one call, and the arrays that `carve(Carver&)`, the function by which the plan measured it, lays out.
template <class Memory>
class CarvedScratch {
public:
    template <class Carve>
    CarvedScratch(const char* call, const exec& how, std::size_t bytes, const Carve& carve)
        : scratch_(call, how, bytes), carver_(scratch_.data()), memory_(carve(carver_)) {
        if (scratch_with_slack(carver_.used()) > bytes)
            throw std::logic_error(std::string(call) + " takes more scratch than its plan says");
    }
    const Memory* operator->() const { return &memory_; }
    const Memory& operator*() const { return memory_; }

private:
    Scratch scratch_;
    Carver carver_;
    Memory memory_;
};
template <class Carve>
CarvedScratch(const char*, const exec&, std::size_t, const Carve&)
    -> CarvedScratch<std::invoke_result_t<const Carve&, Carver&>>;

}  // namespace detail
}  // namespace kogge

// How a call runs: where, in which stream, with whose scratch memory; and how many items it has.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

#include "kogge/error.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge {

/// Where a call runs. `automatic` follows the data: device or managed memory → the device, ordinary and pinned
/// host memory → the host's threads.
enum class backend { automatic, host, device };

/// Where scratch memory comes from, when not from the default stream-ordered allocator.
/// Both calls are stream-ordered: memory may be used by work queued on `stream` between them.
class scratch_resource {
public:
    virtual ~scratch_resource() = default;
    /// At least `bytes` bytes of device memory at any alignment. Throws, or returns nullptr, when there is none.
    virtual void* allocate(std::size_t bytes, stream_t stream) = 0;
    virtual void deallocate(void* pointer, std::size_t bytes, stream_t stream) noexcept = 0;
};

/// Scratch memory that the caller owns, which the device reaches, apart from the call's arrays and its device_count; it
/// must stay alive until the call's work in the stream is done and serve one call at a time. The plan of a call says
/// how many bytes it needs. Not looked at by the host backend.
struct workspace {
    void* data = nullptr;
    std::size_t bytes = 0;
};

inline constexpr std::size_t kNoLimit = ~std::size_t{0};

/// How a call runs. Everything has a default; use designated initialisers: {.stream = s}.
struct exec {
    stream_t stream = nullptr;
    backend where = backend::automatic;
    scratch_resource* scratch = nullptr;  ///< nullptr: the stream-ordered allocator of the device
    workspace space = {};                 ///< used instead of `scratch` when set
    int host_threads = 0;                 ///< of the host backend; 0: all
    /// The most scratch, in bytes, that a call may take on the device, beside the 8 bytes of a count that it waits for.
    /// Radix sorts take the fastest way that fits; when none does, or another call needs more, errc::out_of_memory is
    /// thrown, which names the least, and nothing has changed.
    std::size_t scratch_limit = kNoLimit;
};

/// A count that lives in device memory, with an upper bound that the host knows. The work reads the count when it
/// runs, so chains of calls need no synchronisation. A count above its bound is taken as the bound, or is an error of a
/// call that looks first. No call writes the count that it reads.
struct device_count {
    const std::uint64_t* value = nullptr;
    std::uint64_t bound = 0;
    /// The call waits for the work that is queued on exec.stream and looks at the count: above the bound it throws
    /// errc::invalid_argument, and nothing has changed. Not while the stream is captured, which is the same error.
    bool checked = false;
};

/// The number of items of a call: any integer, or a device_count.
class item_count {
public:
    template <std::integral Integer>
    item_count(Integer n) : bound_(static_cast<std::uint64_t>(n)) {  // NOLINT: implicit by design
        if constexpr (std::is_signed_v<Integer>)
            if (n < 0) throw error(errc::invalid_argument, "item_count", "the number of items is negative");
    }
    item_count(device_count n) : bound_(n.bound), value_(n.value), checked_(n.checked) {  // NOLINT: implicit by design
        if (!n.value) throw error(errc::invalid_argument, "item_count", "device_count::value is null");
    }

    /// The number of items, or the most there can be.
    std::uint64_t bound() const { return bound_; }
    /// Null when the host knows the number.
    const std::uint64_t* on_device() const { return value_; }
    /// Whether a call looks at the number on the device before it queues work.
    bool is_checked() const { return checked_; }

private:
    std::uint64_t bound_;
    const std::uint64_t* value_ = nullptr;
    bool checked_ = false;
};

namespace detail {

/// A stretch of memory that a call reads or writes, for the check below.
struct Region {
    const void* data;
    std::uint64_t bytes;
    const char* name;  ///< the parameter's name
};

/// What each call does first: chooses the backend from where the regions live, and throws errc::invalid_argument for
/// null with bytes > 0, errc::unreachable for what the chosen backend cannot reach, and errc::overlap where a region
/// written shares a byte with another one, except that the first `in_place` written may start where the region read at
/// the same position starts. Regions without bytes are not looked at. On the device a workspace is apart from all
/// regions, and a count that the device holds from the workspace and from what is written, because work that starts
/// late would read what other work has written. Last, a count that is to be looked at is.
backend check_call(const char* call, const exec& how, const item_count& n, std::span<const Region> reads,
                   std::span<const Region> writes, std::size_t in_place = 0);
inline backend check_call(const char* call, const exec& how, const item_count& n, std::initializer_list<Region> reads,
                          std::initializer_list<Region> writes, std::size_t in_place = 0) {
    return check_call(call, how, n, std::span(reads.begin(), reads.size()), std::span(writes.begin(), writes.size()),
                      in_place);
}

/// Throws errc::invalid_argument if the stream is captured, in which nothing can be waited for. `instead` says what to
/// do.
void check_may_wait(const char* call, stream_t stream, const char* instead);
/// Waits for the stream and returns the number, which may live on the device.
std::uint64_t wait_for_number(const std::uint64_t* number, stream_t stream);

/// Bytes of `count` items of `size` bytes; throws errc::invalid_argument when that does not fit 63 bits.
std::uint64_t bytes_of(const char* call, std::uint64_t count, std::size_t size);

inline constexpr std::size_t kScratchAlignment = 256;

/// Carves aligned arrays out of one stretch of scratch. With a null base it only measures.
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
    /// What one function takes lies over what the other does: it is not needed any more when that is.
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

/// The scratch of one call: `bytes` bytes aligned to kScratchAlignment, given back in stream order at the end of
/// the scope. A plan's scratch_bytes is `bytes` plus the slack that aligning may cost.
class Scratch {
public:
    Scratch(const char* call, const exec& how, std::size_t bytes);
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    void* data() const { return aligned_; }

private:
    scratch_resource* resource_ = nullptr;
    void* allocation_ = nullptr;
    void* aligned_ = nullptr;
    std::size_t allocated_ = 0;
    stream_t stream_ = nullptr;
};

/// What a workspace must hold for a call whose carved arrays take `carved` bytes.
inline std::size_t scratch_with_slack(std::size_t carved) { return carved ? carved + kScratchAlignment : 0; }

}  // namespace detail
}  // namespace kogge

#include "kogge/exec.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>

#include "measuring.hpp"
#include "pinned_memory.hpp"

namespace kogge {

device_properties h200_properties() {
    return {.name = "NVIDIA H200",
            .device = 0,
            .compute_major = 9,
            .compute_minor = 0,
            .multiprocessors = 132,
            .max_threads_per_multiprocessor = 2048,
            .shared_bytes_per_block = 232448,
            .shared_bytes_per_multiprocessor = 233472,
            .l2_bytes = 62914560,
            .memory_bytes = 150109880320,
            .cluster_blocks = 16};
}

std::uint64_t trim(std::uint64_t bytes_to_keep) {
    if (!simt::is_measuring()) detail::trim_pinned(bytes_to_keep);
    return simt::trim(bytes_to_keep);
}

const std::uint64_t* item_count::place_to_come() {
    if (!simt::is_measuring()) throw error(errc::invalid_argument, "item_count", "device_count::value is null");
    return static_cast<const std::uint64_t*>(simt::stand_in(0));
}

namespace detail {
namespace {

/// Whether a region is of an array that does not exist yet, for which scratch_bytes is asked.
bool is_to_come(const Region& region) {
    return simt::is_measuring() && (!region.data || simt::is_stand_in(region.data));
}

bool overlap(const Region& a, const Region& b) {
    if (is_to_come(a) || is_to_come(b)) return a.data && a.data == b.data && a.bytes > 0 && b.bytes > 0;
    const auto begin_a = reinterpret_cast<std::uintptr_t>(a.data), begin_b = reinterpret_cast<std::uintptr_t>(b.data);
    return a.bytes > 0 && b.bytes > 0 && begin_a < begin_b + b.bytes && begin_b < begin_a + a.bytes;
}

void check_disjoint(const char* call, const Region& a, const Region& b, bool or_same = false) {
    if ((or_same && a.data == b.data) || !overlap(a, b)) return;
    throw error(errc::overlap, call,
                std::string(a.name) + " and " + b.name + " overlap; they must be " +
                    (or_same ? "the same array or apart" : "apart"));
}

[[noreturn]] void report_host_memory(const char* call, const char* name) {
    throw error(errc::unreachable, call,
                std::string(name) +
                    " is in ordinary host memory, which the device cannot reach; copy it to "
                    "the device, or put all arrays in host memory");
}

/// Where the arrays of a call are, as far as it decides where the call runs.
struct Places {
    const Region* on_host = nullptr;    ///< in ordinary host memory
    const Region* on_device = nullptr;  ///< in memory of one device
    const Region* apart = nullptr;      ///< in memory of another device than that
    int device = -1, device_apart = -1;
    bool any = false;      ///< with items
    bool reached = false;  ///< in memory of a device, or managed

    void look_at(const Region& region) {
        if (is_to_come(region)) return;
        const simt::Location place = simt::location_of(region.data);
        switch (place.memory) {
            case simt::Memory::host:
                if (!on_host) on_host = &region;
                break;
            case simt::Memory::device:
                reached = true;
                if (!on_device) {
                    on_device = &region;
                    device = place.device;
                } else if (place.device != device && !apart) {
                    apart = &region;
                    device_apart = place.device;
                }
                break;
            case simt::Memory::managed:
                reached = true;
                break;
            case simt::Memory::pinned:
                break;
        }
    }
};

template <class Look>
void for_each_region(std::span<const Region> reads, std::span<const Region> writes, const Look& look) {
    for (const auto regions : {reads, writes})
        for (const Region& region : regions) look(region);
}

void check_not_null(const char* call, const Region& region) {
    if (!region.data && !is_to_come(region))
        throw error(errc::invalid_argument, call,
                    std::string("null given for ") + region.name + ", where " + std::to_string(region.bytes) +
                        (region.bytes == 1 ? " byte is" : " bytes are") + " read or written");
}

/// Where to run a call that has items to go through but no array with any.
backend choose_without_arrays(const exec& how, std::span<const Region> reads, std::span<const Region> writes,
                              backend without_arrays) {
    Places pointers;
    for_each_region(reads, writes, [&](const Region& region) { pointers.look_at(region); });
    const bool names_device = pointers.reached || how.stream || how.scratch || how.space.data;
    return (names_device || without_arrays == backend::device) && simt::device_count() > 0 ? backend::device
                                                                                           : backend::host;
}

/// The device that holds the arrays, or else that of the stream; -1: the current one.
int choose_device(const char* call, const exec& how, const Places& places) {
    const auto of_device = [](int device) { return "device " + std::to_string(device); };
    if (places.apart)
        throw error(errc::unreachable, call,
                    std::string(places.on_device->name) + " is in the memory of " + of_device(places.device) +
                        ", and " + places.apart->name + " in that of " + of_device(places.device_apart) +
                        "; a call's memory must be on one device");
    const int of_stream = simt::device_of(how.stream);
    if (of_stream < 0 || places.device < 0) return std::max(of_stream, places.device);
    if (of_stream != places.device)
        throw error(errc::unreachable, call,
                    "exec.stream belongs to " + of_device(of_stream) + ", but " + places.on_device->name +
                        " is in the memory of " + of_device(places.device) + "; give a stream of that device");
    return places.device;
}

}  // namespace

RunsOn check_call(const char* call, const exec& how, const item_count& n, std::span<const Region> reads,
                  std::span<const Region> writes, std::size_t in_place, backend without_arrays) {
    Places places;
    for_each_region(reads, writes, [&](const Region& region) {
        if (region.bytes == 0) return;
        check_not_null(call, region);
        places.any = true;
        places.look_at(region);
    });
    const Region count{n.on_device(), sizeof(std::uint64_t), "the number of items"};
    const Region space{how.space.data, how.space.bytes, "exec.space"};
    if (how.host_threads < 0)
        throw error(errc::invalid_argument, call, "exec.host_threads is negative; 0 stands for all");
    backend where = how.where;
    if (simt::is_measuring()) {
        if (where == backend::host)
            throw error(errc::unreachable, call, "scratch_bytes is about the device, but exec.where is the host");
        where = backend::device;
    }
    if (where == backend::automatic) {
        const auto count_is_reached = [&] { return simt::location_of(count.data).memory != simt::Memory::host; };
        if (places.reached || (count.data && !places.on_host && count_is_reached())) where = backend::device;
        else if (places.any || n.bound() == 0) where = backend::host;
        else where = choose_without_arrays(how, reads, writes, without_arrays);
    }
    const bool on_device = where == backend::device;
    const int devices = on_device ? simt::device_count() : 0;
    if (on_device) {
        if (devices == 0) throw error(errc::unreachable, call, "there is no device; use backend::host");
        if (count.data) places.look_at(count);
        if (space.data) places.look_at(space);
        if (places.on_host) report_host_memory(call, places.on_host->name);
    } else if (places.on_device) {
        throw error(errc::unreachable, call,
                    std::string(places.on_device->name) + " is in device memory, which the host backend cannot reach");
    }
    // In place all of the input may change, however few the results are.
    const auto written = [&](std::size_t w) {
        Region region = writes[w];
        if (w < in_place && reads[w].data == region.data) region.bytes = std::max(region.bytes, reads[w].bytes);
        return region;
    };
    if (on_device && space.data)
        for_each_region(reads, writes, [&](const Region& region) { check_disjoint(call, space, region); });
    for (std::size_t w = 0; w < writes.size(); ++w) {
        for (std::size_t r = 0; r < reads.size(); ++r)
            check_disjoint(call, reads[r], written(w), r == w && w < in_place);
        for (std::size_t other = 0; other < w; ++other) check_disjoint(call, written(other), written(w));
    }
    if (!on_device) return RunsOn(backend::host);
    if (count.data) {
        for (std::size_t w = 0; w < writes.size(); ++w) check_disjoint(call, count, written(w));
        if (space.data) check_disjoint(call, space, count);
    }
    const int device = devices > 1 ? choose_device(call, how, places) : -1;
    RunsOn chosen = device < 0 ? RunsOn(backend::device) : RunsOn(device);
    check_bound(call, n, how.stream);
    return chosen;
}

void check_bound(const char* call, const item_count& n, stream_t stream) {
    if (!n.is_checked() || !n.on_device() || simt::is_measuring()) return;
    check_may_wait(call, stream, "give a device_count that is not checked");
    const std::uint64_t number = wait_for_number(n.on_device(), stream);
    if (number > n.bound())
        throw error(
            errc::invalid_argument, call,
            "the device_count is " + std::to_string(number) + ", above its bound of " + std::to_string(n.bound()));
}

void check_may_wait(const char* call, stream_t stream, const char* instead) {
    if (simt::is_capturing(stream))
        throw error(errc::invalid_argument, call,
                    std::string("the stream is being captured, and cannot be waited for; ") + instead);
}

std::uint64_t wait_for_number(const std::uint64_t* number, stream_t stream) {
    std::uint64_t value = 0;
    simt::copy(&value, number, sizeof value, stream);
    simt::synchronize(stream);
    return value;
}

std::uint64_t bytes_of(const char* call, std::uint64_t count, std::size_t size) {
    if (size == 0) throw error(errc::invalid_argument, call, "items must have at least one byte");
    if (count > (std::uint64_t{1} << 62) / size)
        throw error(
            errc::invalid_argument, call,
            std::to_string(count) + " items of " + std::to_string(size) + " bytes are more than memory can hold");
    return count * size;
}

Scratch::Scratch(const char* call, const exec& how, std::size_t bytes) : stream_(how.stream) {
    if (bytes == 0) return;
    if (bytes > how.scratch_limit)
        throw error(errc::out_of_memory, call,
                    std::to_string(bytes) + " bytes of scratch are needed, but exec.scratch_limit is " +
                        std::to_string(how.scratch_limit));
    if (simt::Measurement* const measurement = simt::measurement()) {
        measurement->note(bytes);
        aligned_ = simt::stand_in(0);
        return;
    }
    if (how.space.data) {
        if (how.space.bytes < bytes)
            throw error(errc::out_of_memory, call,
                        "the workspace holds " + std::to_string(how.space.bytes) + " bytes, but " +
                            std::to_string(bytes) + " are needed; the plan says how many");
        align(how.space.data);
    } else {
        allocate(call, how.scratch, bytes);
    }
}

Scratch::Scratch(Beside, const char* call, const exec& how, std::size_t bytes) : stream_(how.stream) {
    if (bytes > 0 && !simt::is_measuring()) allocate(call, how.scratch, bytes);
}

void Scratch::allocate(const char* call, scratch_resource* resource, std::size_t bytes) {
    void* start = nullptr;
    try {
        start = resource ? resource->allocate(bytes, stream_) : simt::allocate(bytes, stream_);
    } catch (const std::bad_alloc&) {}
    if (!start) throw error(errc::out_of_memory, call, "no scratch memory for " + std::to_string(bytes) + " bytes");
    resource_ = resource;
    allocation_ = start;
    allocated_ = bytes;
    align(start);
}

void Scratch::align(void* start) {
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    aligned_ = static_cast<std::byte*>(start) + (kScratchAlignment - address % kScratchAlignment) % kScratchAlignment;
}

Scratch::~Scratch() {
    if (!allocation_) return;
    if (resource_) {
        resource_->deallocate(allocation_, allocated_, stream_);
        return;
    }
    try {
        simt::deallocate(allocation_, stream_);
    } catch (const error&) {
        // The device has failed; whoever synchronises next learns of it.
    }
}

}  // namespace detail
}  // namespace kogge

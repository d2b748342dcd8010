#include "kogge/exec.hpp"

#include <cstdint>
#include <new>
#include <string>

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

namespace detail {
namespace {

bool overlap(const Region& a, const Region& b) {
    const auto begin_a = reinterpret_cast<std::uintptr_t>(a.data), begin_b = reinterpret_cast<std::uintptr_t>(b.data);
    return a.bytes > 0 && b.bytes > 0 && begin_a < begin_b + b.bytes && begin_b < begin_a + a.bytes;
}

[[noreturn]] void report_overlap(const char* call, const Region& a, const Region& b, const char* advice) {
    throw error(errc::overlap, call, std::string(a.name) + " and " + b.name + " overlap; " + advice);
}

[[noreturn]] void report_host_memory(const char* call, const char* name) {
    throw error(errc::unreachable, call,
                std::string(name) +
                    " is in ordinary host memory, which the device cannot reach; copy it to "
                    "the device, or put all arrays in host memory");
}

void check_workspace(const char* call, const workspace& space, std::span<const Region> regions) {
    if (!space.data) return;
    const Region scratch{space.data, space.bytes, "exec.space"};
    if (simt::location_of(space.data).memory == simt::Memory::host) report_host_memory(call, scratch.name);
    for (const Region& region : regions) check_disjoint(call, scratch, region);
}

}  // namespace

backend choose_backend(const char* call, const exec& how, std::span<const Region> regions) {
    bool any_device = false;
    const Region* on_host = nullptr;
    const Region* on_device = nullptr;
    for (const Region& region : regions) {
        if (region.bytes == 0) continue;
        if (!region.data)
            throw error(errc::invalid_argument, call,
                        std::string("null given for ") + region.name + ", where " + std::to_string(region.bytes) +
                            (region.bytes == 1 ? " byte is" : " bytes are") + " read or written");
        switch (simt::location_of(region.data).memory) {
            case simt::Memory::host:
                on_host = &region;
                break;
            case simt::Memory::device:
                on_device = &region;
                any_device = true;
                break;
            case simt::Memory::managed:
                any_device = true;
                break;
            case simt::Memory::pinned:
                break;
        }
    }
    const backend chosen = how.where != backend::automatic ? how.where : any_device ? backend::device : backend::host;
    if (chosen == backend::device) {
        if (simt::device_count() == 0) throw error(errc::unreachable, call, "there is no device; use backend::host");
        if (on_host) report_host_memory(call, on_host->name);
        check_workspace(call, how.space, regions);
    } else if (on_device) {
        throw error(errc::unreachable, call,
                    std::string(on_device->name) + " is in device memory, which the host backend cannot reach");
    }
    return chosen;
}

void check_disjoint(const char* call, const Region& a, const Region& b) {
    if (overlap(a, b)) report_overlap(call, a, b, "they must be apart");
}

void check_disjoint_or_same(const char* call, const Region& a, const Region& b) {
    if (a.data != b.data && overlap(a, b)) report_overlap(call, a, b, "they must be the same array or apart");
}

void check_count(const char* call, backend where, const item_count& n, std::span<const Region> written) {
    if (where == backend::host || !n.on_device()) return;
    const Region count{n.on_device(), sizeof(std::uint64_t), "the number of items"};
    choose_backend(call, {.where = where}, {count});
    for (const Region& region : written) check_disjoint(call, count, region);
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
    const std::size_t wanted = scratch_with_slack(bytes);
    if (wanted > how.scratch_limit)
        throw error(errc::out_of_memory, call,
                    std::to_string(wanted) + " bytes of scratch are needed, but exec.scratch_limit is " +
                        std::to_string(how.scratch_limit));
    void* start = how.space.data;
    if (start) {
        if (how.space.bytes < wanted)
            throw error(errc::out_of_memory, call,
                        "the workspace holds " + std::to_string(how.space.bytes) + " bytes, but " +
                            std::to_string(wanted) + " are needed; the plan says how many");
    } else {
        try {
            start = how.scratch ? how.scratch->allocate(wanted, stream_) : simt::allocate(wanted, stream_);
        } catch (const std::bad_alloc&) {}
        if (!start)
            throw error(errc::out_of_memory, call, "no scratch memory for " + std::to_string(wanted) + " bytes");
        resource_ = how.scratch;
        allocation_ = start;
        allocated_ = wanted;
    }
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

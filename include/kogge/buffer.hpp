// An array that owns its memory, on the host or on the device: the result of range expressions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/exec.hpp"
#include "kogge/traits.hpp"

namespace kogge {

/// n items of a type that travels as bytes (kogge::travels_as_bytes), not initialised. Device memory belongs to the
/// current device. It is allocated and freed in the order of its stream, which must outlive the buffer or be replaced:
/// CUDA cannot detect a stream that has been destroyed. Movable, not copyable.
template <class T>
class buffer {
    static_assert(travels_as_bytes<T>, "items travel as bytes: see kogge::travels_as_bytes");

public:
    buffer() = default;
    /// `where` is backend::host or backend::device. Throws errc::out_of_memory, and errc::unreachable if there is no
    /// device.
    buffer(std::uint64_t n, backend where, stream_t stream = nullptr) : size_(n), where_(where), stream_(stream) {
        const std::uint64_t bytes = detail::bytes_of("buffer", n, sizeof(T));
        if (where == backend::automatic)
            throw error(errc::invalid_argument, "buffer", "say backend::host or backend::device");
        if (where == backend::device) {
            if (simt::device_count() == 0)
                throw error(errc::unreachable, "buffer", "there is no device; use backend::host");
            device_ = simt::current_device();
            if (bytes > 0) data_ = static_cast<T*>(simt::allocate(bytes, stream));
        } else if (bytes > 0) {
            try {
                data_ = std::allocator<T>().allocate(n);
            } catch (const std::bad_alloc&) {
                throw error(errc::out_of_memory, "buffer",
                            "there are no " + std::to_string(bytes) + " bytes of host memory");
            }
        }
        capacity_ = n;
    }
    buffer(buffer&& other) noexcept { swap(other); }
    buffer& operator=(buffer&& other) noexcept {
        buffer(std::move(other)).swap(*this);
        return *this;
    }
    ~buffer() {
        if (!data_) return;
        if (where_ == backend::host) {
            std::allocator<T>().deallocate(data_, capacity_);
            return;
        }
        try {
            const simt::OnDevice guard(device_);
            simt::deallocate(data_, stream_);
        } catch (const error&) {
            // The device has failed. The next call that synchronises reports it.
        }
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::uint64_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    /// For loops over a buffer on the host, which is a contiguous range. Of one on the device they throw
    /// errc::unreachable: to_vector() copies its items.
    T* begin() { return on_host(data_); }
    const T* begin() const { return on_host(data_); }
    T* end() { return on_host(data_) + size_; }
    const T* end() const { return on_host(data_) + size_; }
    backend where() const { return where_; }
    /// From now on the memory is freed in the order of `stream`, a stream of the same device. The caller has ordered
    /// the two streams, or has waited for the first one, which may then be destroyed.
    void set_stream(stream_t stream) { stream_ = stream; }
    /// Drops the items past the first n ≤ size(). The memory stays allocated.
    void shrink(std::uint64_t n) {
        if (n > size_) throw error(errc::invalid_argument, "buffer", "shrink cannot make a buffer larger");
        size_ = n;
    }
    /// Copies the items to the host. Waits for the stream.
    std::vector<T> to_vector() const {
        std::vector<T> items(size_);
        if (where_ == backend::host) {
            std::copy_n(data_, size_, items.data());
        } else {
            const simt::OnDevice guard(device_);
            simt::copy(items.data(), data_, size_ * sizeof(T), stream_);
            simt::synchronize(stream_);
        }
        return items;
    }

private:
    template <class Pointer>
    Pointer on_host(Pointer items) const {
        if (where_ != backend::host)
            throw error(errc::unreachable, "buffer",
                        "its items are in device memory: to_vector() copies them to the host");
        return items;
    }
    void swap(buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        std::swap(where_, other.where_);
        std::swap(device_, other.device_);
        std::swap(stream_, other.stream_);
    }

    T* data_ = nullptr;
    std::uint64_t size_ = 0;
    std::uint64_t capacity_ = 0;
    backend where_ = backend::host;
    int device_ = -1;
    stream_t stream_ = nullptr;
};

}  // namespace kogge

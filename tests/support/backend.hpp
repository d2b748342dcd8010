// One suite for three machines: the emulated device, a CUDA GPU, and the host's threads. Arrays live where the backend
// under test looks for them, between red zones, at any offset from an aligned address.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "kogge/error.hpp"
#include "kogge/exec.hpp"
#include "kogge/simt/runtime.hpp"
#include "support/small.hpp"

namespace tests {

#if KOGGE_KERNELS
inline constexpr kogge::backend kWhere = kogge::backend::device;
#else
inline constexpr kogge::backend kWhere = kogge::backend::host;
#endif
inline constexpr bool kOnDevice = kWhere == kogge::backend::device;

/// Under sanitizers there are fewer sorts on a GPU: of 100,000 keys each takes seconds under racecheck.
inline bool sparing() { return small() && kOnDevice && !KOGGE_EMULATED; }

/// n items where the backend under test looks for them, `offset` items past a 256-byte boundary.
template <class T>
class Array {
public:
    explicit Array(const std::vector<T>& items, std::size_t offset = 0) : Array(Empty{}, items.size(), offset) {
        if constexpr (kOnDevice) {
            kogge::simt::copy(data(), items.data(), n_ * sizeof(T), nullptr);
            kogge::simt::synchronize(nullptr);
        } else if (n_ > 0) {
            std::memcpy(static_cast<void*>(data()), static_cast<const void*>(items.data()), n_ * sizeof(T));
        }
    }
    /// An output: n items that nobody has written.
    explicit Array(std::size_t n, std::size_t offset = 0) : Array(Empty{}, n, offset) {
        if (n_ > 0) fill(start(), end(), kPoison);
        if constexpr (kOnDevice) kogge::simt::synchronize(nullptr);
    }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    ~Array() {
        const auto expect_red = [&](std::size_t begin, std::size_t end) {
            std::vector<std::byte> bytes(end - begin);
            read(bytes.data(), begin, bytes.size());
            for (std::size_t i = 0; i < bytes.size(); ++i)
                if (bytes[i] != kRed) {
                    ADD_FAILURE() << "written outside the array, at byte "
                                  << static_cast<std::ptrdiff_t>(begin + i - start());
                    return;
                }
        };
        expect_red(0, start());
        expect_red(end(), total());
        if constexpr (kOnDevice) kogge::simt::deallocate(base_, nullptr);
        else std::free(base_);
    }

    T* data() { return reinterpret_cast<T*>(base_ + start()); }
    const T* data() const { return reinterpret_cast<const T*>(base_ + start()); }
    /// The items, after all queued work.
    std::vector<T> get() const {
        std::vector<T> items(n_);
        read(items.data(), start(), n_ * sizeof(T));
        return items;
    }
    static T poison() {
        T value;
        std::memset(static_cast<void*>(&value), kPoison, sizeof value);
        return value;
    }

private:
    static constexpr std::size_t kZone = 256;
    static constexpr std::byte kRed{0xd7};
    static constexpr unsigned char kPoison = 0x5a;

    /// Zones without items between them.
    struct Empty {};
    Array(Empty, std::size_t n, std::size_t offset) : n_(n), offset_(offset) {
        if constexpr (kOnDevice) base_ = static_cast<std::byte*>(kogge::simt::allocate(total(), nullptr));
        else base_ = static_cast<std::byte*>(std::aligned_alloc(kZone, total()));
        fill(0, start(), std::to_integer<unsigned char>(kRed));
        fill(end(), total(), std::to_integer<unsigned char>(kRed));
    }

    std::size_t start() const { return kZone + offset_ * sizeof(T); }
    std::size_t end() const { return start() + n_ * sizeof(T); }
    std::size_t total() const { return (end() + 2 * kZone - 1) / kZone * kZone; }
    void fill(std::size_t from, std::size_t to, unsigned char value) {
        if constexpr (kOnDevice) kogge::simt::fill(base_ + from, value, to - from, nullptr);
        else std::memset(base_ + from, value, to - from);
    }
    /// Bytes from `from` on, after all queued work.
    void read(void* to, std::size_t from, std::size_t bytes) const {
        if constexpr (kOnDevice) {
            kogge::simt::copy(to, base_ + from, bytes, nullptr);
            kogge::simt::synchronize(nullptr);
        } else if (bytes > 0) {
            std::memcpy(to, base_ + from, bytes);
        }
    }

    std::size_t n_;
    std::size_t offset_;
    std::byte* base_;
};

/// The code of the kogge::error that a call throws, or a failure.
inline kogge::errc code_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const kogge::error& failure) {
        return failure.code();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

/// Items equal as bytes, so that NaN equals itself and −0 differs from +0.
template <class T>
::testing::AssertionResult same(const std::vector<T>& got, const std::vector<T>& want) {
    if (got.size() != want.size())
        return ::testing::AssertionFailure() << got.size() << " items instead of " << want.size();
    if (got.empty() || std::memcmp(static_cast<const void*>(got.data()), static_cast<const void*>(want.data()),
                                   got.size() * sizeof(T)) == 0)
        return ::testing::AssertionSuccess();
    for (std::size_t i = 0; i < got.size(); ++i)
        if (std::memcmp(static_cast<const void*>(&got[i]), static_cast<const void*>(&want[i]), sizeof(T)) != 0)
            return ::testing::AssertionFailure() << "item " << i << " of " << got.size() << " differs";
    return ::testing::AssertionSuccess();
}

}  // namespace tests

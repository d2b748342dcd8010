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
    explicit Array(const std::vector<T>& items, std::size_t offset = 0) : n_(items.size()), offset_(offset) {
        std::vector<std::byte> bytes(total(), kRed);
        if (n_ > 0) std::memcpy(bytes.data() + start(), static_cast<const void*>(items.data()), n_ * sizeof(T));
        if constexpr (kOnDevice) base_ = static_cast<std::byte*>(kogge::simt::allocate(total(), nullptr));
        else base_ = static_cast<std::byte*>(std::aligned_alloc(kZone, total()));
        put(bytes);
    }
    /// An output: n items that nobody has written.
    explicit Array(std::size_t n, std::size_t offset = 0) : Array(std::vector<T>(n, poison()), offset) {}
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    ~Array() {
        const std::vector<std::byte> bytes = all();
        const auto expect_red = [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                if (bytes[i] != kRed) {
                    ADD_FAILURE() << "written outside the array, at byte " << static_cast<std::ptrdiff_t>(i - start());
                    return;
                }
        };
        expect_red(0, start());
        expect_red(start() + n_ * sizeof(T), bytes.size());
        if constexpr (kOnDevice) kogge::simt::deallocate(base_, nullptr);
        else std::free(base_);
    }

    T* data() { return reinterpret_cast<T*>(base_ + start()); }
    const T* data() const { return reinterpret_cast<const T*>(base_ + start()); }
    /// The items, after all queued work.
    std::vector<T> get() const {
        const std::vector<std::byte> bytes = all();
        std::vector<T> items(n_);
        if (n_ > 0) std::memcpy(static_cast<void*>(items.data()), bytes.data() + start(), n_ * sizeof(T));
        return items;
    }
    static T poison() {
        T value;
        std::memset(static_cast<void*>(&value), 0x5a, sizeof value);
        return value;
    }

private:
    static constexpr std::size_t kZone = 256;
    static constexpr std::byte kRed{0xd7};

    std::size_t start() const { return kZone + offset_ * sizeof(T); }
    std::size_t total() const { return (start() + n_ * sizeof(T) + 2 * kZone - 1) / kZone * kZone; }
    void put(const std::vector<std::byte>& bytes) {
        if constexpr (kOnDevice) {
            kogge::simt::copy(base_, bytes.data(), bytes.size(), nullptr);
            kogge::simt::synchronize(nullptr);
        } else {
            std::memcpy(base_, bytes.data(), bytes.size());
        }
    }
    std::vector<std::byte> all() const {
        std::vector<std::byte> bytes(total());
        if constexpr (kOnDevice) {
            kogge::simt::copy(bytes.data(), base_, bytes.size(), nullptr);
            kogge::simt::synchronize(nullptr);
        } else {
            std::memcpy(bytes.data(), base_, bytes.size());
        }
        return bytes;
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

// An array in device memory, real or emulated.
#pragma once

#include <cstddef>
#include <vector>

#include "kogge/simt/runtime.hpp"

namespace kogge::test {

/// Holds a copy of the values it is made of.
template <class T>
class DeviceArray {
public:
    explicit DeviceArray(const std::vector<T>& values) : size_(values.size()) {
        data_ = static_cast<T*>(simt::allocate(size_ * sizeof(T), nullptr));
        simt::copy(data_, values.data(), size_ * sizeof(T), nullptr);
    }
    DeviceArray(std::size_t size, const T& value) : DeviceArray(std::vector<T>(size, value)) {}
    ~DeviceArray() { simt::deallocate(data_, nullptr); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    T* data() const { return data_; }
    std::vector<T> values() const {
        std::vector<T> result(size_);
        simt::copy(result.data(), data_, size_ * sizeof(T), nullptr);
        simt::synchronize(nullptr);
        return result;
    }

private:
    T* data_;
    std::size_t size_;
};

}  // namespace kogge::test

// What a DLPack capsule says of an array. The structs are those of DLPack's specification, version 1.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

namespace dlpack {

struct Device {
    std::int32_t type, id;
};
struct DataType {
    std::uint8_t code, bits;
    std::uint16_t lanes;
};
struct Tensor {
    void* data;
    Device device;
    std::int32_t ndim;
    DataType dtype;
    std::int64_t* shape;
    std::int64_t* strides;  ///< null: row by row
    std::uint64_t byte_offset;
};
struct Managed {
    Tensor tensor;
    void* context;
    void (*deleter)(Managed*);
};
struct ManagedVersioned {
    std::uint32_t major, minor;
    void* context;
    void (*deleter)(ManagedVersioned*);
    std::uint64_t flags;
    Tensor tensor;
};
inline constexpr std::uint64_t kReadOnly = 1;

/// Keeps what a capsule lends, and gives it back at the end.
class Borrowed {
public:
    explicit Borrowed(nanobind::object capsule);
    ~Borrowed();
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;

    const Tensor& tensor() const { return versioned_ ? versioned_->tensor : managed_->tensor; }
    bool is_read_only() const { return versioned_ && (versioned_->flags & kReadOnly) != 0; }
    bool is_contiguous() const;

private:
    Managed* managed_ = nullptr;
    ManagedVersioned* versioned_ = nullptr;
};

}  // namespace dlpack

void bind_dlpack(nanobind::module_& m);

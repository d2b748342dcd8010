// Arrays whose item type is known only at run time, and the way from there to typed code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kogge/keys.hpp"

namespace kogge::command {

enum class Type : std::uint8_t { u8, i8, u16, i16, u32, i32, u64, i64, f16, f32, f64, boolean };

struct TypeInfo {
    Type type;
    const char* name;
    const char* npy;  ///< without the byte order
    std::size_t bytes;
};
const TypeInfo& info_of(Type type);
std::optional<Type> type_named(std::string_view name);
std::optional<Type> type_of_npy(std::string_view code);
/// "u8, i8, …", for messages.
std::string all_type_names();

inline const char* name_of(Type type) { return info_of(type).name; }
inline bool is_float(Type type) { return type == Type::f16 || type == Type::f32 || type == Type::f64; }
inline bool is_signed_integer(Type type) {
    return type == Type::i8 || type == Type::i16 || type == Type::i32 || type == Type::i64;
}

/// Calls f.operator()<T>() with the C++ type of the items; bool is stored, and treated, as uint8_t.
template <class F>
decltype(auto) visit(Type type, F&& f) {
    switch (type) {
        case Type::u8:
        case Type::boolean:
            return f.template operator()<std::uint8_t>();
        case Type::i8:
            return f.template operator()<std::int8_t>();
        case Type::u16:
            return f.template operator()<std::uint16_t>();
        case Type::i16:
            return f.template operator()<std::int16_t>();
        case Type::u32:
            return f.template operator()<std::uint32_t>();
        case Type::i32:
            return f.template operator()<std::int32_t>();
        case Type::u64:
            return f.template operator()<std::uint64_t>();
        case Type::i64:
            return f.template operator()<std::int64_t>();
        case Type::f16:
            return f.template operator()<half>();
        case Type::f32:
            return f.template operator()<float>();
        case Type::f64:
            return f.template operator()<double>();
    }
    std::abort();
}

/// Memory that is not cleared and can grow in place; std::bad_alloc when there is none.
class Bytes {
public:
    Bytes() = default;
    explicit Bytes(std::uint64_t size) { resize(size); }
    Bytes(Bytes&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Bytes& operator=(Bytes&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~Bytes() { std::free(data_); }

    std::byte* data() const { return data_; }
    std::uint64_t size() const { return size_; }
    void resize(std::uint64_t size);

private:
    std::byte* data_ = nullptr;
    std::uint64_t size_ = 0;
};

class Array {
public:
    Array() = default;
    Array(Type type, std::uint64_t n) : type_(type), bytes_(n * info_of(type).bytes), size_(n) {}
    /// The size is that of `bytes`, a whole number of items.
    Array(Type type, Bytes bytes) : type_(type), bytes_(std::move(bytes)), size_(bytes_.size() / info_of(type).bytes) {}

    Type type() const { return type_; }
    std::uint64_t size() const { return size_; }
    std::size_t item_bytes() const { return info_of(type_).bytes; }
    std::uint64_t byte_count() const { return size_ * item_bytes(); }
    std::byte* data() const { return bytes_.data(); }
    template <class T>
    T* as() const {
        return reinterpret_cast<T*>(bytes_.data());
    }
    /// Keeps the items that are there; further ones may be anything.
    void resize(std::uint64_t n) {
        bytes_.resize(n * item_bytes());
        size_ = n;
    }
    /// Forgets the items past the first n.
    void shrink(std::uint64_t n) { size_ = n; }
    Array copy() const;

private:
    Type type_ = Type::u8;
    Bytes bytes_;
    std::uint64_t size_ = 0;
};

}  // namespace kogge::command

#include "io/array.hpp"

#include <cstring>
#include <new>

namespace kogge::command {
namespace {

constexpr TypeInfo kTypes[] = {
    {Type::u8, "u8", "u1", 1},   {Type::i8, "i8", "i1", 1},   {Type::u16, "u16", "u2", 2},
    {Type::i16, "i16", "i2", 2}, {Type::u32, "u32", "u4", 4}, {Type::i32, "i32", "i4", 4},
    {Type::u64, "u64", "u8", 8}, {Type::i64, "i64", "i8", 8}, {Type::f16, "f16", "f2", 2},
    {Type::f32, "f32", "f4", 4}, {Type::f64, "f64", "f8", 8}, {Type::boolean, "bool", "b1", 1},
};

}  // namespace

const TypeInfo& info_of(Type type) { return kTypes[static_cast<std::size_t>(type)]; }

std::optional<Type> type_named(std::string_view name) {
    for (const TypeInfo& info : kTypes)
        if (name == info.name) return info.type;
    return std::nullopt;
}

std::optional<Type> type_of_npy(std::string_view code) {
    for (const TypeInfo& info : kTypes)
        if (code == info.npy) return info.type;
    return std::nullopt;
}

std::string all_type_names() {
    std::string names;
    for (const TypeInfo& info : kTypes) names += (names.empty() ? "" : ", ") + std::string(info.name);
    return names;
}

void Bytes::resize(std::uint64_t size) {
    if (size == size_) return;
    void* moved = size == 0 ? nullptr : std::realloc(data_, size);
    if (size == 0) std::free(data_);
    else if (!moved) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(moved);
    size_ = size;
}

Array Array::copy() const {
    Array twin(type_, size_);
    if (size_ > 0) std::memcpy(twin.data(), data(), byte_count());
    return twin;
}

}  // namespace kogge::command

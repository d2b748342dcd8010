#include "c/types.hpp"

#include <string>

namespace kogge::c {
namespace {

constexpr int kMostBytes = 0xffff;

}  // namespace

TypeInfo info_of(kogge_type type) {
    const auto number = [](std::size_t bytes, number_kind kind, std::uint64_t infinity = 0) {
        return TypeInfo{bytes, bytes, kind, infinity};
    };
    switch (type) {
        case KOGGE_BOOL:
            return number(1, number_kind::boolean);
        case KOGGE_U8:
            return number(1, number_kind::unsigned_integer);
        case KOGGE_I8:
            return number(1, number_kind::signed_integer);
        case KOGGE_U16:
            return number(2, number_kind::unsigned_integer);
        case KOGGE_I16:
            return number(2, number_kind::signed_integer);
        case KOGGE_U32:
            return number(4, number_kind::unsigned_integer);
        case KOGGE_I32:
            return number(4, number_kind::signed_integer);
        case KOGGE_U64:
            return number(8, number_kind::unsigned_integer);
        case KOGGE_I64:
            return number(8, number_kind::signed_integer);
        case KOGGE_U128:
            return number(16, number_kind::unsigned_integer);
        case KOGGE_I128:
            return number(16, number_kind::signed_integer);
        case KOGGE_F16:
            return number(2, number_kind::floating, 0x7c00u);
        case KOGGE_BF16:
            return number(2, number_kind::floating, 0x7f80u);
        case KOGGE_F32:
            return number(4, number_kind::floating, 0x7f800000u);
        case KOGGE_F64:
            return number(8, number_kind::floating, 0x7ff0000000000000ull);
        default:
            break;
    }
    const int bytes = static_cast<int>(type) - static_cast<int>(KOGGE_BYTES_0);
    if (bytes < 1 || bytes > kMostBytes) return {};
    return {static_cast<std::size_t>(bytes), 1, number_kind::bytes};
}

std::string name_of(kogge_type type) {
    static constexpr const char* names[] = {"none", "bool", "u8",   "i8",   "u16", "i16",  "u32", "i32",
                                            "u64",  "i64",  "u128", "i128", "f16", "bf16", "f32", "f64"};
    if (type >= KOGGE_NONE && type <= KOGGE_F64) return names[type];
    const TypeInfo info = info_of(type);
    if (info.bytes > 0) return std::to_string(info.bytes) + " bytes";
    return "type " + std::to_string(static_cast<int>(type));
}

TypeInfo number_of(const char* call, kogge_type type, const char* what) {
    const TypeInfo info = item_of(call, type, what);
    if (!info.is_number())
        throw error(errc::invalid_argument, call,
                    std::string(what) + " are " + name_of(type) + ", where they must be numbers");
    return info;
}

TypeInfo item_of(const char* call, kogge_type type, const char* what) {
    const TypeInfo info = info_of(type);
    if (info.bytes == 0)
        throw error(errc::invalid_argument, call,
                    std::string("the type of ") + what + " is " + name_of(type) + ", which is no type of items");
    return info;
}

std::size_t index_bytes(const char* call, kogge_type type, const char* what) {
    if (type != KOGGE_U32 && type != KOGGE_I32 && type != KOGGE_U64 && type != KOGGE_I64)
        throw error(errc::invalid_argument, call,
                    std::string(what) + " are " + name_of(type) + ", where they must be integers of 32 or 64 bits");
    return info_of(type).bytes;
}

std::uint64_t greatest(kogge_type integer) {
    const TypeInfo info = info_of(integer);
    const std::uint64_t all = info.bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * info.bytes) - 1;
    return info.kind == number_kind::signed_integer ? all >> 1 : all;
}

void report_type(const char* call, kogge_type type, const char* what) {
    throw error(errc::not_built, call,
                std::string("the library has no code for ") + what + " of type " + name_of(type));
}

}  // namespace kogge::c

std::size_t kogge_type_bytes(kogge_type type) { return kogge::c::info_of(type).bytes; }

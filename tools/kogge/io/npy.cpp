#include "io/npy.hpp"

#include "failure.hpp"
#include "io/numbers.hpp"

namespace kogge::command {
namespace {

/// Headers of one-dimensional arrays have some 80 bytes; a longer one than this is damage.
constexpr std::size_t kLongestHeader = 1 << 16;
constexpr std::size_t kAlignment = 64;

Failure damaged(const std::string& name, const std::string& what) {
    return Failure(name + " is not a readable .npy file: " + what);
}

/// What follows 'key': in the header's dictionary, without leading blanks.
std::string_view value_of(std::string_view header, const std::string& key, const std::string& name) {
    for (const char quote : {'\'', '"'}) {
        const std::size_t found = header.find(quote + key + quote);
        if (found == std::string_view::npos) continue;
        std::string_view rest = header.substr(found + key.size() + 2);
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        if (rest.empty() || rest.front() != ':') break;
        rest.remove_prefix(1);
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        return rest;
    }
    throw damaged(name, "its header has no '" + key + "'");
}

/// The items' type and byte order.
void parse_type(std::string_view descr, const std::string& name, NpyHeader& header) {
    if (descr.empty() || (descr.front() != '\'' && descr.front() != '"'))
        throw Failure(name + " holds records, not numbers", "take one field with numpy: a['name']");
    const std::size_t end = descr.find(descr.front(), 1);
    if (end == std::string_view::npos || end < 2) throw damaged(name, "its type is not readable");
    const std::string_view code = descr.substr(1, end - 1);
    const char order = code.front();
    const bool has_order = order == '<' || order == '|' || order == '=' || order == '>';
    const std::string_view kind = code.substr(has_order ? 1 : 0);
    const auto type = type_of_npy(kind);
    if (!type) {
        const std::string quoted = " (type '" + std::string(code) + "')";
        const std::string hint = "kogge reads integers, floating-point numbers to 64 bits and bool";
        switch (kind.empty() ? ' ' : kind.front()) {
            case 'O':
                throw Failure(name + " holds Python objects, not numbers" + quoted,
                              "convert with numpy: a.astype('f8')");
            case 'U':
            case 'S':
                throw Failure(name + " holds strings, not numbers" + quoted, "convert with numpy: a.astype('f8')");
            case 'c':
                throw Failure(name + " holds complex numbers, which have no order" + quoted,
                              "take one part with numpy: a.real");
            case 'M':
            case 'm':
                throw Failure(name + " holds dates or times" + quoted, "convert with numpy: a.astype('i8')");
            default:
                throw Failure(name + " holds items that are not read" + quoted, hint);
        }
    }
    header.type = *type;
    header.big_endian = order == '>' && info_of(*type).bytes > 1;
}

/// The number of items, all along one dimension.
std::uint64_t parse_shape(std::string_view shape, const std::string& name) {
    const std::size_t end = shape.find(')');
    if (shape.empty() || shape.front() != '(' || end == std::string_view::npos)
        throw damaged(name, "its shape is not readable");
    const std::string text(shape.substr(0, end + 1));
    std::string_view inside = shape.substr(1, end - 1);
    std::uint64_t items = 1;
    bool found = false;  // a dimension other than 1
    const auto trimmed = [](std::string_view word) {
        word.remove_prefix(std::min(word.find_first_not_of(" \t"), word.size()));
        return word.substr(0, word.find_last_not_of(" \tL") + 1);
    };
    for (bool last = trimmed(inside).empty(); !last;) {
        const std::size_t comma = inside.find(',');
        const std::string_view word = trimmed(inside.substr(0, comma));
        last = comma == std::string_view::npos || trimmed(inside.substr(comma + 1)).empty();
        inside.remove_prefix(comma == std::string_view::npos ? inside.size() : comma + 1);
        std::uint64_t size = 0;
        if (word.find_first_not_of("0123456789") != std::string_view::npos ||
            read_number(word, size) != Reading::number || size >> 59)
            throw damaged(name, "its shape " + text + " is not readable");
        if (size == 1) continue;
        if (found)
            throw Failure(name + " has the shape " + text + ", more than one dimension",
                          "flatten it with numpy: a.ravel()");
        found = true;
        items = size;
    }
    return items;
}

}  // namespace

std::size_t npy_header_length(std::string_view prefix, const std::string& name) {
    if (prefix.substr(0, kNpyMagic.size()) != kNpyMagic)
        throw Failure(name + " is not a .npy file: it does not begin with \\x93NUMPY",
                      "for other formats say --input-format text, or --input-format raw --type u32");
    if (prefix.size() < kNpyPrefix) throw damaged(name, "it ends within the header");
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(prefix[i])); };
    const std::size_t version = byte(6);
    if (version < 1 || version > 3) throw damaged(name, "format version " + std::to_string(version) + " is not known");
    const std::size_t length = version == 1 ? 10 + byte(8) + (byte(9) << 8)
                                            : 12 + byte(8) + (byte(9) << 8) + (byte(10) << 16) + (byte(11) << 24);
    if (length > kLongestHeader || length < kNpyPrefix)
        throw damaged(name, "its header cannot have " + with_separators(length) + " bytes");
    return length;
}

NpyHeader parse_npy_header(std::string_view header, const std::string& name) {
    const std::string_view text = header.substr(header[6] == 1 ? 10 : 12);
    NpyHeader about{};
    parse_type(value_of(text, "descr", name), name, about);
    about.items = parse_shape(value_of(text, "shape", name), name);
    return about;
}

std::string make_npy_header(const NpyHeader& header) {
    const TypeInfo& type = info_of(header.type);
    std::string text = std::string("{'descr': '") + (type.bytes == 1 ? '|' : '<') + type.npy +
                       "', 'fortran_order': False, 'shape': (" + std::to_string(header.items) + ",), }";
    const std::size_t used = 10 + text.size() + 1;
    text.append((kAlignment - used % kAlignment) % kAlignment, ' ');
    text += '\n';
    std::string all(kNpyMagic);
    all += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
    return all + text;
}

}  // namespace kogge::command

#include "io/input.hpp"

#include <utility>

#include "failure.hpp"
#include "io/lines.hpp"
#include "io/memory.hpp"
#include "io/npy.hpp"
#include "io/numbers.hpp"
#include "io/pieces.hpp"
#include "io/text.hpp"

namespace kogge::command {
namespace {

void require_call_memory(const InputOptions& options, const Source& source, std::uint64_t n, std::size_t item_bytes) {
    require_memory(options.memory(n, item_bytes), "a call on the " + with_separators(n) + " items of " + source.name(),
                   options.advice);
}

Array read_npy(Source& source, const InputOptions& options) {
    NpyPieces pieces(source, options);
    const std::uint64_t n = *pieces.items();
    require_call_memory(options, source, n, info_of(pieces.type()).bytes);
    Array array(pieces.type(), n);
    pieces.read(array.data(), n);
    return array;
}

Array read_raw(Source& source, const InputOptions& options) {
    const Type type = type_of_raw(source, options);
    const std::size_t item = info_of(type).bytes;
    if (source.size()) require_call_memory(options, source, *source.size() / item, item);
    Bytes bytes = read_all(source, options.advice);
    check_raw_size(bytes.size(), type, source.name());
    require_call_memory(options, source, bytes.size() / item, 0);
    return {type, std::move(bytes)};
}

Array read_text(Source& source, const InputOptions& options) {
    const Bytes bytes = read_all(source, options.advice);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    Array array = parse_text(text, {options.type, options.header, options.column, options.advice}, source.name());
    require_call_memory(options, source, array.size(), 0);
    return array;
}

/// Whether this is UTF-8 without control characters of ASCII; `cut`: its last character may be incomplete.
bool is_text(std::string_view head, bool cut) {
    for (std::size_t i = 0; i < head.size();) {
        const auto first = static_cast<unsigned char>(head[i++]);
        if ((first >= ' ' && first <= '~') || (first >= '\t' && first <= '\r')) continue;
        if (first < 0xc2 || first > 0xf4) return false;
        for (int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1; more > 0; --more) {
            if (i == head.size()) return cut;
            if ((static_cast<unsigned char>(head[i++]) & 0xc0) != 0x80) return false;
        }
    }
    return true;
}

/// What packs numbers in other ways, and how they come out of it.
struct Packing {
    std::string_view begin;  ///< of a file
    const char *name, *advice;
};
constexpr Packing kPackings[] = {
    {"\x1f\x8b\x08", "compressed (gzip)", "zcat FILE | kogge …"},
    {"\xfd\x37zXZ", "compressed (xz)", "xzcat FILE | kogge …"},
    {"\x28\xb5\x2f\xfd", "compressed (zstd)", "zstdcat FILE | kogge …"},
    {"BZh", "compressed (bzip2)", "bzcat FILE | kogge …"},
    {"PK\x03\x04", "a zip archive, as .npz files are", "unzip -p FILE NAME.npy | kogge …"},
    {"PAR1", "a Parquet file", "kogge --man tells how a column of it is read"},
    {"ARROW1", "an Arrow file", "kogge --man tells how a column of it is read"},
};

Format told_or_found(const Source& source, const InputOptions& options) {
    if (options.format) return *options.format;
    if (const auto format = format_of_path(options.path)) return *format;
    const std::string_view head = without_mark(source.head());
    const auto begins_with = [&](std::string_view begin) { return head.substr(0, begin.size()) == begin; };
    const bool looks_like_text = is_text(head, source.head().size() == kSniffed);
    for (const Packing& packing : kPackings)
        if (!looks_like_text && begins_with(packing.begin))
            throw usage_failure(source.name() + " is " + packing.name,
                                packing.advice + std::string("; if it is raw binary, say --input-format raw"));
    if (!options.column.column.empty()) return Format::text;
    if (begins_with(kNpyMagic)) return Format::npy;
    if (looks_like_text) return Format::text;
    if (options.type) return Format::raw;
    throw usage_failure(source.name() + " is neither a .npy file nor text",
                        "for raw binary say what it holds: --type u32 (for values --with-type)");
}

}  // namespace

std::optional<Format> format_named(std::string_view name) {
    if (name == "npy") return Format::npy;
    if (name == "raw") return Format::raw;
    if (name == "text") return Format::text;
    return std::nullopt;
}

std::optional<Format> format_of_path(const std::string& path) {
    const auto ends = [&](std::string_view end) {
        return path.size() > end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
    };
    if (ends(".npy")) return Format::npy;
    if (ends(".bin") || ends(".raw")) return Format::raw;
    for (const char* end : {".txt", ".text", ".csv", ".tsv"})
        if (ends(end)) return Format::text;
    return std::nullopt;
}

Format recognise_format(const Source& source, const InputOptions& options) {
    const Format format = told_or_found(source, options);
    for (const auto& [given, option] :
         {std::pair(options.header, "--header"), std::pair(!options.column.column.empty(), "--column")})
        if (given && format != Format::text)
            throw usage_failure(std::string(option) + " is for text, which " + source.name() + " is not");
    return format;
}

Input read_input(const InputOptions& options) {
    Source source(options.path);
    const Format format = recognise_format(source, options);
    switch (format) {
        case Format::npy:
            return {read_npy(source, options), format};
        case Format::raw:
            return {read_raw(source, options), format};
        case Format::text:
            return {read_text(source, options), format};
    }
    std::abort();
}

}  // namespace kogge::command

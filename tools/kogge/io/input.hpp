// Reading arrays: from a file or standard input, in any of the three formats.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "io/array.hpp"
#include "io/column.hpp"
#include "io/source.hpp"

namespace kogge::command {

enum class Format { npy, raw, text };

std::optional<Format> format_named(std::string_view name);
/// The ends of files' names that tell a format, for messages.
inline constexpr const char* kFormatEndings = ".npy, .bin, .raw, .txt, .text, .csv and .tsv";
/// From the end of a file's name.
std::optional<Format> format_of_path(const std::string& path);

struct InputOptions {
    std::string path = "-";        ///< "-" is standard input
    std::optional<Type> type;      ///< what the items are, or must be
    std::optional<Format> format;  ///< found out from the name and the first bytes when absent
    bool header = false;           ///< of text: the first line is a title
    ColumnChoice column{};         ///< of text
    /// The memory that the whole call needs for n items of so many bytes, checked before they are read.
    std::function<std::uint64_t(std::uint64_t n, std::size_t item_bytes)> memory;
    std::string advice{};  ///< what to do where there is too little of it; empty: to work on parts
    std::uint64_t most_kept = ~std::uint64_t{0};  ///< bytes of what must be read twice and is no regular file
};

/// The options' format, or what the name or the first bytes tell. Throws where none of them tells, and for options that
/// are not for it.
Format recognise_format(const Source& source, const InputOptions& options);

struct Input {
    Array array;
    Format format;
};

Input read_input(const InputOptions& options);

}  // namespace kogge::command

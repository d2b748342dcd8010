// The regular files below a directory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kogge::command {

struct FileList {
    std::vector<std::uint64_t> sizes;
    std::vector<std::string> paths;
    std::uint64_t unreadable_directories = 0;
    std::uint64_t further_links = 0;  ///< names of files that had been listed under another one
    std::uint64_t vanished = 0;       ///< names that were gone before their size was known
    std::uint64_t other_file_systems = 0;
};

/// Stays on the root's file system, follows no symbolic links below it, and lists a file with several names once.
/// Throws when the root is no readable directory; anything below that cannot be read is counted.
FileList list_files(const std::string& root);

}  // namespace kogge::command

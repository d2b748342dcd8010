#include "io/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <memory>
#include <set>
#include <utility>

#include "failure.hpp"

namespace kogge::command {
namespace {

struct CloseDirectory {
    void operator()(DIR* directory) const { closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

class Walk {
public:
    explicit Walk(const std::string& root) {
        const Directory top(opendir(root.c_str()));
        struct stat status {};
        if (!top || fstat(dirfd(top.get()), &status) != 0)
            throw system_failure("cannot read the directory '" + root + "'", "choose another one with --root");
        file_system_ = status.st_dev;
        waiting_.push_back(root);
        while (!waiting_.empty()) {
            const std::string path = std::move(waiting_.back());
            waiting_.pop_back();
            read(path);
        }
    }
    FileList take() { return std::move(files_); }

private:
    void read(const std::string& path) {
        const Directory directory(opendir(path.c_str()));
        if (!directory) {
            ++files_.unreadable_directories;
            return;
        }
        while (const dirent* entry = readdir(directory.get())) {
            const std::string name = entry->d_name;
            if (name == "." || name == "..") continue;
            struct stat status {};
            if (fstatat(dirfd(directory.get()), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
                ++files_.vanished;
                continue;
            }
            add((path == "/" ? path : path + "/") + name, status);
        }
    }

    void add(std::string path, const struct stat& status) {
        if (S_ISDIR(status.st_mode)) {
            if (status.st_dev == file_system_) waiting_.push_back(std::move(path));
            else ++files_.other_file_systems;
        } else if (S_ISREG(status.st_mode)) {
            if (status.st_nlink > 1 && !linked_.insert(status.st_ino).second) {
                ++files_.further_links;
                return;
            }
            files_.sizes.push_back(static_cast<std::uint64_t>(status.st_size));
            files_.paths.push_back(std::move(path));
        }
    }

    FileList files_;
    std::vector<std::string> waiting_;
    std::set<ino_t> linked_;
    dev_t file_system_ = 0;
};

}  // namespace

FileList list_files(const std::string& root) { return Walk(root).take(); }

}  // namespace kogge::command

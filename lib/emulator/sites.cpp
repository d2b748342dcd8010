// Which synchronisation sites kernels have visited, and which are switched off.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <tuple>

#include "kogge/simt/emulated.hpp"
#include "kogge/simt/emulator.hpp"

namespace kogge::simt {

constinit std::atomic<bool> detail::sites_watched{false};

namespace {

constexpr const char* kKindNames[] = {
    "block_barrier",    "warp_barrier", "named_barrier", "acquire",      "release",         "acquire_release", "fence",
    "transaction_wait", "bulk_fence",   "bulk_wait",     "grid_barrier", "cluster_barrier", "stream_wait"};

bool ends_with_path(const std::string& path, const std::string& end) {
    if (path.size() < end.size() || path.compare(path.size() - end.size(), end.size(), end) != 0) return false;
    return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
}

struct Sites {
    /// A spin lock without ordering for ThreadSanitizer, as kernel threads pass here.
    std::atomic_flag lock = ATOMIC_FLAG_INIT;
    struct Entry {
        SiteKind kind;
        std::uint64_t visits;
        bool off;
    };
    std::map<std::tuple<const char*, int>, Entry> entries;
    std::string off_file;
    int off_line = 0;
    std::string list_path;

    Sites() {
        if (const char* mutate = std::getenv("KOGGE_MUTATE"); mutate && *mutate) {
            const char* colon = std::strrchr(mutate, ':');
            if (!colon || std::atoi(colon + 1) <= 0) throw std::invalid_argument("KOGGE_MUTATE must be file:line");
            off_file.assign(mutate, colon);
            off_line = std::atoi(colon + 1);
            detail::sites_watched = true;
        }
        if (const char* path = std::getenv("KOGGE_LIST_SITES"); path && *path) {
            list_path = path;
            detail::sites_watched = true;
        }
    }
    ~Sites() {
        if (list_path.empty()) return;
        std::FILE* file = std::fopen(list_path.c_str(), "w");
        if (!file) return;
        for (const auto& [place, entry] : entries)
            std::fprintf(file, "%s:%d %s %llu\n", std::get<0>(place), std::get<1>(place),
                         kKindNames[static_cast<int>(entry.kind)], static_cast<unsigned long long>(entry.visits));
        std::fclose(file);
    }

    void acquire() {
        while (lock.test_and_set(std::memory_order_acquire)) {}
    }
    void release() { lock.clear(std::memory_order_release); }
    bool is_off(const char* file, int line) const {
        return off_line == line && !off_file.empty() && ends_with_path(file, off_file);
    }
};
Sites sites;

}  // namespace

bool detail::visit_site(Site site, SiteKind kind) {
    sites.acquire();
    const auto [place, is_new] = sites.entries.try_emplace({site.file, site.line}, Sites::Entry{kind, 0, false});
    if (is_new) place->second.off = sites.is_off(site.file, site.line);
    ++place->second.visits;
    const bool off = place->second.off;
    sites.release();
    return off;
}

namespace emulator {
namespace {
void choose_off(const std::string& file, int line) {
    sites.acquire();
    sites.off_file = file;
    sites.off_line = line;
    for (auto& [place, entry] : sites.entries) entry.off = sites.is_off(std::get<0>(place), std::get<1>(place));
    sites.release();
    detail::sites_watched = true;
}
}  // namespace

void switch_off(const std::string& file, int line) { choose_off(file, line); }
void restore_sites() { choose_off("", 0); }
void watch_sites() { detail::sites_watched = true; }

std::vector<SyncSite> sites_seen() {
    std::vector<SyncSite> seen;
    for (const auto& [place, entry] : sites.entries)
        seen.push_back(
            {std::get<0>(place), std::get<1>(place), kKindNames[static_cast<int>(entry.kind)], entry.visits});
    return seen;
}

}  // namespace emulator
}  // namespace kogge::simt

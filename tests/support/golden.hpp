// Digests of CUB's results, recorded on a GPU in tests/golden, one file a primitive with a line a case. Environment:
// KOGGE_GOLDEN_DIR names another folder; KOGGE_RECORD_GOLDEN=<folder> makes tests/cub_*_test.cpp write the files there.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#ifndef KOGGE_GOLDEN_DIR
#define KOGGE_GOLDEN_DIR "tests/golden"  // from the repository's root
#endif

namespace tests {

/// FNV-1a over the items' bytes and their number (G. Fowler, L. Noll, K.-P. Vo, 1991).
template <class T>
std::uint64_t digest_of(const std::vector<T>& items) {
    std::uint64_t digest = 0xcbf29ce484222325u;
    const auto add = [&](const void* data, std::size_t bytes) {
        const auto* const byte = static_cast<const unsigned char*>(data);
        for (std::size_t i = 0; i < bytes; ++i) digest = (digest ^ byte[i]) * 0x100000001b3u;
    };
    add(items.data(), items.size() * sizeof(T));
    const std::uint64_t n = items.size();
    add(&n, sizeof n);
    return digest;
}

using Digests = std::map<std::string, std::uint64_t>;

inline std::string golden_folder() {
    const char* const chosen = std::getenv("KOGGE_GOLDEN_DIR");
    return chosen ? chosen : KOGGE_GOLDEN_DIR;
}

/// The digests of folder/<primitive>.txt, lines of "<digest> <case>".
inline Digests read_digests(const std::string& primitive) {
    const std::string path = golden_folder() + "/" + primitive + ".txt";
    std::ifstream file(path);
    EXPECT_TRUE(file) << path << " is not there; run cub_" << primitive
                      << "_gpu on a machine with a GPU and KOGGE_RECORD_GOLDEN=<folder>";
    Digests digests;
    std::string name;
    for (std::uint64_t digest; file >> std::hex >> digest && std::getline(file >> std::ws, name);)
        digests[name] = digest;
    return digests;
}
inline void write_digests(const std::string& folder, const std::string& primitive, const Digests& digests) {
    const std::string path = folder + "/" + primitive + ".txt";
    std::filesystem::create_directories(folder);
    std::ofstream file(path);
    for (const auto& [name, digest] : digests) file << std::hex << digest << ' ' << name << '\n';
    EXPECT_TRUE(file.flush()) << "cannot write " << path;
}

/// Each case has its recorded digest, and no recorded case is missing.
inline void expect_digests(const Digests& got, const Digests& want) {
    EXPECT_EQ(got.size(), want.size());
    for (const auto& [name, digest] : got) {
        const auto found = want.find(name);
        if (found == want.end()) ADD_FAILURE() << "nothing is recorded for: " << name;
        else EXPECT_EQ(digest, found->second) << name;
    }
}

}  // namespace tests

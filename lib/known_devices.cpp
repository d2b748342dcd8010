#include "known_devices.hpp"

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "kogge/error.hpp"

namespace kogge {
namespace detail {
namespace {

/// What a driver would say of a card: sizes in KiB, MiB and GiB.
struct Card {
    const char* name;
    int capability;
    int multiprocessors;
    int threads;
    std::size_t block_kib, multiprocessor_kib, l2_mib, memory_gib;
    std::uint32_t cluster;
};
constexpr Card kCards[] = {
    {"T4", 75, 40, 1024, 64, 64, 4, 16, 1},           {"A100", 80, 108, 2048, 163, 164, 40, 80, 1},
    {"RTX 3090", 86, 82, 1536, 99, 100, 6, 24, 1},    {"RTX 4090", 89, 128, 1536, 99, 100, 72, 24, 1},
    {"H100", 90, 132, 2048, 227, 228, 50, 80, 16},    {"H200", 90, 132, 2048, 227, 228, 60, 140, 16},
    {"B200", 100, 148, 2048, 227, 228, 126, 180, 16}, {"B300", 103, 148, 2048, 227, 228, 126, 270, 16},
    {"RTX 5090", 120, 170, 1536, 99, 100, 96, 32, 8},
};

device_properties properties_of(const Card& card) {
    constexpr std::size_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;
    return {.name = card.name,
            .device = 0,
            .compute_major = card.capability / 10,
            .compute_minor = card.capability % 10,
            .multiprocessors = card.multiprocessors,
            .max_threads_per_multiprocessor = card.threads,
            .shared_bytes_per_block = card.block_kib * kib,
            .shared_bytes_per_multiprocessor = card.multiprocessor_kib * kib,
            .l2_bytes = card.l2_mib * mib,
            .memory_bytes = card.memory_gib * gib,
            .cluster_blocks = card.cluster};
}

}  // namespace

const char* known_device_name(int i) {
    return i >= 0 && i < static_cast<int>(std::size(kCards)) ? kCards[i].name : nullptr;
}

device_properties known_device(const char* call, std::string_view name) {
    std::string all;
    for (const Card& card : kCards) {
        if (name == card.name || name == "sm_" + std::to_string(card.capability)) return properties_of(card);
        all += std::string(all.empty() ? "" : ", ") + card.name + " (sm_" + std::to_string(card.capability) + ")";
    }
    throw error(errc::invalid_argument, call,
                "no device called \"" + std::string(name) + "\" is known; there are " + all);
}

}  // namespace detail

device_properties known_device(std::string_view name) { return detail::known_device("known_device", name); }

}  // namespace kogge

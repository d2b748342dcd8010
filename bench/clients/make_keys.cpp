// Clients' keys in device memory.
#include "adversary.cuh"
#include "find_rows.hpp"

namespace bench::clients {

namespace {

template <class Key, class Use>
bool with_keys(std::string_view name, std::uint64_t n, std::uint64_t seed, const Use& use) {
    if constexpr (std::is_same_v<Key, std::uint32_t> || std::is_same_v<Key, std::uint64_t>)
        if (const std::optional<Trick> trick = trick_named(name)) return use(AdversaryKeys<Key>{*trick, seed, n}), true;
    return with_kind<Key>(name, n, seed, use);
}

}  // namespace

template <class Key>
FillSlot<Key> keys_named(const std::string& kind, std::uint64_t n) {
    if (!with_keys<Key>(kind, n, 0, [](const auto&) {})) return {};
    return [=](Key* items, std::uint64_t slot, stream_t stream) {
        constexpr std::uint64_t first_seed = 1000, seeds_each = 10;
        with_keys<Key>(kind, n, first_seed + seeds_each * slot,
                       [&](const auto& keys) { make_items(items, n, keys, stream); });
    };
}

template FillSlot<std::uint32_t> keys_named(const std::string&, std::uint64_t);
template FillSlot<std::uint64_t> keys_named(const std::string&, std::uint64_t);
template FillSlot<std::int64_t> keys_named(const std::string&, std::uint64_t);
template FillSlot<double> keys_named(const std::string&, std::uint64_t);
template FillSlot<float> keys_named(const std::string&, std::uint64_t);
template FillSlot<__half> keys_named(const std::string&, std::uint64_t);
template FillSlot<__nv_bfloat16> keys_named(const std::string&, std::uint64_t);

}  // namespace bench::clients

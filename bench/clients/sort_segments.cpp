// Segmented sorts of clients' keys: logits, in segments of clients.
#include "../support/segmented_rows.hpp"
#include "find_rows.hpp"
#include "segments.hpp"

namespace bench::clients {

std::optional<Task> find_segmented_row(const RowName& row, std::uint64_t n) {
    const bool pairs = row.primitive == "segmented_sort_pairs";
    if (!pairs && row.primitive != "segmented_sort") return {};
    if (row.type != (pairs ? "f32+u32" : "f32")) return {};
    const std::optional<Bounds> bounds = bounds_named(row.case_name, n);
    if (!bounds) return {};
    const auto fill_offsets = [offsets = *bounds](std::uint64_t* to, std::uint64_t, stream_t stream) {
        kogge::simt::copy(to, offsets.data(), (offsets.size() - 1) * sizeof(std::uint64_t), stream);
    };
    constexpr std::size_t few = 16;
    return segmented_sort<float, std::uint32_t>(n, bounds->size() - 1, pairs, keys_named<float>("logits", n),
                                                fill_offsets, bounds->size() <= few ? *bounds : Bounds{});
}

}  // namespace bench::clients

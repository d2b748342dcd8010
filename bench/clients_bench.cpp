// kogge-bench: GPU
//
// Radix sorts and segmented sorts of keys as clients have them, against CUB's; a row's case names the keys. clients/
// has their generators, each with whose keys they are, and the contests. Rows of an adversary's keys are a record of
// their own.
#include "clients/find_rows.hpp"

namespace {

using namespace bench;

std::optional<Task> find(const RowName& row, std::uint64_t n) {
    for (const auto find_row : {clients::find_u32_row, clients::find_u64_row, clients::find_wide_row,
                                clients::find_tensor_row, clients::find_segmented_row})
        if (std::optional<Task> found = find_row(row, n)) return found;
    return {};
}

std::string file_of_client(const Row& row) { return row.case_name.starts_with("adversary") ? "adversary" : "clients"; }

constexpr std::uint64_t k2to18 = 1u << 18, kMillion = 1000000, k2to21 = 1u << 21, k8Million = 8000000,
                        k2to23 = 1u << 23, k2to24 = 1u << 24, k2to26 = 1u << 26, k2to28 = 1u << 28;
const std::vector<std::string> kTricksOfBoth = {"adversary_outliers", "adversary_hidden_digits",
                                                "adversary_hidden_one"};
const std::vector<std::string> kTricksOf32Bits = {"adversary_networks"};
const std::vector<std::string> kTricksOf64Bits = {"adversary_prefixes", "adversary_groups_of_12",
                                                  "adversary_hidden_prefixes"};
const Sizes kTrickSizes = {k2to21, k2to24, k2to28};

const std::vector<RowSet> kRows = {
    // space
    {"radix_sort_pairs",
     {"u32+u32"},
     {"morton_30_surfaces"},
     {k2to18, 2 * kMillion, k8Million, k2to24, k2to28},
     {2 * kMillion}},
    {"radix_sort_pairs", {"u32+u32"}, {"morton_30_clusters"}, {k2to18, kMillion, k2to21, k2to24, k2to28}},
    {"radix_sort", {"u32"}, {"morton_30_surfaces"}, {k2to21, k2to24}},
    {"argsort", {"u32"}, {"morton_30_clusters"}, {k2to21, k8Million}},
    {"radix_sort_pairs", {"u64+u32"}, {"morton_63_surfaces"}, {k2to18, kMillion, k2to21, k2to24, k2to28}},
    {"radix_sort_pairs", {"u64+u32"}, {"morton_63_clusters"}, {kMillion, k8Million, k2to28}},
    {"radix_sort_pairs", {"u64+u64"}, {"morton_63_clusters"}, {k2to21, k2to24}},
    {"radix_sort", {"u64"}, {"morton_63_surfaces"}, {k2to21, k2to28}},
    {"radix_sort_pairs", {"u64+u32"}, {"tile_depth_44"}, {k2to18, 1085650, k8Million}, {1085650}},
    {"radix_sort_pairs", {"u64+u32"}, {"tile_depth_45"}, {k2to21, 9400000, k2to24}, {9400000}},
    // ids
    {"radix_sort", {"u32"}, {"zipf_1_of_1000000"}, {k2to18, k2to21, k2to24, k2to28}},
    {"radix_sort", {"u32"}, {"zipf_1_of_1000000_permuted"}, {k2to21, k2to24, k2to28}, {k2to21}},
    {"radix_sort", {"u32"}, {"zipf_0.8_of_10000000_permuted"}, {kMillion, k8Million, k2to28}},
    {"radix_sort", {"u32"}, {"zipf_1.2_of_1000", "zipf_1.2_of_1000_permuted"}, {kMillion, k8Million}},
    {"radix_sort_pairs", {"u32+u32"}, {"zipf_1_of_100000_permuted"}, {k2to18, kMillion, k2to21, k2to24, k2to28}},
    {"radix_sort_pairs", {"u32+u32"}, {"zipf_1.2_of_10000000"}, {kMillion, k8Million, k2to28}},
    {"radix_sort_pairs", {"u32+u64"}, {"zipf_0.8_of_1000_permuted"}, {kMillion, k2to24}},
    {"argsort", {"u32"}, {"zipf_0.8_of_10000000", "zipf_1.2_of_10000000_permuted"}, {k2to21, k2to24, k2to28}},
    {"radix_sort", {"u32"}, {"subnets_64"}, {k2to18, kMillion, k8Million, k2to24, k2to28}, {k2to28}},
    {"radix_sort_pairs", {"u32+u32"}, {"subnets_64"}, {kMillion, k2to21, k2to24, k2to28}},
    {"argsort", {"u32"}, {"subnets_64"}, {k2to21, k8Million}},
    {"radix_sort", {"u64"}, {"prefix_counter_12", "prefix_counter_64", "prefix_counter_256"}, {k2to21, k2to24, k2to28}},
    {"radix_sort", {"u64"}, {"prefix_counter_256"}, {k2to26}},
    {"radix_sort_pairs", {"u64+u32"}, {"prefix_counter_12", "prefix_counter_256"}, {kMillion, k8Million, k2to28}},
    {"radix_sort_pairs", {"u64+u64"}, {"prefix_counter_64"}, {kMillion, k2to24}},
    {"argsort", {"u64"}, {"prefix_counter_12"}, {k2to21, k8Million, k2to28}},
    {"radix_sort_pairs",
     {"u32+u64"},
     {"groups_1000000", "groups_1000000_spread"},
     {kMillion, k2to21, k8Million, k2to28},
     {k8Million}},
    {"radix_sort", {"u32"}, {"groups_1000000_spread"}, {k2to28}},
    {"radix_sort_pairs", {"u32+u32"}, {"mostly_one"}, {k2to18, kMillion, k2to21, k2to24, k2to28}, {k2to21}},
    // times
    {"radix_sort", {"u64"}, {"times_jittered", "times_16_runs", "times_appended"}, {k2to18, kMillion, k2to24, k2to28}},
    {"radix_sort_pairs", {"u64+u64"}, {"times_jittered", "times_appended"}, {k2to21, k8Million, k2to28}},
    {"argsort", {"u64"}, {"times_16_runs"}, {k2to21, k2to24}},
    {"radix_sort", {"u32"}, {"dates"}, {k2to18, kMillion, k2to24, k2to28}},
    {"radix_sort_pairs", {"u32+u64"}, {"dates"}, {kMillion, k8Million}},
    {"argsort", {"u32"}, {"dates"}, {k2to21, k2to28}},
    // amounts
    {"radix_sort", {"f64", "i64"}, {"money"}, {k2to18, kMillion, k8Million, k2to28}},
    {"argsort", {"f64"}, {"money"}, {k2to18, k2to21, k2to24}},
    {"radix_sort", {"u64"}, {"file_sizes"}, {k2to18, k2to21, k8Million, k2to28}},
    {"argsort", {"u64"}, {"file_sizes"}, {k2to21, k2to24}},
    // tensors
    {"radix_sort", {"half", "bf16", "f32"}, {"activations", "logits"}, {k2to18, kMillion, k2to24}},
    {"radix_sort", {"f32"}, {"activations", "logits"}, {k2to28}},
    {"argsort", {"f32"}, {"activations", "logits"}, {k2to18, k2to21, k8Million}},
    {"argsort", {"bf16"}, {"logits"}, {128256, k2to21, k2to24}},
    // text
    {"radix_sort", {"u64"}, {"words"}, {kMillion, k2to24, k2to28}},
    {"radix_sort_pairs", {"u64+u32"}, {"words", "urls", "hosts"}, {k2to18, k2to21, k2to24, k2to28}, {k2to21}},
    {"radix_sort", {"u64"}, {"kmers_31"}, {kMillion, k2to21, k2to24, k2to28}},
    {"radix_sort_pairs", {"u64+u32"}, {"kmers_31"}, {k2to21, k2to24, k2to28}},
    // segments
    {"segmented_sort_pairs",
     {"f32+u32"},
     {"rows_32", "rows_256", "rows_2048", "rows_32000", "rows_128256", "zipf_lengths"},
     {k2to21, k2to26}},
    {"segmented_sort_pairs", {"f32+u32"}, {"rows_2048", "rows_128256"}, {k2to23}, {k2to23}},
    {"segmented_sort_pairs", {"f32+u32"}, {"huge_4", "huge_and_short"}, {k2to21, k2to26}},
    {"segmented_sort",
     {"f32"},
     {"rows_32", "rows_256", "rows_2048", "rows_32000", "zipf_lengths", "huge_4"},
     {k2to21, k2to24}},
    // an adversary's
    {"radix_sort", {"u32", "u64"}, kTricksOfBoth, kTrickSizes},
    {"radix_sort_pairs", {"u32+u32", "u64+u32"}, kTricksOfBoth, kTrickSizes},
    {"radix_sort", {"u32"}, kTricksOf32Bits, kTrickSizes},
    {"radix_sort_pairs", {"u32+u32"}, kTricksOf32Bits, kTrickSizes},
    {"radix_sort", {"u64"}, kTricksOf64Bits, kTrickSizes},
    {"radix_sort_pairs", {"u64+u32"}, kTricksOf64Bits, kTrickSizes},
};

}  // namespace

int main(int count, char** arguments) { return run_gpu_program(count, arguments, kRows, find, file_of_client); }

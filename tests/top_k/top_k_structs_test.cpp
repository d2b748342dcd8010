// kogge-test: EMULATED GPU HOST
// Top-k of structs, by the codes of their key_codec.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/top_k.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

struct Particle {
    std::uint8_t cell;
    std::uint16_t id;
};

}  // namespace

template <>
struct kogge::key_codec<Particle> {
    using bits = std::uint32_t;
    KOGGE_HOST_DEVICE static bits encode(const Particle& p) { return bits{p.cell} << 16 | p.id; }
};

namespace {

using namespace tests;

TEST(TopKStructs, ByTheirCodes) {
    for (const std::size_t n : {50, 9001}) {
        auto keys = random_items<Particle>(n, n);
        for (Particle& key : keys)
            key = {static_cast<std::uint8_t>(key.cell % 8), static_cast<std::uint16_t>(key.id % 50)};
        const auto values = random_items<double>(n, 2);
        const Array<Particle> in(keys);
        const Array<double> with(values);
        for (const auto order : {kogge::ascending, kogge::descending})
            for (const std::size_t k : {std::size_t{7}, n / 20, n / 2}) {
                const auto code = [&](std::uint32_t i) { return kogge::key_codec<Particle>::encode(keys[i]); };
                std::vector<std::uint32_t> want(n);
                std::iota(want.begin(), want.end(), 0u);
                std::stable_sort(want.begin(), want.end(), [&](std::uint32_t a, std::uint32_t b) {
                    return order == kogge::ascending ? code(a) < code(b) : code(a) > code(b);
                });
                want.resize(k);
                Array<Particle> out(k);
                Array<double> with_out(k);
                Array<std::uint32_t> indices(k);
                kogge::arg_top_k(in.data(), indices.data(), n, k, {.order = order}, {.where = kWhere});
                EXPECT_TRUE(same(indices.get(), want)) << k << " of " << n;
                kogge::top_k_pairs(in.data(), out.data(), with.data(), with_out.data(), n, k, {.order = order},
                                   {.where = kWhere});
                const auto got = out.get();
                const auto got_values = with_out.get();
                for (std::size_t i = 0; i < k; ++i) {
                    EXPECT_EQ(kogge::key_codec<Particle>::encode(got[i]), code(want[i])) << i;
                    EXPECT_EQ(std::memcmp(&got_values[i], &values[want[i]], sizeof(double)), 0) << i;
                }
            }
    }
}

}  // namespace

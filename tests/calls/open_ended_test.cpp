// kogge-test: EMULATED GPU HOST
// Outputs whose length depends on the data, with room for just as many items as they get, one behind the other in one
// piece of memory, in front of the inputs. Whatever stands around them is unchanged.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using Word = std::uint32_t;
using Number = std::uint64_t;

constexpr kogge::exec kHow{.where = kWhere};

struct Odd {
    KOGGE_HOST_DEVICE bool operator()(Word item) const { return item % 2 == 1; }
};

/// Arrays in one piece of memory, with `gap` bytes between them, or as few as their alignments take.
class Pool {
public:
    explicit Pool(std::size_t gap) : gap_(gap) {}

    /// Each returns the array's number.
    template <class T>
    std::size_t input(const std::vector<T>& items) {
        return put(items, false);
    }
    /// An output that is to hold these items. Of none, it has a place of its own: where it begins is checked.
    template <class T>
    std::size_t output(const std::vector<T>& want) {
        const std::size_t array = put(want, true);
        if (want.empty()) grow(sizeof(T));
        return array;
    }
    template <class T>
    T* at(std::size_t array) {
        if (!memory_) memory_ = std::make_unique<Array<std::uint8_t>>(before_);
        return reinterpret_cast<T*>(memory_->data() + starts_[array]);
    }
    ::testing::AssertionResult is_as_wanted() const { return same(memory_->get(), after_); }

private:
    template <class T>
    std::size_t put(const std::vector<T>& items, bool written) {
        const std::size_t bytes = items.size() * sizeof(T);
        const std::size_t start = (before_.size() + gap_ + alignof(T) - 1) / alignof(T) * alignof(T);
        grow(start + bytes - before_.size());
        if (bytes > 0) std::memcpy(after_.data() + start, items.data(), bytes);
        if (bytes > 0 && !written) std::memcpy(before_.data() + start, items.data(), bytes);
        starts_.push_back(start);
        return starts_.size() - 1;
    }
    void grow(std::size_t bytes) {
        before_.resize(before_.size() + bytes, kCanary);
        after_.resize(before_.size(), kCanary);
    }

    static constexpr std::uint8_t kCanary = 0xc5;
    std::size_t gap_;
    std::vector<std::uint8_t> before_, after_;
    std::vector<std::size_t> starts_;
    std::unique_ptr<Array<std::uint8_t>> memory_;
};

/// Items of which one in `sparse` is kept, or none for 0; and what a compaction makes of them.
struct Chosen {
    std::vector<Word> items, kept, rejected, indices, bits;
    std::vector<std::uint8_t> flags;
    std::vector<Number> numbers, kept_numbers;
    std::vector<Number> number{0};

    Chosen(std::size_t n, std::size_t sparse) : bits((n + 31) / 32) {
        Random random(n + sparse);
        for (std::size_t i = 0; i < n; ++i) {
            const bool keep = sparse > 0 && random() % sparse == 0;
            items.push_back(static_cast<Word>(2 * random() + (keep ? 1 : 0)));
            numbers.push_back(random());
            flags.push_back(keep ? 1 : 0);
            (keep ? kept : rejected).push_back(items[i]);
            if (!keep) continue;
            kept_numbers.push_back(numbers[i]);
            indices.push_back(static_cast<Word>(i));
            bits[i / 32] |= Word{1} << (i % 32);
        }
        number[0] = kept.size();
    }
};

/// Keys in runs of `mean` items on average, or in one run for 0; and what becomes of them.
struct Runs {
    std::vector<Word> keys, values, firsts, first_values, lengths;
    std::vector<Number> sums, number{0};

    Runs(std::size_t n, std::size_t mean) : values(random_items<Word>(n)) {
        Random random(n + mean);
        Word key = 7;
        for (std::size_t i = 0; i < n; ++i) {
            const bool begins = i == 0 || (mean > 0 && random() % mean == 0);
            if (begins) {
                firsts.push_back(++key);
                first_values.push_back(values[i]);
                lengths.push_back(0);
                sums.push_back(0);
            }
            keys.push_back(key);
            ++lengths.back();
            sums.back() += values[i];
        }
        number[0] = firsts.size();
    }
};

/// Calls check(n, gap) for few items and many, with canaries between arrays and without.
template <class Check>
void for_each_pool(const Check& check) {
    for (const std::size_t n : {1, 33, 1025, 20001, 140001})
        for (const std::size_t gap : {0, 40}) {
            SCOPED_TRACE(std::to_string(n) + " items, " + std::to_string(gap) + " bytes between arrays");
            check(n, gap);
        }
}
/// The same with the items' choice or runs, check(Chosen or Runs, n, pool), on a device with rings and without.
template <class Data, class Check>
void for_each_case(const Check& check) {
    const auto check_pool = [&](std::size_t n, std::size_t gap) {
        for (const std::size_t rate : {0, 1, 3, 1000}) {
            SCOPED_TRACE("one in " + std::to_string(rate));
            const Data data(n, rate);
            Pool pool(gap);
            check(data, n, pool);
            EXPECT_TRUE(pool.is_as_wanted());
        }
    };
    {
        const FewMultiprocessors device(2);
        for_each_pool(check_pool);
    }
    if (!may_pretend()) return;
    SCOPED_TRACE("without rings");
    const Pretending device(2, std::size_t{99} << 10);
    for_each_pool(check_pool);
}

TEST(OpenEnded, Compact) {
    for_each_case<Chosen>([](const Chosen& of, std::size_t n, Pool& pool) {
        const auto out = pool.output(of.kept), number = pool.output(of.number), in = pool.input(of.items);
        kogge::compact(pool.at<Word>(in), pool.at<Word>(out), pool.at<Number>(number), n, Odd{}, kHow);
    });
}
TEST(OpenEnded, CompactFlags) {
    for_each_case<Chosen>([](const Chosen& of, std::size_t n, Pool& pool) {
        const auto out = pool.output(of.kept), in = pool.input(of.items), flags = pool.input(of.flags);
        EXPECT_EQ(kogge::compact_flags(pool.at<Word>(in), pool.at<std::uint8_t>(flags), pool.at<Word>(out), n, kHow),
                  of.kept.size());
    });
    for_each_case<Chosen>([](const Chosen& of, std::size_t n, Pool& pool) {
        const auto out = pool.output(of.kept), in = pool.input(of.items), bits = pool.input(of.bits);
        const kogge::bit_mask mask(pool.at<Word>(bits));
        EXPECT_EQ(kogge::compact_flags(pool.at<Word>(in), mask, pool.at<Word>(out), n, kHow), of.kept.size());
    });
}
TEST(OpenEnded, CompactStencil) {
    for_each_case<Chosen>([](const Chosen& of, std::size_t n, Pool& pool) {
        const auto out = pool.output(of.kept_numbers), stencil = pool.input(of.items), in = pool.input(of.numbers);
        EXPECT_EQ(
            kogge::compact_stencil(pool.at<Number>(in), pool.at<Word>(stencil), pool.at<Number>(out), n, Odd{}, kHow),
            of.kept.size());
    });
}
TEST(OpenEnded, CompactArrays) {
    for_each_case<Chosen>([](const Chosen& of, std::size_t n, Pool& pool) {
        const auto out = pool.output(of.kept), more_out = pool.output(of.kept_numbers);
        const auto in = pool.input(of.items), more = pool.input(of.numbers);
        EXPECT_EQ(kogge::compact(kogge::arrays(pool.at<Word>(in), pool.at<Number>(more)),
                                 kogge::arrays(pool.at<Word>(out), pool.at<Number>(more_out)), n, Odd{}, kHow),
                  of.kept.size());
    });
}
TEST(OpenEnded, CompactIndices) {
    for_each_case<Chosen>([](const Chosen& of, std::size_t n, Pool& pool) {
        const auto out = pool.output(of.indices), in = pool.input(of.items);
        EXPECT_EQ(kogge::compact_indices(pool.at<Word>(in), pool.at<Word>(out), n, Odd{}, kHow), of.kept.size());
    });
    for_each_case<Chosen>([](const Chosen& of, std::size_t n, Pool& pool) {
        const auto out = pool.output(of.indices), flags = pool.input(of.flags);
        EXPECT_EQ(kogge::compact_indices(pool.at<std::uint8_t>(flags), pool.at<Word>(out), n, kHow), of.kept.size());
    });
}
TEST(OpenEnded, PartitionToTwoOutputs) {
    for_each_case<Chosen>([](const Chosen& of, std::size_t n, Pool& pool) {
        const auto number = pool.output(of.number), out = pool.output(of.kept), rejected = pool.output(of.rejected);
        const auto in = pool.input(of.items);
        kogge::partition(pool.at<Word>(in), kogge::two_outputs<Word>{pool.at<Word>(out), pool.at<Word>(rejected)},
                         pool.at<Number>(number), n, Odd{}, kHow);
    });
}
TEST(OpenEnded, Unique) {
    for_each_case<Runs>([](const Runs& of, std::size_t n, Pool& pool) {
        const auto out = pool.output(of.firsts), number = pool.output(of.number), in = pool.input(of.keys);
        kogge::unique(pool.at<Word>(in), pool.at<Word>(out), pool.at<Number>(number), n, {}, kHow);
    });
}
TEST(OpenEnded, UniqueByKey) {
    for_each_case<Runs>([](const Runs& of, std::size_t n, Pool& pool) {
        const auto out = pool.output(of.firsts), values_out = pool.output(of.first_values);
        const auto keys = pool.input(of.keys), values = pool.input(of.values);
        EXPECT_EQ(kogge::unique_by_key(pool.at<Word>(keys), pool.at<Word>(values), pool.at<Word>(out),
                                       pool.at<Word>(values_out), n, {}, kHow),
                  of.firsts.size());
    });
}
TEST(OpenEnded, RunLengthEncode) {
    for_each_case<Runs>([](const Runs& of, std::size_t n, Pool& pool) {
        const auto lengths = pool.output(of.lengths), out = pool.output(of.firsts), in = pool.input(of.keys);
        EXPECT_EQ(kogge::run_length_encode(pool.at<Word>(in), pool.at<Word>(out), pool.at<Word>(lengths), n, {}, kHow),
                  of.firsts.size());
    });
}
TEST(OpenEnded, ReduceByKey) {
    for_each_case<Runs>([](const Runs& of, std::size_t n, Pool& pool) {
        const auto sums = pool.output(of.sums), out = pool.output(of.firsts), number = pool.output(of.number);
        const auto keys = pool.input(of.keys), values = pool.input(of.values);
        kogge::reduce_by_key(pool.at<Word>(keys), pool.at<Word>(values), pool.at<Word>(out), pool.at<Number>(sums),
                             pool.at<Number>(number), n, kogge::plus{}, {}, kHow);
    });
}

#if KOGGE_KERNELS
// The number of items may stand behind an output, too.
TEST(OpenEnded, OfADeviceCount) {
    for_each_case<Runs>([](const Runs& of, std::size_t n, Pool& pool) {
        const auto out = pool.output(of.firsts), sums = pool.output(of.sums);
        const auto bound = pool.input(std::vector<Number>{n}), number = pool.output(of.number);
        const auto keys = pool.input(of.keys), values = pool.input(of.values);
        kogge::reduce_by_key(pool.at<Word>(keys), pool.at<Word>(values), pool.at<Word>(out), pool.at<Number>(sums),
                             pool.at<Number>(number), kogge::device_count{pool.at<Number>(bound), n}, kogge::plus{});
    });
}
#endif

}  // namespace

// kogge-test: HOST EMULATED
// The parts of the kogge command that cannot be reached from outside: above all, that --verify notices wrong results.
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "failure.hpp"
#include "io/numbers.hpp"
#include "machine.hpp"
#include "progress.hpp"
#include "verify.hpp"

namespace kogge::command {
namespace {

template <class T>
Array array_of(Type type, const std::vector<T>& items) {
    Array array(type, items.size());
    std::copy(items.begin(), items.end(), array.as<T>());
    return array;
}

TEST(VerifySort, NoticesWrongKeys) {
    const Array keys = array_of<std::int32_t>(Type::i32, {3, -1, 2});
    const auto check = [&](const std::vector<std::int32_t>& sorted, const sort_options& options) {
        const Array result = array_of(Type::i32, sorted);
        verify_sort({&keys, nullptr, &result, nullptr, nullptr}, options);
    };
    EXPECT_NO_THROW(check({-1, 2, 3}, {}));
    EXPECT_NO_THROW(check({3, 2, -1}, {.order = descending}));
    EXPECT_THROW(check({2, -1, 3}, {}), Failure);
    EXPECT_THROW(check({-1, 2, 4}, {}), Failure);
    EXPECT_THROW(check({-1, 2, 2}, {}), Failure);
    EXPECT_THROW(check({-1, 2, 3}, {.order = descending}), Failure);
}

TEST(VerifySort, NoticesValuesThatLostTheirOrder) {
    const Array keys = array_of<std::uint8_t>(Type::u8, {1, 0, 1});
    const Array values = array_of<double>(Type::f64, {10, 20, 30});
    const Array sorted = array_of<std::uint8_t>(Type::u8, {0, 1, 1});
    const auto check = [&](const std::vector<double>& moved) {
        const Array result = array_of(Type::f64, moved);
        verify_sort({&keys, &values, &sorted, &result, nullptr}, {});
    };
    EXPECT_NO_THROW(check({20, 10, 30}));
    EXPECT_THROW(check({20, 30, 10}), Failure);
    EXPECT_THROW(check({10, 20, 30}), Failure);
}

TEST(VerifySort, NoticesWrongIndices) {
    const Array keys = array_of<float>(Type::f32, {0.5f, -0.5f, 0.5f});
    const auto check = [&](const std::vector<std::int64_t>& indices) {
        const Array result = array_of(Type::i64, indices);
        verify_sort({&keys, nullptr, nullptr, nullptr, &result}, {});
    };
    EXPECT_NO_THROW(check({1, 0, 2}));
    EXPECT_THROW(check({1, 2, 0}), Failure);
    EXPECT_THROW(check({1, 0, 0}), Failure);
}

TEST(VerifyCompact, NoticesWhatIsMissingOrTooMuch) {
    const Array input = array_of<std::uint32_t>(Type::u32, {5, 9, 1, 7});
    const auto check = [&](const std::vector<std::uint32_t>& kept) {
        verify_compact(input, array_of(Type::u32, kept), relation::greater, "4");
    };
    EXPECT_NO_THROW(check({5, 9, 7}));
    EXPECT_THROW(check({5, 9}), Failure);
    EXPECT_THROW(check({5, 9, 7, 1}), Failure);
    EXPECT_THROW(check({5, 7, 9}), Failure);
    EXPECT_THROW(check({}), Failure);
}

TEST(VerifyCompact, NoticesWrongIndices) {
    const Array input = array_of<float>(Type::f32, {5, 9, 1, 7});
    const auto check = [&](const std::vector<std::int64_t>& kept) {
        verify_kept_indices(input, array_of(Type::i64, kept), relation::greater, "4.5");
    };
    EXPECT_NO_THROW(check({0, 1, 3}));
    EXPECT_THROW(check({0, 3}), Failure);
    EXPECT_THROW(check({0, 1, 2, 3}), Failure);
    EXPECT_THROW(check({1, 0, 3}), Failure);
    EXPECT_THROW(check({0, 1, 3, 4}), Failure);
    EXPECT_THROW(check({-1, 1, 3}), Failure);
}

TEST(VerifyScan, NoticesWrongSums) {
    const Array input = array_of<std::int64_t>(Type::i64, {1, 2, 3});
    const auto check = [&](const std::vector<std::int64_t>& sums, const ScanSettings& settings) {
        verify_scan(input, array_of(Type::i64, sums), settings);
    };
    EXPECT_NO_THROW(check({1, 3, 6}, {}));
    EXPECT_THROW(check({1, 3, 7}, {}), Failure);
    EXPECT_THROW(check({0, 1, 3}, {}), Failure);
    EXPECT_NO_THROW(check({0, 1, 3}, {.exclusive = true}));
    EXPECT_NO_THROW(check({11, 13, 16}, {.init = "10"}));
    EXPECT_NO_THROW(check({1, 2, 3}, {.op = ScanOperator::max}));
    EXPECT_THROW(check({1, 3, 3}, {.op = ScanOperator::max}), Failure);
    EXPECT_NO_THROW(check({1, 1, 1}, {.op = ScanOperator::min}));
}

TEST(VerifyScan, AllowsRoundingAndNoMore) {
    const Array input = array_of<float>(Type::f32, {0.1f, 0.2f, 0.3f});
    const auto check = [&](float last) {
        verify_scan(input, array_of<float>(Type::f32, {0.1f, 0.1f + 0.2f, last}), ScanSettings{});
    };
    EXPECT_NO_THROW(check(0.6f));
    EXPECT_NO_THROW(check(std::nextafter(0.6f, 1.0f)));
    EXPECT_THROW(check(0.60001f), Failure);
    EXPECT_THROW(check(std::numeric_limits<float>::quiet_NaN()), Failure);
}

TEST(Machine, TheHostWorksWhereTheDevicesMemoryIsTooSmall) {
    if (simt::device_count() == 0) GTEST_SKIP() << "there is no device";
    std::vector<backend> tried;
    const auto work = [&](Machine& machine) {
        tried.push_back(machine.where());
        if (machine.where() == backend::device) throw error(errc::out_of_memory, "sort", "too large");
        return 7;
    };
    EXPECT_EQ(run_on_machine({}, work), 7);
    EXPECT_EQ(tried, (std::vector{backend::device, backend::host}));
    EXPECT_THROW(run_on_machine({.where = backend::device}, work), error);
    const auto fail = [&](Machine&) -> int { throw error(errc::device, "sort", "broken"); };
    EXPECT_THROW(run_on_machine({}, fail), error);
}

TEST(Machine, WithoutADeviceTheHostWorks) {
    EXPECT_EQ(choose_machine({.where = backend::host}).where(), backend::host);
    if (simt::device_count() > 0) GTEST_SKIP() << "there is a device";
    EXPECT_EQ(choose_machine({}).where(), backend::host);
    EXPECT_THROW(choose_machine({.where = backend::device}), Failure);
}

TEST(Waiting, ShowsItselfOnATerminalAndGoes) {
    int terminal = -1, other_end = -1;
    if (openpty(&terminal, &other_end, nullptr, nullptr, nullptr) != 0)
        GTEST_SKIP() << "there is no pseudo-terminal: " << std::strerror(errno);
    const int standard_error = dup(STDERR_FILENO);
    dup2(other_end, STDERR_FILENO);
    std::string shown;
    const auto read_until = [&](const std::string& wanted) {
        char text[256];
        while (shown.find(wanted) == std::string::npos) {
            const ssize_t got = read(terminal, text, sizeof text);
            if (got <= 0) return;
            shown.append(text, static_cast<std::size_t>(got));
        }
    };
    {
        const Waiting waiting("sorting");
        read_until("sorting  ");
    }
    std::fputs("end", stderr);
    read_until("end");
    dup2(standard_error, STDERR_FILENO);
    for (const int descriptor : {terminal, other_end, standard_error}) close(descriptor);
    EXPECT_NE(shown.find("sorting  "), std::string::npos);
    EXPECT_NE(shown.find("\r\033[Kend"), std::string::npos);
}

TEST(Half, EveryNumberComesBack) {
    for (std::uint32_t bits = 0; bits < 1u << 16; ++bits) {
        const half number{static_cast<std::uint16_t>(bits)};
        const float value = to_float(number);
        if (std::isnan(value)) EXPECT_TRUE((bits & 0x7fff) > 0x7c00);
        else EXPECT_EQ(to_half(value).bits, bits);
    }
}

TEST(Half, RoundsToNearestTiesToEven) {
    for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
        const double low = to_float({bits}), high = to_float({static_cast<std::uint16_t>(bits + 1)});
        const double middle = (low + high) / 2;
        EXPECT_EQ(to_half(middle).bits, bits % 2 == 0 ? bits : bits + 1);
        EXPECT_EQ(to_half(std::nextafter(middle, low)).bits, bits);
        EXPECT_EQ(to_half(-std::nextafter(middle, high)).bits, (bits + 1) | 0x8000);
    }
    EXPECT_EQ(to_half(65519.0).bits, 0x7bff);
    EXPECT_EQ(to_half(65520.0).bits, 0x7c00);
}

TEST(Numbers, ReadAsPeopleWriteThem) {
    EXPECT_EQ(with_separators(0), "0");
    EXPECT_EQ(with_separators(999), "999");
    EXPECT_EQ(with_separators(1000), "1,000");
    EXPECT_EQ(with_separators(18446744073709551615u), "18,446,744,073,709,551,615");
    EXPECT_EQ(readable_bytes(1023), "1023 bytes");
    EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
    EXPECT_EQ(readable_bytes(std::uint64_t{5} << 40), "5.0 TiB");
    EXPECT_EQ(readable_time(0.0000124), "12 us");
    EXPECT_EQ(readable_time(0.0123), "12.3 ms");
    EXPECT_EQ(readable_time(4.561), "4.56 s");
    EXPECT_EQ(readable_rate(1000000, 0.0123, "keys"), "81 M keys/s");
    EXPECT_EQ(readable_rate(10, 1, "items"), "10 items/s");
    EXPECT_EQ(readable_rate(0, 0, "items"), "0 items/s");
}

}  // namespace
}  // namespace kogge::command

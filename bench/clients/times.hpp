// Keys of logs: times in nanoseconds, of n events within a day, and dates.
#pragma once

#include <cstdint>

#include "random.hpp"

namespace bench::clients {

/// Times of one day, which begins at `first`, in steps of one event each.
struct Day {
    static constexpr std::uint64_t first = 1'700'000'000'000'000'000ull, length = 86'400'000'000'000ull;
    std::uint64_t n;
    KOGGE_HOST_DEVICE std::uint64_t step() const { return n < length ? length / n : 1; }
    KOGGE_HOST_DEVICE std::uint64_t at(std::uint64_t event) const { return first + event * step(); }
};

/// Events as a collector receives them: each up to 100 events late, 1 of 20 up to 100,000.
struct JitteredTimes {
    std::uint64_t seed, n;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const {
        const Day day{n};
        const std::uint64_t events = random_bits(seed, i) % 20 == 0 ? 100'000 : 100;
        return day.at(i) + static_cast<std::uint64_t>(static_cast<double>(events * day.step()) * uniform(seed + 1, i));
    }
};

/// The logs of 16 machines behind one another, each in order.
struct SortedRunsOfTimes {
    static constexpr std::uint64_t runs = 16;
    std::uint64_t seed, n;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const {
        const Day day{n};
        const std::uint64_t length = (n + runs - 1) / runs;
        const std::uint64_t later =
            static_cast<std::uint64_t>(static_cast<double>(runs * day.step()) * uniform(seed, i));
        return day.at(i % length * runs) + later;
    }
};

/// A sorted table and what came since: the last hundredth is in no order, from the whole day.
struct AppendedTimes {
    std::uint64_t seed, n;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const {
        return Day{n}.at(i < n - n / 100 ? i : random_bits(seed, i) % n);
    }
};

/// Dates of orders of 2015 to 2025 as YYYYMMDD, the later years busier, the weekends half as busy.
struct Dates {
    std::uint64_t seed;
    static constexpr std::uint32_t first_year = 2015, days = 4018;
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const {
        auto day = static_cast<std::uint32_t>(days * std::sqrt(uniform(seed, i)));
        const std::uint32_t weekday = (day + 3) % 7;  // 0 is Monday; 2015 began on a Thursday
        if (weekday >= 5 && day > 7 && random_bits(seed + 1, i) % 2 == 0) day -= weekday - 4;
        return as_decimal(day);
    }
    /// Of days since the first year began.
    KOGGE_HOST_DEVICE static std::uint32_t as_decimal(std::uint32_t day) {
        std::uint32_t year = first_year;
        while (day >= days_of_year(year)) day -= days_of_year(year++);
        std::uint32_t month = 1;
        while (day >= days_of_month(year, month)) day -= days_of_month(year, month++);
        return year * 10000 + month * 100 + day + 1;
    }
    KOGGE_HOST_DEVICE static std::uint32_t days_of_year(std::uint32_t year) { return year % 4 == 0 ? 366 : 365; }
    KOGGE_HOST_DEVICE static std::uint32_t days_of_month(std::uint32_t year, std::uint32_t month) {
        if (month == 2) return year % 4 == 0 ? 29 : 28;
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
    }
};

}  // namespace bench::clients

// A file here says in a line "kogge-parts: n" that it may be compiled in n parts: then each is an object of its own, so
// that a program links what it calls. KOGGE_PART is the part's number; without it a file is whole.
#pragma once

#include "kogge/detail/prebuilt.hpp"

#ifndef KOGGE_PART
#define KOGGE_PART ALL
#endif
#define KOGGE_JOIN(a, b) a##b
#define KOGGE_OF_PART(list, part) KOGGE_JOIN(list, part)

// Types of numbers.
#define KOGGE_NUMBERS_0(X) X(std::uint8_t) X(std::int8_t)
#define KOGGE_NUMBERS_1(X) X(std::uint16_t) X(std::int16_t)
#define KOGGE_NUMBERS_2(X) X(std::uint32_t) X(std::int32_t)
#define KOGGE_NUMBERS_3(X) X(std::uint64_t) X(std::int64_t)
#define KOGGE_NUMBERS_4(X) X(float) X(double)
#define KOGGE_NUMBERS_ALL KOGGE_NUMBERS
#define KOGGE_NUMBERS_OF_PART KOGGE_OF_PART(KOGGE_NUMBERS_, KOGGE_PART)
#define KOGGE_WIDER_SUMS_0(X) X(std::uint8_t, std::uint32_t) X(std::uint8_t, std::uint64_t)
#define KOGGE_WIDER_SUMS_1(X) X(std::uint32_t, std::uint64_t) X(std::int32_t, std::int64_t)
#define KOGGE_WIDER_SUMS_2(X) X(::kogge::half, float) X(float, double)
#define KOGGE_WIDER_SUMS_3(X) X(std::uint16_t, std::uint64_t) X(std::int8_t, std::int64_t)
#define KOGGE_WIDER_SUMS_4(X) X(std::int16_t, std::int64_t) X(::kogge::bfloat16, float)
#define KOGGE_WIDER_SUMS_ALL KOGGE_WIDER_SUMS
#define KOGGE_WIDER_SUMS_OF_PART KOGGE_OF_PART(KOGGE_WIDER_SUMS_, KOGGE_PART)

// Items and sums of what is told at run time (detail/prebuilt_told.hpp).
#define KOGGE_TOLD_NUMBERS_0(X) X(const std::uint8_t*, std::uint8_t) X(const std::uint16_t*, std::uint16_t)
#define KOGGE_TOLD_NUMBERS_1(X) X(const std::uint32_t*, std::uint32_t) X(const std::uint64_t*, std::uint64_t)
#define KOGGE_TOLD_NUMBERS_2(X) X(const float*, float) X(const double*, double)
#define KOGGE_TOLD_NUMBERS_3(X) X(const std::uint8_t*, std::uint32_t) X(ToldNumbers<std::uint64_t>, std::uint64_t)
#define KOGGE_TOLD_NUMBERS_4(X) X(ToldNumbers<float>, float) X(const float*, double)
#define KOGGE_TOLD_NUMBERS_ALL KOGGE_TOLD_NUMBERS
#define KOGGE_TOLD_NUMBERS_OF_PART KOGGE_OF_PART(KOGGE_TOLD_NUMBERS_, KOGGE_PART)
#define KOGGE_TOLD_FOLDS_0(X) \
    X(const std::uint8_t*, std::uint8_t, ToldOperator) X(const std::uint16_t*, std::uint16_t, ToldOperator)
#define KOGGE_TOLD_FOLDS_1(X) \
    X(const std::uint32_t*, std::uint32_t, ToldOperator) X(const std::uint64_t*, std::uint64_t, ToldOperator)
#define KOGGE_TOLD_FOLDS_2(X) X(const float*, float, ToldOperator) X(const double*, double, ToldOperator)
#define KOGGE_TOLD_FOLDS_3(X) X(const float*, float, plus) X(const double*, double, plus)
#define KOGGE_TOLD_FOLDS_4(X) \
    X(const std::uint8_t*, std::uint32_t, plus) X(ToldNumbers<std::uint64_t>, std::uint64_t, plus)
#define KOGGE_TOLD_FOLDS_5(X) X(ToldNumbers<float>, float, plus) X(const float*, double, plus)
#define KOGGE_TOLD_FOLDS_ALL KOGGE_TOLD_FOLDS
#define KOGGE_TOLD_FOLDS_OF_PART KOGGE_OF_PART(KOGGE_TOLD_FOLDS_, KOGGE_PART)

// What moves with the keys of a sort: Launch(words, …) and Sort(moved, …).
#define KOGGE_MOVED_0(Launch, Sort, ...) Launch(NoValue, __VA_ARGS__) Sort(NoValue, __VA_ARGS__)
#define KOGGE_MOVED_1(Launch, Sort, ...) Launch(std::uint32_t, __VA_ARGS__) Sort(std::uint32_t, __VA_ARGS__)
#define KOGGE_MOVED_2(Launch, Sort, ...) \
    Launch(std::uint64_t, __VA_ARGS__) Sort(std::uint64_t, __VA_ARGS__) Sort(ByIndex, __VA_ARGS__)
#define KOGGE_MOVED_3(Launch, Sort, ...) Launch(::kogge::uint128, __VA_ARGS__) Sort(::kogge::uint128, __VA_ARGS__)
#define KOGGE_MOVED_ALL(...) \
    KOGGE_MOVED_0(__VA_ARGS__) KOGGE_MOVED_1(__VA_ARGS__) KOGGE_MOVED_2(__VA_ARGS__) KOGGE_MOVED_3(__VA_ARGS__)
#define KOGGE_MOVED_OF_PART KOGGE_OF_PART(KOGGE_MOVED_, KOGGE_PART)

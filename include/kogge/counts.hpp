// Where a number found by a call goes: to the caller, who waits for it; to memory, without waiting; or to both.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kogge/exec.hpp"

namespace kogge {

namespace detail {

/// std::uint64_t, or the type of the same size that CUDA's atomics take.
template <class Number>
inline constexpr bool is_count = std::is_same_v<Number, std::uint64_t> || std::is_same_v<Number, unsigned long long>;

/// Pointers to numbers of items that a call writes, or reads as offsets.
template <class Number>
std::uint64_t* count_pointer_to(Number* numbers) {
    static_assert(is_count<Number>, "numbers of items that a call writes are std::uint64_t: give a std::uint64_t*");
    static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
    return reinterpret_cast<std::uint64_t*>(numbers);
}

inline constexpr int kOffsetsToCome = 2000;  ///< for array_to_come

/// Offsets that a call reads, or writes if Number is not const: null, or a pointer to 64-bit numbers.
template <class Number>
class OffsetPointer {
public:
    OffsetPointer() = default;
    OffsetPointer(std::nullptr_t) {}  // NOLINT: implicit by design
    template <class Given>
    OffsetPointer(Given* offsets) : numbers_(reinterpret_cast<Number*>(offsets)) {  // NOLINT: implicit by design
        if constexpr (std::is_const_v<Number>) numbers_ = array_to_come(numbers_, kOffsetsToCome);
        static_assert(is_count<std::remove_const_t<Given>>,
                      "offsets are std::uint64_t, whatever the type of the items: give a std::uint64_t*");
        static_assert(std::is_const_v<Number> || !std::is_const_v<Given>,
                      "the offsets are written: they are not const");
        // The numbers may have been written as another type of the same size; the compiler must not move those writes
        // past this.
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    operator Number*() const { return numbers_; }  // NOLINT: implicit by design

private:
    Number* numbers_ = nullptr;
};
using offsets_in = OffsetPointer<const std::uint64_t>;
using offsets_out = OffsetPointer<std::uint64_t>;

}  // namespace detail

/// A place for a number that the call returns as well: kept = compact(in, n, out, kogge::count_at(place), predicate)
/// writes the number to *place, which is where the data is, and waits for it (it synchronises exec.stream).
struct count_at {
    std::uint64_t* where;
    explicit constexpr count_at(std::uint64_t* place) : where(place) {}
    template <class Number>
    explicit count_at(Number* place) : where(detail::count_pointer_to(place)) {}
};

namespace detail {

/// The place of calls that only return the number.
struct NoPlace {};

/// A std::uint64_t*. Other pointers are accepted here and rejected with a message.
template <class Place>
concept count_pointer = std::convertible_to<Place, std::uint64_t*> ||
    (std::is_pointer_v<Place>&& std::is_object_v<std::remove_pointer_t<Place>>);
template <class Place>
concept count_place = count_pointer<Place> || std::same_as<Place, count_at> || std::same_as<Place, NoPlace>;

/// The result type of a call with such a place.
template <count_place Place>
using count_result = std::conditional_t<count_pointer<Place>, void, std::uint64_t>;

template <count_place Place>
Region count_region(const Place& place) {
    if constexpr (std::same_as<Place, NoPlace>) return {};
    else return {count_at(place).where, sizeof(std::uint64_t), "the count"};
}

/// Calls find(count), which writes a number to *count or queues work that does, and delivers the number to `place`. If
/// `zero`, the number is known to be 0, and find() is called only to write a place. Throws errc::invalid_argument if
/// the call would wait for a stream that is being captured.
template <count_place Place, class Find>
count_result<Place> find_count(const char* call, backend where, bool zero, const Place& place, const exec& how,
                               const Find& find) {
    if constexpr (!count_pointer<Place>)
        if (where == backend::device) check_may_wait(call, how.stream, "give a pointer for the count");
    const auto wait_for = [&](const std::uint64_t* count) {
        return where == backend::host ? *count : wait_for_number(count, how.stream);
    };
    if constexpr (std::same_as<Place, NoPlace>) {
        if (zero) return 0;
        std::uint64_t on_host = 0;
        const Scratch on_device(Scratch::Beside{}, call, how, where == backend::host ? 0 : sizeof on_host);
        auto* const count = where == backend::host ? &on_host : static_cast<std::uint64_t*>(on_device.data());
        find(count);
        return wait_for(count);
    } else {
        std::uint64_t* const count = count_at(place).where;
        if (where == backend::host) {  // copied, because the place may have another type of the same size
            std::uint64_t on_host = 0;
            find(&on_host);
            std::memcpy(count, &on_host, sizeof on_host);
        } else {
            find(count);
        }
        if constexpr (std::same_as<Place, count_at>) return wait_for(count);
    }
}

}  // namespace detail
}  // namespace kogge

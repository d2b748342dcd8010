// Where a number found by a call goes: to the caller, who waits for it; to memory, without waiting; or to both.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "kogge/exec.hpp"
#include "kogge/types/discard.hpp"

namespace kogge {

namespace detail {

/// std::uint64_t, or the type of the same size that CUDA's atomics take.
template <class Number>
inline constexpr bool is_count = std::is_same_v<Number, std::uint64_t> || std::is_same_v<Number, unsigned long long>;

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

/// A place for a number that the call returns as well: kept = compact(in, out, kogge::count_at(place), n, predicate)
/// writes the number to *place, an integer of any type where the data is, and waits for it (it synchronises
/// exec.stream).
struct count_at {
    void* where;
    std::size_t bytes = sizeof(std::uint64_t);
    std::uint64_t most = (std::numeric_limits<std::uint64_t>::max)();  ///< that its type holds

    explicit constexpr count_at(std::uint64_t* place) : where(place) {}
    template <class Number>
    explicit constexpr count_at(Number* place) : where(place), bytes(sizeof(Number)) {
        static_assert(std::is_integral_v<Number> && !std::is_same_v<Number, bool> && !std::is_const_v<Number>,
                      "numbers of items that a call writes are integers: give a pointer to one that is not const");
        most = static_cast<std::uint64_t>((std::numeric_limits<Number>::max)());
    }
};

namespace grid {

/// Writes *number, or if that is greater `most`, to the integer of `bytes` bytes at `place`. All in device memory.
void write_number(void* place, std::size_t bytes, std::uint64_t most, const std::uint64_t* number, stream_t stream);

}  // namespace grid

namespace detail {

/// The place of calls that only return the number. kogge::discard is that of calls whose number nobody wants.
struct NoPlace {};

/// A pointer to an integer. Other pointers are accepted here and rejected with a message.
template <class Place>
concept count_pointer = std::convertible_to<Place, std::uint64_t*> ||
    (std::is_pointer_v<Place>&& std::is_object_v<std::remove_pointer_t<Place>>);
template <class Place>
concept count_place = count_pointer<Place> || std::same_as<Place, count_at> || std::same_as<Place, NoPlace> ||
    std::same_as<Place, discard>;
/// Whether the number is written somewhere.
template <count_place Place>
inline constexpr bool has_place = count_pointer<Place> || std::same_as<Place, count_at>;
/// Whether a call returns the number, and so waits for it.
template <count_place Place>
inline constexpr bool returns_count = std::same_as<Place, NoPlace> || std::same_as<Place, count_at>;

/// The result type of a call with such a place.
template <count_place Place>
using count_result = std::conditional_t<returns_count<Place>, std::uint64_t, void>;

template <count_place Place>
Region count_region(const Place& place) {
    if constexpr (has_place<Place>) {
        const count_at at(place);
        return {at.where, at.bytes, "the count"};
    } else {
        return {};
    }
}
/// The same for a number of at most `bound`. Throws errc::invalid_argument if the place does not hold that. Where there
/// is no bound, a greater number is written as the greatest one.
template <count_place Place>
Region count_region(const char* call, const Place& place, std::uint64_t bound) {
    if constexpr (has_place<Place>)
        if (const count_at at(place); bound > at.most)
            throw error(errc::invalid_argument, call,
                        "the count is written to an integer of " + std::to_string(at.bytes) +
                            (at.bytes == 1 ? " byte" : " bytes") + ", which holds " + std::to_string(at.most) +
                            ", but there may be " + std::to_string(bound) + " items; give a wider one");
    return count_region(place);
}

/// Calls write(Number{}), Number being the unsigned type of that many bytes.
template <class Write>
void with_number_of(std::size_t bytes, const Write& write) {
    switch (bytes) {
        case 1:
            return write(std::uint8_t{});
        case 2:
            return write(std::uint16_t{});
        case 4:
            return write(std::uint32_t{});
        default:
            return write(std::uint64_t{});
    }
}

/// Writes a number to a place in the host's memory.
inline void write_count(const count_at& at, std::uint64_t number) {
    if (number > at.most) number = at.most;
    with_number_of(at.bytes, [&]<class Number>(Number) {
        const auto written = static_cast<Number>(number);
        std::memcpy(at.where, &written, sizeof written);  // the place may have another type of the same size
    });
}

/// Calls find(count), which writes a number to *count or queues work that does, and delivers the number to `place`. If
/// `zero`, the number is known to be 0, and find() is called only to write a place. Throws errc::invalid_argument if
/// the call would wait for a stream that is being captured.
template <count_place Place, class Find>
count_result<Place> find_count(const char* call, backend where, bool zero, const Place& place, const exec& how,
                               const Find& find) {
    if constexpr (returns_count<Place>)
        if (where == backend::device) check_may_wait(call, how.stream, "give a pointer for the count");
    if constexpr (!has_place<Place>)
        if (zero) return count_result<Place>();
    std::uint64_t* count = nullptr;
    bool is_apart = true;  // the number is found elsewhere than at its place
    if constexpr (has_place<Place>)
        if (const count_at at(place); at.bytes == sizeof *count) {
            count = static_cast<std::uint64_t*>(at.where);
            is_apart = false;
        }
    std::uint64_t on_host = 0;
    if (where == backend::host) {
        find(&on_host);
        if constexpr (has_place<Place>) write_count(count_at(place), on_host);
        if constexpr (returns_count<Place>) return on_host;
        else return;
    }
    const Scratch on_device(Scratch::Beside{}, call, how, is_apart ? sizeof on_host : 0);
    if (is_apart) count = static_cast<std::uint64_t*>(on_device.data());
    find(count);
    if constexpr (has_place<Place>)
        if (is_apart) {
            const count_at at(place);
            grid::write_number(at.where, at.bytes, at.most, count, how.stream);
        }
    if constexpr (returns_count<Place>) return wait_for_number(count, how.stream);
}

}  // namespace detail
}  // namespace kogge

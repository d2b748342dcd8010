// The structs of the C interface as the library's own: checked, and with the caller's allocator as a scratch_resource.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "c/types.hpp"
#include "kogge/exec.hpp"
#include "kogge/keys.hpp"
#include "kogge/kogge.h"
#include "kogge/types/columns.hpp"
#include "kogge/types/counts.hpp"

namespace kogge::c {

/// Scratch from the caller's two functions.
class CallerScratch final : public scratch_resource {
public:
    CallerScratch() = default;
    explicit CallerScratch(const kogge_exec& from)
        : allocate_(from.allocate), deallocate_(from.deallocate), context_(from.context) {}
    void* allocate(std::size_t bytes, stream_t stream) override { return allocate_(context_, bytes, stream); }
    void deallocate(void* memory, std::size_t bytes, stream_t stream) noexcept override {
        deallocate_(context_, memory, bytes, stream);
    }

private:
    kogge_allocate allocate_ = nullptr;
    kogge_deallocate deallocate_ = nullptr;
    void* context_ = nullptr;
};

/// How a call runs, and on how many items.
class Arguments {
public:
    Arguments(const char* call, const kogge_exec* given, std::uint64_t n) : Arguments(call, given, n, 0, false) {}
    /// Of a call that has a k.
    Arguments(const char* call, const kogge_exec* given, std::uint64_t n, std::uint64_t k)
        : Arguments(call, given, n, k, true) {}
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    const kogge::exec& how() const { return how_; }
    const item_count& n() const { return n_; }
    const item_count& k() const { return k_; }

private:
    Arguments(const char* call, const kogge_exec* given, std::uint64_t n, std::uint64_t k, bool has_k);
    CallerScratch scratch_;
    kogge::exec how_;
    item_count n_, k_;
};

/// A sort's options; `natural` is the order of KOGGE_NATURAL_ORDER.
sort_options sort_options_of(const char* call, const kogge_sort_options* given, sort_order natural);
/// A column of a sort, checked but for its type and bits.
struct Column {
    std::size_t struct_bytes;  ///< of the caller's kogge_column
    const void* keys;
    kogge_type type;
    column_options options;
};
Column column_of(const char* call, const kogge_column* given);
/// Checked copies; the defaults for null.
kogge_scan_options scan_options_of(const char* call, const kogge_scan_options* given);
kogge_reduce_options reduce_options_of(const char* call, const kogge_reduce_options* given);
/// Throws errc::invalid_argument if there is no such operator.
void check_operator(const char* call, const char* name, const kogge_operator& op);
/// Of kogge_exec only the limit.
std::size_t scratch_limit_of(const char* call, const kogge_exec* given);
/// Writes what a plan says where the caller wants it.
void check_plan(const char* call, const kogge_plan* plan);
void write_plan(const std::string& text, std::size_t scratch_bytes, int launches, kogge_plan* plan);

/// Whether a result's place is in the host's memory while `data`, which the call reads, is on a device: then the device
/// cannot reach the place, and the call waits for the result. Throws errc::invalid_argument for no place.
bool is_far(const char* call, const void* place, const char* name, const void* data);
/// Delivers a result: find(place) makes the call, which returns the result where the place is detail::NoPlace.
template <class Result, class Find>
void deliver(const char* call, Result* place, const char* name, const void* data, const Find& find) {
    if (is_far(call, place, name, data)) *place = find(detail::NoPlace{});
    else find(place);
}

}  // namespace kogge::c

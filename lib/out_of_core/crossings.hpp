// Batches of host items that cross to devices, are worked on there, and cross back, many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kogge/exec.hpp"
#include "kogge/out_of_core/batches.hpp"

namespace kogge::detail {

/// A piece of an array in host memory. Devices copy straight from and to memory that is page-locked.
struct HostPiece {
    std::byte* data;
    std::uint64_t bytes;
    bool is_pinned;
};

/// Items that are on a device together.
struct Batch {
    std::uint64_t items;
    std::vector<std::vector<HostPiece>> from;  ///< of each array, what follows one another on the device
    std::vector<HostPiece> to;                 ///< of each array
};

/// What is done with a batch on a device.
struct BatchWork {
    std::vector<std::size_t> item_bytes;  ///< of each array
    /// Changes the arrays in place; returns when that is queued.
    std::function<void(std::span<void* const> arrays, std::uint64_t items, const kogge::exec& how)> run;
};

/// The devices of a call, and what it takes of their memory.
///
/// On each device some threads bring blocks of the next batch there, and as many take blocks of the last one back,
/// while the batch between them is worked on: so both directions of the bus are busy. A thread has two blocks of
/// page-locked memory, and fills or empties one while the other one crosses. All blocks are one piece, which the
/// process keeps for later calls (pinned_memory.hpp).
class Crossings {
public:
    /// Batches of which one each comes, is worked on, and goes.
    static constexpr int kInFlight = 3;

    /// Throws errc::unreachable for devices that there are not, and errc::invalid_argument.
    Crossings(const char* call, const out_of_core::exec& how, BatchWork work);
    ~Crossings();
    Crossings(const Crossings&) = delete;
    Crossings& operator=(const Crossings&) = delete;

    std::size_t devices() const;
    /// The most items of a batch, at most n, if `at_once` of them are on each device; 0: there is too little memory.
    std::uint64_t most_items(std::uint64_t n, int at_once) const;
    /// For batches of so many items, the last of `of_last` items, on up to so many devices. Throws errc::out_of_memory;
    /// then it may be tried again with less.
    void take_memory(std::uint64_t items, std::uint64_t of_last, int at_once, std::size_t devices);
    /// Returns when all batches are back. Batches are begun in this order; no piece that one of them writes may be read
    /// or written by another. After a failure, what batches write is unspecified; errc::out_of_memory for want of
    /// page-locked memory comes before anything is written.
    void run(std::span<const Batch> batches);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace kogge::detail

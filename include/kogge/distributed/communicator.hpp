// The ranks that share a distributed array, and how they exchange memory. A transport (threads.hpp, mpi.hpp, nccl.hpp)
// implements two functions; all operations are built on these.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kogge/error.hpp"
#include "kogge/exec.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge {

/// Thrown by distributed calls, on all ranks with the same text. code() is that of the error on rank();
/// errc::unreachable if that rank has ended or has not answered in time. On the rank itself the original exception is
/// nested (std::rethrow_if_nested).
class rank_error : public error {
public:
    rank_error(errc code, const std::string& call, const std::string& what, int rank, int device_code = 0)
        : error(code, call, what, device_code), rank_(rank) {}
    /// The rank whose fault it is; the lowest one if there are several.
    int rank() const noexcept { return rank_; }

private:
    int rank_;
};

struct communicator_options {
    /// How long a rank waits in one exchange until all others take part; 0: for ever. It includes what they compute
    /// before.
    std::chrono::milliseconds timeout = std::chrono::minutes(10);
    /// The most bytes per message, for transports that have messages: 1 … 2^30.
    std::uint64_t message_bytes = std::uint64_t{1} << 30;
};

/// One rank of a group. Calls on it are collective: all ranks make the same ones in the same order, each from one
/// thread at a time. After an exchange has failed the group is broken, and all further exchanges throw the same error.
class communicator {
public:
    /// Memory that goes to a rank, or comes from one. Without bytes nothing is sent, and `data` may be null.
    struct outgoing {
        const void* data = nullptr;
        std::uint64_t bytes = 0;
    };
    struct incoming {
        void* data = nullptr;
        std::uint64_t bytes = 0;
    };
    /// What a transport may offer beyond exchanges.
    enum class capability {
        /// All ranks have a device each, and kernels of the others reach the memory that simt::allocate gives this
        /// rank on its device, while that is the current one.
        peer_memory,
    };

    communicator() = default;
    communicator(const communicator&) = delete;
    communicator& operator=(const communicator&) = delete;
    virtual ~communicator() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual bool has(capability) const { return false; }

    /// Sends to[r] to rank r, and receives from[r] from it, which must have as many bytes there; both have size()
    /// members. This rank's memory is in host or device memory, as `where` says; device memory is read and written in
    /// the order of `stream`. Waits until the received memory is there and the sent memory may be changed. Throws
    /// rank_error if a rank does not take part until the timeout, has ended, or has aborted.
    virtual void exchange(std::span<const outgoing> to, std::span<const incoming> from, backend where,
                          stream_t stream) = 0;
    /// Breaks the group: ranks that wait in an exchange, or come to one, throw rank_error with this text.
    virtual void abort(const std::string& why) noexcept = 0;

    /// all[r × bytes …) becomes what rank r has at `mine`. Host memory.
    void all_gather(const void* mine, void* all, std::size_t bytes);
    /// numbers[i] becomes the sum of all ranks' numbers[i], modulo 2^64. Host memory; each rank adds up a part.
    void all_sum(std::uint64_t* numbers, std::size_t count);
};

}  // namespace kogge

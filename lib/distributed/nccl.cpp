#include "kogge/distributed/nccl.hpp"

#include <cuda_runtime.h>
#include <nccl.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kogge/distributed/call.hpp"
#include "staged.hpp"

namespace kogge {
namespace {

constexpr const char* kCall = "communicator::exchange";

void check(ncclResult_t status, const char* what) {
    if (status != ncclSuccess && status != ncclInProgress)
        throw error(errc::device, kCall, std::string(what) + " failed: " + ncclGetErrorString(status));
}
void check(cudaError_t status, const char* what) {
    if (status != cudaSuccess)
        throw error(errc::device, kCall, std::string(what) + " failed: " + cudaGetErrorString(status),
                    static_cast<int>(status));
}

/// Memory of the current device, freed in the order of the default stream.
class Staged {
public:
    explicit Staged(std::size_t bytes) {
        if (bytes > 0) data_ = static_cast<std::byte*>(simt::allocate(bytes, nullptr));
    }
    ~Staged() {
        try {
            if (data_) simt::deallocate(data_, nullptr);
        } catch (const error&) {
            // The device has failed. The next call that synchronises reports it.
        }
    }
    Staged(const Staged&) = delete;
    Staged& operator=(const Staged&) = delete;
    std::byte* data() const { return data_; }

private:
    std::byte* data_ = nullptr;
};

class NcclCommunicator : public communicator {
public:
    NcclCommunicator(ncclComm_t comm, communicator* control, bool is_own, const communicator_options& options)
        : comm_(comm), control_(control), is_own_(is_own), options_(options) {
        try {
            if (is_own_) wait_until_settled("ncclCommInitRankConfig");
            check(ncclCommUserRank(comm_, &rank_), "ncclCommUserRank");
            check(ncclCommCount(comm_, &size_), "ncclCommCount");
            // Between ranks of one process NCCL's kernels read and write the items themselves.
            for (int d = 0; d < simt::device_count(); ++d) simt::open_memory_to(d);
        } catch (...) {
            if (is_own_ && comm_) ncclCommAbort(comm_);
            throw;
        }
    }
    ~NcclCommunicator() override {
        // Not ncclCommDestroy, which may wait for ranks that do not come.
        if (is_own_ && comm_) ncclCommAbort(comm_);
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    void exchange(std::span<const outgoing> to, std::span<const incoming> from, backend where,
                  stream_t stream) override {
        if (failure_) throw *failure_;
        try {
            if (where == backend::device) exchange_of_device(to, from, stream);
            else if (control_) control_->exchange(to, from, where, stream);
            else exchange_of_host(to, from);
        } catch (const rank_error& failed) {
            break_group(failed);
            throw;
        } catch (const error& failed) {
            break_group(rank_error(failed.code(), kCall, "on rank " + std::to_string(rank_) + ": " + failed.what(),
                                   rank_, failed.device_code()));
            throw *failure_;
        }
    }

    void abort(const std::string& why) noexcept override {
        if (control_) control_->abort(why);
        try {
            break_group(rank_error(errc::unreachable, kCall, "aborted: " + why, -1));
        } catch (...) {
            // There is no memory for the reason.
        }
    }

private:
    void exchange_of_device(std::span<const outgoing> to, std::span<const incoming> from, stream_t stream) {
        begin_messages(to, from, stream);
        wait_until_settled("ncclGroupEnd");
        wait("an exchange", [&] {
            const cudaError_t state = cudaStreamQuery(stream);
            if (state != cudaErrorNotReady) check(state, "an exchange");
            return state == cudaSuccess;
        });
    }
    void begin_messages(std::span<const outgoing> to, std::span<const incoming> from, stream_t stream) {
        check(ncclGroupStart(), "ncclGroupStart");
        ncclResult_t begun = ncclSuccess;  // the group ends whatever this becomes
        const auto begin = [&](const auto& message) {
            if (begun == ncclSuccess || begun == ncclInProgress) begun = message();
        };
        for (int r = 0; r < size_; ++r) {
            const outgoing& sent = to[static_cast<std::size_t>(r)];
            const incoming& into = from[static_cast<std::size_t>(r)];
            if (sent.bytes > 0) begin([&] { return ncclSend(sent.data, sent.bytes, ncclUint8, r, comm_, stream); });
            if (into.bytes > 0) begin([&] { return ncclRecv(into.data, into.bytes, ncclUint8, r, comm_, stream); });
        }
        const ncclResult_t ended = ncclGroupEnd();
        check(begun, "ncclSend or ncclRecv");
        check(ended, "ncclGroupEnd");
    }

    /// Through memory of the current device.
    void exchange_of_host(std::span<const outgoing> to, std::span<const incoming> from) {
        const Staged sent(detail::bytes_of(to)), received(detail::bytes_of(from));
        detail::exchange_staged(to, from, sent.data(), received.data(), nullptr,
                                [this](const auto& device_to, const auto& device_from) {
                                    exchange_of_device(device_to, device_from, nullptr);
                                });
    }

    /// Until what a call that does not block has begun is under way.
    void wait_until_settled(const char* what) {
        wait(what, [&] { return state() != ncclInProgress; });
    }
    ncclResult_t state() const {
        ncclResult_t now = ncclSuccess;
        check(ncclCommGetAsyncError(comm_, &now), "ncclCommGetAsyncError");
        return now;
    }
    /// Waits until is_done(), NCCL reports a failure, or it is too late.
    template <class IsDone>
    void wait(const char* what, const IsDone& is_done) {
        const auto start = std::chrono::steady_clock::now();
        while (!is_done()) {
            check(state(), what);
            if (options_.timeout.count() > 0 && std::chrono::steady_clock::now() - start > options_.timeout) {
                break_group(rank_error(
                    errc::unreachable, kCall,
                    "a rank has not answered for " + std::to_string(options_.timeout.count()) + " ms in " + what, -1));
                throw *failure_;
            }
            std::this_thread::yield();
        }
        check(state(), what);
    }

    /// Ends the kernels that wait for other ranks, on this one; the others find by NCCL, or by their timeout. All
    /// further exchanges throw the first failure.
    void break_group(const rank_error& failure) {
        if (failure_) return;
        failure_ = failure;
        if (comm_) ncclCommAbort(std::exchange(comm_, nullptr));
    }

    ncclComm_t comm_;
    communicator* control_;
    bool is_own_;
    communicator_options options_;
    int rank_ = 0, size_ = 1;
    std::optional<rank_error> failure_;
};

}  // namespace

std::unique_ptr<communicator> communicator_over_nccl(ncclComm* comm, const communicator_options& options) {
    return std::make_unique<NcclCommunicator>(comm, nullptr, false, options);
}

std::unique_ptr<communicator> communicator_over_nccl(communicator& control, const communicator_options& options) {
    detail::DistributedCall call(control, "communicator_over_nccl");
    call.begin([] {});
    const std::vector<ncclUniqueId> ids = call.gather([&] {
        ncclUniqueId id{};
        if (control.rank() == 0) check(ncclGetUniqueId(&id), "ncclGetUniqueId");
        return id;
    });
    std::unique_ptr<communicator> made;
    call.together([&] {
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        ncclComm_t comm = nullptr;
        const ncclResult_t begun = ncclCommInitRankConfig(&comm, control.size(), ids[0], control.rank(), &config);
        if (begun != ncclSuccess && begun != ncclInProgress && comm) ncclCommAbort(comm);
        check(begun, "ncclCommInitRankConfig");
        made = std::make_unique<NcclCommunicator>(comm, &control, true, options);
    });
    return made;
}

}  // namespace kogge

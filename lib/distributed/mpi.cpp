#include "kogge/distributed/mpi.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "staged.hpp"

namespace kogge::detail {
namespace {

constexpr const char* kCall = "communicator::exchange";
constexpr int kDataTag = 1, kAbortTag = 2;

void check(int status, const char* what) {
    if (status == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(status, text, &length);
    throw error(errc::unreachable, kCall, std::string(what) + " failed: " + text);
}

/// What a rank tells the others when the group breaks.
struct Abort {
    int rank;
    int code;
    char why[500];
};

/// Messages under way. None is left when it is destroyed, unless the group has broken.
class Messages {
public:
    explicit Messages(MPI_Comm comm, std::uint64_t message_bytes) : comm_(comm), message_bytes_(message_bytes) {}
    ~Messages() {
        for (std::size_t m = 0; m < requests_.size(); ++m) {
            if (requests_[m] == MPI_REQUEST_NULL) continue;
            if (list_[m].is_received) MPI_Cancel(&requests_[m]);
            MPI_Request_free(&requests_[m]);
        }
    }

    /// A piece is one message or more; an empty one, too, so that each rank hears of each other one.
    void receive(void* data, std::uint64_t bytes, int from) {
        for_messages(bytes, [&](std::uint64_t begin, int size) {
            add(from, size, true);
            check(MPI_Irecv(static_cast<std::byte*>(data) + begin, size, MPI_BYTE, from, kDataTag, comm_,
                            &requests_.back()),
                  "MPI_Irecv");
        });
    }
    void send(const void* data, std::uint64_t bytes, int to) {
        for_messages(bytes, [&](std::uint64_t begin, int size) {
            add(to, size, false);
            check(MPI_Isend(static_cast<const std::byte*>(data) + begin, size, MPI_BYTE, to, kDataTag, comm_,
                            &requests_.back()),
                  "MPI_Isend");
        });
    }
    /// Whether all are there. Throws if one has another size than was expected.
    bool test() {
        while (done_ < requests_.size()) {
            int completed = 0;
            MPI_Status status;
            check(MPI_Test(&requests_[done_], &completed, &status), "a message between ranks");
            if (!completed) return false;
            if (list_[done_].is_received) {
                int size = 0;
                check(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count");
                if (size != list_[done_].size)
                    throw error(errc::invalid_argument, kCall,
                                "rank " + std::to_string(list_[done_].rank) + " sends " + std::to_string(size) +
                                    " bytes, not " + std::to_string(list_[done_].size));
            }
            ++done_;
        }
        return true;
    }
    /// The lowest rank of which a message is still expected, or to which one is under way.
    int late_rank() {
        int rank = -1;
        for (std::size_t m = done_; m < requests_.size(); ++m) {
            int completed = 0;
            MPI_Status status;
            if (MPI_Request_get_status(requests_[m], &completed, &status) == MPI_SUCCESS && completed) continue;
            if (rank < 0 || list_[m].rank < rank) rank = list_[m].rank;
        }
        return rank;
    }

private:
    struct Message {
        int rank;
        int size;
        bool is_received;
    };

    void add(int rank, int size, bool is_received) {
        list_.push_back({rank, size, is_received});
        requests_.push_back(MPI_REQUEST_NULL);
    }
    template <class Visit>
    void for_messages(std::uint64_t bytes, const Visit& visit) const {
        std::uint64_t begin = 0;
        do {
            const auto size = (std::min)(bytes - begin, message_bytes_);
            visit(begin, static_cast<int>(size));
            begin += size;
        } while (begin < bytes);
    }

    MPI_Comm comm_;
    std::uint64_t message_bytes_;
    std::vector<MPI_Request> requests_;
    std::vector<Message> list_;
    std::size_t done_ = 0;
};

class MpiCommunicator : public communicator {
public:
    MpiCommunicator(MPI_Comm comm, const communicator_options& options)
        : options_(options), unwinding_(std::uncaught_exceptions()) {
        if (options.message_bytes < 1 || options.message_bytes > 1u << 30)
            throw error(errc::invalid_argument, "communicator_over_mpi", "message_bytes is not within 1 … 2^30");
        check(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
        MPI_Comm_rank(comm_, &rank_);
        MPI_Comm_size(comm_, &size_);
    }
    ~MpiCommunicator() override {
        int is_final = 0;
        if (MPI_Finalized(&is_final) != MPI_SUCCESS || is_final) return;
        if (std::uncaught_exceptions() > unwinding_) abort("an exception has left it");
        if (!failure_) MPI_Comm_free(&comm_);  // collective: a broken group may not come
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    void exchange(std::span<const outgoing> to, std::span<const incoming> from, backend where,
                  stream_t stream) override {
        throw_if_broken();
        try {
            if (where == backend::device) exchange_of_device(to, from, stream);
            else exchange_of_host(to, from);
        } catch (const rank_error&) {
            throw;
        } catch (const error& failed) {
            break_group({rank_, static_cast<int>(failed.code()), {}}, "on " + name_of(rank_) + ": " + failed.what());
            throw_if_broken();
        }
    }

    void abort(const std::string& why) noexcept override {
        try {
            break_group({rank_, static_cast<int>(errc::unreachable), {}}, name_of(rank_) + " has aborted: " + why);
        } catch (...) {
            // The others wait until their timeout.
        }
    }

private:
    std::string name_of(int rank) const { return "rank " + std::to_string(rank) + " of " + std::to_string(size_); }

    void exchange_of_host(std::span<const outgoing> to, std::span<const incoming> from) {
        Messages messages(comm_, options_.message_bytes);
        // Each rank begins with its neighbour, so that not all send to one.
        for (int step = 1; step < size_; ++step) {
            const int other = (rank_ + step) % size_;
            const incoming& into = from[static_cast<std::size_t>(other)];
            messages.receive(into.data, into.bytes, other);
        }
        for (int step = 1; step < size_; ++step) {
            const int other = (rank_ + size_ - step) % size_;
            const outgoing& sent = to[static_cast<std::size_t>(other)];
            messages.send(sent.data, sent.bytes, other);
        }
        const outgoing& own = to[static_cast<std::size_t>(rank_)];
        const incoming& into = from[static_cast<std::size_t>(rank_)];
        if (own.bytes != into.bytes)
            throw error(errc::invalid_argument, kCall, "a rank sends itself another number of bytes than it receives");
        if (own.bytes > 0) std::memmove(into.data, own.data, own.bytes);
        wait_for(messages);
    }

    void exchange_of_device(std::span<const outgoing> to, std::span<const incoming> from, stream_t stream) {
        std::vector<std::byte> sent(bytes_of(to)), received(bytes_of(from));
        exchange_staged(to, from, sent.data(), received.data(), stream,
                        [this](const auto& host_to, const auto& host_from) { exchange_of_host(host_to, host_from); });
    }

    void wait_for(Messages& messages) {
        const auto start = std::chrono::steady_clock::now();
        for (std::uint64_t round = 0; !messages.test(); ++round) {
            hear_abort();
            throw_if_broken();
            const auto waited = std::chrono::steady_clock::now() - start;
            if (options_.timeout.count() > 0 && waited > options_.timeout)
                if (const int late = messages.late_rank(); late >= 0) {
                    break_group(
                        {late, static_cast<int>(errc::unreachable), {}},
                        name_of(late) + " has not answered for " + std::to_string(options_.timeout.count()) + " ms");
                    throw_if_broken();
                }
            // Other ranks may need this processor.
            if (waited > std::chrono::milliseconds(1)) std::this_thread::sleep_for(std::chrono::microseconds(50));
            else if (round > 100) std::this_thread::yield();
        }
    }

    /// The first reason counts.
    void break_group(Abort abort, const std::string& why) {
        if (failure_) return;
        std::snprintf(abort.why, sizeof abort.why, "%s", why.c_str());
        failure_ = abort;
        told_ = abort;
        for (int other = 0; other < size_; ++other) {
            if (other == rank_) continue;
            MPI_Request request;
            if (MPI_Isend(&told_, sizeof told_, MPI_BYTE, other, kAbortTag, comm_, &request) == MPI_SUCCESS)
                MPI_Request_free(&request);
        }
    }
    void hear_abort() {
        int is_there = 0;
        MPI_Status status;
        if (MPI_Iprobe(MPI_ANY_SOURCE, kAbortTag, comm_, &is_there, &status) != MPI_SUCCESS || !is_there) return;
        Abort heard{};
        check(MPI_Recv(&heard, sizeof heard, MPI_BYTE, status.MPI_SOURCE, kAbortTag, comm_, MPI_STATUS_IGNORE),
              "MPI_Recv");
        failure_ = heard;
    }
    void throw_if_broken() const {
        if (failure_) throw rank_error(static_cast<errc>(failure_->code), kCall, failure_->why, failure_->rank);
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
    communicator_options options_;
    int unwinding_;
    int rank_ = 0, size_ = 1;
    std::optional<Abort> failure_;
    Abort told_{};  ///< sent, and so not changed any more
};

}  // namespace

std::unique_ptr<communicator> communicator_over_mpi(const void* comm, std::size_t bytes,
                                                    const communicator_options& options) {
    if (bytes != sizeof(MPI_Comm))
        throw error(errc::invalid_argument, "communicator_over_mpi", "this is no MPI_Comm of the MPI of this library");
    MPI_Comm given;
    std::memcpy(&given, comm, sizeof given);
    return std::make_unique<MpiCommunicator>(given, options);
}

}  // namespace kogge::detail

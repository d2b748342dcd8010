#include "out_of_core/crossings.hpp"

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "kogge/calls/scratch_bytes.hpp"
#include "kogge/host/machine/processors.hpp"
#include "kogge/host/machine/threads.hpp"
#include "kogge/simt/stream.hpp"
#include "pinned_memory.hpp"

namespace kogge::detail {
namespace {

std::uint64_t aligned(std::uint64_t bytes) { return host::divide_up(bytes, kScratchAlignment) * kScratchAlignment; }

/// More threads in one direction do not copy faster than one bus, and one that copies less takes longer to begin.
constexpr std::uint64_t kMostCopying = 8, kWorthAThread = std::uint64_t{2} << 20;

/// What a thread copies at a time: small enough for two of them to stay in a core's cache, and for each thread to have
/// some of a batch. A power of two, so that a call with a few more items has blocks of the same size.
constexpr std::uint64_t kMostPerBlock = std::uint64_t{1} << 20, kLeastPerBlock = 4096, kBlocksPerThread = 4;
std::uint64_t block_bytes_of(std::uint64_t batch, std::uint64_t threads) {
    return std::bit_ceil(std::clamp(batch / (kBlocksPerThread * threads), kLeastPerBlock, kMostPerBlock));
}

/// A thread's two blocks of page-locked memory, one after the other.
struct StagedBlocks {
    std::byte* data;  ///< null where nothing has to be staged
    std::uint64_t bytes;

    std::byte* operator[](bool second) const { return data + (second ? bytes : 0); }
};
/// Of so many threads that bring, and as many that take back.
std::uint64_t staged_bytes(std::uint64_t threads, std::uint64_t block_bytes) { return 4 * threads * block_bytes; }

/// What a call leaves in the pool of a device, as others leave their scratch. More than that may be most of the memory.
constexpr std::uint64_t kLeftInPool = std::uint64_t{256} << 20;

/// Where a batch of so many items has its arrays.
struct Layout {
    std::vector<std::uint64_t> begins;  ///< of the arrays
    std::uint64_t bytes = 0;

    Layout(const BatchWork& work, std::uint64_t items) {
        for (const std::size_t size : work.item_bytes) {
            begins.push_back(bytes);
            bytes += aligned(items * size);
        }
    }
};

/// The batches of a call, which its devices take in turn, and its first failure.
class Batches {
public:
    explicit Batches(std::span<const Batch> all) : all_(all) {}

    /// The next one; null: there is none.
    const Batch* take() {
        const std::lock_guard lock(mutex_);
        return next_ < all_.size() && !failure_ ? &all_[next_++] : nullptr;
    }
    bool has_failed() const {
        const std::lock_guard lock(mutex_);
        return failure_ != nullptr;
    }
    void fail(std::exception_ptr failure) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::move(failure);
    }
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    mutable std::mutex mutex_;
    std::span<const Batch> all_;
    std::size_t next_ = 0;
    std::exception_ptr failure_;
};

/// A block of an array of a batch that is on a device.
struct Block {
    std::size_t slot;
    const Batch* batch;
    std::size_t array;
    std::uint64_t begin;  ///< in the array
    std::uint64_t bytes;
    std::byte* on_device;
};

/// A place for a batch on a device, and how far it has come.
struct Slot {
    enum class Step { empty, coming, worked_on, going } step = Step::empty;
    std::byte* memory = nullptr;
    const Batch* batch = nullptr;
    std::vector<std::uint64_t> begins = {};  ///< of the arrays
    std::uint64_t blocks = 0;                ///< of all arrays
    std::uint64_t begun = 0, done = 0;       ///< blocks, in this step
};

/// The batches that are on one device, for the threads that copy.
class Traffic {
public:
    Traffic(const BatchWork& work, Batches& batches, std::byte* memory, std::uint64_t slot_bytes, int slots,
            std::uint64_t block_bytes, workspace space, stream_t stream)
        : work_(work), batches_(batches), space_(space), stream_(stream), block_bytes_(block_bytes) {
        for (int s = 0; s < slots; ++s)
            slots_.push_back({.memory = memory + static_cast<std::uint64_t>(s) * slot_bytes});
    }

    /// The next block to bring to the device. Without one: `ended` says whether there never is one again; otherwise it
    /// is worth coming again, after a wait if `may_wait`.
    std::optional<Block> next_to_come(bool may_wait, bool& ended) { return next(Slot::Step::coming, may_wait, ended); }
    /// The same of those to take back. What brings them is queued behind the batch's work in stream().
    std::optional<Block> next_to_go(bool may_wait, bool& ended) { return next(Slot::Step::going, may_wait, ended); }

    void has_come(const Block& block) {
        Slot& slot = slots_[block.slot];
        {
            const std::lock_guard lock(mutex_);
            if (++slot.done < slot.blocks) return;
            slot.step = Slot::Step::worked_on;
        }
        std::vector<void*> arrays;
        for (const std::uint64_t begin : slot.begins) arrays.push_back(slot.memory + begin);
        {
            // The next batch may have come, too: the kernels of one must not stand among those of another.
            const std::lock_guard queueing(queueing_);
            work_.run(arrays, slot.batch->items, {.stream = stream_, .where = backend::device, .space = space_});
        }
        move_on(slot, Slot::Step::going);
    }
    void has_gone(const Block& block) {
        Slot& slot = slots_[block.slot];
        {
            const std::lock_guard lock(mutex_);
            if (++slot.done < slot.blocks) return;
        }
        move_on(slot, Slot::Step::empty);
    }
    /// All threads stop.
    void fail(std::exception_ptr failure) {
        batches_.fail(std::move(failure));
        const std::lock_guard lock(mutex_);
        changed_.notify_all();
    }
    stream_t stream() const { return stream_; }

private:
    void move_on(Slot& slot, Slot::Step step) {
        const std::lock_guard lock(mutex_);
        slot.step = step;
        slot.begun = slot.done = 0;
        changed_.notify_all();
    }

    std::optional<Block> next(Slot::Step step, bool may_wait, bool& ended) {
        std::unique_lock lock(mutex_);
        for (;;) {
            ended = batches_.has_failed();
            if (ended) return {};
            for (std::size_t s = 0; s < slots_.size(); ++s)
                if (slots_[s].step == step && slots_[s].begun < slots_[s].blocks) return begin_block(s);
            if (step == Slot::Step::coming && begin_batch()) continue;
            // Nothing comes once all batches are taken; nothing goes once all slots have handed out what they had, too.
            ended = is_last_ &&
                    (step == Slot::Step::coming || std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
                         return slot.step == Slot::Step::empty ||
                                (slot.step == Slot::Step::going && slot.begun == slot.blocks);
                     }));
            if (ended || !may_wait) return {};
            changed_.wait(lock);
        }
    }

    /// Puts the next batch into an empty slot, if there are both.
    bool begin_batch() {
        const auto empty =
            std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.step == Slot::Step::empty; });
        if (is_last_ || empty == slots_.end()) return false;
        const Batch* const batch = batches_.take();
        if (!batch) {
            is_last_ = true;
            changed_.notify_all();
            return false;
        }
        empty->batch = batch;
        empty->begins = Layout(work_, batch->items).begins;
        empty->blocks = 0;
        for (const std::size_t size : work_.item_bytes)
            empty->blocks += host::divide_up(batch->items * size, block_bytes_);
        empty->begun = empty->done = 0;
        empty->step = Slot::Step::coming;
        changed_.notify_all();
        return true;
    }

    Block begin_block(std::size_t s) {
        Slot& slot = slots_[s];
        std::uint64_t block = slot.begun++;
        for (std::size_t a = 0;; ++a) {
            const std::uint64_t bytes = slot.batch->items * work_.item_bytes[a];
            const std::uint64_t blocks = host::divide_up(bytes, block_bytes_);
            if (block >= blocks) {
                block -= blocks;
                continue;
            }
            const std::uint64_t begin = block * block_bytes_;
            return {
                s, slot.batch, a, begin, std::min(block_bytes_, bytes - begin), slot.memory + slot.begins[a] + begin};
        }
    }

    const BatchWork& work_;
    Batches& batches_;
    workspace space_;
    stream_t stream_;
    std::uint64_t block_bytes_;
    std::mutex queueing_;  ///< of work, which shares the workspace
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Slot> slots_;
    bool is_last_ = false;  ///< there are no more batches to take
};

/// use(piece, offset) for the parts of an array's pieces that make up [begin, begin + bytes) of it; the offset is from
/// `begin`.
template <class Use>
void for_each_piece(std::span<const HostPiece> pieces, std::uint64_t begin, std::uint64_t bytes, const Use& use) {
    std::uint64_t at = 0;  // where the piece begins in the array
    for (const HostPiece& piece : pieces) {
        const std::uint64_t from = std::max(at, begin), to = std::min(at + piece.bytes, begin + bytes);
        if (from < to) use(HostPiece{piece.data + (from - at), to - from, piece.is_pinned}, from - begin);
        at += piece.bytes;
    }
}
bool are_pinned(std::span<const HostPiece> pieces) {
    return std::all_of(pieces.begin(), pieces.end(), [](const HostPiece& piece) { return piece.is_pinned; });
}
bool has_to_be_staged(const Batch& batch) {
    return !are_pinned(batch.to) ||
           !std::all_of(batch.from.begin(), batch.from.end(), [](const auto& pieces) { return are_pinned(pieces); });
}

/// Brings blocks to the device until there are none.
void bring(Traffic& traffic, const StagedBlocks& staged) {
    const simt::OwnStream stream;
    std::optional<Block> crossing;
    const auto finish = [&] {
        if (!crossing) return;
        simt::synchronize(stream.get());
        traffic.has_come(*std::exchange(crossing, std::nullopt));
    };
    bool second = false, ended = false;
    while (!ended) {
        const std::optional<Block> block = traffic.next_to_come(!crossing, ended);
        if (!block) {
            finish();
            continue;
        }
        const std::span<const HostPiece> pieces = block->batch->from[block->array];
        const bool straight = are_pinned(pieces);
        if (!straight)
            for_each_piece(pieces, block->begin, block->bytes, [&](const HostPiece& piece, std::uint64_t offset) {
                std::memcpy(staged[second] + offset, piece.data, piece.bytes);
            });
        finish();
        if (straight)
            for_each_piece(pieces, block->begin, block->bytes, [&](const HostPiece& piece, std::uint64_t offset) {
                simt::copy(block->on_device + offset, piece.data, piece.bytes, stream.get());
            });
        else simt::copy(block->on_device, staged[second], block->bytes, stream.get());
        crossing = block;
        second = !second;
    }
}

/// Takes blocks back from the device until there are none.
void take_back(Traffic& traffic, const StagedBlocks& staged) {
    const simt::OwnStream stream;
    std::optional<Block> crossing;
    const Batch* behind = nullptr;  // whose work the stream waits for
    bool second = false, ended = false;
    while (!ended || crossing) {
        std::optional<Block> block;
        if (!ended) block = traffic.next_to_go(!crossing, ended);
        const std::optional<Block> arrived = std::exchange(crossing, block);
        if (arrived) simt::synchronize(stream.get());
        if (block) {
            if (std::exchange(behind, block->batch) != block->batch) simt::order_after(stream.get(), traffic.stream());
            const HostPiece& to = block->batch->to[block->array];
            simt::copy(to.is_pinned ? to.data + block->begin : staged[second], block->on_device, block->bytes,
                       stream.get());
        }
        second = !second;
        if (arrived) {
            const HostPiece& to = arrived->batch->to[arrived->array];
            if (!to.is_pinned) std::memcpy(to.data + arrived->begin, staged[second], arrived->bytes);
            traffic.has_gone(*arrived);
        }
    }
}

}  // namespace

/// One device's share of the memory.
struct DeviceShare {
    int device;
    std::optional<simt::OwnStream> stream;  ///< of the work
    std::byte* memory = nullptr;
    std::uint64_t pooled = 0;  ///< bytes of the device's pool before the call

    explicit DeviceShare(int d) : device(d) {
        const simt::OnDevice current(device);
        stream.emplace();
        pooled = simt::trim(~std::uint64_t{0});
    }
    ~DeviceShare() {
        const simt::OnDevice current(device);
        give_back();
        stream.reset();
    }
    DeviceShare(const DeviceShare&) = delete;
    DeviceShare& operator=(const DeviceShare&) = delete;

    void take(std::size_t bytes) {
        const simt::OnDevice current(device);
        give_back();
        memory = static_cast<std::byte*>(simt::allocate(bytes, stream->get()));
        simt::synchronize(stream->get());
    }

private:
    void give_back() noexcept {
        if (!memory) return;
        try {
            simt::deallocate(std::exchange(memory, nullptr), stream->get());
            simt::synchronize(stream->get());
            simt::trim(std::max(pooled, kLeftInPool));
        } catch (...) {  // after a failure of the device, which the call has thrown
        }
    }
};

struct Crossings::State {
    const char* call;
    out_of_core::exec how;
    BatchWork work;
    std::vector<std::unique_ptr<DeviceShare>> devices;
    std::size_t sharing = 0;  ///< devices that have memory
    int slots = 0;
    std::uint64_t slot_bytes = 0;
    std::size_t scratch = 0;
    PinnedMemory staged = {};  ///< the blocks of all threads

    std::uint64_t bytes_of(std::uint64_t items) const {
        return std::accumulate(work.item_bytes.begin(), work.item_bytes.end(), std::uint64_t{0},
                               [=](std::uint64_t sum, std::size_t size) { return sum + items * size; });
    }
    /// What `run` takes on any of the devices.
    std::size_t scratch_for(std::uint64_t items) const {
        std::size_t most = 0;
        for (const auto& share : devices) {
            const simt::OnDevice current(share->device);
            const std::vector<void*> to_come(work.item_bytes.size(), nullptr);
            const std::size_t bytes =
                kogge::scratch_bytes([&](const kogge::exec& planned) { work.run(to_come, items, planned); },
                                     {.stream = share->stream->get(), .where = backend::device});
            most = std::max(most, bytes);
        }
        return most;
    }
    std::uint64_t limit() const {
        if (how.device_memory_limit != kNoLimit) return how.device_memory_limit;
        std::uint64_t least = ~std::uint64_t{0};
        for (const auto& share : devices) {
            const simt::OnDevice current(share->device);
            least = std::min<std::uint64_t>(least, simt::current_properties().memory_bytes);
        }
        return least / 10 * 9;  // the driver takes some
    }
    /// In each direction, for each device; all of them copy so many bytes there.
    std::uint64_t copying_threads(std::uint64_t bytes) const {
        const auto at_least_one = [](std::uint64_t threads) { return std::max<std::uint64_t>(threads, 1); };
        if (how.host_threads > 0) return at_least_one(static_cast<std::uint64_t>(how.host_threads) / (2 * sharing));
        return at_least_one(
            std::min({host::usable_processors() / (2 * sharing), bytes / sharing / kWorthAThread, kMostCopying}));
    }
    void take_staged_memory(std::uint64_t bytes) {
        if (staged.bytes() >= bytes) return;
        const simt::OnDevice current(devices[0]->device);
        staged = PinnedMemory(bytes);
    }
};

Crossings::Crossings(const char* call, const out_of_core::exec& how, BatchWork work)
    : state_(std::make_unique<State>(State{.call = call, .how = how, .work = std::move(work)})) {
    if (how.host_threads < 0)
        throw error(errc::invalid_argument, call, "exec.host_threads is negative; 0 stands for as many as help");
    if (simt::is_measuring())
        throw error(errc::unreachable, call,
                    "scratch_bytes is about calls whose arrays are on the device; exec.device_memory_limit is the most "
                    "that this one takes there");
    const int count = simt::device_count();
    if (count == 0) throw error(errc::unreachable, call, "there is no device; kogge::radix_sort sorts on the host");
    std::vector<int> devices = how.devices;
    if (devices.empty())
        for (int d = 0; d < count; ++d) devices.push_back(d);
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (devices[i] < 0 || devices[i] >= count)
            throw error(
                errc::unreachable, call,
                "exec.devices names device " + std::to_string(devices[i]) + ", but there are " + std::to_string(count));
        if (std::find(devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(i), devices[i]) !=
            devices.begin() + static_cast<std::ptrdiff_t>(i))
            throw error(errc::invalid_argument, call,
                        "exec.devices names device " + std::to_string(devices[i]) + " twice");
    }
    for (const int device : devices) state_->devices.push_back(std::make_unique<DeviceShare>(device));
}
Crossings::~Crossings() = default;

std::size_t Crossings::devices() const { return state_->devices.size(); }

std::uint64_t Crossings::most_items(std::uint64_t n, int at_once) const {
    const std::uint64_t limit = state_->limit();
    std::uint64_t items = std::min(n, limit / state_->bytes_of(static_cast<std::uint64_t>(at_once)));
    const auto fits = [&] {
        return static_cast<std::uint64_t>(at_once) * Layout(state_->work, items).bytes + state_->scratch_for(items) <=
               limit;
    };
    while (items > 0 && !fits()) items -= host::divide_up(items, 16);
    return items;
}

void Crossings::take_memory(std::uint64_t items, std::uint64_t of_last, int at_once, std::size_t devices) {
    State& state = *state_;
    state.sharing = std::min(devices, state.devices.size());
    state.slots = at_once;
    state.slot_bytes = Layout(state.work, items).bytes;
    state.scratch = std::max(state.scratch_for(items), state.scratch_for(of_last));
    for (std::size_t d = 0; d < state.sharing; ++d)
        state.devices[d]->take(static_cast<std::uint64_t>(at_once) * state.slot_bytes + state.scratch);
}

void Crossings::run(std::span<const Batch> all) {
    State& state = *state_;
    std::uint64_t bytes = 0;
    for (const Batch& batch : all) bytes += state.bytes_of(batch.items);
    const std::uint64_t threads_each_way = state.copying_threads(bytes);
    const std::uint64_t block_bytes = block_bytes_of(state.slot_bytes, threads_each_way);
    const std::uint64_t staged_each = staged_bytes(threads_each_way, block_bytes);
    if (std::any_of(all.begin(), all.end(), has_to_be_staged)) state.take_staged_memory(state.sharing * staged_each);
    Batches batches(all);
    std::vector<std::unique_ptr<Traffic>> traffic;
    for (std::size_t d = 0; d < state.sharing; ++d) {
        const DeviceShare& share = *state.devices[d];
        std::byte* const scratch = share.memory + static_cast<std::uint64_t>(state.slots) * state.slot_bytes;
        traffic.push_back(std::make_unique<Traffic>(
            state.work, batches, share.memory, state.slot_bytes, state.slots, block_bytes,
            state.scratch ? workspace{scratch, state.scratch} : workspace{}, share.stream->get()));
    }
    const auto copy = [&](std::size_t d, const StagedBlocks& staged, void (*work)(Traffic&, const StagedBlocks&)) {
        try {
            const simt::OnDevice current(state.devices[d]->device);
            work(*traffic[d], staged);
        } catch (...) {
            for (const auto& each : traffic) each->fail(std::current_exception());
        }
    };
    {
        std::byte* free = state.staged.data();
        const auto next_blocks = [&] {
            return StagedBlocks{free ? std::exchange(free, free + 2 * block_bytes) : nullptr, block_bytes};
        };
        std::vector<std::jthread> threads;  // joined at the end of the scope
        try {
            for (std::size_t d = 0; d < state.sharing; ++d)
                for (std::uint64_t t = 0; t < threads_each_way; ++t) {
                    threads.emplace_back(copy, d, next_blocks(), bring);
                    threads.emplace_back(copy, d, next_blocks(), take_back);
                }
        } catch (...) {
            for (const auto& each : traffic) each->fail(std::current_exception());
        }
    }
    batches.rethrow();
    for (std::size_t d = 0; d < state.sharing; ++d) {
        const simt::OnDevice current(state.devices[d]->device);
        simt::synchronize(state.devices[d]->stream->get());
    }
}

}  // namespace kogge::detail

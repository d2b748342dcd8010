#include "emulator/memory/check.hpp"

#if KOGGE_CHECK_INITIALISED

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>

#include "emulator/machine/machine.hpp"
#include "emulator/memory/faults.hpp"
#include "emulator/memory/heap.hpp"

namespace kogge::simt::emulator {

void Shadow::release() {
    if (written_) munmap(written_, bytes_);
    written_ = nullptr;
}

void Shadow::reset(std::size_t bytes) {
    release();
    bytes_ = bytes ? bytes : 1;
    void* mapping = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) throw std::bad_alloc();
    written_ = static_cast<unsigned char*>(mapping);
}

namespace {

/// The shadow of a range, or null when it has none.
unsigned char* shadow_of(const SharedArena* shared, const void* address, std::size_t bytes) {
    const auto* byte = static_cast<const unsigned char*>(address);
    if (shared && shared->holds(byte, bytes))
        return shared->shadow().at(static_cast<std::size_t>(byte - shared->data()));
    const DeviceHeap::Range* range = allocation_of(address);
    if (!range || !allocation_holds(address, bytes)) return nullptr;
    return range->shadow.at(static_cast<std::size_t>(byte - range->begin));
}

const SharedArena* shared_now() { return detail::position ? &current_fiber().home->shared : nullptr; }

void on_write(const void* address, std::size_t bytes) {
    if (!detail::position) return;
    if (unsigned char* written = shadow_of(shared_now(), address, bytes)) std::memset(written, 1, bytes);
}

/// Composes the report in a frame of its own: the caller leaves without unwinding, as the compiler takes the
/// functions below for ones that do not throw.
__attribute__((noinline)) void report(const void* address, std::size_t bytes, const void* return_address) {
    Fiber& me = current_fiber();
    const char* memory = me.home->shared.holds(address, bytes) ? "shared memory" : "device memory";
    std::string place = source_of(static_cast<const char*>(return_address) - 1);
    if (place.empty()) place = at(me.site) + " or after it";
    worker_of(me).launch->fail(place + ": " + thread_name(me) + ": a read of " + std::to_string(bytes) + " bytes of " +
                               memory + " that nobody has written");
}

/// The compiler does not announce all writes (not those of memcpy, nor a function's result that goes to memory at
/// once): what no longer looks like the pattern that the emulator left was written.
bool looks_fresh(const unsigned char* data, std::size_t bytes) {
    if (data[0] != kSharedPattern && data[0] != kFreshPattern) return false;
    for (std::size_t i = 1; i < bytes; ++i)
        if (data[i] != data[0]) return false;
    return true;
}

/// A value of which at least one byte was written passes: the others may be padding.
void on_read(const void* address, std::size_t bytes, const void* return_address) {
    if (!detail::position || bytes == 0) return;
    const unsigned char* written = shadow_of(shared_now(), address, bytes);
    if (!written || std::memchr(written, 1, bytes)) return;
    if (!looks_fresh(static_cast<const unsigned char*>(address), bytes)) return;
    report(address, bytes, return_address);
    worker_of(current_fiber()).leave();
}

}  // namespace

void note_copy(const SharedArena* shared, void* to, const void* from, std::size_t bytes) {
    unsigned char* target = shadow_of(shared, to, bytes);
    if (!target) return;
    const unsigned char* source = from ? shadow_of(shared, from, bytes) : nullptr;
    if (source) std::memmove(target, source, bytes);
    else std::memset(target, 1, bytes);
}

}  // namespace kogge::simt::emulator

// ---- what the compiler calls ----------------------------------------------------------------------------
// The names are the compiler's; a macro makes the entry points of each width.
using kogge::simt::emulator::on_read;
using kogge::simt::emulator::on_write;

#define KOGGE_ACCESS_ENTRY_POINTS(bytes)                                                             \
    void __tsan_read##bytes(void* address) { on_read(address, bytes, __builtin_return_address(0)); } \
    void __tsan_write##bytes(void* address) { on_write(address, bytes); }

#define KOGGE_UPDATE_ENTRY_POINT(bits, Word, operation)                                             \
    Word __tsan_atomic##bits##_##operation(volatile void* address, Word value, int) {               \
        on_read(const_cast<void*>(address), sizeof(Word), __builtin_return_address(0));             \
        return __atomic_##operation(static_cast<volatile Word*>(address), value, __ATOMIC_SEQ_CST); \
    }

#define KOGGE_COMPARE_ENTRY_POINT(bits, Word, strength)                                                             \
    bool __tsan_atomic##bits##_compare_exchange_##strength(volatile void* address, Word* expected, Word value, int, \
                                                           int) {                                                   \
        on_read(const_cast<void*>(address), sizeof(Word), __builtin_return_address(0));                             \
        return __atomic_compare_exchange_n(static_cast<volatile Word*>(address), expected, value, false,            \
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                                     \
    }

#define KOGGE_ATOMIC_ENTRY_POINTS(bits, Word)                                                      \
    Word __tsan_atomic##bits##_load(const volatile void* address, int) {                           \
        on_read(const_cast<void*>(address), sizeof(Word), __builtin_return_address(0));            \
        return __atomic_load_n(static_cast<const volatile Word*>(address), __ATOMIC_SEQ_CST);      \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile void* address, Word value, int) {                    \
        on_write(const_cast<void*>(address), sizeof(Word));                                        \
        __atomic_store_n(static_cast<volatile Word*>(address), value, __ATOMIC_SEQ_CST);           \
    }                                                                                              \
    Word __tsan_atomic##bits##_exchange(volatile void* address, Word value, int) {                 \
        on_write(const_cast<void*>(address), sizeof(Word));                                        \
        return __atomic_exchange_n(static_cast<volatile Word*>(address), value, __ATOMIC_SEQ_CST); \
    }                                                                                              \
    KOGGE_UPDATE_ENTRY_POINT(bits, Word, fetch_add)                                                \
    KOGGE_UPDATE_ENTRY_POINT(bits, Word, fetch_sub)                                                \
    KOGGE_UPDATE_ENTRY_POINT(bits, Word, fetch_and)                                                \
    KOGGE_UPDATE_ENTRY_POINT(bits, Word, fetch_or)                                                 \
    KOGGE_UPDATE_ENTRY_POINT(bits, Word, fetch_xor)                                                \
    KOGGE_COMPARE_ENTRY_POINT(bits, Word, strong)                                                  \
    KOGGE_COMPARE_ENTRY_POINT(bits, Word, weak)

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}
void __tsan_read_range(void* address, unsigned long bytes) { on_read(address, bytes, __builtin_return_address(0)); }
void __tsan_write_range(void* address, unsigned long bytes) { on_write(address, bytes); }
KOGGE_ACCESS_ENTRY_POINTS(1)
KOGGE_ACCESS_ENTRY_POINTS(2)
KOGGE_ACCESS_ENTRY_POINTS(4)
KOGGE_ACCESS_ENTRY_POINTS(8)
KOGGE_ACCESS_ENTRY_POINTS(16)
KOGGE_ATOMIC_ENTRY_POINTS(8, std::uint8_t)
KOGGE_ATOMIC_ENTRY_POINTS(16, std::uint16_t)
KOGGE_ATOMIC_ENTRY_POINTS(32, std::uint32_t)
KOGGE_ATOMIC_ENTRY_POINTS(64, std::uint64_t)
}

#endif

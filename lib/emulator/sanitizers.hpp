// What ThreadSanitizer and AddressSanitizer must be told about fibers. The scheduler itself is compiled
// without ThreadSanitizer (KOGGE_TSAN=1 instead): only edges named here order the accesses of kernel threads.
#pragma once

#include <cstddef>

#ifndef KOGGE_TSAN
#define KOGGE_TSAN 0
#endif
#if defined(__SANITIZE_ADDRESS__)
#define KOGGE_ASAN 1
#else
#define KOGGE_ASAN 0
#endif

#if KOGGE_TSAN
extern "C" {
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* address);
void __tsan_release(void* address);
void __tsan_read_range(void* address, unsigned long size);
void __tsan_write_range(void* address, unsigned long size);
}
#endif
#if KOGGE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace kogge::simt::emulator {

#if KOGGE_TSAN
inline void* tsan_current() { return __tsan_get_current_fiber(); }
inline void* tsan_create() { return __tsan_create_fiber(0); }
inline void tsan_destroy(void* fiber) { __tsan_destroy_fiber(fiber); }
inline void tsan_switch(void* fiber) { __tsan_switch_to_fiber(fiber, 1); }  // 1: without an ordering edge
inline void tsan_acquire(void* object) { __tsan_acquire(object); }
inline void tsan_release(void* object) { __tsan_release(object); }
inline void tsan_read(const void* data, std::size_t bytes) { __tsan_read_range(const_cast<void*>(data), bytes); }
inline void tsan_write(void* data, std::size_t bytes) { __tsan_write_range(data, bytes); }
#else
inline void* tsan_current() { return nullptr; }
inline void* tsan_create() { return nullptr; }
inline void tsan_destroy(void*) {}
inline void tsan_switch(void*) {}
inline void tsan_acquire(void*) {}
inline void tsan_release(void*) {}
inline void tsan_read(const void*, std::size_t) {}
inline void tsan_write(void*, std::size_t) {}
#endif

#if KOGGE_ASAN
inline void asan_start_switch(void** save, const void* bottom, std::size_t bytes) {
    __sanitizer_start_switch_fiber(save, bottom, bytes);
}
inline void asan_finish_switch(void* save, const void** bottom, std::size_t* bytes) {
    __sanitizer_finish_switch_fiber(save, bottom, bytes);
}
inline void asan_poison(const void* data, std::size_t bytes) { __asan_poison_memory_region(data, bytes); }
inline void asan_unpoison(const void* data, std::size_t bytes) { __asan_unpoison_memory_region(data, bytes); }
#else
inline void asan_start_switch(void**, const void*, std::size_t) {}
inline void asan_finish_switch(void*, const void**, std::size_t*) {}
inline void asan_poison(const void*, std::size_t) {}
inline void asan_unpoison(const void*, std::size_t) {}
#endif

/// An address with its own clock for ThreadSanitizer; fresh for each block, as freed memory forgets its clock.
class SyncObject {
public:
    SyncObject() : word_(KOGGE_TSAN ? ::operator new(8) : nullptr) {}
    ~SyncObject() { ::operator delete(word_); }
    SyncObject(const SyncObject&) = delete;
    SyncObject& operator=(const SyncObject&) = delete;
    void acquire() { tsan_acquire(word_); }
    void release() { tsan_release(word_); }

private:
    void* word_;
};

/// Acts for another of ThreadSanitizer's threads until the end of the scope.
class ActAs {
public:
    explicit ActAs(void* fiber) : before_(tsan_current()) { tsan_switch(fiber); }
    ~ActAs() { tsan_switch(before_); }
    ActAs(const ActAs&) = delete;
    ActAs& operator=(const ActAs&) = delete;

private:
    void* before_;
};

/// Copies without a call to memcpy, which ThreadSanitizer would take for accesses of the calling kernel thread.
inline void copy_unseen(void* to, const void* from, std::size_t bytes) {
    auto* target = static_cast<unsigned char*>(to);
    const auto* source = static_cast<const unsigned char*>(from);
    for (; bytes >= 8; bytes -= 8, target += 8, source += 8) {
        __builtin_memcpy(target, source, 8);
        asm volatile("" ::: "memory");  // keeps the loop from becoming a memcpy
    }
    for (; bytes > 0; --bytes) {
        *target++ = *source++;
        asm volatile("" ::: "memory");
    }
}

inline constexpr std::size_t kStackBytes = KOGGE_TSAN || KOGGE_ASAN ? 256 * 1024 : 64 * 1024;

}  // namespace kogge::simt::emulator

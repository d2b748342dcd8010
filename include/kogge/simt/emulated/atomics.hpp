// Emulated: atomics and ordered loads and stores, as std::atomic_ref, which ThreadSanitizer understands. Each
// is a point where other threads may run.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "kogge/simt/emulated/thread.hpp"

namespace kogge::simt {

namespace detail {

enum class Space { any, global };
/// Checks the address and may let other threads run.
void before_atomic(const void* address, std::size_t bytes, Space space, Site site);
/// After a load: a thread that sees the same value again is taken to be polling, and lets others run.
void after_load(const void* address, std::uint64_t value, Site site);
/// Memory changed: no livelock.
void made_progress();

template <class T>
auto atomic_at(const T* address) {
    return std::atomic_ref<T>(*const_cast<T*>(address));
}

template <class T, class Combine>
T update(T* target, T value, Combine combine) {
    auto word = atomic_at(target);
    T old = word.load(std::memory_order_relaxed);
    while (!word.compare_exchange_weak(old, combine(old, value), std::memory_order_relaxed)) {}
    if (combine(old, value) != old) made_progress();
    return old;
}

}  // namespace detail

// Relaxed read-modify-writes on 32- and 64-bit unsigned integers; all return the old value. The scope says
// which threads take part: Scope::block suits shared memory, Scope::device global memory.
enum class Scope { block, device };

template <Scope scope, class T>
T atomic_add(T* target, std::type_identity_t<T> value, Site site = Site::here()) {
    static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
    detail::before_atomic(target, sizeof(T), detail::Space::any, site);
    if (value != 0) detail::made_progress();
    return detail::atomic_at(target).fetch_add(value, std::memory_order_relaxed);
}
template <Scope scope>
std::uint32_t atomic_or(std::uint32_t* target, std::uint32_t value, Site site = Site::here()) {
    detail::before_atomic(target, sizeof(*target), detail::Space::any, site);
    return detail::update(target, value, [](std::uint32_t a, std::uint32_t b) { return a | b; });
}
template <Scope scope>
std::uint32_t atomic_max(std::uint32_t* target, std::uint32_t value, Site site = Site::here()) {
    detail::before_atomic(target, sizeof(*target), detail::Space::any, site);
    return detail::update(target, value, [](std::uint32_t a, std::uint32_t b) { return (std::max)(a, b); });
}
/// Writes `desired` where `expected` stands.
template <Scope scope>
std::uint32_t atomic_compare_swap(std::uint32_t* target, std::uint32_t expected, std::uint32_t desired,
                                  Site site = Site::here()) {
    detail::before_atomic(target, sizeof(*target), detail::Space::any, site);
    if (detail::atomic_at(target).compare_exchange_strong(expected, desired, std::memory_order_relaxed))
        detail::made_progress();
    return expected;
}

namespace detail {

template <class T>
T load_ordered(const T* source, std::memory_order order, Site site) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    before_atomic(source, sizeof(T), Space::global, site);
    const T value = atomic_at(source).load(order);
    after_load(source, static_cast<std::uint64_t>(value), site);
    return value;
}
template <class T>
void store_ordered(T* target, T value, std::memory_order order, Site site) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    before_atomic(target, sizeof(T), Space::global, site);
    atomic_at(target).store(value, order);
    made_progress();
}

}  // namespace detail

// Ordered loads and stores of global memory between blocks, 32- or 64-bit.
template <class T>
T load_relaxed(const T* source, Site site = Site::here()) {
    return detail::load_ordered(source, std::memory_order_relaxed, site);
}
template <class T>
T load_acquire(const T* source, Site site = Site::here()) {
    const bool relaxed = detail::switched_off(site, SiteKind::acquire);
    return detail::load_ordered(source, relaxed ? std::memory_order_relaxed : std::memory_order_acquire, site);
}
template <class T>
void store_relaxed(T* target, std::type_identity_t<T> value, Site site = Site::here()) {
    detail::store_ordered(target, value, std::memory_order_relaxed, site);
}
template <class T>
void store_release(T* target, std::type_identity_t<T> value, Site site = Site::here()) {
    const bool relaxed = detail::switched_off(site, SiteKind::release);
    detail::store_ordered(target, value, relaxed ? std::memory_order_relaxed : std::memory_order_release, site);
}
/// Loads four words from global memory in one access, at a 16-byte boundary; in the L2 cache they are the first to make
/// room for others.
inline void load_words_once(const std::uint32_t* source, std::uint32_t (&words)[4]) {
    for (int i = 0; i < 4; ++i) words[i] = source[i];
}
/// Stores four words to global memory in one access, at a 16-byte boundary.
inline void store_words(std::uint32_t* target, const std::uint32_t (&words)[4]) {
    for (int i = 0; i < 4; ++i) target[i] = words[i];
}
/// The same; in the L2 cache they are the first to make room for others.
inline void store_words_once(std::uint32_t* target, const std::uint32_t (&words)[4]) { store_words(target, words); }
/// The word, of which the compiler shall not know how it is composed.
inline std::uint32_t kept_together(std::uint32_t word) { return word; }
/// An object at an address in global memory that was kept as a number.
template <class T>
T* global_at(std::uint64_t address) {
    return reinterpret_cast<T*>(address);
}
/// Adds in global memory; what this thread wrote before is visible to whoever acquires the sum.
inline void add_release(std::uint32_t* target, std::uint32_t value, Site site = Site::here()) {
    const bool relaxed = detail::switched_off(site, SiteKind::release);
    detail::before_atomic(target, sizeof(*target), detail::Space::global, site);
    detail::atomic_at(target).fetch_add(value, relaxed ? std::memory_order_relaxed : std::memory_order_release);
    detail::made_progress();
}
/// Adds in global memory; what this thread wrote before is visible to whoever sees the sum, and the reverse.
inline std::uint32_t atomic_add_acq_rel(std::uint32_t* target, std::uint32_t value, Site site = Site::here()) {
    const bool relaxed = detail::switched_off(site, SiteKind::acquire_release);
    detail::before_atomic(target, sizeof(*target), detail::Space::global, site);
    if (value != 0) detail::made_progress();
    return detail::atomic_at(target).fetch_add(value, relaxed ? std::memory_order_relaxed : std::memory_order_acq_rel);
}

}  // namespace kogge::simt

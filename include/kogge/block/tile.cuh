// Moves a tile between global and shared memory. Shared memory has the same order as global memory, item i of the tile
// at position i, so that copies are contiguous and so are a thread's items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kogge/simt/device.cuh"

namespace kogge::block {

/// The unit of wide copies.
struct alignas(16) Chunk {
    std::uint32_t word[4];
};

KOGGE_HOST_DEVICE bool is_chunk_aligned(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(Chunk) == 0;
}

template <class T, class In>
inline constexpr bool kCopiesChunks =
    std::is_same_v<std::remove_cv_t<std::remove_pointer_t<In>>, T>&& std::is_pointer_v<In> && 16 % sizeof(T) == 0;

/// Loads items [base, base + count) of `in`, a pointer or any type with operator[], into `tile`. All threads of the
/// block call, and a block barrier must follow. For a full tile, all loads of a thread are in flight before its first
/// store to `tile`. At 16-byte boundaries loads are 16 bytes wide.
template <int threads, int items, class T, class In>
KOGGE_DEVICE void load_tile(T* tile, const In& in, std::uint64_t base, int count) {
    const int thread = simt::thread_rank();
    if constexpr (kCopiesChunks<T, In>) {
        constexpr int per_thread = static_cast<int>(items * sizeof(T) / sizeof(Chunk)) / threads;
        if constexpr (per_thread * threads * sizeof(Chunk) == items * sizeof(T)) {
            if (count == items && is_chunk_aligned(in + base)) {
                const Chunk* source = reinterpret_cast<const Chunk*>(in + base);
                Chunk* target = reinterpret_cast<Chunk*>(tile);
                Chunk chunks[per_thread];
                KOGGE_UNROLL
                for (int i = 0; i < per_thread; ++i) chunks[i] = source[i * threads + thread];
                KOGGE_UNROLL
                for (int i = 0; i < per_thread; ++i) target[i * threads + thread] = chunks[i];
                return;
            }
        }
    }
    constexpr int per_thread = items / threads;
    if constexpr (per_thread * sizeof(T) <= 80) {
        if (count == items) {
            T held[per_thread];
            KOGGE_UNROLL
            for (int i = 0; i < per_thread; ++i) held[i] = in[base + static_cast<std::uint64_t>(i * threads + thread)];
            KOGGE_UNROLL
            for (int i = 0; i < per_thread; ++i) tile[i * threads + thread] = held[i];
            return;
        }
    }
    for (int i = thread; i < count; i += threads) tile[i] = in[base + i];
}

/// Stores items [0, count) of `tile` to out[base …]. All threads of the block call, after a block barrier.
template <int threads, int items, class T>
KOGGE_DEVICE void store_tile(T* out, const T* tile, std::uint64_t base, int count) {
    const int thread = simt::thread_rank();
    if constexpr (16 % sizeof(T) == 0) {
        if (is_chunk_aligned(out + base)) {
            Chunk* target = reinterpret_cast<Chunk*>(out + base);
            const Chunk* source = reinterpret_cast<const Chunk*>(tile);
            const int chunks = static_cast<int>(count * sizeof(T) / sizeof(Chunk));
            for (int i = thread; i < chunks; i += threads) target[i] = source[i];
            constexpr int per_chunk = static_cast<int>(sizeof(Chunk) / sizeof(T));
            for (int i = chunks * per_chunk + thread; i < count; i += threads) out[base + i] = tile[i];
            return;
        }
    }
    for (int i = thread; i < count; i += threads) out[base + i] = tile[i];
}

/// How many of `count` items belong to thread (or lane) `place`, at `items` items each.
template <int items>
KOGGE_DEVICE int segment_size(int count, int place) {
    const int left = count - place * items;
    return left < 0 ? 0 : left < items ? left : items;
}

/// The alignment of `count` items that move together: their size, at most the widest access, if that is a power of two.
template <class T, int count>
inline constexpr std::size_t kPieceAlignment = count == 1 || (count * sizeof(T) & (count * sizeof(T) - 1)) != 0
                                                   ? alignof(T)
                                               : count * sizeof(T) < 16 ? count * sizeof(T)
                                                                        : 16;

/// Some items that move between shared memory and registers in one access.
template <class T, int count>
struct alignas(kPieceAlignment<T, count>) Piece {
    T item[std::size_t{count}];

    KOGGE_DEVICE T get(int i) const { return item[i]; }
};

/// Stores a piece to global memory in the fewest accesses. The compiler alone stores some pieces item by item.
template <class T, int count>
KOGGE_DEVICE void store_piece(T* target, const Piece<T, count>& piece) {
    if constexpr (kPieceAlignment<T, count> == sizeof(Chunk)) {
        Chunk chunks[sizeof(piece) / sizeof(Chunk)];
        std::memcpy(chunks, &piece, sizeof(piece));
        KOGGE_UNROLL
        for (std::size_t i = 0; i < sizeof(piece) / sizeof(Chunk); ++i)
            simt::store_words(reinterpret_cast<std::uint32_t*>(target) + 4 * i, chunks[i].word);
    } else {
        *reinterpret_cast<Piece<T, count>*>(target) = piece;
    }
}

/// A piece of small items held in registers for long: several items share a register, which the compiler does not do.
template <class T, int count>
struct alignas(count * sizeof(T)) PackedPiece {
    static constexpr int kEach = 4 / sizeof(T);  ///< items per word
    std::uint32_t word[std::size_t{count / kEach}];

    KOGGE_DEVICE T get(int i) const {
        const std::uint32_t bits = word[i / kEach] >> (8 * sizeof(T) * (i % kEach));
        T item;
        std::memcpy(&item, &bits, sizeof(T));
        return item;
    }
};
template <class T, int count>
inline constexpr bool kPacked = sizeof(T) < 4 && 4 % sizeof(T) == 0 && count * sizeof(T) % 4 == 0;
template <class T, int count>
using RegisterPiece = std::conditional_t<kPacked<T, count>, PackedPiece<T, count>, Piece<T, count>>;

/// Has pieces of packed words stay so: the compiler would take the words apart where they are loaded.
template <class T, int count, int rows>
KOGGE_DEVICE void keep_packed(c_array<RegisterPiece<T, count>, rows>& pieces) {
    if constexpr (kPacked<T, count>) {
        KOGGE_UNROLL
        for (int r = 0; r < rows; ++r) {
            KOGGE_UNROLL
            for (std::uint32_t& word : pieces[r].word) word = simt::kept_together(word);
        }
    }
}

/// The number of items that move together: up to 16 bytes of the wider type, and a divisor of `items`.
template <int items, class A, class B = A>
inline constexpr int kPieceItems = [] {
    constexpr std::size_t wide = sizeof(A) > sizeof(B) ? sizeof(A) : sizeof(B);
    constexpr std::size_t narrow = sizeof(A) > sizeof(B) ? sizeof(B) : sizeof(A);
    int each = 1;
    if constexpr (wide <= 16 && 16 % wide == 0 && 16 % narrow == 0)
        for (each = static_cast<int>(16 / wide); items % each != 0;) each /= 2;
    return each;
}();

/// Calls work(size) for a thread's `items` items, of which there are `size`. If there are all of them, the size is a
/// constant: that code path has no bounds check per item.
template <int items, class Work>
KOGGE_DEVICE void with_size(int size, const Work& work) {
    if (size >= items) work(std::integral_constant<int, items>{});
    else work(size);
}

/// The number of the piece that has item `first` of a thread's items.
template <int items, int per_piece, bool reversed>
KOGGE_DEVICE constexpr int piece_at(int first) {
    return (reversed ? items - per_piece - first : first) / per_piece;
}

/// Calls visit(i, item) for the first `size` of a thread's `items` items, in order; if `reversed`, from the end.
template <int items, bool reversed = false, class T, class Visit>
KOGGE_DEVICE void visit_segment(const T* segment, int size, Visit visit) {
    constexpr int per_piece = kPieceItems<items, T>;
    const auto* pieces = reinterpret_cast<const Piece<T, per_piece>*>(segment);
    with_size<items>(size, [&](auto wanted) {
        KOGGE_UNROLL
        for (int first = 0; first < items; first += per_piece) {
            if (first >= wanted) break;
            const Piece<T, per_piece> piece = pieces[piece_at<items, per_piece, reversed>(first)];
            KOGGE_UNROLL
            for (int i = 0; i < per_piece; ++i)
                if (first + i < wanted) visit(first + i, piece.item[reversed ? per_piece - 1 - i : i]);
        }
    });
}

/// As visit_segment, where visit returns the item's result for `results`, which may be the same memory.
template <int items, bool reversed = false, class T, class Result, class Visit>
KOGGE_DEVICE void rewrite_segment(const T* segment, Result* results, int size, Visit visit) {
    constexpr int per_piece = kPieceItems<items, T, Result>;
    const auto* pieces = reinterpret_cast<const Piece<T, per_piece>*>(segment);
    auto* targets = reinterpret_cast<Piece<Result, per_piece>*>(results);
    with_size<items>(size, [&](auto wanted) {
        KOGGE_UNROLL
        for (int first = 0; first < items; first += per_piece) {
            if (first >= wanted) break;
            const Piece<T, per_piece> piece = pieces[piece_at<items, per_piece, reversed>(first)];
            Piece<Result, per_piece> result;
            KOGGE_UNROLL
            for (int i = 0; i < per_piece; ++i) {
                const int place = reversed ? per_piece - 1 - i : i;
                if (first + i < wanted) result.item[place] = visit(first + i, piece.item[place]);
            }
            targets[piece_at<items, per_piece, reversed>(first)] = result;
        }
    });
}

/// Fills the first `size` of a thread's `items` places with visit(i), in order; if `reversed`, from the end.
template <int items, bool reversed = false, class Result, class Visit>
KOGGE_DEVICE void write_segment(Result* results, int size, Visit visit) {
    constexpr int per_piece = kPieceItems<items, Result>;
    auto* targets = reinterpret_cast<Piece<Result, per_piece>*>(results);
    with_size<items>(size, [&](auto wanted) {
        KOGGE_UNROLL
        for (int first = 0; first < items; first += per_piece) {
            if (first >= wanted) break;
            Piece<Result, per_piece> result;
            KOGGE_UNROLL
            for (int i = 0; i < per_piece; ++i)
                if (first + i < wanted) result.item[reversed ? per_piece - 1 - i : i] = visit(first + i);
            targets[piece_at<items, per_piece, reversed>(first)] = result;
        }
    });
}

}  // namespace kogge::block

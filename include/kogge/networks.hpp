// The scan networks that a block can run over its threads' partial sums, as values for options, plans and reports.
#pragma once

#include <array>

namespace kogge {

/// All compute the same result for any associative operator. They differ in steps, operations and shared-memory
/// traffic: see block/networks.cuh.
enum class network {
    shuffle,                ///< Kogge-Stone by shuffles, within warps and over the warps' totals: the library's default
    kogge_stone,            ///< Kogge and Stone (1973), double-buffered in shared memory: one barrier per step
    kogge_stone_registers,  ///< the same with each thread's value in a register and one buffer: two barriers per step
    hillis_steele,          ///< Hillis and Steele (1986): step doubling in place, both operands read from shared memory
    brent_kung,             ///< Brent and Kung (1982), in place, active threads packed
    brent_kung_tree,        ///< the same out of place, each tree level contiguous
    blelloch,               ///< Blelloch (1990): up-sweep, then down-sweep; exclusive by nature
};

inline constexpr network shuffle = network::shuffle;
inline constexpr network kogge_stone = network::kogge_stone;
inline constexpr network kogge_stone_registers = network::kogge_stone_registers;
inline constexpr network hillis_steele = network::hillis_steele;
inline constexpr network brent_kung = network::brent_kung;
inline constexpr network brent_kung_tree = network::brent_kung_tree;
inline constexpr network blelloch = network::blelloch;

inline constexpr std::array<network, 7> kAllNetworks = {
    network::shuffle,       network::kogge_stone, network::kogge_stone_registers,
    network::hillis_steele, network::brent_kung,  network::brent_kung_tree,
    network::blelloch,
};

constexpr const char* to_string(network which) {
    switch (which) {
        case network::shuffle:
            return "shuffle";
        case network::kogge_stone:
            return "kogge_stone";
        case network::kogge_stone_registers:
            return "kogge_stone_registers";
        case network::hillis_steele:
            return "hillis_steele";
        case network::brent_kung:
            return "brent_kung";
        case network::brent_kung_tree:
            return "brent_kung_tree";
        case network::blelloch:
            return "blelloch";
    }
    return "unknown network";
}

}  // namespace kogge

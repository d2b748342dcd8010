// Reductions of transformed items.
#include "fuzz/families.hpp"
#include "fuzz/reductions.hpp"

namespace fuzz {
namespace {

/// Of another type than the items.
struct LowBits {
    KOGGE_HOST_DEVICE std::uint16_t operator()(const std::uint64_t& item) const {
        return static_cast<std::uint16_t>(item >> 48 ^ item);
    }
};
/// Small integers stay small integers, which add up exactly.
struct Tripled {
    KOGGE_HOST_DEVICE float operator()(const float& item) const { return 3 * item; }
};
struct Negated {
    KOGGE_HOST_DEVICE std::int32_t operator()(const std::int16_t& item) const { return -item; }
};
/// A matrix from 12 bytes.
struct FirstBytes {
    KOGGE_HOST_DEVICE Bytes<4> operator()(const Bytes<12>& item) const {
        return {{item.bytes[0], item.bytes[5], item.bytes[7], item.bytes[11]}};
    }
};

}  // namespace

void transform_reduce(Case& of) {
    switch (of.below(4)) {
        case 0:
            return reduce_in_any_form<std::uint64_t, std::uint64_t>(of, "plus of low bits", kogge::plus{}, LowBits{});
        case 1:
            return reduce_in_any_form<float, float>(of, "plus of triples", kogge::plus{}, Tripled{});
        case 2:
            return reduce_in_any_form<std::int16_t, std::int64_t>(of, "maximum of negatives", kogge::maximum{},
                                                                  Negated{});
        default:
            return reduce_in_any_form<Bytes<12>, Bytes<4>>(of, "matrices", ByteMatrices{}, FirstBytes{});
    }
}

}  // namespace fuzz

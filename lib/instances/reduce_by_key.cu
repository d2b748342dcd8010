// kogge-parts: 5
#include "kogge/detail/prebuilt_told.hpp"
#include "kogge/reduce/by_key_launch.cuh"
#include "parts.hpp"

namespace kogge::grid {

template <class In, class Sum>
void told_reduce_by_key(const char* call, const ToldKeys& keys, const ToldEqual& equal, In in,
                        const ToldPlaces& keys_out, Sum* sums, std::uint64_t* total, const item_count& n,
                        ToldOperator op, const exec& how) {
    device_reduce_by_key(call, keys, in, keys_out, sums, total, n, op, equal, how);
}

#define KOGGE_INSTANCE(In, Sum) KOGGE_TOLD_REDUCE_BY_KEY_OF(, In, Sum)
KOGGE_TOLD_NUMBERS_OF_PART(KOGGE_INSTANCE)

}  // namespace kogge::grid

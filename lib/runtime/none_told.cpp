// What stands in for the prebuilt device code of detail/prebuilt_told.hpp in a build without a device, as
// none_instances.cpp does for other calls.
#include "kogge/detail/prebuilt_told.hpp"

namespace kogge::grid {
namespace {

[[noreturn]] void no_device_code(const char* call) {
    throw error(errc::unreachable, call, "this build of the library has no device code");
}

}  // namespace

template <class In, class Sum>
void told_scan(const char* call, const ToldRuns&, In, Sum*, const item_count&, ToldOperator, bool, Sum, const exec&) {
    no_device_code(call);
}
template <class In, class Sum>
void told_reverse_scan(const char* call, In, Sum*, const item_count&, ToldOperator, bool, const Carry<Sum>&,
                       const exec&) {
    no_device_code(call);
}
template <class In, class Sum>
void told_reduce_by_key(const char* call, const ToldKeys&, const ToldEqual&, In, const ToldPlaces&, Sum*,
                        std::uint64_t*, const item_count&, ToldOperator, const exec&) {
    no_device_code(call);
}
template <class In, class Sum, class Op>
void told_segmented_reduce(const char* call, In, Sum*, const item_count&, const detail::DeviceSegments&, bool, Op,
                           const detail::ReduceStart<Sum>&, const exec&) {
    no_device_code(call);
}

#define KOGGE_INSTANCE(In, Sum)           \
    KOGGE_TOLD_SCAN_OF(, In, Sum)         \
    KOGGE_TOLD_REVERSE_SCAN_OF(, In, Sum) \
    KOGGE_TOLD_REDUCE_BY_KEY_OF(, In, Sum)
KOGGE_TOLD_NUMBERS(KOGGE_INSTANCE)
#undef KOGGE_INSTANCE
#define KOGGE_INSTANCE(In, Sum, Op) KOGGE_TOLD_SEGMENTED_REDUCE_OF(, In, Sum, Op)
KOGGE_TOLD_FOLDS(KOGGE_INSTANCE)

}  // namespace kogge::grid

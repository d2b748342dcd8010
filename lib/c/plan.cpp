// Plans, for this device or for one that is not here.
#include <cstdint>

#include "c/arguments.hpp"
#include "c/codecs.hpp"
#include "c/guard.hpp"
#include "known_devices.hpp"
#include "kogge/plan.hpp"

namespace kogge::c {
namespace {

/// Of the card of this name, or of the current device where it is null.
device_properties properties_of(const char* call, const char* device) {
    if (device) return detail::known_device(call, device);
    if (simt::device_count() == 0)
        throw error(errc::unreachable, call, "there is no device here: name the one that is meant, for example H100");
    return simt::current_properties();
}

/// Plans, and writes what the plan says.
template <class MakePlan>
kogge_status write(const char* call, const char* device, kogge_plan* plan, const MakePlan& make_plan) {
    return guard(call, [&] {
        check_plan(call, plan);
        const auto made = make_plan(properties_of(call, device));
        write_plan(to_string(made), made.scratch_bytes, made.launches, plan);
    });
}

/// The shape of a sort's keys, as the device's launches make it.
radix_sort_shape shape_of(const char* call, kogge_type key_type, const sort_options& options) {
    const TypeInfo key = number_of(call, key_type, "keys");
    const detail::BitRange bits = bit_range(call, key, options);
    radix_sort_shape shape;
    shape.key_bytes = key.bytes;
    shape.begin_bit = bits.begin;
    shape.end_bit = bits.end;
    shape.merges_keys = merges_keys(key, options);
    const bool all = bits.begin == 0 && static_cast<std::size_t>(bits.end) == 8 * key.bytes;
    shape.are_floats = key.kind == number_kind::floating && all && !shape.merges_keys;
    shape.merges_floats = shape.merges_keys;
    return shape;
}

void add_values(const char* call, kogge_type type, radix_sort_shape& shape) {
    if (type == KOGGE_NONE) return;
    const TypeInfo value = item_of(call, type, "values");
    shape.values.push_back({value.bytes, value.alignment});
}

top_k_shape top_k_shape_of(const char* call, kogge_type key_type, bool writes_keys, kogge_type index_type,
                           kogge_type value_type, const sort_options& options) {
    const radix_sort_shape keys = shape_of(call, key_type, options);
    top_k_shape shape;
    shape.key_bytes = keys.key_bytes;
    shape.begin_bit = keys.begin_bit;
    shape.end_bit = keys.end_bit;
    shape.writes_keys = writes_keys;
    if (index_type != KOGGE_NONE) shape.index_bytes = index_bytes(call, index_type, "the indices");
    if (value_type != KOGGE_NONE) shape.value_bytes = item_of(call, value_type, "values").bytes;
    shape.merges_keys = keys.merges_keys;
    shape.are_floats = keys.are_floats;
    return shape;
}

}  // namespace
}  // namespace kogge::c

const char* kogge_known_devices(int i) { return kogge::detail::known_device_name(i); }

kogge_status kogge_plan_radix_sort(kogge_type key_type, kogge_type value_type, int in_place, uint64_t n,
                                   const kogge_sort_options* options, const kogge_exec* exec, const char* device,
                                   kogge_plan* plan) {
    const char* const call = "plan_radix_sort";
    return kogge::c::write(call, device, plan, [&](const kogge::device_properties& of) {
        kogge::radix_sort_shape shape =
            kogge::c::shape_of(call, key_type, kogge::c::sort_options_of(call, options, kogge::ascending));
        shape.in_place = in_place != 0;
        kogge::c::add_values(call, value_type, shape);
        return kogge::plan_radix_sort(n, shape, of, kogge::c::scratch_limit_of(call, exec));
    });
}

kogge_status kogge_plan_argsort(kogge_type key_type, kogge_type index_type, uint64_t n,
                                const kogge_sort_options* options, const kogge_exec* exec, const char* device,
                                kogge_plan* plan) {
    const char* const call = "plan_argsort";
    return kogge::c::write(call, device, plan, [&](const kogge::device_properties& of) {
        kogge::radix_sort_shape shape =
            kogge::c::shape_of(call, key_type, kogge::c::sort_options_of(call, options, kogge::ascending));
        shape.in_place = false;
        shape.writes_keys = false;
        const std::size_t bytes = kogge::c::index_bytes(call, index_type, "the indices");
        shape.values.push_back({bytes, bytes});
        return kogge::plan_radix_sort(n, shape, of, kogge::c::scratch_limit_of(call, exec));
    });
}

kogge_status kogge_plan_segmented_sort(kogge_type key_type, kogge_type value_type, int in_place, uint64_t n,
                                       uint64_t segments, const kogge_sort_options* options, const char* device,
                                       kogge_plan* plan) {
    const char* const call = "plan_segmented_sort";
    return kogge::c::write(call, device, plan, [&](const kogge::device_properties& of) {
        kogge::radix_sort_shape shape =
            kogge::c::shape_of(call, key_type, kogge::c::sort_options_of(call, options, kogge::ascending));
        shape.in_place = in_place != 0;
        shape.are_floats = false;
        kogge::c::add_values(call, value_type, shape);
        return kogge::plan_segmented_sort(n, segments, shape, of);
    });
}

kogge_status kogge_plan_top_k(kogge_type key_type, int writes_keys, kogge_type index_type, kogge_type value_type,
                              uint64_t n, uint64_t k, const kogge_sort_options* options, const kogge_exec* exec,
                              const char* device, kogge_plan* plan) {
    const char* const call = "plan_top_k";
    return kogge::c::write(call, device, plan, [&](const kogge::device_properties& of) {
        const kogge::top_k_shape shape =
            kogge::c::top_k_shape_of(call, key_type, writes_keys != 0, index_type, value_type,
                                     kogge::c::sort_options_of(call, options, kogge::descending));
        return kogge::plan_top_k(n, k, shape, of, kogge::c::scratch_limit_of(call, exec));
    });
}

kogge_status kogge_plan_segmented_top_k(kogge_type key_type, int writes_keys, kogge_type index_type,
                                        kogge_type value_type, int rows, uint64_t n, uint64_t segments, uint64_t k,
                                        const kogge_sort_options* options, const char* device, kogge_plan* plan) {
    const char* const call = "plan_segmented_top_k";
    return kogge::c::write(call, device, plan, [&](const kogge::device_properties& of) {
        kogge::top_k_shape shape =
            kogge::c::top_k_shape_of(call, key_type, writes_keys != 0, index_type, value_type,
                                     kogge::c::sort_options_of(call, options, kogge::descending));
        shape.merges_keys = false;  // as the launch says
        shape.are_floats = false;
        if (rows && segments > 0 && n % segments != 0)
            throw kogge::error(kogge::errc::invalid_argument, call, "the items are no rows of equal length");
        const std::uint64_t longest = rows && segments > 0 ? n / segments : n;
        return kogge::plan_segmented_top_k(segments, longest, rows != 0, k, shape, of);
    });
}

kogge_status kogge_plan_compact(kogge_type type, int keeps_rejected, int in_place, uint64_t n, const char* device,
                                kogge_plan* plan) {
    const char* const call = "plan_compact";
    return kogge::c::write(call, device, plan, [&](const kogge::device_properties& of) {
        const kogge::c::TypeInfo item = kogge::c::item_of(call, type, "items");
        return kogge::plan_compact(n, item.bytes, keeps_rejected != 0, in_place != 0, of);
    });
}

kogge_status kogge_plan_scan(kogge_type type, kogge_type out_type, uint64_t n, const char* device, kogge_plan* plan) {
    const char* const call = "plan_scan";
    return kogge::c::write(call, device, plan, [&](const kogge::device_properties& of) {
        const std::size_t item = kogge::c::number_of(call, type, "items").bytes;
        const std::size_t sum = kogge::c::number_of(call, out_type, "results").bytes;
        return kogge::plan_scan(n, {item, sum, sum}, {}, of);
    });
}

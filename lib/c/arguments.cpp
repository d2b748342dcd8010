#include "c/arguments.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace kogge::c {
namespace {

/// A copy of a struct of any version. What an earlier version lacks is 0 in it. What is not known here of a later one
/// must be 0.
template <class Struct>
Struct read_struct(const char* call, const Struct* given, const char* name) {
    Struct own{};
    own.size = sizeof(Struct);
    if (!given) return own;
    std::size_t size = 0;
    std::memcpy(&size, given, sizeof size);
    constexpr std::size_t kMost = 4096;  // of any version
    if (size <= sizeof size || size > kMost || size % alignof(Struct) != 0)
        throw error(errc::invalid_argument, call,
                    std::string("the size of ") + name + " is " + std::to_string(size) +
                        ", which no version has: its first member is its size, here " + std::to_string(sizeof(Struct)));
    const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
    if (size > sizeof(Struct) &&
        std::any_of(bytes + sizeof(Struct), bytes + size, [](unsigned char byte) { return byte != 0; }))
        throw error(errc::invalid_argument, call,
                    std::string(name) + " is of a later version, and uses what this version of the library lacks");
    std::memcpy(&own, given, std::min(size, sizeof own));
    return own;
}

[[noreturn]] void report_choice(const char* call, const std::string& name, int choice) {
    throw error(errc::invalid_argument, call, name + " is " + std::to_string(choice) + ", which is no choice");
}

/// An enumeration's number, as it stands in memory: it may be any.
template <class Enum>
int checked(const char* call, const std::string& name, const Enum& value, int last) {
    int number = 0;
    static_assert(sizeof(Enum) == sizeof number);
    std::memcpy(&number, &value, sizeof number);
    if (number < 0 || number > last) report_choice(call, name, number);
    return number;
}

/// What the options of sorts and of columns have in common; `name` is the struct's.
template <class Options, class Given>
Options options_of(const char* call, const std::string& name, const Given& from, sort_order natural) {
    Options options;
    switch (checked(call, name + ".order", from.order, KOGGE_DESCENDING)) {
        case KOGGE_ASCENDING:
            options.order = ascending;
            break;
        case KOGGE_DESCENDING:
            options.order = descending;
            break;
        default:
            options.order = natural;
    }
    options.begin_bit = from.begin_bit;
    options.end_bit = from.end_bit == 0 ? -1 : from.end_bit;
    if (from.end_bit < 0)
        throw error(errc::invalid_argument, call,
                    name + ".end_bit is " + std::to_string(from.end_bit) + "; 0 stands for all bits");
    options.zeros = static_cast<zero_order>(checked(call, name + ".zeros", from.zeros, KOGGE_ZEROS_EQUAL));
    options.nans = static_cast<nan_order>(checked(call, name + ".nans", from.nans, KOGGE_NANS_GREATEST));
    return options;
}

}  // namespace

Arguments::Arguments(const char* call, const kogge_exec* given, std::uint64_t n, std::uint64_t k, bool has_k)
    : n_(n), k_(k) {
    const kogge_exec exec = read_struct(call, given, "kogge_exec");
    how_.where = static_cast<backend>(checked(call, "kogge_exec.where", exec.where, KOGGE_ON_DEVICE));
    how_.stream = static_cast<stream_t>(exec.stream);
    how_.host_threads = exec.host_threads;
    how_.space = {exec.space, exec.space_bytes};
    if (exec.scratch_limit > 0) how_.scratch_limit = exec.scratch_limit;
    if (!exec.allocate != !exec.deallocate)
        throw error(errc::invalid_argument, call,
                    "kogge_exec.allocate and deallocate are given together, or neither is");
    if (exec.allocate) {
        scratch_ = CallerScratch(exec);
        how_.scratch = &scratch_;
    }
    if (exec.n_on_device) n_ = device_count{exec.n_on_device, n};
    if (exec.k_on_device && !has_k)
        throw error(errc::invalid_argument, call,
                    "kogge_exec.k_on_device is given, but the call has no k on the device");
    if (exec.k_on_device) k_ = device_count{exec.k_on_device, k};
}

sort_options sort_options_of(const char* call, const kogge_sort_options* given, sort_order natural) {
    const char* const name = "kogge_sort_options";
    return options_of<sort_options>(call, name, read_struct(call, given, name), natural);
}

Column column_of(const char* call, const kogge_column* given) {
    const char* const name = "kogge_column";
    const kogge_column from = read_struct(call, given, name);
    Column column{from.size, from.keys, from.type, options_of<column_options>(call, name, from, ascending)};
    column.options.valid = from.valid;
    column.options.valid_from = from.valid_from;
    if (checked(call, "kogge_column.nulls", from.nulls, KOGGE_NULLS_FIRST) == KOGGE_NULLS_FIRST)
        column.options.nulls = null_order::first;
    return column;
}

kogge_scan_options scan_options_of(const char* call, const kogge_scan_options* given) {
    const kogge_scan_options options = read_struct(call, given, "kogge_scan_options");
    check_operator(call, "kogge_scan_options.op", options.op);
    return options;
}

kogge_reduce_options reduce_options_of(const char* call, const kogge_reduce_options* given) {
    const kogge_reduce_options options = read_struct(call, given, "kogge_reduce_options");
    check_operator(call, "kogge_reduce_options.op", options.op);
    return options;
}

void check_operator(const char* call, const char* name, const kogge_operator& op) {
    checked(call, name, op, KOGGE_MINIMUM);
}

std::size_t scratch_limit_of(const char* call, const kogge_exec* given) {
    return Arguments(call, given, 0).how().scratch_limit;
}

void check_plan(const char* call, const kogge_plan* plan) {
    if (!plan) throw error(errc::invalid_argument, call, "null given for plan");
    const kogge_plan from = read_struct(call, plan, "kogge_plan");
    if (!from.text && from.text_bytes > 0) throw error(errc::invalid_argument, call, "null given for kogge_plan.text");
}

void write_plan(const std::string& text, std::size_t scratch_bytes, int launches, kogge_plan* plan) {
    kogge_plan filled{};
    std::memcpy(&filled, plan, std::min(plan->size, sizeof filled));
    filled.scratch_bytes = scratch_bytes;
    filled.launches = launches;
    filled.text_length = text.size();
    std::memcpy(plan, &filled, std::min(plan->size, sizeof filled));
    if (filled.text_bytes == 0) return;
    const std::size_t length = std::min(text.size(), filled.text_bytes - 1);
    std::memcpy(filled.text, text.data(), length);
    filled.text[length] = '\0';
}

bool is_far(const char* call, const void* place, const char* name, const void* data) {
    if (!place) throw error(errc::invalid_argument, call, std::string("null given for ") + name + ", which is written");
    const auto is_on_host = [](const void* memory) { return simt::location_of(memory).memory == simt::Memory::host; };
    return data && simt::device_count() > 0 && is_on_host(place) && !is_on_host(data);
}

}  // namespace kogge::c

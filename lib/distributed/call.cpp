#include "kogge/distributed/call.hpp"

#include <cstdio>
#include <stdexcept>

namespace kogge::detail {
namespace {

template <std::size_t size>
void write(char (&text)[size], const char* from) {
    std::snprintf(text, size, "%s", from);
}

}  // namespace

void DistributedCall::same(const char* name, std::uint64_t value) {
    if (arguments_.count == std::size(arguments_.list)) throw std::logic_error("too many arguments are compared");
    Argument& argument = arguments_.list[arguments_.count++];
    write(argument.name, name);
    argument.value = value;
}

void DistributedCall::same_order(const sort_options& options) {
    same("options.order", static_cast<std::uint64_t>(options.order));
    same("options.begin_bit", static_cast<std::uint64_t>(options.begin_bit));
    same("options.end_bit", static_cast<std::uint64_t>(options.end_bit));
    same("options.zeros", static_cast<std::uint64_t>(options.zeros));
    same("options.nans", static_cast<std::uint64_t>(options.nans));
}

DistributedCall::Failure DistributedCall::failure() const {
    Failure failure{};
    if (!error_) return failure;
    failure.failed = 1;
    failure.code = static_cast<std::int32_t>(errc::invalid_argument);
    try {
        std::rethrow_exception(error_);
    } catch (const error& thrown) {
        failure.code = static_cast<std::int32_t>(thrown.code());
        failure.device_code = thrown.device_code();
        write(failure.what, thrown.what());
    } catch (const std::bad_alloc&) {
        failure.code = static_cast<std::int32_t>(errc::out_of_memory);
        write(failure.what, "there is no more host memory");
    } catch (const std::exception& thrown) {
        write(failure.what, thrown.what());
    } catch (...) {
        write(failure.what, "an exception that is no std::exception");
    }
    return failure;
}

void DistributedCall::report(const Failure& failure, std::size_t rank) {
    is_told_ = true;
    const rank_error told(static_cast<errc>(failure.code), call_,
                          "on rank " + std::to_string(rank) + " of " + std::to_string(size()) + ": " + failure.what,
                          static_cast<int>(rank), failure.device_code);
    if (rank != this->rank() || !error_) throw told;
    try {
        std::rethrow_exception(error_);
    } catch (...) {
        std::throw_with_nested(told);
    }
}

void DistributedCall::compare_arguments() {
    write(arguments_.call, call_);
    arguments_.failure = failure();
    std::vector<Arguments> all(size());
    ranks_.all_gather(&arguments_, all.data(), sizeof arguments_);
    const auto disagree = [&](std::size_t r, const std::string& what) {
        is_told_ = true;
        throw rank_error(errc::invalid_argument, all[0].call,
                         "rank " + std::to_string(r) + " of " + std::to_string(size()) + ' ' + what,
                         static_cast<int>(r));
    };
    // Which call it is comes first: other calls have other arguments.
    for (std::size_t r = 1; r < size(); ++r)
        if (std::strcmp(all[r].call, all[0].call) != 0)
            disagree(r, std::string("calls ") + all[r].call + ", rank 0 " + all[0].call);
    for (std::size_t r = 0; r < size(); ++r)
        if (all[r].failure.failed) report(all[r].failure, r);
    for (std::size_t r = 1; r < size(); ++r)
        for (std::size_t a = 0; a < all[0].count; ++a) {
            const Argument &theirs = all[r].list[a], &first = all[0].list[a];
            if (theirs.value != first.value)
                disagree(r, std::string("gives ") + theirs.name + " = " + std::to_string(theirs.value) + ", rank 0 " +
                                std::to_string(first.value) + "; all ranks must give the same");
        }
}

void DistributedCall::share_failures(std::uint64_t failed, const void* mine, std::size_t bytes, void* all) {
    const std::size_t record = sizeof failed + bytes;
    std::vector<std::byte> one(record), everyone(record * size());
    std::memcpy(one.data(), &failed, sizeof failed);
    if (bytes > 0) std::memcpy(one.data() + sizeof failed, mine, bytes);
    ranks_.all_gather(one.data(), everyone.data(), record);
    bool any = false;
    for (std::size_t r = 0; r < size(); ++r) {
        std::memcpy(&failed, everyone.data() + r * record, sizeof failed);
        any |= failed != 0;
        if (bytes > 0)
            std::memcpy(static_cast<std::byte*>(all) + r * bytes, everyone.data() + r * record + sizeof failed, bytes);
    }
    if (any) report_failures();
}

void DistributedCall::report_failures() {
    const Failure mine = failure();
    std::vector<Failure> all(size());
    ranks_.all_gather(&mine, all.data(), sizeof mine);
    for (std::size_t r = 0; r < size(); ++r)
        if (all[r].failed) report(all[r], r);
    throw std::logic_error("a rank has failed, and none says so");
}

}  // namespace kogge::detail

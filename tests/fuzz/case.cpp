#include "fuzz/case.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "fuzz/device.hpp"
#include "kogge/calls/scratch_bytes.hpp"
#include "kogge/simt/runtime.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#endif

namespace fuzz {

Case::Case(std::uint64_t seed, char* about, std::size_t about_bytes)
    : random_(seed), about_(about), about_bytes_(about_bytes) {
    about_[0] = 0;
    choose_device();
    choose_how();
    memory_.set_shift(one_in(2) ? 0 : below(18));
}

Case::~Case() {
    if (!how_.stream) return;
    try {
        kogge::simt::destroy_stream(how_.stream);
    } catch (const kogge::error&) {
        // The case has failed, and says so.
    }
}

void Case::choose_device() {
#if KOGGE_EMULATED
    namespace emulator = kogge::simt::emulator;
    // With one worker the seed fixes the run.
    emulator::configure({.seed = random_(), .workers = 1, .resident = static_cast<std::uint32_t>(1 + below(4))});
    const kogge::device_properties device = random_device(*this);
    emulator::set_properties(device);
    emulator::protect_device_memory(one_in(4));
    say(describe(device));
#endif
}

void Case::choose_how() {
    if constexpr (kOnDevice) {
        if (one_in(3)) how_.stream = kogge::simt::create_stream();
#if KOGGE_EMULATED
        if (how_.stream && one_in(4)) {
            const int most = kogge::simt::current_properties().multiprocessors;
            const int limit = 1 + static_cast<int>(below(static_cast<std::uint64_t>(most)));
            kogge::simt::emulator::limit_stream(how_.stream, limit);
            say("in a stream of ", limit, " multiprocessors,");
        }
#endif
    } else {
        how_.host_threads = pick({0, 1, 2, 3, 4, 7});
        say(how_.host_threads, " threads,");
    }
    how_.where = one_in(2) ? kWhere : kogge::backend::automatic;
}

void Case::note(const char* words) {
    const std::size_t bytes = std::min(std::strlen(words), about_bytes_ - 1 - about_used_);
    std::memcpy(about_ + about_used_, words, bytes);
    about_used_ += bytes;
    about_[about_used_] = 0;
}

std::uint64_t Case::size() {
    constexpr std::uint64_t most_bits = kOnDevice ? 14 : 17;
    switch (below(8)) {
        case 0:
            return below(40);
        case 1:
            return below(1000);
        case 2:  // about a power of two, which tiles and chunks are multiples of
            return (std::uint64_t{1} << below(most_bits + 1)) + below(5) - std::min<std::uint64_t>(below(5), 1);
        case 3: {  // about a multiple of one
            const std::uint64_t unit = std::uint64_t{64} << below(6);
            return unit * (1 + below(20)) + below(3) - 1;
        }
        case 4:
            return below(std::uint64_t{4} << most_bits);
        default:
            return below(std::uint64_t{1} << most_bits);
    }
}

Count Case::count() {
    const std::uint64_t bound = size();
    has_items_ = bound > 0;
    if (!kOnDevice || !one_in(4)) {
        say("n = ", bound);
        return {bound, bound, {}};
    }
    const std::uint64_t n = one_in(6) ? bound + below(100) : some_of(bound);
    kogge::device_count where{memory_.input(std::vector<std::uint64_t>{n}), bound};
    where.checked = n <= bound && one_in(3);
    say("n = ", n, " on the device, bound ", bound);
    return {std::min(n, bound), bound, where};
}

void Case::ask_for_scratch(const Plan& plan, const std::function<void(const kogge::exec&)>& call) {
    const auto before = memory_.all();
    std::optional<kogge::errc> refuses;
    std::size_t bytes = 0;
    try {
        bytes = kogge::scratch_bytes(call, how_);
    } catch (const kogge::error& error) {
        refuses = error.code();
    }
    if (refuses != plan.refuses) fail("scratch_bytes throws what its plan does not, or the other way round");
    if (plan.scratch_bytes && has_items_ && bytes != *plan.scratch_bytes)
        fail("scratch_bytes says " + std::to_string(bytes) + ", its plan " + std::to_string(*plan.scratch_bytes));
    if (memory_.all() != before) fail("asking for scratch_bytes changed an array");
}

void Case::run(const Plan& plan, const std::function<void(const kogge::exec&)>& call) {
    if (kOnDevice && one_in(4)) ask_for_scratch(plan, call);
    if (plan.refuses) {
        ran_ = false;
        return refuse(*plan.refuses, "what its plan refuses", call);
    }
    kogge::exec how = how_;
    if (plan.scratch_bytes && one_in(3)) {
        const std::size_t bytes = *plan.scratch_bytes;
        say("with ", bytes, " bytes of scratch,");
        const bool by_limit = plan.fits_limit_only && one_in(3);
        void* const data = memory_.space(bytes, one_in(2) ? 0 : below(256));
        const auto limited = [&](std::size_t most) {
            kogge::exec with = how_;
            if (by_limit) with.scratch_limit = most;
            else with.space = {data, most};
            return with;
        };
        if (bytes > 0 && has_items_ && one_in(3))
            refuse(kogge::errc::out_of_memory, "a byte less than its plan says",
                   [&](const kogge::exec&) { call(limited(bytes - 1)); });
        how = limited(bytes);
    }
    if (KOGGE_EMULATED && !how.space.data && one_in(10)) {
        const FailingAllocation failing(*this, 3);
        if (try_to([&] { call(how); })) return;
    }
    call(how);
    if constexpr (kOnDevice) kogge::simt::synchronize(nullptr);
}

bool Case::try_to(const std::function<void()>& call) {
    const auto before = memory_.all();
    bool done = true;
    try {
        call();
    } catch (const kogge::error& error) {
        if (error.code() != kogge::errc::out_of_memory) throw;
        done = false;
    }
    if constexpr (kOnDevice) kogge::simt::synchronize(nullptr);
    if (!done && memory_.all() != before) fail("out of memory, and yet something was changed");
    return done;
}

void Case::refuse(kogge::errc code, const std::string& why, const std::function<void(const kogge::exec&)>& call) {
    say("refusing ", why, ",");
    const auto before = memory_.all();
    bool thrown = false;
    try {
        call(how_);
    } catch (const kogge::error& error) {
        thrown = true;
        if (error.code() != code)
            fail("refused with error code " + std::to_string(static_cast<int>(error.code())) + " instead of " +
                 std::to_string(static_cast<int>(code)) + ": " + error.what());
    }
    if (!thrown) fail("not refused");
    if constexpr (kOnDevice) kogge::simt::synchronize(nullptr);
    if (memory_.all() != before) fail("refused, and yet something was changed");
}

void Case::expect_bytes(const char* name, const void* out, const void* want, std::size_t item_bytes, std::uint64_t n) {
    const Memory::Bytes got = memory_.get(static_cast<const std::byte*>(out), n * item_bytes);
    const Memory::Bytes untouched(item_bytes, Memory::kPoison);
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::byte* const item = got.data() + i * item_bytes;
        const auto* const wanted = want ? static_cast<const std::byte*>(want) + i * item_bytes : untouched.data();
        if (std::memcmp(item, wanted, item_bytes) == 0) continue;
        fail((want ? "" : "written past the results: ") + std::string(name) + "[" + std::to_string(i) + "] of " +
             std::to_string(n) + " is " + hex_of(item, item_bytes) + ", not " + hex_of(wanted, item_bytes));
    }
}

#if KOGGE_EMULATED
FailingAllocation::FailingAllocation(Case& of, std::uint64_t most) {
    const std::uint64_t which = of.below(most);
    of.say("with allocation ", which, " failing,");
    kogge::simt::emulator::fail_allocation(which);
}
FailingAllocation::~FailingAllocation() { kogge::simt::emulator::fail_allocation(~std::uint64_t{0}); }
#else
FailingAllocation::FailingAllocation(Case&, std::uint64_t) {}
FailingAllocation::~FailingAllocation() = default;
#endif

std::string Case::hex_of(const void* item, std::size_t bytes) {
    std::string text = "0x";
    for (std::size_t i = bytes; i-- > 0;) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<const unsigned char*>(item)[i]);
        text += digits;
    }
    return text;
}

}  // namespace fuzz

// Sorts of host arrays by devices that hold some of the items at a time. Without a device they are refused.
#include "kogge/out_of_core/radix_sort.hpp"

#include "fuzz/device.hpp"
#include "fuzz/families.hpp"
#include "fuzz/short_forms.hpp"
#include "fuzz/sorts.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#endif

namespace fuzz {
namespace {

namespace out_of_core = kogge::out_of_core;

/// One or two devices, and how much of their memory a call may take: both have no more where `is_small`.
struct Devices {
    out_of_core::exec how;
    bool is_small = false;

    Devices(Case& of, std::uint64_t bytes);
    ~Devices();
    Devices(const Devices&) = delete;
    Devices& operator=(const Devices&) = delete;
};

#if KOGGE_EMULATED

namespace emulator = kogge::simt::emulator;

void trim_all() {
    for (int d = 0; d < kogge::simt::device_count(); ++d) {
        const kogge::simt::OnDevice current(d);
        kogge::trim();
    }
}

Devices::Devices(Case& of, std::uint64_t bytes) {
    std::vector<kogge::device_properties> devices;
    const std::uint64_t memory = 40'000 + of.below(of.one_in(2) ? 4 * bytes + 1 : 200'000), kind = of.below(4);
    const int number = of.one_in(2) ? 1 : 2;
    is_small = kind > 0;
    for (int d = 0; d < number; ++d) {
        kogge::device_properties device = random_device(of);
        // An emulated thread that runs the kernels of both devices asks one of them whether it has bulk copies.
        while (d > 0 && (device.compute_major >= 9) != (devices[0].compute_major >= 9)) device = random_device(of);
        device.device = d;
        if (kind != 1 && is_small) device.memory_bytes = memory;
        of.say("with ", describe(device));
        devices.push_back(device);
    }
    if (kind == 1 || kind == 2) how.device_memory_limit = memory;
    if (of.one_in(3)) how.devices = {static_cast<int>(of.below(devices.size()))};
    if (is_small) of.say(kind == 3 ? "which have " : kind == 2 ? "which have and lend " : "which lend ", memory, ",");
    emulator::set_devices(devices);
}
Devices::~Devices() {
    try {
        kogge::simt::synchronize(nullptr);
        trim_all();
        emulator::set_devices({emulator::default_properties()});
    } catch (const kogge::error&) {
        // The case has failed, and says so.
    }
}

/// A call leaves nothing on devices, and in page-locked memory nothing that stays.
void expect_nothing_left(Case& of, const emulator::Statistics& before) {
    trim_all();
    of.expect_number("allocations left", emulator::statistics().live_allocations, before.live_allocations);
    of.expect_number("page-locked ones left", emulator::statistics().live_pinned, before.live_pinned);
}

#else

Devices::Devices(Case&, std::uint64_t) {}
Devices::~Devices() = default;

#endif

/// call(items, options, how) with one mistake.
template <class Key, class Call>
void refuse_one(Case& of, const Sorted<Key>& keys, const kogge::sort_options& options, const out_of_core::exec& how,
                const Call& call) {
    using kogge::errc;
    const std::uint64_t n = keys.values.size();
    switch (of.below(5)) {
        case 0:
            return refuse_bits<Key>(of, options,
                                    [&](const kogge::sort_options& with, const kogge::exec&) { call(n, with, how); });
        case 1: {
            const std::uint64_t number = n;
            return of.refuse(errc::invalid_argument, "a device_count", [&](const kogge::exec&) {
                call(kogge::device_count{&number, n}, options, how);
            });
        }
        case 2: {
            if (n < 2) return;
            Key* const both = of.memory().in_out(std::vector<Key>(2 * n));
            return of.refuse(errc::overlap, "an overlap", [&](const kogge::exec&) {
                out_of_core::radix_sort(both, both + 1 + of.below(n - 1), n, options, how);
            });
        }
        case 3:
            if (n == 0) return;
            return of.refuse(errc::invalid_argument, "null for the output", [&](const kogge::exec&) {
                out_of_core::radix_sort(keys.in, static_cast<Key*>(nullptr), n, options, how);
            });
        default: {
            out_of_core::exec wrong = how;
            const bool twice = kOnDevice && of.one_in(2);
            wrong.devices = twice ? std::vector<int>{0, 0} : std::vector<int>{7};
            return of.refuse(twice ? errc::invalid_argument : errc::unreachable, "devices that there are not",
                             [&](const kogge::exec&) { call(n, options, wrong); });
        }
    }
}

template <class Key, class Value>
void run(Case& of) {
    const std::uint64_t n = of.size();
    const bool pairs = of.one_in(2), in_place = of.one_in(2), left_out = of.one_in(4);
    of.say("n = ", n, in_place ? " in place," : ",");
    Devices devices(of, n * (sizeof(Key) + (pairs ? sizeof(Value) : 0)));
    devices.how.host_threads = of.pick({0, 0, 1, 2, 3, 9});
    const kogge::sort_options options = left_out ? kogge::sort_options{} : sort_options_of<Key>(of);
    of.memory().set_place(kOnDevice && of.one_in(3) ? Memory::Place::pinned : Memory::Place::host);
    const Sorted<Key> keys(of, any_values<Key>(of, n), in_place || of.one_in(3));
    of.memory().set_place(kOnDevice && of.one_in(3) ? Memory::Place::pinned : Memory::Place::host);
    const Sorted<Value> beside(of, any_values<Value>(of, pairs ? n : 0), in_place || of.one_in(3));
    const auto call = [&](const kogge::item_count& items, const kogge::sort_options& with,
                          const out_of_core::exec& how) {
        in_form(left_out, with, how, [&](const auto&... last) {
            if (pairs && in_place) out_of_core::radix_sort_pairs(keys.in, beside.in, items, last...);
            else if (pairs) out_of_core::radix_sort_pairs(keys.in, keys.out, beside.in, beside.out, items, last...);
            else if (in_place) out_of_core::radix_sort(keys.in, items, last...);
            else out_of_core::radix_sort(keys.in, keys.out, items, last...);
        });
    };
    if (!left_out && of.one_in(8)) return refuse_one(of, keys, options, devices.how, call);
    if (!kOnDevice)
        return of.refuse(kogge::errc::unreachable, "devices that there are not",
                         [&](const kogge::exec&) { call(n, options, devices.how); });
#if KOGGE_EMULATED
    const auto before = emulator::statistics();
    bool done = false;
    {
        std::optional<FailingAllocation> failing;
        if (of.one_in(8)) failing.emplace(of, 12);
        done = of.try_to([&] { call(n, options, devices.how); });
        if (!done && !devices.is_small && !failing) of.fail("out of memory, of which there was enough");
    }
    expect_nothing_left(of, before);
    if (!done) return;
#endif
    const auto places = sorted_places(keys.values, n, options);
    keys.expect(of, "keys", places);
    if (pairs) beside.expect(of, "values", places);
}

}  // namespace

void out_of_core_sort(Case& of) {
    switch (of.below(4)) {
        case 0:
            return run<std::uint32_t, std::uint64_t>(of);
        case 1:
            return run<float, Bytes<3>>(of);
        case 2:
            return run<std::int64_t, std::uint8_t>(of);
        default:
            return run<kogge::half, Bytes<12, 4>>(of);
    }
}

}  // namespace fuzz

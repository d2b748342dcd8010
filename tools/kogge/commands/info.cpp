// kogge info: what this program was built with, what the machine has, and what a call would do on a device.
#include <cctype>
#include <cstdio>
#include <string>

#include "commands/commands.hpp"
#include "failure.hpp"
#include "io/memory.hpp"
#include "io/numbers.hpp"
#include "known_devices.hpp"
#include "kogge/host/machine/processors.hpp"
#include "kogge/host/machine/vector_sort.hpp"
#include "kogge/plan.hpp"

namespace kogge::command {
namespace {

void line(const char* name, const std::string& value) { std::printf("%-12s %s\n", name, value.c_str()); }

std::string describe(const device_properties& device) {
    return device.name + ": sm_" + std::to_string(device.compute_major) + std::to_string(device.compute_minor) + ", " +
           std::to_string(device.multiprocessors) + " multiprocessors, " + readable_bytes(device.memory_bytes) +
           " of memory, " + readable_bytes(device.l2_bytes) + " of L2, " +
           readable_bytes(device.shared_bytes_per_block) + " of shared memory a block";
}

// On which card the limits were measured that plans choose by: KOGGE_TUNED_CARD, in a driver's words.
std::string describe_limits(const device_properties& device) {
    const std::string tuned = KOGGE_TUNED_CARD;
    if (device.name == tuned || "NVIDIA " + device.name == tuned) return "of plans: measured on such a card";
    return "of plans: derived from those measured on " + tuned + ", by this card's multiprocessors and shared memory";
}

void print_device(const device_properties& device) {
    line("device", describe(device));
    line("limits", describe_limits(device));
}

void print_machine() {
    const std::string runtime = simt::runtime_name();
    line("kogge", KOGGE_VERSION);
    line("compiler", __VERSION__);
    const unsigned threads = host::usable_processors();
    line("host", std::to_string(threads) + (threads == 1 ? " thread, " : " threads, ") +
                     readable_bytes(available_memory()) + " of memory available");
    const std::string vectors = host::vector_sort_name();
    line("", vectors.empty() ? "plain numbers sorted by digits: built without Highway, or no AVX2"
                             : "plain numbers of 32 and 64 bits sorted by " + vectors);
    if (runtime == "none") {
        line("device", "none: built without CUDA");
        return;
    }
    const int devices = simt::device_count();
    if (devices == 0) line("device", "none: built for " + runtime + ", and this machine has no device");
    else print_device(simt::current_properties());
    if (devices > 1) line("", std::to_string(devices) + " devices; CUDA_VISIBLE_DEVICES chooses");
}

std::string in_lower_case(std::string text) {
    for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return text;
}

device_properties planned_device(const std::string& like) {
    if (like.empty() && simt::device_count() > 0) return simt::current_properties();
    std::string name = like.empty() ? "H200" : like, known;
    for (int i = 0; const char* const card = detail::known_device_name(i); ++i) {
        if (in_lower_case(card) == in_lower_case(name)) name = card;
        known += (i > 0 ? ", " : "") + std::string(card);
    }
    try {
        return known_device(name);
    } catch (const error&) {
        throw usage_failure("--device-like '" + like + "' is not known",
                            "there are " + known + ", and sm_90 and the like for the first card of an architecture");
    }
}

std::string describe_plan(const InfoSettings& settings, const device_properties& device) {
    const std::size_t item = info_of(settings.type).bytes;
    if (settings.plan != "sort" && (settings.values || settings.scratch_limit != kNoLimit))
        throw usage_failure(
            settings.values ? "--with is for the plan of a sort" : "--scratch-limit is for the plan of a sort",
            "kogge info --plan sort takes it");
    if (settings.plan == "scan") return to_string(plan_scan(settings.n, {item, item, item}, {}, device));
    if (settings.plan == "compact") return to_string(plan_compact(settings.n, item, false, false, device));
    radix_sort_shape shape{.key_bytes = item, .end_bit = static_cast<int>(8 * item)};
    if (settings.values) shape.values.push_back({info_of(*settings.values).bytes, info_of(*settings.values).bytes});
    shape.are_floats = is_float(settings.type);
    return to_string(plan_radix_sort(settings.n, shape, device, settings.scratch_limit));
}

}  // namespace

void run_info(const InfoSettings& settings) {
    if (settings.plan.empty()) {
        if (settings.device_like.empty()) print_machine();
        else print_device(planned_device(settings.device_like));
        return;
    }
    const device_properties device = planned_device(settings.device_like);
    const std::string plan = describe_plan(settings, device);
    const std::string values = settings.values ? std::string(" with ") + name_of(*settings.values) + " values" : "";
    line("call", settings.plan + " of " + with_separators(settings.n) + " " + name_of(settings.type) + values);
    line("device", device.name);
    line("plan", plan);
    line("limits", describe_limits(device));
}

}  // namespace kogge::command

#include "emulator/memory/faults.hpp"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <ucontext.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "emulator/machine/machine.hpp"

namespace kogge::simt::emulator {
namespace {

constexpr std::size_t kSignalStackBytes = 64 * 1024;
constexpr int kInlinedCallers = 5;  // named at most for one instruction
constinit thread_local Worker* guarded = nullptr;
struct sigaction previous[2];  // of SIGSEGV and SIGBUS

const void* faulting_instruction(const void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void*>(machine.pc);
#else
    static_cast<void>(machine);
    return nullptr;
#endif
}

std::string describe_fault(const Fiber& fiber, const void* address, const void* instruction) {
    std::string what = "an access to memory that does not exist";
    if (fiber.home->shared.guards(address))
        what = "an access outside of the launch's " + std::to_string(fiber.home->shared.bytes()) +
               " bytes of shared memory";
    else if (fiber.strand->stack.guards(address)) what = "stack overflow";
    const std::string place = source_of(instruction);
    return (place.empty() ? at(fiber.site) + " or after it" : place) + ": " + thread_name(fiber) + ": " + what;
}

void on_fault(int signal, siginfo_t* info, void* context) {
    if (!guarded || !guarded->running) {
        sigaction(signal, &previous[signal == SIGBUS], nullptr);  // faults again, without us
        return;
    }
    Worker& worker = *guarded;
    worker.launch->fail(describe_fault(*worker.running, info->si_addr, faulting_instruction(context)));
    worker.escape();
}

std::string ask_addr2line(const void* instruction) {
    Dl_info module;
    if (!instruction || !dladdr(instruction, &module) || !module.dli_fname) return {};
    const bool moved = static_cast<const ElfW(Ehdr)*>(module.dli_fbase)->e_type == ET_DYN;
    const auto offset = reinterpret_cast<std::uintptr_t>(instruction) -
                        (moved ? reinterpret_cast<std::uintptr_t>(module.dli_fbase) : 0);
    char command[4096];
    std::snprintf(command, sizeof(command), "addr2line -i -e '%s' 0x%zx 2>/dev/null", module.dli_fname, offset);
    std::FILE* pipe = popen(command, "r");
    if (!pipe) return {};
    std::string places;
    char line[4096];
    for (int depth = 0; depth < kInlinedCallers && std::fgets(line, sizeof(line), pipe); ++depth) {
        const std::string place(line, std::strcspn(line, " \n"));
        if (place[0] == '?' || place.ends_with(":?") || place.ends_with(":0")) break;
        places += (depth ? ", called at " : "") + place;
    }
    pclose(pipe);
    return places;
}

}  // namespace

FaultGuard::FaultGuard(Worker& worker) {
    if (KOGGE_ASAN || KOGGE_TSAN) return;
    static std::once_flag installed;
    std::call_once(installed, [] {
        struct sigaction action = {};
        action.sa_sigaction = on_fault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigaction(SIGSEGV, &action, &previous[0]);
        sigaction(SIGBUS, &action, &previous[1]);
    });
    signal_stack_ = std::make_unique<unsigned char[]>(kSignalStackBytes);
    const stack_t stack{.ss_sp = signal_stack_.get(), .ss_flags = 0, .ss_size = kSignalStackBytes};
    sigaltstack(&stack, nullptr);
    guarded = &worker;
}

FaultGuard::~FaultGuard() {
    if (!signal_stack_) return;
    guarded = nullptr;
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    sigaltstack(&none, nullptr);
}

std::string source_of(const void* instruction) {
    static std::mutex mutex;
    static std::map<const void*, std::string> known;
    const std::lock_guard lock(mutex);
    const auto [place, is_new] = known.try_emplace(instruction);
    if (is_new) place->second = ask_addr2line(instruction);
    return place->second;
}

}  // namespace kogge::simt::emulator

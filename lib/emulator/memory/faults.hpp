// Memory faults of kernel threads become failures of their launch.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace kogge::simt::emulator {

struct Worker;

/// While it lives, a memory fault in a kernel thread on this OS thread ends the launch with a message. Other faults
/// go where they went before. Sanitizer builds leave faults to the sanitizer.
class FaultGuard {
public:
    explicit FaultGuard(Worker& worker);
    ~FaultGuard();
    FaultGuard(const FaultGuard&) = delete;
    FaultGuard& operator=(const FaultGuard&) = delete;

private:
    std::unique_ptr<unsigned char[]> signal_stack_;
};

/// "file:line" of an instruction and of the calls it was inlined into, or empty when the program has no debug
/// information or there is no addr2line.
std::string source_of(const void* instruction);

}  // namespace kogge::simt::emulator

// The host's side of the machine in a build without a device: there is none, and whoever asks for one is told so.
#include "contexts.hpp"
#include "kogge/error.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge::simt {
namespace {

[[noreturn]] void no_device(const char* call) {
    throw error(errc::unreachable, call,
                "this build of the library has no device support; build it with CUDA, or leave the "
                "data in host memory");
}

}  // namespace

const char* runtime_name() { return "none"; }
int device_count() { return 0; }
OnDevice::OnDevice(int) { no_device("OnDevice"); }
void OnDevice::leave() {}
int device_of(stream_t) { return -1; }
int current_device() { no_device("current_device"); }
const device_properties& current_properties() { no_device("current_properties"); }
device_properties properties_of(stream_t) { no_device("properties_of"); }
Location location_of(const void*) { return {}; }
void* allocate(std::size_t, stream_t) { no_device("allocate"); }
void deallocate(void*, stream_t) { no_device("deallocate"); }
std::uint64_t trim(std::uint64_t) { return 0; }
bool open_memory_to(int) { no_device("open_memory_to"); }
std::uint64_t context_number(const char* call) { no_device(call); }
void* allocate_pinned(std::size_t) { no_device("allocate_pinned"); }
void free_pinned(void*) noexcept {}
void copy(void*, const void*, std::size_t, stream_t) { no_device("copy"); }
void fill(void*, unsigned char, std::size_t, stream_t) { no_device("fill"); }
void synchronize(stream_t) { no_device("synchronize"); }
bool is_capturing(stream_t) { return false; }
void order_after(stream_t, stream_t) { no_device("order_after"); }

stream_t create_stream() { no_device("create_stream"); }
void destroy_stream(stream_t) { no_device("destroy_stream"); }

}  // namespace kogge::simt

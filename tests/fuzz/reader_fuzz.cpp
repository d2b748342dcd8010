// libFuzzer's harness of the command's readers: any bytes, as npy, raw, text, or what they look like. A reader returns
// what the bytes say or throws a Failure. `tools/dev fuzz` builds it with clang; beside it are only the readers'
// sources.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "failure.hpp"
#include "io/input.hpp"
#include "io/npy.hpp"
#include "io/numbers.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace kogge::command;

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "FAILED: %s\n", what);
    std::abort();
}

/// A file in memory, with a path.
class File {
public:
    explicit File(std::string_view content) : descriptor_(memfd_create("fuzz", 0)) {
        if (descriptor_ < 0 ||
            write(descriptor_, content.data(), content.size()) != static_cast<ssize_t>(content.size()))
            fail("no file in memory");
    }
    ~File() { close(descriptor_); }
    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

Input read(std::string_view content, std::optional<Type> type, std::optional<Format> format) {
    const File file(content);
    InputOptions options;
    options.path = file.path();
    options.type = type;
    options.format = format;
    options.memory = [](std::uint64_t n, std::size_t item_bytes) { return n * item_bytes; };
    return read_input(options);
}

bool same(const Array& a, const Array& b) {
    return a.type() == b.type() && a.size() == b.size() &&
           (a.size() == 0 || std::memcmp(a.data(), b.data(), a.byte_count()) == 0);
}

/// Numbers that were read as text, written and read again.
void check_text(const Array& array) {
    std::string text;
    bool any_nan = false;
    visit(array.type(), [&]<class T>() {
        for (std::uint64_t i = 0; i < array.size(); ++i) {
            const T value = array.as<T>()[i];
            if constexpr (std::is_same_v<T, kogge::half>) any_nan = any_nan || std::isnan(to_float(value));
            else if constexpr (std::is_floating_point_v<T>) any_nan = any_nan || std::isnan(value);
            text += number_text(value) + "\n";
        }
    });
    if (any_nan) return;
    if (!same(read(text, array.type(), Format::text).array, array)) fail("numbers are others when read again");
}

void check(std::string_view content, const Input& input) {
    const Array& array = input.array;
    const std::string_view items(reinterpret_cast<const char*>(array.data()), array.byte_count());
    if (input.format == Format::raw && items != content) fail("a raw file's items are not its bytes");
    if (input.format == Format::npy && array.byte_count() > content.size()) fail("more items than bytes");
    if (input.format == Format::text) check_text(array);
}

/// A whole file of a format, to begin from.
std::string seed_of(unsigned seed) {
    static constexpr const char* kTexts[] = {
        "1\n2\n3\n",
        "-1\n18446744073709551615\n",
        "0.5\n-1e300\nnan\ninf\n",
        " 7 \r\n\t8",
        "0x10\n+3\n\n1e-400\n",
        "value\n1\n2\n",
        "9223372036854775807\n1.5\n",
        "1,2\n3,4\n",
        "",
    };
    if (seed % 2 == 0) return kTexts[seed / 2 % std::size(kTexts)];
    const auto type = static_cast<Type>(seed / 2 % 12);
    const std::string items(info_of(type).bytes * (seed / 24 % 5), static_cast<char>(seed / 120));
    return make_npy_header({type, seed / 24 % 5}) + items;
}

}  // namespace

/// The first byte says which format, the second which type.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::string_view content(reinterpret_cast<const char*>(data) + 2, size - 2);
    std::optional<Format> format;
    if (data[0] % 4 > 0) format = static_cast<Format>(data[0] % 4 - 1);
    std::optional<Type> type;
    if (data[1] % 16 < 12) type = static_cast<Type>(data[1] % 16);
    try {
        check(content, read(content, type, format));
    } catch (const Failure& failure) {
        if (failure.what()[0] == 0) fail("a failure without a word");
    }
    return 0;
}

/// Now and then a whole file takes the place of what there is.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    if (seed % 64 != 0) return LLVMFuzzerMutate(data, size, most);
    const std::string file = seed_of(seed / 64);
    if (file.size() + 2 > most) return LLVMFuzzerMutate(data, size, most);
    data[0] = static_cast<std::uint8_t>(seed >> 8);
    data[1] = static_cast<std::uint8_t>(seed >> 16);
    std::memcpy(data + 2, file.data(), file.size());
    return file.size() + 2;
}

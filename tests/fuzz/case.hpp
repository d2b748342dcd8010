// One case of the fuzzer: what its seed chooses, the memory that its call works on, and how it fails.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "fuzz/memory.hpp"
#include "kogge/error.hpp"
#include "kogge/exec.hpp"
#include "support/inputs.hpp"

namespace fuzz {

/// What a case found.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A number of items, perhaps on the device: a call has arrays of `bound` items and works on the first `n` of them.
struct Count {
    std::uint64_t n;
    std::uint64_t bound;
    std::optional<kogge::device_count> on_device;
    operator kogge::item_count() const {  // NOLINT: implicit by design
        return on_device ? kogge::item_count(*on_device) : kogge::item_count(bound);
    }
};

/// What the plan of a call says, on the device.
struct Plan {
    std::optional<std::size_t> scratch_bytes;
    std::optional<kogge::errc> refuses;  ///< it does not fit the device, or the limit
    bool fits_limit_only = true;         ///< with a lower limit there is none
};
/// `bytes` returns a plan's scratch_bytes.
template <class Bytes>
Plan plan_of(const Bytes& bytes) {
    if constexpr (!kOnDevice) {
        return {};
    } else {
        try {
            return {bytes()};
        } catch (const kogge::error& error) {
            return {{}, error.code()};
        }
    }
}

/// All choices follow from the seed, and so does the device that the emulator pretends to have.
class Case {
public:
    /// `about` is where the case says what it does, for who looks on when it ends the process.
    Case(std::uint64_t seed, char* about, std::size_t about_bytes);
    ~Case();
    Case(const Case&) = delete;
    Case& operator=(const Case&) = delete;

    // ---- choices
    tests::Random& random() { return random_; }
    /// In [0, end).
    std::uint64_t below(std::uint64_t end) { return random_() % end; }
    bool one_in(std::uint64_t times) { return below(times) == 0; }
    template <class T>
    T pick(std::initializer_list<T> from) {
        return from.begin()[below(from.size())];
    }
    /// Of items of an array: few, many, and about powers of two.
    std::uint64_t size();
    /// A number of items: usually known to the host; on the device some live there, and may be above their bound.
    Count count();
    std::uint64_t some_of(std::uint64_t n) { return below(n + 1); }

    // ---- what happens
    template <class... Words>
    void say(const Words&... words) {
        (note(words), ...);
        note(" ");
    }
    [[noreturn]] void fail(const std::string& what) const { throw Failure(what); }

    Memory& memory() { return memory_; }
    /// Where, in which stream and with how many threads the case's calls run.
    const kogge::exec& how() const { return how_; }

    /// Makes the call once that is checked afterwards, and before that, at times, as often as memory runs out: then it
    /// must throw errc::out_of_memory, and nothing may have changed. Where the plan says how much scratch it takes, it
    /// also runs in a workspace of exactly that size, or within that limit; where there is no plan, it must be refused.
    void run(const Plan& plan, const std::function<void(const kogge::exec&)>& call);
    /// False where the plan refuses: then the call did, and there are no results.
    bool ran() const { return ran_; }
    /// Makes a call that may run out of memory: then it must throw errc::out_of_memory, and change no byte. Returns
    /// whether it has not.
    bool try_to(const std::function<void()>& call);
    /// The call must throw this, and change no byte.
    void refuse(kogge::errc code, const std::string& why, const std::function<void(const kogge::exec&)>& call);

    /// out[0 … want.size()) must be `want`, byte for byte.
    template <class T>
    void expect(const char* name, const T* out, const std::vector<T>& want) {
        expect_bytes(name, out, want.data(), sizeof(T), want.size());
    }
    /// Nothing was written to out[from … to).
    template <class T>
    void expect_untouched(const char* name, const T* out, std::uint64_t from, std::uint64_t to) {
        if (from < to) expect_bytes(name, out + from, nullptr, sizeof(T), to - from);
    }
    /// A result that is returned.
    template <class T>
    void expect_value(const char* name, const T& got, const T& want) const {
        if (std::memcmp(&got, &want, sizeof(T)) != 0)
            fail(std::string(name) + " is " + hex_of(&got, sizeof(T)) + ", not " + hex_of(&want, sizeof(T)));
    }
    void expect_number(const char* name, std::uint64_t got, std::uint64_t want) const {
        if (got != want) fail(std::string(name) + " is " + std::to_string(got) + ", not " + std::to_string(want));
    }

private:
    void note(const char* words);
    void note(const std::string& words) { note(words.c_str()); }
    template <std::integral Number>
    void note(Number number) {
        note(std::to_string(number));
    }
    /// `want` null: what stands in arrays that nobody has written.
    void expect_bytes(const char* name, const void* out, const void* want, std::size_t item_bytes, std::uint64_t n);
    /// scratch_bytes must say what the plan says, and change nothing.
    void ask_for_scratch(const Plan& plan, const std::function<void(const kogge::exec&)>& call);
    void choose_device();
    void choose_how();
    static std::string hex_of(const void* item, std::size_t bytes);

    tests::Random random_;
    char* about_;
    std::size_t about_bytes_;
    std::size_t about_used_ = 0;
    kogge::exec how_;
    bool ran_ = true;
    bool has_items_ = true;  // a call without items may return its number before it takes scratch
    Memory memory_;
};

/// During its lifetime one of the next `most` allocations of a device fails.
class FailingAllocation {
public:
    FailingAllocation(Case& of, std::uint64_t most);
    ~FailingAllocation();
    FailingAllocation(const FailingAllocation&) = delete;
    FailingAllocation& operator=(const FailingAllocation&) = delete;
};

}  // namespace fuzz

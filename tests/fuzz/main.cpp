// The fuzzer of the calls: cases by number, each of which a seed fixes, for so many seconds, or one of them. They run
// in a process of their own, so that one that crashes or hangs is a failure like any other. Ends with one line, "N
// passed, N failed". `tools/dev fuzz` builds and calls it.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fuzz/case.hpp"
#include "fuzz/families.hpp"

namespace {

using namespace fuzz;
using Clock = std::chrono::steady_clock;

constexpr const char* kMachine = kOnDevice ? "emulated" : "host";
constexpr int kHangs = 120;  ///< seconds after which a case does not end
constexpr int kMostFailures = 10;

/// What both processes see.
struct Shared {
    std::atomic<std::uint64_t> seed;  ///< of the case that runs, or comes next
    std::atomic<std::uint64_t> passed[std::size(kFamilies)];
    char about[1000];
    char failure[2000];  ///< empty where the case ended the process
};

struct Options {
    double seconds = 0;  ///< 0: one case
    std::uint64_t seed = 0;
    std::string only;
};

const Family& family_of(std::uint64_t seed) {
    unsigned all = 0;
    for (const Family& family : kFamilies) all += family.weight;
    auto at = static_cast<unsigned>(tests::Random(~seed)() % all);
    for (const Family& family : kFamilies) {
        if (at < family.weight) return family;
        at -= family.weight;
    }
    std::abort();
}

void run_case(std::uint64_t seed, Shared& shared) {
    Case of(seed, shared.about, sizeof shared.about);
    const Family& family = family_of(seed);
    of.say(family.name, ":");
    family.run(of);
    if (const std::string damage = of.memory().damage(); !damage.empty()) of.fail(damage);
    ++shared.passed[&family - kFamilies];
}

/// In a process of its own: cases from shared.seed on, until one fails or time is up.
[[noreturn]] void run_cases(const Options& options, Clock::time_point end, Shared& shared) {
    for (;; ++shared.seed) {
        if (!options.only.empty() && family_of(shared.seed).name != options.only) continue;
        shared.failure[0] = 0;
        alarm(kHangs);
        try {
            run_case(shared.seed, shared);
        } catch (const std::exception& failure) {
            std::snprintf(shared.failure, sizeof shared.failure, "%s", failure.what());
            _exit(1);
        }
        if (Clock::now() >= end) break;
    }
    ++shared.seed;
    _exit(0);
}

/// In one line: what repeats a failed case, what it did, and what was wrong.
void report(const Shared& shared, int status) {
    std::string what = shared.failure;
    if (what.empty() && WIFSIGNALED(status))
        what = WTERMSIG(status) == SIGALRM ? "still running after " + std::to_string(kHangs) + " s"
                                           : std::string("ended by a signal: ") + strsignal(WTERMSIG(status));
    if (what.empty()) what = "ended by a sanitizer, whose report is above";
    std::string line = "tools/dev fuzz --" + std::string(kMachine) + " --seed " + std::to_string(shared.seed.load()) +
                       "  # " + shared.about + ": " + what;
    for (char& c : line)
        if (c == '\n') c = ' ';
    std::printf("FAILED: %s\n", line.c_str());
    std::fflush(stdout);
}

[[noreturn]] void explain() {
    std::fprintf(stderr, "usage: fuzz_%s [--seconds N] [--seed S] [--only FAMILY]\n", kMachine);
    std::exit(2);
}

Options read_options(int count, char** words) {
    Options options;
    bool any_seed = false;
    for (int i = 1; i < count; i += 2) {
        const std::string word = words[i];
        if (i + 1 == count) explain();
        char* end = nullptr;
        if (word == "--seconds") options.seconds = std::strtod(words[i + 1], &end);
        else if (word == "--seed") options.seed = std::strtoull(words[i + 1], &end, 10), any_seed = true;
        else if (word == "--only") options.only = words[i + 1];
        else explain();
        if (end && (*end != 0 || end == words[i + 1])) explain();
    }
    if (!options.only.empty()) {
        bool known = false;
        for (const Family& family : kFamilies) known = known || family.name == options.only;
        if (!known) explain();
    }
    // Other cases in every run.
    if (!any_seed)
        options.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) / 1000;
    return options;
}

}  // namespace

int main(int count, char** words) {
    const Options options = read_options(count, words);
    void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        std::perror("mmap");
        return 2;
    }
    Shared& shared = *new (memory) Shared{};
    shared.seed = options.seed;
    const Clock::time_point begin = Clock::now();
    const auto end =
        begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
    int failed = 0;
    do {
        const pid_t child = fork();
        if (child < 0) {
            std::perror("fork");
            return 2;
        }
        if (child == 0) run_cases(options, end, shared);
        int status = 0;
        while (waitpid(child, &status, 0) < 0) {}
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
        report(shared, status);
        ++shared.seed;
        ++failed;
    } while (Clock::now() < end && failed < kMostFailures);

    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    unsigned long long passed = 0;
    for (const auto& of : shared.passed) passed += of;
    if (options.seconds > 0) {
        std::printf("%s:", kMachine);
        for (std::size_t f = 0; f < std::size(kFamilies); ++f)
            if (options.only.empty() || options.only == kFamilies[f].name)
                std::printf(" %s %llu", kFamilies[f].name, static_cast<unsigned long long>(shared.passed[f]));
        std::printf("; seeds %llu to %llu, %.1f cases/s\n", static_cast<unsigned long long>(options.seed),
                    static_cast<unsigned long long>(shared.seed - 1), static_cast<double>(passed) / seconds);
    } else {
        std::printf("%s\n", shared.about);
    }
    std::printf("%llu passed, %d failed\n", passed, failed);
    return failed > 0 ? 1 : 0;
}

// Measures what plans choose by (lib/tuning/tuning.hpp): for each value some candidates, the one in force first, at
// sizes about the limit that it sets. Prints one row a candidate, size and mode, from which tools/tune.py makes the
// table.
//
// Candidates take turns in one process: here chosen() is not the library's, and its answer changes from call to call.
// Before they are timed, each one's result is compared with that of the one in force.
#include <cstdio>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kogge/partition.hpp"
#include "kogge/radix_sort.hpp"
#include "kogge/scan.hpp"
#include "support/harness.hpp"
#include "tuning/tuning_table.hpp"

namespace kogge::grid {
namespace {

struct Trial {
    Choice what;
    std::uint64_t value;
};
std::optional<Trial> trial;

}  // namespace

std::uint64_t chosen(Choice what, std::size_t item_bytes) {
    return trial && trial->what == what ? trial->value : find_tuned(kTuning, what, item_bytes)->value;
}

}  // namespace kogge::grid

namespace {

using namespace bench;
using kogge::exec;
using kogge::stream_t;
using kogge::grid::Choice;

// ---- calls ---------------------------------------------------------------------------------------------

/// A call on n items with its arrays.
struct Work {
    std::function<void(int slot, stream_t)> call;
    std::function<void(stream_t)> expect;   ///< what the last call of slot 0 left
    std::function<bool(stream_t)> is_same;  ///< as expected
    std::function<void(stream_t)> spoil;    ///< fills all outputs with a pattern
};
struct Subject {
    std::string type, case_name;
    std::size_t item_bytes;
    std::function<Work(std::uint64_t n, int slots, stream_t)> prepare;
};

/// run(in, out, count, n, exec) reads n items, and writes up to n and maybe one count.
template <class T, class Make, class Run>
Subject subject(const std::string& case_name, Make make, Run run) {
    const auto prepare = [=](std::uint64_t n, int slots, stream_t stream) {
        const Slots<T> in(n, slots), out(n, slots), expected(n, 1);
        const Slots<std::uint64_t> count(1, slots), expected_count(1, 1);
        for (int slot = 0; slot < slots; ++slot)
            make_items(in[slot], n, make(static_cast<std::uint64_t>(slot), n), stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Work work;
        work.call = [=](int slot, stream_t s) {
            run(static_cast<const T*>(in[slot]), out[slot], count[slot], n, with_scratch(scratch, s));
        };
        work.expect = [=](stream_t s) {
            check_cuda(cudaMemcpyAsync(expected[0], out[0], n * sizeof(T), cudaMemcpyDefault, s), "copying");
            check_cuda(cudaMemcpyAsync(expected_count[0], count[0], sizeof(std::uint64_t), cudaMemcpyDefault, s),
                       "copying");
        };
        work.is_same = [=](stream_t s) {
            return is_equal(static_cast<const T*>(out[0]), static_cast<const T*>(expected[0]), n, s) &&
                   read_number(count[0], s) == read_number(expected_count[0], s);
        };
        work.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            count.fill(kPattern, s);
        };
        return work;
    };
    return {type_name<T>(), case_name, sizeof(T), prepare};
}

template <class T>
Subject scan(kogge::grid_strategy grid = kogge::grid_strategy::automatic) {
    return subject<T>(
        grid == kogge::grid_strategy::automatic ? "sum" : kogge::to_string(grid),
        [](std::uint64_t seed, std::uint64_t) { return Summand<T>{seed}; },
        [grid](const T* in, T* out, std::uint64_t*, std::uint64_t n, const exec& how) {
            kogge::inclusive_scan(in, out, n, kogge::plus{}, {.grid = grid}, how);
        });
}

template <class T>
Key<T> uniform(std::uint64_t seed, std::uint64_t n) {
    return {Distribution::uniform, seed, n};
}

template <class T>
Subject compact() {
    constexpr T kMiddle = static_cast<T>(T{1} << (8 * sizeof(T) - 1));
    return subject<T>("kept_50", uniform<T>,
                      [](const T* in, T* out, std::uint64_t* count, std::uint64_t n, const exec& how) {
                          kogge::compact(in, out, count, n, kogge::compare<T>{kogge::relation::less, kMiddle}, how);
                      });
}

template <class T>
Subject sort() {
    return subject<T>("uniform", uniform<T>, [](const T* in, T* out, std::uint64_t*, std::uint64_t n, const exec& how) {
        kogge::radix_sort(in, out, n, kogge::sort_options{}, how);
    });
}

// ---- what is measured ----------------------------------------------------------------------------------

struct Question {
    Choice what;
    std::string name;
    std::vector<Subject> subjects;
    std::vector<std::uint64_t> candidates;
    std::vector<std::uint64_t> kibibytes;  ///< of the input
};

std::vector<Question> questions() {
    using u8 = std::uint8_t;
    using u16 = std::uint16_t;
    using u32 = std::uint32_t;
    using u64 = std::uint64_t;
    const std::vector<Subject> scans{scan<u8>(), scan<u32>(), scan<u64>()}, wide_scans{scan<u32>(), scan<u64>()},
        compactions{compact<u8>(), compact<u32>(), compact<u64>()};
    // More rounds are faster by 2 % up to 2^26 items, but a cooperative launch waits for room beside other work.
    const std::vector<u64> rounds{4, 16}, ring_sizes{48 << 10, 64 << 10, 128 << 10, 256 << 10, 1 << 20};
    return {
        {Choice::scan_block_rows, "scan_block_rows", {scan<u8>()}, {1, 2}, {16}},
        {Choice::scan_block_rows, "scan_block_rows", wide_scans, {1, 2, 4}, {16, 32}},
        {Choice::scan_cluster_rows, "scan_cluster_rows", {scan<u8>()}, {1, 2}, {256}},
        {Choice::scan_cluster_rows, "scan_cluster_rows", wide_scans, {1, 2, 4, 8}, {256, 512, 1024}},
        {Choice::scan_wave_rows, "scan_wave_rows", {scan<u8>()}, {1, 2}, {3072, 4096}},
        {Choice::scan_wave_rows, "scan_wave_rows", wide_scans, {2, 4, 8}, {6144, 8192, 12288, 16384}},
        {Choice::scan_ring_rounds, "scan_ring_rounds", scans, rounds, ring_sizes},
        {Choice::compact_block_rows, "compact_block_rows", compactions, {1, 2, 4}, {16, 32}},
        {Choice::compact_cluster_rows, "compact_cluster_rows", compactions, {1, 2, 4}, {256, 512}},
        {Choice::compact_wave_groups,
         "compact_wave_groups",
         compactions,
         {1, 2, 3, 4, 8, 16},
         {6144, 8192, 12288, 16384, 24576, 32768}},
        {Choice::compact_ring_rounds, "compact_ring_rounds", compactions, rounds, ring_sizes},
        {Choice::tile_blocks, "tile_blocks", {scan<u32>(kogge::two_level)}, {4, 6, 8}, {64 << 10, 1 << 20}},
        {Choice::rank_sort_keys, "rank_sort_keys", {sort<u16>()}, {1024, 2048, 4096, 8192}, {4, 8, 16}},
        {Choice::rank_sort_keys, "rank_sort_keys", {sort<u32>()}, {2048, 4096, 16384}, {16, 32}},
        {Choice::rank_sort_keys, "rank_sort_keys", {sort<u64>()}, {2048, 4096, 16384}, {32, 64}},
        {Choice::resident_sort_share, "resident_sort_share", {sort<u32>()}, {512, 768, 1024, 1536}, {64, 128, 256}},
        {Choice::resident_sort_share, "resident_sort_share", {sort<u64>()}, {512, 768, 1024, 1536}, {128, 256, 512}},
        {Choice::sort_pipeline_share,
         "sort_pipeline_share",
         {sort<u32>()},
         {12288, 16384, 24576, 32768},
         {6144, 8192, 10240, 16384}},
        {Choice::sort_pipeline_share,
         "sort_pipeline_share",
         {sort<u64>()},
         {8192, 12288, 16384, 24576},
         {9216, 12288, 16384, 20480}},
    };
}

// ---- measuring -----------------------------------------------------------------------------------------

void print_columns() { std::puts("value,item_bytes,candidate,type,case,n,mode,us,spread,commit,gpu,driver,cuda,date"); }

void measure(Bench& bench, const Question& question, const Subject& subject, std::uint64_t n, bool in_graph) {
    kogge::grid::trial.reset();
    std::vector<std::uint64_t> candidates{kogge::grid::chosen(question.what, subject.item_bytes)};
    for (const std::uint64_t each : question.candidates)
        if (each != candidates[0]) candidates.push_back(each);

    Work work = subject.prepare(n, 1, bench.stream());
    double fastest = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        kogge::grid::trial = {question.what, candidates[i]};
        work.spoil(bench.stream());
        const double time = bench.time_once([&](stream_t s) { work.call(0, s); }, false);
        fastest = i == 0 ? time : std::min(fastest, time);
        if (i == 0) work.expect(bench.stream());
        else if (!work.is_same(bench.stream()))
            throw std::runtime_error(question.name + " of " + std::to_string(candidates[i]) + ": " + std::to_string(n) +
                                     " " + subject.type + " have another result");
    }
    const int calls = calls_in_batch(fastest);
    work = {};  // frees its memory first
    work = subject.prepare(n, calls, bench.stream());
    std::vector<Bench::Batch> batches;
    for (const std::uint64_t candidate : candidates) {
        batches.push_back([&work, &question, candidate, calls](stream_t s) {
            kogge::grid::trial = {question.what, candidate};
            for (int slot = 0; slot < calls; ++slot) work.call(slot, s);
        });
        bench.time_once(batches.back(), false);
    }
    const auto samples = bench.sample(batches, calls, in_graph, {.seconds = 0.05});
    for (std::size_t i = 0; i < candidates.size(); ++i)
        std::printf("%s,%zu,%llu,%s,%s,%llu,%s,%.3f,%.4f,%s,%s,%s,%s,%s\n", question.name.c_str(), subject.item_bytes,
                    static_cast<unsigned long long>(candidates[i]), subject.type.c_str(), subject.case_name.c_str(),
                    static_cast<unsigned long long>(n), in_graph ? "graph" : "eager", median(samples[i]),
                    spread(samples[i]), bench.setting.commit.c_str(), bench.setting.gpu.c_str(),
                    bench.setting.driver.c_str(), bench.setting.cuda.c_str(), bench.setting.date.c_str());
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) try {
    if (count > 2) throw UsageError("more than one argument");
    Options options;
    options.commit = commit_name();
    const std::string only = count == 2 ? arguments[1] : "";
    if (kogge::simt::device_count() == 0) throw std::runtime_error("no GPU: nothing to measure");
    Bench bench(options);
    bool found = false;
    print_columns();
    for (const Question& question : questions()) {
        if (!only.empty() && question.name != only) continue;
        found = true;
        for (const Subject& subject : question.subjects)
            for (const std::uint64_t each : question.kibibytes)
                for (const bool in_graph : {false, true}) {
                    const std::uint64_t n = each * 1024 / subject.item_bytes;
                    if (!in_graph || n <= 1u << 22) measure(bench, question, subject, n, in_graph);
                }
    }
    if (!found) throw UsageError("there is no value '" + only + "'");
    return 0;
} catch (const UsageError& mistake) {
    std::fprintf(stderr, "%s: %s\nusage: %s [VALUE]: measures all values, or this one\n", arguments[0], mistake.what(),
                 arguments[0]);
    return 2;
} catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", arguments[0], failure.what());
    return 1;
}

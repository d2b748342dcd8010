// kogge-test: HOST
//
// The benchmarks' names of rows, their statistics and rule for when to stop, the record as a file, and a row in words.
#include "../../bench/support/record.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "../../bench/support/inputs.hpp"
#include "../../bench/support/rows.hpp"
#include "../../bench/support/show.hpp"

namespace {

using namespace bench;

std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

TEST(BenchStatistics, QuantilesLieBetweenNeighbours) {
    const std::vector<double> samples = {40, 10, 30, 20, 50};
    EXPECT_DOUBLE_EQ(median(samples), 30);
    EXPECT_DOUBLE_EQ(quantile(samples, 0.1), 14);
    EXPECT_DOUBLE_EQ(quantile(samples, 1), 50);
    EXPECT_DOUBLE_EQ(spread(samples), (46.0 - 14.0) / 30.0);
    EXPECT_DOUBLE_EQ(median({7}), 7);
    EXPECT_DOUBLE_EQ(spread({7, 7, 7}), 0);
}

TEST(BenchSampling, SteadyContendersStopEarlyAndTakeTurns) {
    std::string order;
    const std::function<double()> contenders[] = {[&] { return order += 'a', 1.0; }, [&] { return order += 'b', 2.0; }};
    const auto samples = take_samples(contenders, {.fewest = 2, .enough = 4, .most = 100}, [] { return 0.0; });
    EXPECT_EQ(order, "abbaabba");
    EXPECT_EQ(samples[0], std::vector<double>(4, 1.0));
    EXPECT_EQ(samples[1], std::vector<double>(4, 2.0));
}

TEST(BenchSampling, NoisyContendersStopAtTheMostOrInTime) {
    double clock = 0;
    int turn = 0;
    const std::function<double()> noisy[] = {[&] { return ++turn % 2 == 0 ? 1.0 : 2.0; }};
    EXPECT_EQ(take_samples(noisy, {.fewest = 3, .most = 50, .seconds = 1e9}, [] { return 0.0; })[0].size(), 50u);
    const auto tick = [&] { return clock += 1; };
    EXPECT_EQ(take_samples(noisy, {.fewest = 3, .most = 50, .seconds = 5}, tick)[0].size(), 8u);
    EXPECT_EQ(take_samples(noisy, {.fewest = 3, .enough = 9, .most = 50, .seconds = 0.5}, tick)[0].size(), 3u);
}

TEST(BenchRows, NamesHaveThreeParts) {
    const RowName name = parse_row("compact/u32/kept_0.1");
    EXPECT_EQ(name.primitive, "compact");
    EXPECT_EQ(name.type, "u32");
    EXPECT_EQ(name.case_name, "kept_0.1");
    EXPECT_EQ(to_string(name), "compact/u32/kept_0.1");
    for (const char* wrong : {"", "compact", "compact/u32", "a/b/c/d"}) EXPECT_THROW(parse_row(wrong), UsageError);
}

TEST(BenchRows, CasesAreFoundByName) {
    EXPECT_EQ(distribution_named("low32"), Distribution::low32);
    EXPECT_FALSE(distribution_named("low"));
    const auto some = selectivity_named("kept_0.1_clustered");
    ASSERT_TRUE(some);
    EXPECT_DOUBLE_EQ(some->share, 0.001);
    EXPECT_TRUE(some->clustered);
    EXPECT_DOUBLE_EQ(selectivity_named("kept_100")->share, 1);
    EXPECT_FALSE(selectivity_named("kept_100")->clustered);
    for (const char* wrong :
         {"", "kept_", "kept_101", "kept_-1", "kept_5x", "kept_nan", "_clustered", "kept_clustered"})
        EXPECT_FALSE(selectivity_named(wrong)) << wrong;
}

TEST(BenchRows, LengthsOfRunsAreFoundByName) {
    EXPECT_EQ(mean_of_runs("runs_1000"), 1000u);
    for (const char* wrong : {"", "runs_", "runs_0", "runs_x", "8"}) EXPECT_FALSE(mean_of_runs(wrong)) << wrong;
}

TEST(BenchRows, SegmentsAreFoundByName) {
    const auto has = [](const std::optional<SegmentCase>& found, std::uint64_t count, std::uint64_t first,
                        std::uint64_t mean) {
        return found && found->count == count && found->first == first && found->mean == mean;
    };
    EXPECT_TRUE(has(segments_named("runs_8", 1001), 126, 0, 8));
    EXPECT_TRUE(has(segments_named("segments_10", 1000), 10, 0, 100));
    EXPECT_TRUE(has(segments_named("skewed", 1000), 64, 500, 8));
    for (const char* wrong : {"", "segments_", "segments_0", "segments_1001", "runs_0", "skewe"})
        EXPECT_FALSE(segments_named(wrong, 1000)) << wrong;
}

TEST(BenchRows, TypesAreFoundByName) {
    const auto size = [](const char* name) {
        return for_type<std::uint8_t, std::int64_t, float>(name, []<class T>() { return sizeof(T); });
    };
    EXPECT_EQ(size("u8"), 1u);
    EXPECT_EQ(size("i64"), 8u);
    EXPECT_EQ(size("f32"), 4u);
    EXPECT_EQ(size("u64"), 0u);
    EXPECT_EQ(type_of_pair("u32+u32"), "u32");
    for (const char* wrong : {"", "u32", "u32+u64", "u32+", "+u32"}) EXPECT_EQ(type_of_pair(wrong), "") << wrong;
}

TEST(BenchRows, AnUnknownOneSaysWhatThereIs) {
    const std::vector<RowSet> sets = {{"split", {"u32"}, {"bins_2", "bins_4"}, {1}}, {"emit", {"u32"}, {"few"}, {1}}};
    EXPECT_STREQ(
        no_such_row({"split", "u8", "bins_2"}, 9, sets).what(),
        "there is no row split/u8/bins_2 of 9 items here; there are, for example, split/u32/bins_2 split/u32/bins_4");
    EXPECT_STREQ(no_such_row({"merge", "u8", "two"}, 9, sets).what(),
                 "there is no row merge/u8/two of 9 items here; there are, for example, split emit");
}

TEST(BenchRecord, SizesAreNumbersOrPowers) {
    EXPECT_EQ(parse_size("1000000"), 1000000u);
    EXPECT_EQ(parse_size("2^20"), 1048576u);
    EXPECT_EQ(parse_size("10^6"), 1000000u);
    for (const char* wrong : {"", "0", "2^", "^2", "2^31", "2^20x", "1e6", "99999999999999999999", "many"})
        EXPECT_THROW(parse_size(wrong), std::runtime_error) << wrong;
}

TEST(BenchRecord, LinesAreInTheColumnsOrder) {
    const Row row{"inclusive_scan", "u32", "sum", 1024, "eager", 4.25, 8.5, 4, 0.0125, true};
    const Setting setting{"abc", "NVIDIA H200", "580.1", "13.0", "3.0.1", "2026-11-21"};
    EXPECT_EQ(
        csv_line(row, setting),
        "inclusive_scan,u32,sum,1024,eager,4.250,8.500,4.000,0.0125,yes,abc,NVIDIA H200,580.1,13.0,3.0.1,2026-11-21");
    const Setting with_commas{"abc", "a, b", "", "", "", ""};
    EXPECT_NE(csv_line(row, with_commas).find(",a; b,"), std::string::npos);
    Setting of_several = setting;
    of_several.devices = 2;
    Row slower_on_one = row;
    slower_on_one.one_gpu_us = 1234.5678;
    EXPECT_EQ(columns_of(of_several), std::string(kColumns) + ",one_gpu_us");
    EXPECT_EQ(csv_line(slower_on_one, of_several), csv_line(row, setting) + ",1234.568");
}

TEST(BenchRecord, ARowInWords) {
    Row row{"radix_sort", "u32", "uniform", 1000000, "eager", 500, 1250, 250, 0.021, true};
    EXPECT_EQ(shown(row, "CUB"),
              "radix_sort u32 uniform, 1000000 items, eager\n"
              "  kogge           500.00 µs     2.000 G items/s\n"
              "  CUB               1.25 ms     0.800 G items/s\n"
              "  copy            250.00 µs     4.000 G items/s  (of the least bytes that must move)\n"
              "  2.50 times as fast as CUB, spread 2.1 %; the results agree\n");
    row.checked = false;
    EXPECT_NE(shown(row, "CUB").find("WRONG RESULT: kogge's is not that of CUB"), std::string::npos);
    EXPECT_EQ(shown(row, "CUB").find("times as fast"), std::string::npos);
    EXPECT_EQ(setting_line({"abc", "NVIDIA H200", "580.1", "13.0", "3.0.1", ""}),
              "NVIDIA H200, driver 580.1, CUDA 13.0, CUB 3.0.1");
    EXPECT_EQ(setting_line({"abc", "A processor", "2 threads", "none", "3.0.1", ""}),
              "A processor, 2 threads, Thrust 3.0.1");
    EXPECT_EQ(setting_line({"abc", "A processor", "2 threads", "none", "none", ""}), "A processor, 2 threads");
}

TEST(BenchRecord, NamesOfFoldersAndFiles) {
    EXPECT_EQ(folder_name("NVIDIA H200"), "nvidia_h200");
    EXPECT_EQ(folder_name("NVIDIA H100 80GB HBM3"), "nvidia_h100");
    EXPECT_EQ(folder_name("NVIDIA A100-SXM4-40GB"), "nvidia_a100_sxm4");
    EXPECT_EQ(folder_name("NVIDIA GeForce RTX 4090"), "nvidia_geforce_rtx_4090");
    EXPECT_EQ(folder_name("Intel(R) Xeon(R) @ 2.0GHz"), "intel_r_xeon_r_2_0ghz");
    EXPECT_EQ(folder_name("()"), "unknown");
    EXPECT_EQ(folder_name(Setting{.gpu = "NVIDIA H100 80GB HBM3", .devices = 2}), "nvidia_h100_x2");
    EXPECT_EQ(file_of("segmented_scan"), "scan");
    EXPECT_EQ(file_of("argsort"), "radix_sort");
    EXPECT_EQ(file_of("segmented_top_k"), "top_k");
    EXPECT_EQ(file_of("merge_pairs"), "merge");
    EXPECT_EQ(file_of("lower_bound"), "merge");
    EXPECT_EQ(file_of("histogram"), "top_k");
    EXPECT_EQ(file_of("compact_flags"), "partition");
    EXPECT_EQ(file_of("run_length_encode"), "partition");
}

TEST(BenchRecord, ARunOverwritesTheFileAndAFailureLeavesIt) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "kogge_bench_record_test";
    std::filesystem::remove_all(folder);
    const Setting setting{"abc", "NVIDIA H200", "", "", "", ""};
    const Row row{"argsort", "u32", "uniform", 8, "graph", 1, 1, 1};
    const auto place = folder / "nvidia_h200" / "radix_sort.csv";
    const auto write = [&](int times) {
        RecordFiles files(folder, setting);
        for (int i = 0; i < times; ++i) files.add(row);
        return files.finish();
    };
    EXPECT_EQ(write(2), "2 rows in " + place.string() + '\n');
    write(1);
    const std::string text = std::string(kColumns) + '\n' + csv_line(row, setting) + '\n';
    EXPECT_EQ(text_of(place), text);

    std::filesystem::create_directory(place.string() + ".new");  // nothing can be written there
    EXPECT_THROW(write(2), std::runtime_error);
    EXPECT_EQ(text_of(place), text);
    EXPECT_THROW(RecordFiles(place, setting), std::runtime_error);  // a file, not a folder
    std::filesystem::remove_all(folder);
}

TEST(BenchRecord, AProgramMayNameTheFilesOfItsRows) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "kogge_bench_files_test";
    std::filesystem::remove_all(folder);
    const Setting setting{"abc", "NVIDIA H200", "", "", "", ""};
    RecordFiles files(folder, setting, [](const Row& row) { return row.case_name; });
    for (const char* name : {"clients", "adversary", "clients"})
        files.add({"argsort", "u32", name, 8, "eager", 1, 1, 1});
    EXPECT_EQ(files.finish(), "1 rows in " + (folder / "nvidia_h200" / "adversary.csv").string() + "\n2 rows in " +
                                  (folder / "nvidia_h200" / "clients.csv").string() + '\n');
    std::filesystem::remove_all(folder);
}

TEST(BenchRecord, ARunThatIsCutShortLeavesTheRecordAndItsOwnRows) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "kogge_bench_cut_short_test";
    std::filesystem::remove_all(folder);
    const Setting setting{"abc", "NVIDIA H200", "", "", "", ""};
    const Row scan{"inclusive_scan", "u32", "sum", 8, "eager", 1, 1, 1}, sort{"argsort", "u32", "uniform", 8, "graph"};
    {
        RecordFiles files(folder, setting);
        files.add(scan);
        files.finish();
    }
    const auto place = folder / "nvidia_h200" / "scan.csv";
    const std::string record = text_of(place);
    RecordFiles files(folder, setting);
    files.add(scan);
    files.add(sort);
    files.add(scan);
    EXPECT_EQ(text_of(place), record);
    EXPECT_EQ(text_of(place.string() + ".new"), record + csv_line(scan, setting) + '\n');
    EXPECT_FALSE(std::filesystem::exists(folder / "nvidia_h200" / "radix_sort.csv"));
    std::filesystem::remove_all(folder);
}

TEST(BenchRecord, TheEnvironmentNamesTheCommit) {
    ::setenv("KOGGE_COMMIT", "named", 1);
    EXPECT_EQ(commit_name(), "named");
    ::unsetenv("KOGGE_COMMIT");
    EXPECT_FALSE(commit_name().empty());
    EXPECT_EQ(output_of("printf 'one\\ntwo\\n'"), "one");
    EXPECT_EQ(output_of("exit 1"), "");
}

}  // namespace

// What a benchmark leaves behind: one row a contest, in the columns that tools/*.py read; and the statistics of a row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace bench {

/// What all rows of a run share.
struct Setting {
    std::string commit, gpu, driver, cuda, cub, date;
    int devices = 1;  ///< with more than one, rows have a column more: one_gpu_us
};

struct Row {
    std::string primitive, type, case_name;
    std::uint64_t n = 0;
    std::string mode;
    double ours_us = 0, cub_us = 0, copy_us = 0;
    double spread = 0;  ///< (90th − 10th percentile) / median, of the contender that spreads more
    bool checked = false;
    double one_gpu_us = 0;  ///< ours on one device, of a row of several
};

inline std::string name_of(const Row& row) {
    return row.primitive + '/' + row.type + '/' + row.case_name + '/' + std::to_string(row.n) + '/' + row.mode;
}

inline constexpr const char* kColumns =
    "primitive,type,case,n,mode,ours_us,cub_us,copy_us,spread,checked,commit,gpu,driver,cuda,cub,date";

inline std::string columns_of(const Setting& setting) {
    return setting.devices > 1 ? std::string(kColumns) + ",one_gpu_us" : kColumns;
}

inline std::string csv_line(const Row& row, const Setting& setting) {
    char numbers[128];
    std::snprintf(numbers, sizeof numbers, "%.3f,%.3f,%.3f,%.4f", row.ours_us, row.cub_us, row.copy_us, row.spread);
    std::string line = row.primitive + ',' + row.type + ',' + row.case_name + ',' + std::to_string(row.n) + ',' +
                       row.mode + ',' + numbers + ',' + (row.checked ? "yes" : "no");
    for (std::string text : {setting.commit, setting.gpu, setting.driver, setting.cuda, setting.cub, setting.date}) {
        std::replace(text.begin(), text.end(), ',', ';');
        line += ',' + text;
    }
    if (setting.devices > 1) {
        std::snprintf(numbers, sizeof numbers, ",%.3f", row.one_gpu_us);
        line += numbers;
    }
    return line;
}

/// A device's name as a folder's: "NVIDIA H200" is nvidia_h200. The size of its memory, and what follows that, are left
/// out: "NVIDIA H100 80GB HBM3" is nvidia_h100.
inline std::string folder_name(const std::string& device) {
    std::string name, word;
    for (const char letter : device + ' ') {
        const auto code = static_cast<unsigned char>(letter);
        if (std::isalnum(code)) {
            word += static_cast<char>(std::tolower(code));
            continue;
        }
        const std::size_t digits = word.find_first_not_of("0123456789");
        if (digits > 0 && digits != std::string::npos && word.substr(digits) == "gb") break;
        if (!name.empty() && !word.empty()) name += '_';
        name += word;
        word.clear();
    }
    return name.empty() ? "unknown" : name;
}

/// Several devices have a folder of their own: nvidia_h100_x2.
inline std::string folder_name(const Setting& setting) {
    return folder_name(setting.gpu) + (setting.devices > 1 ? "_x" + std::to_string(setting.devices) : "");
}

/// The file that a primitive's rows belong to.
inline std::string file_of(const std::string& primitive) {
    if (primitive.find("scan") != std::string::npos) return "scan";
    if (primitive.find("sort") != std::string::npos) return "radix_sort";
    if (primitive.find("merge") != std::string::npos || primitive.ends_with("_bound")) return "merge";
    if (primitive.find("reduce") != std::string::npos || primitive == "arg_min") return "reduce";
    if (primitive.find("top_k") != std::string::npos) return "top_k";
    for (const char* const of_ranks : {"select", "quantiles", "histogram"})
        if (primitive == of_ranks) return "top_k";
    return "partition";
}

/// The file that a row belongs to.
using FileOf = std::string (*)(const Row&);
inline std::string file_by_primitive(const Row& row) { return file_of(row.primitive); }

/// Writes <folder>/<gpu>/<file>.csv anew, each file that a row belongs to. Rows go into a second file as they come,
/// which takes the old one's place in finish(); so a run that is cut short leaves both the old record and its own rows.
class RecordFiles {
public:
    RecordFiles(const std::filesystem::path& folder, const Setting& setting, FileOf file_of_row = file_by_primitive)
        : folder_(folder / folder_name(setting)), setting_(setting), file_of_row_(file_of_row) {
        std::error_code problem;
        std::filesystem::create_directories(folder_, problem);
        if (problem) throw cannot_write(folder_);
    }
    void add(const Row& row) {
        const auto [place, is_new] = files_.try_emplace(file_of_row_(row));
        File& file = place->second;
        if (is_new) {
            file.out.open(unfinished(place->first), std::ios::trunc);
            file.out << columns_of(setting_) << '\n';
        }
        file.out << csv_line(row, setting_) << std::endl;
        ++file.rows;
    }
    /// Says what it has written.
    std::string finish() {
        std::string written;
        for (auto& [name, file] : files_) {
            file.out.close();
            if (!file.out) throw cannot_write(unfinished(name));
            const std::filesystem::path place = folder_ / (name + ".csv");
            std::filesystem::rename(unfinished(name), place);
            written += std::to_string(file.rows) + " rows in " + place.string() + '\n';
        }
        files_.clear();
        return written;
    }

private:
    struct File {
        std::ofstream out;
        int rows = 0;
    };
    std::filesystem::path unfinished(const std::string& name) const { return folder_ / (name + ".csv.new"); }
    static std::runtime_error cannot_write(const std::filesystem::path& place) {
        return std::runtime_error("cannot write " + place.string() + "; name another folder with --out");
    }

    std::filesystem::path folder_;
    Setting setting_;
    FileOf file_of_row_;
    std::map<std::string, File> files_;
};

inline std::string today() {
    const std::time_t now = std::time(nullptr);
    char text[16];
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return text;
}

/// The first line that a command prints; empty when it fails.
inline std::string output_of(const char* command) {
    std::string line;
    if (std::FILE* pipe = ::popen(command, "r")) {
        char text[256];
        if (std::fgets(text, sizeof text, pipe)) line = text;
        ::pclose(pipe);
    }
    while (!line.empty() && line.back() == '\n') line.pop_back();
    return line;
}

/// The commit from the environment, else from git, else "unknown". Changes that are not committed show as -dirty.
inline std::string commit_name() {
    if (const char* named = std::getenv("KOGGE_COMMIT")) return named;
    const std::string name = output_of("git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null");
    return name.empty() ? "unknown" : name;
}

// ---- statistics ----------------------------------------------------------------------------------------

/// The value below which a share of the samples lies, between neighbours in proportion.
inline double quantile(std::vector<double> samples, double share) {
    std::sort(samples.begin(), samples.end());
    const double place = share * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, samples.size() - 1);
    return samples[below] + (place - static_cast<double>(below)) * (samples[above] - samples[below]);
}
inline double median(const std::vector<double>& samples) { return quantile(samples, 0.5); }
inline double spread(const std::vector<double>& samples) {
    return (quantile(samples, 0.9) - quantile(samples, 0.1)) / median(samples);
}

/// When a row has been sampled enough: at least `fewest` samples; then, after `seconds`, at once, and before that when
/// there are `enough` and the median's standard error is below `precision`, or when there are `most`.
struct Budget {
    int fewest = 5;
    int enough = 9;
    int most = 200;
    double seconds = 0.1;
    double precision = 0.002;
};

/// The standard error of the median, relative to it: 1.253 σ/√n of a normal sample, σ from the quartiles.
inline double median_error(const std::vector<double>& samples) {
    const double sigma = (quantile(samples, 0.75) - quantile(samples, 0.25)) / 1.349;
    return 1.253 * sigma / std::sqrt(static_cast<double>(samples.size())) / median(samples);
}

/// Samples the contenders by turns; who goes first changes from round to round. `seconds` tells the time.
inline std::vector<std::vector<double>> take_samples(std::span<const std::function<double()>> contenders,
                                                     const Budget& budget, const std::function<double()>& seconds) {
    std::vector<std::vector<double>> samples(contenders.size());
    const double start = seconds();
    for (int round = 0; round < budget.most; ++round) {
        for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
            const std::size_t who = (turn + static_cast<std::size_t>(round)) % contenders.size();
            samples[who].push_back(contenders[who]());
        }
        if (round + 1 < budget.fewest) continue;
        if (seconds() - start > budget.seconds) break;
        if (round + 1 < budget.enough) continue;
        const auto is_steady = [&](const std::vector<double>& each) { return median_error(each) < budget.precision; };
        if (std::all_of(samples.begin(), samples.end(), is_steady)) break;
    }
    return samples;
}

}  // namespace bench

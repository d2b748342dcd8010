// A row in words, for a reader who asked for it.
#pragma once

#include <cstdio>
#include <string>

#include "record.hpp"

namespace bench {

/// The GPU or the processor, and the versions.
inline std::string setting_line(const Setting& setting) {
    if (setting.cuda == "none")
        return setting.gpu + ", " + setting.driver + (setting.cub == "none" ? "" : ", Thrust " + setting.cub);
    return setting.gpu + ", driver " + setting.driver + ", CUDA " + setting.cuda + ", CUB " + setting.cub;
}

/// Nine places and a unit.
inline std::string time_text(double microseconds) {
    char text[32];
    if (microseconds < 1000) std::snprintf(text, sizeof text, "%9.2f µs", microseconds);
    else if (microseconds < 1e6) std::snprintf(text, sizeof text, "%9.2f ms", microseconds / 1e3);
    else std::snprintf(text, sizeof text, "%9.2f s ", microseconds / 1e6);
    return text;
}

/// Four lines: the times of both and of the copy, and what they mean.
inline std::string shown(const Row& row, const std::string& rival) {
    char line[256];
    std::string text = row.primitive + ' ' + row.type + ' ' + row.case_name + ", " + std::to_string(row.n) +
                       " items, " + row.mode + '\n';
    const auto add = [&](const std::string& who, double microseconds, const char* what) {
        std::snprintf(line, sizeof line, "  %-12s %s  %8.3f G items/s%s\n", who.c_str(),
                      time_text(microseconds).c_str(), static_cast<double>(row.n) / microseconds / 1000, what);
        text += line;
    };
    add("kogge", row.ours_us, "");
    add(rival, row.cub_us, "");
    add("copy", row.copy_us, "  (of the least bytes that must move)");
    if (!row.checked) return text + "  WRONG RESULT: kogge's is not that of " + rival + '\n';
    std::snprintf(line, sizeof line, "  %.2f times as fast as %s, spread %.1f %%; the results agree\n",
                  row.cub_us / row.ours_us, rival.c_str(), 100 * row.spread);
    return text + line;
}

}  // namespace bench

#include "commands/kept_runs.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "failure.hpp"
#include "io/descriptor.hpp"
#include "io/numbers.hpp"
#include "io/output.hpp"

namespace kogge::command {
namespace {

constexpr const char *kJournal = "sort.journal", *kKeys = "sort.keys", *kValues = "sort.values";
constexpr std::string_view kBegin = "kogge sort ";  // of every journal
constexpr const char* kAnew = "remove sort.journal, sort.keys and sort.values there and begin anew";

}  // namespace

std::string identity_of_file(const std::string& path) {
    struct stat status {};
    if (path == "-" || stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
        throw usage_failure("a sort that can be resumed reads its input again, and '" + path + "' is no regular file",
                            "name a file, or leave --resume out");
    return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) + ":" + std::to_string(status.st_size) +
           ":" + std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

KeptRuns::KeptRuns(std::string directory, const std::string& sort, Type key, std::optional<Type> value)
    : directory_(std::move(directory)), key_(key), value_(value) {
    refuse_files_of_others();
    journal_ = open(path(kJournal).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (journal_ < 0)
        throw system_failure("cannot keep sorted runs in '" + directory_ + "'", "name an existing directory");
    try {
        if (flock(journal_, LOCK_EX | LOCK_NB) != 0)
            throw Failure("another sort keeps its runs in '" + directory_ + "'", "name another directory");
        read_journal(sort);
    } catch (...) {
        close(journal_);
        throw;
    }
}
bool KeptRuns::has_place(const std::string& directory, const std::string& path) {
    for (const char* name : {kJournal, kKeys, kValues})
        if (are_one_place(directory + "/" + name, path)) return true;
    return false;
}

/// A journal is written before the runs: without it, files of their names are no runs.
void KeptRuns::refuse_files_of_others() const {
    struct stat status {};
    if (stat(path(kJournal).c_str(), &status) == 0 && status.st_size > 0) return;
    for (const char* name : {kKeys, kValues})
        if (stat(path(name).c_str(), &status) == 0)
            throw Failure("'" + path(name) + "' is there already, and no journal says that it has runs",
                          "remove it, or name another directory");
}

KeptRuns::~KeptRuns() { close(journal_); }

void KeptRuns::fail(const char* doing) const {
    throw system_failure(std::string("cannot ") + doing + " the sorted runs in '" + directory_ + "'",
                         "make room, or name another directory");
}

/// A line that a kill cut off is as if it was not there: it goes. Without a run there is nothing to lose, whoever wrote
/// the first line.
void KeptRuns::read_journal(const std::string& sort) {
    struct stat status {};
    if (fstat(journal_, &status) != 0) fail("read");
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    if (!read_all_at(journal_, 0, text.data(), text.size())) fail("read");
    if (text.substr(0, kBegin.size()) != kBegin.substr(0, text.size()))
        throw Failure("'" + path(kJournal) + "' is no journal of a sort", "remove it, or name another directory");
    const std::size_t complete = text.rfind('\n') + 1;  // 0: no line is
    std::size_t begin = text.find('\n') + 1;            // of the first run
    if (begin < complete && text.substr(0, begin - 1) != sort)
        throw Failure("'" + directory_ + "' has the runs of another sort, or the input has changed since",
                      std::string("repeat that sort, or ") + kAnew);
    for (std::size_t end; begin < complete; begin = end + 1) {
        end = text.find('\n', begin);
        const auto count = parse_number<std::uint64_t>(text.substr(begin, end - begin));
        if (!count) throw Failure(path(kJournal) + " is damaged", kAnew);
        runs_.push_back({items(), *count});
    }
    if (!keep_first(journal_, runs_.empty() ? 0 : complete)) fail("go on with");
    const std::string first = sort + "\n";
    if (runs_.empty() && !write_all(journal_, first.data(), first.size())) fail("keep");
}

std::uint64_t KeptRuns::items() const { return runs_.empty() ? 0 : runs_.back().begin + runs_.back().count; }

SpilledRuns KeptRuns::take_runs() {
    const auto file = [&](const char* name, Type type) {
        return Spill::named(path(name), items() * info_of(type).bytes);
    };
    Spill keys = file(kKeys, key_);
    std::optional<Spill> values;
    if (value_) values = file(kValues, *value_);
    return SpilledRuns(std::move(keys), std::move(values), key_, value_, runs_);
}

void KeptRuns::note_run(SpilledRuns& runs) {
    runs.sync();
    const std::string line = std::to_string(runs.runs().back().count) + "\n";
    if (!write_all(journal_, line.data(), line.size()) || fdatasync(journal_) != 0) fail("keep");
}

void KeptRuns::remove() {
    for (const char* name : {kKeys, kValues, kJournal}) unlink(path(name).c_str());
}

}  // namespace kogge::command

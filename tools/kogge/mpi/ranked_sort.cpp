#include "mpi/ranked_sort.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "command_line.hpp"
#include "commands/sort_check.hpp"
#include "commands/sort_items.hpp"
#include "io/descriptor.hpp"
#include "io/memory.hpp"
#include "io/npy.hpp"
#include "io/output.hpp"
#include "io/pieces.hpp"
#include "kogge/distributed/mpi.hpp"
#include "kogge/distributed/radix_sort.hpp"

namespace kogge::command {
namespace {

/// What a rank tells the others about a step.
struct Told {
    int code = 0;  ///< 0: it has done it
    char what[1024] = {}, hint[512] = {};

    static Told of(const Failure& failure) {
        Told told;
        told.code = failure.exit_code;
        std::strncpy(told.what, failure.what(), sizeof told.what - 1);
        std::strncpy(told.hint, failure.hint.c_str(), sizeof told.hint - 1);
        return told;
    }
};

class RankedSort {
public:
    RankedSort(const SortSettings& settings, communicator& ranks)
        : settings_(settings),
          ranks_(ranks),
          order_{settings.order.order, settings.order.begin_bit, settings.order.end_bit, settings.order.zeros,
                 settings.order.nans} {}

    void run() {
        const Stopwatch watch;
        together([&] { open(); });
        together([&] { read(); });
        sort();
        if (common().verify) verify();
        write();
        if (ranks_.rank() > 0) return;
        print_report(common(), {sort_done(settings_, all_, type_, {}), all_, "keys", watch.seconds(), 0,
                                std::to_string(ranks_.size()) + " processes"});
    }

private:
    const CommonOptions& common() const { return settings_.common; }
    Type result_type() const { return settings_.indices ? Type::i64 : type_; }
    static std::uint64_t share_begin(std::uint64_t all, std::uint64_t rank, std::uint64_t ranks) {
        return all / ranks * rank + std::min(rank, all % ranks);
    }

    /// A step of each rank by itself. If it fails on one, all ranks throw what the lowest of these says.
    template <class Step>
    void together(const Step& step) {
        Told own;
        try {
            step();
        } catch (...) {
            own = Told::of(failure_in_flight());
        }
        std::vector<Told> all(static_cast<std::size_t>(ranks_.size()));
        ranks_.all_gather(&own, all.data(), sizeof own);
        for (std::size_t r = 0; r < all.size(); ++r)
            if (all[r].code != 0)
                throw Failure((r > 0 ? "rank " + std::to_string(r) + ": " : "") + all[r].what, all[r].hint,
                              all[r].code);
    }

    void open() {
        for (const auto& [given, option] :
             {std::pair(settings_.indices && common().verify, "--verify of --indices"),
              std::pair(!settings_.values.empty(), "--with"), std::pair(settings_.unique, "--unique"),
              std::pair(common().count, "--count"), std::pair(settings_.memory > 0, "--memory"),
              std::pair(!settings_.resume.empty(), "--resume")})
            if (given) throw usage_failure(std::string(option) + " is for one process, and mpirun has started several");
        if (common().machine.where == backend::device)
            throw usage_failure("several processes sort on the host", "leave --backend out");
        if (common().input == "-" || !is_file_to_be(common().output))
            throw usage_failure("several processes read and write files", "name the input, and the output with -o");
        input_.emplace(input_of(common()), false, "");
        format_ = output_format(common(), common().output, input_->format());
        const auto items = input_->pieces().items();
        if (input_->format() == Format::text || format_ == Format::text || !items)
            throw usage_failure("several processes read and write .npy and raw files",
                                "make one of it: kogge sort does, and needs one process");
        type_ = input_->type();
        check_bits(settings_.order, type_);
        all_ = *items;
        if (ranks_.rank() > 0) return;
        // The others, which may be on other hosts, open it by its name; a killed rank can leave it.
        output_.emplace(common().output, Output::Writers::several_processes);
        if (format_ == Format::npy) {
            const std::string header = make_npy_header({result_type(), all_});
            output_->write(header.data(), header.size());
        }
    }

    void read() {
        const auto rank = static_cast<std::uint64_t>(ranks_.rank()), ranks = static_cast<std::uint64_t>(ranks_.size());
        const std::uint64_t begin = share_begin(all_, rank, ranks), n = share_begin(all_, rank + 1, ranks) - begin;
        const std::size_t item = info_of(type_).bytes, result = settings_.indices ? sizeof(std::int64_t) : 0;
        // Keys, the sorted ones, and about three times as much between them; of all ranks that share the memory.
        require_memory(static_cast<std::uint64_t>(of_host()) * (n + 1) * (5 * (item + result)),
                       "a rank's part of " + input_->name(), "start more processes, on more hosts");
        keys_ = Array(type_, n);
        input_->pieces().skip(begin);
        if (input_->pieces().read(keys_.data(), n) < n)
            throw Failure(input_->name() + " has changed while it was read");
        input_->end();
        capacity_ = all_ / ranks + 1;
        sorted_ = Array(type_, settings_.indices ? 0 : capacity_);
        indices_ = Array(Type::i64, settings_.indices ? capacity_ : 0);
    }

    /// The ranks on this host.
    static int of_host() {
        MPI_Comm host;
        int ranks = 1;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
        MPI_Comm_size(host, &ranks);
        MPI_Comm_free(&host);
        return ranks;
    }

    void sort() {
        const exec how{.where = backend::host, .host_threads = common().machine.threads};
        const std::uint64_t got = visit(type_, [&]<class T>() {
            if (settings_.indices)
                return distributed::argsort(ranks_, keys_.as<T>(), indices_.as<std::int64_t>(), capacity_, keys_.size(),
                                            order_, how);
            return distributed::radix_sort(ranks_, keys_.as<T>(), sorted_.as<T>(), capacity_, keys_.size(), order_,
                                           how);
        });
        (settings_.indices ? indices_ : sorted_).shrink(got);
        std::vector<std::uint64_t> sizes(static_cast<std::size_t>(ranks_.size()));
        ranks_.all_gather(&got, sizes.data(), sizeof got);
        for (int r = 0; r < ranks_.rank(); ++r) begin_ += sizes[static_cast<std::size_t>(r)];
    }

    /// Each rank checks its part, and that it does not begin before the last part with keys ends.
    void verify() {
        together([&] {
            OrderCheck check(settings_.order, false);
            check.look_at(sorted_, nullptr);
        });
        struct Edge {
            std::uint64_t n, first, last, came, went;
        };
        Edge own{};
        visit(type_, [&]<class T>() {
            own.n = sorted_.size();
            if (own.n == 0) return;
            own.first = place_of(sorted_.as<T>()[0], settings_.order);
            own.last = place_of(sorted_.as<T>()[own.n - 1], settings_.order);
        });
        Digest came, went;
        came.add(keys_, nullptr);
        went.add(sorted_, nullptr);
        own.came = came.sum();
        own.went = went.sum();
        std::vector<Edge> edges(static_cast<std::size_t>(ranks_.size()));
        ranks_.all_gather(&own, edges.data(), sizeof own);
        std::uint64_t n = 0, sum = 0, last = 0;
        bool in_order = true;
        for (const Edge& edge : edges) {
            n += edge.n;
            sum += edge.came - edge.went;
            if (edge.n == 0) continue;
            in_order = in_order && edge.first >= last;
            last = edge.last;
        }
        if (!in_order || n != all_ || sum != 0)
            throw Failure("verification failed: the ranks' parts are not the sorted input");
    }

    void write() {
        char name[4096] = {};
        if (output_) std::strncpy(name, output_->temporary_name().c_str(), sizeof name - 1);
        std::vector<char> names(sizeof name * static_cast<std::size_t>(ranks_.size()));
        ranks_.all_gather(name, names.data(), sizeof name);
        const Array& part = settings_.indices ? indices_ : sorted_;
        const std::uint64_t head = format_ == Format::npy ? make_npy_header({result_type(), all_}).size() : 0;
        together([&] {
            const PartOfFile file(names.data(), common().output);
            file.write(head + begin_ * part.item_bytes(), part.data(), part.byte_count());
        });
        // The first rank's file has all of it now.
        together([&] {
            if (!output_) return;
            output_->finish();
            output_->publish();
        });
    }

    /// A file that another process has created.
    class PartOfFile {
    public:
        /// `name` is what the result is called.
        PartOfFile(const char* path, const std::string& name)
            : name_(name), descriptor_(::open(path, O_WRONLY | O_CLOEXEC)) {
            if (descriptor_ < 0)
                throw system_failure("cannot write to '" + name_ + "', which the first rank has created",
                                     "write to a file system that all hosts share");
        }
        PartOfFile(const PartOfFile&) = delete;
        PartOfFile& operator=(const PartOfFile&) = delete;
        ~PartOfFile() { close(descriptor_); }

        void write(std::uint64_t place, const std::byte* from, std::uint64_t bytes) const {
            if (!write_all_at(descriptor_, place, from, bytes)) fail();
            if (fsync(descriptor_) != 0 && errno != EINVAL) fail();
        }

    private:
        [[noreturn]] void fail() const {
            throw_write_failure("cannot write to '" + name_ + "'", "make room, or write to another place with -o");
        }

        std::string name_;
        int descriptor_;
    };

    const SortSettings& settings_;
    communicator& ranks_;
    distributed::sort_options order_;
    std::optional<OpenInput> input_;
    std::optional<Output> output_;  ///< of the first rank
    Format format_ = Format::npy;
    Type type_ = Type::u8;
    std::uint64_t all_ = 0, capacity_ = 0;
    std::uint64_t begin_ = 0;  ///< of this rank's part of the result
    Array keys_, sorted_, indices_;
};

}  // namespace

void run_ranked_sort(const SortSettings& settings) {
    const auto ranks = communicator_over_mpi(MPI_COMM_WORLD);
    RankedSort(settings, *ranks).run();
}

}  // namespace kogge::command

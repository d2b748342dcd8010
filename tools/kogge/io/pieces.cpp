#include "io/pieces.hpp"

#include <algorithm>
#include <cstring>

#include "failure.hpp"
#include "io/numbers.hpp"
#include "io/text.hpp"

namespace kogge::command {
namespace {

constexpr std::uint64_t kChunk = 4 << 20;

class RawPieces : public Pieces {
public:
    RawPieces(Source& source, const InputOptions& options) : Pieces(source) {
        type_ = type_of_raw(source, options);
        if (source.size()) check_raw_size(*source.size(), type_, source.name());
        source.begin(source.size());
    }
    std::optional<std::uint64_t> items() const override {
        return source_.size() ? std::optional(*source_.size() / info_of(type_).bytes) : std::nullopt;
    }
    std::uint64_t read(void* to, std::uint64_t most) override {
        const std::uint64_t item = info_of(type_).bytes, got = source_.read(to, most * item);
        bytes_ += got;
        if (got < most * item) check_raw_size(bytes_, type_, source_.name());
        return got / item;
    }
    void skip(std::uint64_t n) override {
        Pieces::skip(n);
        bytes_ += n * info_of(type_).bytes;
    }
    void rewind() override {
        source_.rewind();
        source_.begin(source_.size());
        bytes_ = 0;
    }

private:
    std::uint64_t bytes_ = 0;
};

class TextPieces : public Pieces {
public:
    TextPieces(Source& source, const InputOptions& options)
        : Pieces(source), column_(options.column), header_(options.header), lines_({}, column_) {
        source.begin(source.size());
        if (options.type) {
            type_ = *options.type;
            return;
        }
        Recognition found;
        while (refill()) found.look_at(lines_, source.name());
        type_ = found.type(source.name());
        rewind();
    }
    std::uint64_t read(void* to, std::uint64_t most) override {
        std::uint64_t n = 0;
        do
            n += parse_lines(lines_, type_, static_cast<std::byte*>(to) + n * info_of(type_).bytes, most - n,
                             source_.name());
        while (n < most && refill());
        return n;
    }
    void rewind() override {
        source_.rewind();
        source_.begin(source_.size());
        text_.clear();
        complete_ = 0;
        ended_ = begun_ = false;
        lines_ = Lines({}, column_);
    }

private:
    /// Whole lines, behind those of which all are read; false at the end.
    bool refill() {
        if (ended_) return false;
        text_.erase(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(complete_));
        std::uint64_t number = lines_.number();
        for (complete_ = 0; complete_ == 0 && !ended_;) {
            const std::size_t before = text_.size();
            text_.resize(before + kChunk);
            const std::uint64_t got = source_.read(text_.data() + before, kChunk);
            ended_ = got < kChunk;
            text_.resize(before + got);
            const auto after_newline =
                std::find(text_.rbegin(), text_.rend() - static_cast<std::ptrdiff_t>(before), '\n').base();
            complete_ = ended_ ? text_.size() : static_cast<std::size_t>(after_newline - text_.begin());
            if (!ended_ && complete_ == before) complete_ = 0;  // no line has ended yet
        }
        lines_ = Lines({text_.data(), complete_}, column_, number);
        Lines first = lines_;
        if (begun_ || (!first.next() && !ended_)) return true;
        lines_ = after_title(lines_, column_, header_, source_.name());
        begun_ = true;
        return true;
    }

    Column column_;
    bool header_;
    std::vector<char> text_;
    std::size_t complete_ = 0;  ///< the bytes of it that are whole lines
    bool ended_ = false;        ///< of the source
    bool begun_ = false;        ///< whether a title was looked for
    Lines lines_;
};

/// Of each item.
void reverse_bytes(std::byte* items, std::uint64_t n, std::size_t size) {
    for (std::byte* item = items; item != items + n * size; item += size) std::reverse(item, item + size);
}

Failure truncated(const std::string& name, std::uint64_t promised, std::uint64_t there) {
    return Failure(name + " is truncated: its header promises " + with_separators(promised) + " bytes of items, and " +
                   with_separators(there) + " are there");
}

}  // namespace

NpyPieces::NpyPieces(Source& source, const InputOptions& options) : Pieces(source) {
    std::string header(npy_header_length(source.head().substr(0, kNpyPrefix), source.name()), '\0');
    if (source.read(header.data(), header.size()) < header.size())
        throw Failure(source.name() + " is truncated: it ends within the .npy header");
    header_bytes_ = header.size();
    header_ = parse_npy_header(header, source.name());
    type_ = header_.type;
    if (options.type && *options.type != type_)
        throw Failure(source.name() + " holds " + name_of(type_) + ", not " + name_of(*options.type),
                      "leave --type out: a .npy file says itself what it holds");
    const std::uint64_t bytes = header_.items * info_of(type_).bytes;
    if (source.size() && *source.size() < header.size() + bytes)
        throw truncated(source.name(), bytes, *source.size() - header.size());
    source.begin(bytes);
}

std::uint64_t NpyPieces::read(void* to, std::uint64_t most) {
    const std::uint64_t n = std::min(most, header_.items - done_), item = info_of(type_).bytes;
    const std::uint64_t got = source_.read(to, n * item);
    if (got < n * item) throw truncated(source_.name(), header_.items * item, done_ * item + got);
    if (header_.big_endian) reverse_bytes(static_cast<std::byte*>(to), n, item);
    done_ += n;
    if (done_ == header_.items) check_end();
    return n;
}

void NpyPieces::check_end() {
    char more;
    if (source_.read(&more, 1) != 0)
        throw Failure(source_.name() + " goes on after the " + with_separators(header_.items) +
                      " items that its header promises");
}

void NpyPieces::rewind() {
    source_.rewind();
    std::string header(header_bytes_, '\0');
    if (source_.read(header.data(), header.size()) < header.size())
        throw Failure(source_.name() + " has changed while it was read");
    source_.begin(header_.items * info_of(type_).bytes);
    done_ = 0;
}

Type type_of_raw(const Source& source, const InputOptions& options) {
    if (options.type) return *options.type;
    throw usage_failure("raw binary input " + source.name() + " needs a type",
                        "say --type (for values --with-type), one of " + all_type_names());
}

void check_raw_size(std::uint64_t bytes, Type type, const std::string& name) {
    const std::size_t item = info_of(type).bytes;
    if (bytes % item != 0)
        throw Failure(name + " is truncated, or not of type " + name_of(type) + ": " + with_separators(bytes) +
                      " bytes are no whole number of items of " + std::to_string(item) + " bytes");
}

OpenInput::OpenInput(const InputOptions& options, bool twice, const std::string& advice)
    : source_(options.path), format_(recognise_format(source_, options)) {
    if (format_ == Format::raw) type_of_raw(source_, options);  // before all of it is read
    const bool for_type = format_ == Format::text && !options.type;
    if (twice || for_type)
        source_.allow_rewind(!for_type                  ? advice
                             : twice && !advice.empty() ? advice + ", and --type"
                                                        : "say --type, so that it is read only once",
                             options.most_kept);
    if (format_ == Format::npy) pieces_ = std::make_unique<NpyPieces>(source_, options);
    else if (format_ == Format::raw) pieces_ = std::make_unique<RawPieces>(source_, options);
    else pieces_ = std::make_unique<TextPieces>(source_, options);
}

}  // namespace kogge::command

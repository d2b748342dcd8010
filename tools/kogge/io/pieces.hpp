// Inputs read a piece at a time, in memory that the caller bounds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/array.hpp"
#include "io/input.hpp"
#include "io/lines.hpp"
#include "io/npy.hpp"
#include "io/source.hpp"

namespace kogge::command {

class Pieces {
public:
    virtual ~Pieces() = default;
    Pieces(const Pieces&) = delete;
    Pieces& operator=(const Pieces&) = delete;

    Type type() const { return type_; }
    /// How many there are in all, if that is known before they are read.
    virtual std::optional<std::uint64_t> items() const { return std::nullopt; }
    /// Writes the next items, `most` or, at the end, fewer; returns how many they are.
    virtual std::uint64_t read(void* to, std::uint64_t most) = 0;
    /// Leaves out the next n items, of a regular file whose number of items is known.
    virtual void skip(std::uint64_t n) { source_.skip(n * info_of(type_).bytes); }
    /// Goes back to the first item, of a source that allows it.
    virtual void rewind() = 0;

protected:
    explicit Pieces(Source& source) : source_(source) {}
    Source& source_;
    Type type_ = Type::u8;
};

class NpyPieces : public Pieces {
public:
    NpyPieces(Source& source, const InputOptions& options);
    std::optional<std::uint64_t> items() const override { return header_.items; }
    std::uint64_t read(void* to, std::uint64_t most) override;
    void skip(std::uint64_t n) override {
        Pieces::skip(n);
        done_ += n;
    }
    void rewind() override;

private:
    void check_end();
    std::uint64_t header_bytes_;
    NpyHeader header_;
    std::uint64_t done_ = 0;
};

/// The type that the options say. Throws where they say none.
Type type_of_raw(const Source& source, const InputOptions& options);
/// Throws where so many bytes are no whole number of items.
void check_raw_size(std::uint64_t bytes, Type type, const std::string& name);

/// An input that is open. Where it must be read twice, for the type of text or because the caller wants to, and is no
/// regular file, all of it is kept in memory.
class OpenInput {
public:
    /// `twice`: the caller rewinds; `advice` says how to do without (see Source::allow_rewind).
    OpenInput(const InputOptions& options, bool twice, const std::string& advice);

    Format format() const { return format_; }
    Pieces& pieces() { return *pieces_; }
    Type type() const { return pieces_->type(); }
    const std::string& name() const { return source_.name(); }
    /// Takes the progress bar away.
    void end() { source_.end(); }

private:
    Source source_;
    Format format_;
    std::unique_ptr<Pieces> pieces_;
};

}  // namespace kogge::command

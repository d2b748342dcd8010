// The arrays of a top-k call: keys, keys with values in one array or two, and indices.
#pragma once

#include <cstdint>
#include <vector>

#include "fuzz/case.hpp"
#include "fuzz/sorts.hpp"
#include "kogge/arrays.hpp"
#include "kogge/plan/top_k.hpp"

namespace fuzz {

/// The arrays of a call, of which its form takes some, and what must be in them after it.
template <class Key, class Value, class Index>
struct TopKArrays {
    enum class Form { keys, pairs, arrays, indices, keys_and_indices } form;
    std::vector<Key> keys, keys_want;
    std::vector<Value> values, values_want;
    std::vector<std::uint8_t> more, more_want;
    std::vector<Index> indices_want;
    const Key* in;
    const Value* values_in;
    const std::uint8_t* more_in;
    Key* out;
    Value* values_out;
    std::uint8_t* more_out;
    Index* indices;

    TopKArrays(Case& of, std::uint64_t n, std::uint64_t results)
        : form(of.pick({Form::keys, Form::pairs, Form::arrays, Form::indices, Form::keys_and_indices})),
          keys(any_values<Key>(of, n)),
          values(any_values<Value>(of, has_values() ? n : 0)),
          more(any_values<std::uint8_t>(of, form == Form::arrays ? n : 0)) {
        of.say(form == Form::keys      ? "keys,"
               : form == Form::pairs   ? "pairs,"
               : form == Form::arrays  ? "two arrays of values,"
               : form == Form::indices ? "indices,"
                                       : "keys and indices,");
        Memory& memory = of.memory();
        in = memory.input(keys);
        values_in = memory.input(values);
        more_in = memory.input(more);
        out = memory.output<Key>(has_keys() ? results : 0);
        values_out = memory.output<Value>(has_values() ? results : 0);
        more_out = memory.output<std::uint8_t>(form == Form::arrays ? results : 0);
        indices = memory.output<Index>(has_indices() ? results : 0);
        keys_want = memory.get(out, has_keys() ? results : 0);
        values_want = memory.get(values_out, has_values() ? results : 0);
        more_want = memory.get(more_out, form == Form::arrays ? results : 0);
        indices_want = memory.get(indices, has_indices() ? results : 0);
    }
    bool has_keys() const { return form != Form::indices; }
    bool has_values() const { return form == Form::pairs || form == Form::arrays; }
    bool has_indices() const { return form == Form::indices || form == Form::keys_and_indices; }
    std::size_t value_bytes() const {
        return has_values() ? sizeof(Value) + (form == Form::arrays ? sizeof(std::uint8_t) : 0) : 0;
    }

    /// The call of this form among Calls::keys, pairs and indices; keys may be none.
    template <class Calls, class... Last>
    void call(const Key* from, const Last&... last) const {
        switch (form) {
            case Form::keys:
                return Calls::keys(from, out, last...);
            case Form::pairs:
                return Calls::pairs(from, out, values_in, values_out, last...);
            case Form::arrays:
                return Calls::pairs(from, out, kogge::arrays(values_in, more_in), kogge::arrays(values_out, more_out),
                                    last...);
            case Form::indices:
                return Calls::indices(from, static_cast<Key*>(nullptr), indices, last...);
            case Form::keys_and_indices:
                return Calls::indices(from, out, indices, last...);
        }
    }

    /// What plans look at.
    kogge::top_k_shape shape(const kogge::sort_options& options) const {
        const auto bits = shape_of<Key>(options, false, true, {});
        return {.key_bytes = sizeof(Key),
                .begin_bit = bits.begin_bit,
                .end_bit = bits.end_bit,
                .writes_keys = has_keys(),
                .index_bytes = has_indices() ? sizeof(Index) : 0,
                .value_bytes = value_bytes(),
                .merges_keys = bits.merges_keys,
                .are_floats = bits.are_floats,
                .value_arrays = form == Form::arrays ? 2 : 0};
    }

    /// Result `at` is the item at `place`, of a segment that begins at `begin`.
    void want(std::uint64_t at, std::uint64_t place, std::uint64_t begin) {
        if (has_keys()) keys_want[at] = keys[place];
        if (has_values()) values_want[at] = values[place];
        if (form == Form::arrays) more_want[at] = more[place];
        if (has_indices()) indices_want[at] = static_cast<Index>(place - begin);
    }
    void expect(Case& of) const {
        of.expect("keys", out, keys_want);
        of.expect("values", values_out, values_want);
        of.expect("more values", more_out, more_want);
        of.expect("indices", indices, indices_want);
    }
};

}  // namespace fuzz

#!/usr/bin/env bash
# Calls that cannot be, on types that are not copied as bytes or with arguments in the wrong place, do not compile, and
# the compiler's message says what to write.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

cat > "$work/kogge.hpp" << 'END'
#include <memory>
#include <string>
#include <vector>
#include "kogge/kogge.hpp"
struct Join { std::string operator()(const std::string& a, const std::string& b) const { return a + b; } };
struct Yes { template <class T> bool operator()(const T&) const { return true; } };
struct First { template <class T> unsigned operator()(const T&) const { return 0; } };
struct Make { std::string operator()(std::uint64_t, std::uint64_t) const { return {}; } };
struct Plus { template <class T> T operator()(const T& a, const T&) const { return a; } };
struct Named { std::string operator()(std::uint32_t, std::uint32_t) const { return {}; } };
struct Changing { bool operator()(std::uint32_t) { return true; } };
END
# Compiled once for all calls.
"$CXX" -std=c++20 -I "$KOGGE_SOURCE_DIR/include" -x c++-header "$work/kogge.hpp" -o "$work/kogge.hpp.gch"

# refuse MESSAGE CALL: the call, on pointers to strings s and t, to numbers u and n, and to others, fails with that
# message.
refuse() {
    local message=$1 call=$2 output
    cat > "$work/call.cpp" << END
void call([[maybe_unused]] std::string* s, [[maybe_unused]] std::string* t, [[maybe_unused]] std::uint32_t* u,
          [[maybe_unused]] std::uint64_t* n, [[maybe_unused]] int* i, [[maybe_unused]] unsigned long long* l,
          [[maybe_unused]] bool* b, [[maybe_unused]] const std::uint32_t* c, [[maybe_unused]] kogge::exec how) { $call; }
END
    if output=$("$CXX" -std=c++20 -fsyntax-only -I "$KOGGE_SOURCE_DIR/include" -include "$work/kogge.hpp" "$work/call.cpp" 2>&1); then
        echo "compiles: $call"
        status=1
    elif ! grep -q "static assertion failed: $message\|static assertion failed.*$message" <<< "$output"; then
        echo "does not say '$message': $call"
        grep -m3 error <<< "$output"
        status=1
    fi
}

refuse 'travel as bytes' 'kogge::inclusive_scan(s, t, 9, Join{})'
refuse 'travel as bytes' 'kogge::inclusive_segmented_scan(s, t, 9, n, 1, Join{})'
refuse 'travel as bytes' 'kogge::compact(s, t, 9, Yes{})'
refuse 'travel as bytes' 'kogge::compact_stencil(u, s, u, 9, Yes{})'
refuse 'travel as bytes' 'kogge::split(s, t, 9, 2, First{})'
refuse 'travel as bytes' 'kogge::emit(s, 9, 9, First{}, Make{})'
refuse 'travel as bytes' 'kogge::unique(s, t, 9)'
refuse 'travel as bytes' 'kogge::radix_sort_pairs(u, s, 9)'
refuse 'has no key_codec' 'kogge::radix_sort(s, 9)'
refuse 'travel as bytes' 'kogge::buffer<std::string> words(9, kogge::backend::host)'

refuse 'a call writes are integers' 'kogge::compact(u, u, b, 9, Yes{})'
refuse 'a call writes are integers' 'kogge::partition(u, u, b, 9, Yes{})'
refuse 'a call writes are integers' 'kogge::unique(u, u, c, 9)'
refuse 'a call writes are integers' 'kogge::run_length_encode(u, u, u, s, 9)'
refuse 'a call writes are integers' 'kogge::emit(u, 9, b, 9, First{}, Plus{})'
refuse 'a call writes are integers' 'kogge::compact(u, u, kogge::count_at(b), 9, Yes{})'
refuse 'items convert to the type' 'kogge::compact(u, &how, 9, Yes{})'
refuse 'items convert to the type' 'kogge::unique_by_key(u, u, u, &how, 9)'
refuse 'are not const' 'kogge::compact(u, c, 9, Yes{})'
refuse 'are not const' 'kogge::unique(u, c, 9)'
refuse 'are not const' 'kogge::emit(kogge::arrays(u, c), 9, 9, First{}, First{})'
refuse 'are not const' 'kogge::reduce_by_key(kogge::arrays(u, u), u, kogge::arrays(u, c), u, 9)'
refuse 'equal where all of them are' 'kogge::reduce_by_key(kogge::arrays(u, u), u, kogge::discard{}, u, 9, Plus{}, First{})'
refuse 'equal where all of them are' 'kogge::inclusive_scan_by_key(kogge::arrays(u, u), u, u, 9, Plus{}, First{})'
refuse 'go to as many' 'kogge::unique_by_key(kogge::arrays(u, u), u, kogge::arrays(u), u, 9)'
refuse 'or to an output that forgets them' 'kogge::reduce_by_key(kogge::arrays(u, u), u, u, u, 9)'
refuse 'keys of one array' 'kogge::unique_by_key(u, u, kogge::arrays(u, u), u, 9)'
refuse 'offsets of segments are integers' 'kogge::inclusive_segmented_scan(u, u, 9, b, 1)'
refuse 'offsets of segments are integers' 'kogge::segmented_sort(u, 9, b, 1)'
refuse 'offsets of segments are integers' 'kogge::segmented_sort_pairs(u, u, 9, b, 1)'
refuse 'offsets of segments are integers' 'kogge::segmented_argsort(u, i, 9, kogge::segments_of(n, b, 1))'
refuse 'offsets of segments are integers' 'kogge::segmented_top_k(u, u, 9, b, 1, 1)'
refuse 'offsets are std::uint64_t' 'kogge::split(u, u, i, 9, 2, First{})'
refuse 'flags are bytes' 'kogge::compact_flags(u, i, u, 9)'
refuse 'write the function before them' 'kogge::inclusive_scan(u, u, 9, kogge::scan_options{})'
refuse 'write the function before them' 'kogge::exclusive_scan(u, u, 9, 0u, kogge::scan_options{})'
refuse 'write the function before them' 'kogge::reverse_inclusive_scan(u, u, 9, kogge::scan_options{}, how)'
refuse 'write the function before them' 'kogge::inclusive_scan_by_key(u, u, u, 9, kogge::scan_options{})'
refuse 'write the function before them' 'kogge::inclusive_scan_by_key(u, u, u, 9, Plus{}, kogge::scan_options{})'
refuse 'write the function before them' 'kogge::inclusive_segmented_scan(u, u, 9, n, 1, kogge::scan_options{})'
refuse 'items of one type' 'kogge::merge(u, n, u, 9, 9)'
refuse 'values of one type' 'kogge::merge_pairs(u, u, u, n, u, u, 9, 9)'
refuse 'integers of 4 or 8 bytes' 'kogge::lower_bound(u, u, b, 9, 9)'
refuse 'are not const' 'kogge::upper_bound(u, u, c, 9, 9)'
refuse 'are not const' 'kogge::merge(u, u, c, 9, 9)'
refuse 'are not const' 'kogge::radix_sort(c, 9)'
refuse 'are not const' 'kogge::segmented_sort(c, 9, n, 1)'
refuse 'are not const' 'kogge::radix_sort_pairs(u, c, 9)'
refuse 'are not const' 'kogge::inclusive_scan(u, c, 9)'
refuse 'are not const' 'kogge::reverse_exclusive_scan(u, c, 9, 0u)'
refuse 'are not const' 'kogge::inclusive_scan_by_key(u, u, c, 9)'
refuse 'are not const' 'kogge::exclusive_segmented_scan(u, c, 9, n, 1, 0u)'
refuse 'are not const' 'kogge::emit(c, 9, 9, First{}, First{})'
refuse 'a lambda is not mutable' 'kogge::compact(u, u, 9, [k = 0](std::uint32_t) mutable { return ++k > 3; })'
refuse 'a lambda is not mutable' 'kogge::compact_stencil(u, u, u, 9, Changing{})'
refuse 'the function takes other arguments' 'kogge::split(u, u, 9, 2, [](const std::string&) { return 0u; })'
refuse 'this is no function' 'kogge::inclusive_scan(u, u, 9, 5u)'
refuse 'this is no function' 'kogge::reduce(u, u, 9, 5u, Plus{})'
refuse 'this is no function' 'kogge::reduce_by_key(u, u, u, u, 9, n)'
refuse 'this is no initial value' 'kogge::exclusive_scan(u, u, 9, Plus{})'
refuse 'this is no initial value' 'kogge::exclusive_scan(u, u, 9, kogge::plus{}, 5u)'
refuse 'this is no initial value' 'kogge::reverse_exclusive_scan(u, u, 9, kogge::plus{})'
refuse 'options or a stream stand where an initial value' 'kogge::exclusive_scan(u, u, 9, kogge::scan_options{})'
refuse 'options or a stream stand where an initial value' 'kogge::exclusive_scan(u, u, 9, how.stream)'
refuse 'a stream stands where a function does' 'kogge::inclusive_scan(u, u, 9, how.stream)'
refuse 'a stream stands where a function does' 'kogge::reduce(u, u, 9, how.stream)'
refuse 'nothing that can only be moved' 'kogge::compact(u, u, 9, [only = std::make_unique<int>(3)](std::uint32_t x) { return x > 3; })'
refuse 'what the function returns does not convert' 'kogge::compact(u, u, 9, [](std::uint32_t) {})'
refuse 'what the function returns does not convert' 'kogge::inclusive_scan(u, u, 9, [](std::uint32_t, std::uint32_t) {})'
refuse 'what the function returns does not convert' 'kogge::reduce(u, u, 9, Named{})'
refuse 'what the function returns does not convert' 'kogge::unique(u, u, 9, Named{})'
refuse 'what the function returns does not convert' 'kogge::split(u, u, 9, 2, [](std::uint32_t) { return std::string(); })'
refuse 'are given by pointers' 'std::vector<unsigned> v(9); kogge::radix_sort(v)'
refuse 'are given by pointers' 'std::vector<unsigned> v(9); kogge::radix_sort(v, 9)'
refuse 'are given by pointers' 'std::vector<unsigned> v(9); kogge::radix_sort(v.begin(), v.end())'
refuse 'are given by pointers' 'std::vector<unsigned> v(9); kogge::argsort(v, u, 9, how)'
refuse 'are given by pointers' 'std::vector<unsigned> v(9); kogge::radix_sort_pairs(v, u, 9)'
refuse 'are given by pointers' 'std::vector<unsigned> v(9); kogge::top_k(v, u, 9, 3)'
refuse "the items' own" 'kogge::unique(&how, &how, 9)'
refuse "the items' own" 'kogge::merge(&how, &how, &how, 9, 9)'
refuse "the items' own" 'kogge::reduce(&how, &how, 9)'
refuse 'a tuple, or a pair, of as many items' 'kogge::emit(kogge::arrays(u, u), 9, 9, First{}, [](std::uint64_t, std::uint64_t) { return 1u; })'
refuse 'a bucket is an integer' 'kogge::split(u, u, 9, 2, [](std::uint32_t) { return 0.5f; })'
refuse 'a container is no input' 'kogge::compact(std::vector<std::uint32_t>(9), u, 9, Yes{})'
refuse 'a container is no input' 'kogge::inclusive_scan(std::vector<std::uint32_t>(9), u, 9)'
refuse 'a container is no input' 'kogge::unique(std::vector<std::uint32_t>(9), u, 9)'
refuse 'a container is no input' 'kogge::reduce(std::vector<std::uint32_t>(9), u, 9)'

device='kogge::h200_properties()'
refuse 'true or false' "kogge::plan_radix_sort<std::uint32_t>(9, {}, $device, 1000)"
refuse 'true or false' "kogge::plan_radix_sort<std::uint32_t, float>(9, {}, $device, kogge::kNoLimit)"
refuse 'true or false' "kogge::plan_segmented_sort<std::uint32_t>(9, 1, {}, $device, 1)"
refuse 'true or false' "kogge::plan_partition<std::uint32_t>(9, $device, 1)"
refuse 'true or false' "kogge::plan_arg_top_k<float, std::uint32_t>(9, 1, {}, $device, 1000)"
refuse 'true or false' "kogge::plan_segmented_arg_top_k<float, std::uint32_t>(kogge::rows_of{3, 3}, 1, {}, $device, 1)"
refuse 'true or false' "kogge::plan_segmented_arg_top_k<float, std::uint32_t>(9, 3, 1, {}, $device, 1)"

# C++17 is told once, before all that it does not understand.
for header in kogge radix_sort plan exec keys; do
    said=$("$CXX" -std=c++17 -fsyntax-only -I "$KOGGE_SOURCE_DIR/include" -x c++ - <<< "#include \"kogge/$header.hpp\"" 2>&1 |
        grep -m1 error || true)
    if [[ $said != *'#error "kogge needs C++20'*'from C++17 call its C interface, kogge/kogge.h"'* ]]; then
        echo "kogge/$header.hpp in C++17 begins with: $said"
        status=1
    fi
done
if ! "$CXX" -std=c++17 -fsyntax-only -I "$KOGGE_SOURCE_DIR/include" -x c++ - <<< '#include "kogge/kogge.h"'; then
    echo "kogge/kogge.h is not for C++17"
    status=1
fi

refuse 'columns of keys are arrays of numbers' 'kogge::radix_sort(kogge::arrays(u, s), 9)'
refuse 'are not const' 'kogge::radix_sort(kogge::arrays(u, c), 9)'
refuse "are arrays of the columns' types" 'kogge::radix_sort(kogge::arrays(u, n), kogge::arrays(n, u), 9)'
refuse 'each column has an array' 'kogge::radix_sort(kogge::arrays(u, n), kogge::arrays(u), 9)'

# What the refused calls look like when they are right.
right='kogge::radix_sort(u, 9); kogge::compact(u, u, 9, Yes{}); kogge::compact(u, n, i, 9, Yes{}); kogge::unique(u, u, i, 9); kogge::compact(u, u, l, 9, Yes{});
    kogge::compact(u, u, kogge::count_at(l), 9, Yes{}); kogge::compact_flags(u, b, u, 9); kogge::unique(u, u, l, 9);
    kogge::inclusive_segmented_scan(u, u, 9, l, 1); kogge::segmented_sort(u, 9, l, 1); kogge::segmented_sort(u, 9, nullptr, 0);
    kogge::inclusive_segmented_scan(u, u, 9, i, 1); kogge::segmented_sort_pairs(u, u, 9, kogge::segments_of(i, l, 1));
    kogge::segmented_argsort(u, i, kogge::rows_of{3, 3}); kogge::segmented_top_k(u, u, 9, i, 1, 1);
    kogge::split(u, u, l, 9, 2, First{}); kogge::split(u, u, 9, 2, First{}, how); kogge::radix_sort(c, u, 9);
    kogge::radix_sort(kogge::arrays(u, n), 9, {}, how); kogge::radix_sort(kogge::arrays(c, n), kogge::arrays(u, n), 9, how);
    kogge::inclusive_scan(u, u, 9, {}, how); kogge::inclusive_scan_by_key(u, u, u, 9, {}, {}, how);
    kogge::inclusive_scan(u, u, 9, how); kogge::exclusive_scan(u, u, 9, 0u, how); kogge::exclusive_scan(u, u, 9, {});
    kogge::reverse_inclusive_scan(u, u, 9, how); kogge::inclusive_scan_by_key(u, u, u, 9, how);
    kogge::inclusive_scan_by_key(u, u, u, 9, Plus{}, how); kogge::inclusive_segmented_scan(u, u, 9, n, 1, how);
    kogge::merge(u, u, u, 9, 9, {}, how); kogge::merge(u, u, u, 9, 9, how); kogge::lower_bound(u, n, l, 9, 9, how);
    kogge::unique(u, u, 9, {}, how); kogge::unique(u, u, 9, how); kogge::run_length_encode(u, u, u, l, 9, how); kogge::unique(u, u, n, 9, {}, how)'
right+="; kogge::plan_radix_sort<std::uint32_t>(9, {}, $device, false, 1000); kogge::plan_partition<float>(9, $device, true);
    kogge::plan_arg_top_k<float, std::uint32_t>(9, 1, {}, $device, true, 1000)"
said=$(refuse 'travel as bytes' "$right")
if [[ $said != compiles* ]]; then
    echo "right calls do not compile: $said"
    status=1
fi
exit $status

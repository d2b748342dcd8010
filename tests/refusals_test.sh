#!/usr/bin/env bash
# Calls on types that cannot be copied as bytes do not compile, and the compiler's message says why.
set -euo pipefail

source=$(mktemp --suffix=.cpp)
trap 'rm -f "$source"' EXIT
status=0

# refuse MESSAGE CALL: the call, on pointers to strings s and to numbers u, fails with that message.
refuse() {
    local message=$1 call=$2 output
    cat > "$source" << END
#include <string>
#include "kogge/kogge.hpp"
struct Join { std::string operator()(const std::string& a, const std::string& b) const { return a + b; } };
struct Yes { template <class T> bool operator()(const T&) const { return true; } };
struct First { template <class T> unsigned operator()(const T&) const { return 0; } };
struct Make { std::string operator()(std::uint64_t, std::uint64_t) const { return {}; } };
void call(std::string* s, std::string* t, std::uint32_t* u, std::uint64_t* n) { (void)s, (void)t, (void)u, (void)n; $call; }
END
    if output=$("$CXX" -std=c++20 -fsyntax-only -I "$KOGGE_SOURCE_DIR/include" "$source" 2>&1); then
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
refuse 'travel as bytes' 'kogge::compact(s, 9, t, Yes{})'
refuse 'travel as bytes' 'kogge::compact_stencil(u, s, 9, u, Yes{})'
refuse 'travel as bytes' 'kogge::split(s, 9, t, 2, First{})'
refuse 'travel as bytes' 'kogge::emit(9, s, 9, First{}, Make{})'
refuse 'travel as bytes' 'kogge::unique(s, 9, t)'
refuse 'travel as bytes' 'kogge::radix_sort_pairs(u, s, 9)'
refuse 'has no key_codec' 'kogge::radix_sort(s, 9)'
refuse 'travel as bytes' 'kogge::buffer<std::string> words(9, kogge::backend::host)'

# What the refused calls look like when they are right.
if refuse 'travel as bytes' 'kogge::radix_sort(u, 9); kogge::compact(u, 9, u, Yes{})' | grep '^compiles' > /dev/null; then
    exit $status
fi
echo "a right call does not compile"
exit 1

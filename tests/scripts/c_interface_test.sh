#!/usr/bin/env bash
# The C interface as a package: it is installed, moved, and used by a C compiler alone, through pkg-config and through
# CMake; the library shows its calls and nothing of C++; and the description of its functions is current.
set -euo pipefail
source "$KOGGE_SOURCE_DIR/tests/consumer/common.sh"
if [ ! -e "$KOGGE_BUILD_DIR/libkogge.so" ]; then
    echo "skipped: this build has no libkogge.so"
    exit 77
fi
cc=${CC:-cc}
quietly cmake --install "$KOGGE_BUILD_DIR" --prefix "$work/installed" --component c
mv "$work/installed" "$work/moved"
prefix=$work/moved
library=$(find "$prefix" -name libkogge.so)
libdir=$(dirname "$library")
(cd "$prefix" && find . -type f | sort) > "$work/files"
if grep -vE '^\./(include/kogge/kogge\.h|lib[^/]*/(.*/)?(libkogge\.so\.[0-9.]+|pkgconfig/kogge\.pc|cmake/kogge/kogge-[a-z-]+\.cmake))$' "$work/files"; then
    fail "that does not belong to the package"
fi
if grep -rnF -e "$KOGGE_SOURCE_DIR" -e "$KOGGE_BUILD_DIR" --include='*.pc' --include='*.cmake' "$prefix"; then
    fail "the package names the tree it was built from"
fi

# What leaves the library: the functions of kogge.h, all of one version, and no runtime of C++ is asked for.
nm -D --defined-only "$library" | awk '$2 == "T" { print $3 }' | sort > "$work/symbols"
if grep -vE '^kogge_[a-z_]+@@KOGGE_[0-9.]+$' "$work/symbols"; then fail "libkogge.so shows this"; fi
sed -nE 's/^KOGGE_API .*[ *](kogge_[a-z_]+)\(.*/\1/p' "$prefix/include/kogge/kogge.h" | sort > "$work/declared"
sed 's/@@.*//' "$work/symbols" | diff "$work/declared" - || fail "libkogge.so has not what kogge.h declares"
if nm -D --undefined-only "$library" | grep -E ' (_Z|__cxa_throw|__gxx)'; then fail "libkogge.so needs a C++ runtime"; fi

# By pkg-config and a C compiler, and as C++17; warnings are errors.
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
if command -v pkg-config > /dev/null; then
    read -ra flags <<< "$(pkg-config --cflags --libs kogge)"
    [ "$(pkg-config --modversion kogge)" = "$(sed -nE 's/^project\(kogge VERSION ([0-9.]+).*/\1/p' "$KOGGE_SOURCE_DIR/CMakeLists.txt")" ] ||
        fail "pkg-config tells another version"
else
    flags=(-I "$prefix/include" -L "$libdir" -lkogge)
fi
warnings=(-Wall -Wextra -pedantic -Werror)
expected=$'-7\n-1\n0.5\n2\n3\n3 are positive'
quietly "$cc" -std=c11 "${warnings[@]}" "$KOGGE_SOURCE_DIR/tests/c/hello.c" "${flags[@]}" -o "$work/hello"
[ "$("$work/hello")" = "$expected" ] || fail "hello.c says: $("$work/hello")"
quietly "$CXX" -std=c++17 "${warnings[@]}" -x c++ "$KOGGE_SOURCE_DIR/tests/c/hello.c" -x none "${flags[@]}" -o "$work/hello_cxx"
[ "$("$work/hello_cxx")" = "$expected" ] || fail "hello.c as C++ says: $("$work/hello_cxx")"
if command -v clang > /dev/null; then
    quietly clang -std=c11 "${warnings[@]}" -Wconversion -Wshadow -Wstrict-prototypes -fsyntax-only -x c -I "$prefix/include" - <<< '#include <kogge/kogge.h>
int main(void) { return kogge_device_count() < 0; }'
fi
# Beside the C++ headers, in either order.
for order in "kogge.h kogge.hpp" "kogge.hpp kogge.h"; do
    read -ra headers <<< "$order"
    printf '#include <kogge/%s>\n' "${headers[@]}" > "$work/both.cpp"
    quietly "$CXX" -std=c++20 -Wall -Wextra -Wno-missing-field-initializers -Werror -fsyntax-only \
        -I "$KOGGE_SOURCE_DIR/include" "$work/both.cpp"
done

# By CMake, in a project of C alone, which finds this component and not the library of C++.
mkdir "$work/project"
cp "$KOGGE_SOURCE_DIR/tests/c/hello.c" "$work/project"
cat > "$work/project/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.25)
project(hello LANGUAGES C)
find_package(kogge 0.2 REQUIRED COMPONENTS c)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE kogge::c)
END
quietly cmake -S "$work/project" -B "$work/project/build" "-DCMAKE_PREFIX_PATH=$prefix"
quietly cmake --build "$work/project/build"
[ "$("$work/project/build/hello")" = "$expected" ] || fail "CMake's hello says: $("$work/project/build/hello")"
sed -i 's/LANGUAGES C/LANGUAGES CXX/; s/ COMPONENTS c//; s/hello.c)/hello.cpp)/' "$work/project/CMakeLists.txt"
if cmake -S "$work/project" -B "$work/project/whole" "-DCMAKE_PREFIX_PATH=$prefix" > "$work/project/log" 2>&1; then
    fail "the library of C++ is found where there is none"
fi
tr -s '[:space:]' ' ' < "$work/project/log" | grep -q 'the C interface alone' || fail "does not say what the package has"

# For those who generate bindings; and which call is where.
if command -v python3 > /dev/null; then
    "$KOGGE_SOURCE_DIR/tools/c_interface.py" --check
    "$KOGGE_SOURCE_DIR/tools/operations.py" --check
    # A call in no row is a finding, in each language.
    for file in include/kogge/calls/merge.hpp tools/c_interface.json tools/python/src/kogge/__init__.py; do
        rm -rf "$work/tree"
        mkdir -p "$work/tree"
        (cd "$KOGGE_SOURCE_DIR" && cp -r --parents include tools/operations.py tools/c_interface.json tools/python/src/kogge "$work/tree")
        sed -i 's/\bmerge\b/blend/; s/kogge_merge"/kogge_blend"/; s/"merge"/"blend"/; s/void merge(/void blend(/' "$work/tree/$file"
        if "$work/tree/tools/operations.py" --check > "$work/log" 2>&1; then fail "operations.py takes a call that is in no row"; fi
        grep -q 'in no row: blend' "$work/log" || fail "operations.py says: $(cat "$work/log")"
    done
    # So are options that differ.
    while IFS='|' read -r file change said; do
        rm -rf "$work/tree"
        mkdir -p "$work/tree"
        (cd "$KOGGE_SOURCE_DIR" && cp -r --parents include tools/operations.py tools/c_interface.json tools/python/src/kogge "$work/tree")
        sed -i "$change" "$work/tree/$file"
        if "$work/tree/tools/operations.py" --check > "$work/log" 2>&1; then fail "operations.py takes $change"; fi
        grep -qF "$said" "$work/log" || fail "operations.py says of $change: $(cat "$work/log")"
    done << 'END'
include/kogge/keys.hpp|s/nan_order nans = /nan_order not_numbers = /|in one of C++ and C alone: nans, not_numbers
tools/python/src/kogge/__init__.pyi|s/exclusive: bool/excluding: bool/|of Python's scan, not as tools/operations.py has them: exclusive
tools/python/src/kogge/__init__.pyi|s/def argsort(x: A,/& begin_bit: int,/|of Python's argsort, not as tools/operations.py has them: begin_bit
tools/python/src/kogge/_calls.py|s/"equal": 1/"equal": 2/|of Python's _ZEROS, not all are C's numbers
tools/python/src/kogge/_kinds.py|s/"int8": 3/"int8": 4/|of Python's TYPES, not all are C's numbers
END
fi

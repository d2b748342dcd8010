#!/usr/bin/env bash
# One version stands in all that names one: the project, kogge.h, the recipes, the packages and the pages.
set -uo pipefail

KOGGE_SOURCE_DIR=${KOGGE_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$KOGGE_SOURCE_DIR" || exit 2
version=$(sed -nE 's/^project\(kogge VERSION ([0-9]+\.[0-9]+\.[0-9]+) .*/\1/p' CMakeLists.txt)
minor=${version%.*}
failures=0

# says FILE TEXT TIMES: the text stands there, so many times
says() {
    local found
    found=$(grep -cF -- "$2" "$1")
    if [ "$found" -ne "$3" ]; then
        echo "FAILED: $1 says '$2' $found times, not $3"
        failures=$((failures + 1))
    fi
}

[ -n "$version" ] || { echo "FAILED: CMakeLists.txt names no version"; exit 1; }
IFS=. read -r major_number minor_number patch_number <<< "$version"
says include/kogge/kogge.h "#define KOGGE_VERSION_MAJOR $major_number" 1
says include/kogge/kogge.h "#define KOGGE_VERSION_MINOR $minor_number" 1
says include/kogge/kogge.h "#define KOGGE_VERSION_PATCH $patch_number" 1
says lib/c/symbols.map "KOGGE_$minor {" 1
says tools/python/pyproject.toml "version = \"$version\"" 1
says tools/python/README.md "kogge-$version" 3
says tools/c_interface.json "\"version\": \"$version\"" 1
says tools/packaging/vcpkg/vcpkg.json "\"version-semver\": \"$version\"" 1
says tools/packaging/conan/conanfile.py "version = \"$version\"" 1
says tools/packaging/conan/test_package/CMakeLists.txt "find_package(kogge $minor REQUIRED)" 1
says tools/packaging/conda-forge/recipe.yaml "version: \"$version\"" 1
says tools/packaging/conda-forge/consumer/CMakeLists.txt "find_package(kogge $minor REQUIRED)" 1
says tests/consumer/CMakeLists.txt "find_package(kogge $minor REQUIRED)" 1
says README.md "find_package(kogge $minor REQUIRED)" 1
says README.md "GIT_TAG v$version" 2

[ "$failures" -eq 0 ]

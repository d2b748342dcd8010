# Finds the programs and libraries that a command needs, and installs what is missing.
# A need is one of: compiler cmake ninja gtest benchmark context cli11 clang-format.

cmake_venv=$build_root/cmake-venv

package_of() {
    case $1 in
        compiler) echo "${compiler_package:-g++}" ;;
        cmake) echo cmake ;;
        ninja) echo ninja-build ;;
        gtest) echo libgtest-dev ;;
        benchmark) echo libbenchmark-dev ;;
        context) echo libboost-context-dev ;;
        cli11) echo libcli11-dev ;;
        clang-format) echo clang-format-14 ;;
    esac
}

describe() {
    case $1 in
        compiler) echo "a C++20 compiler (g++ 12 or clang++ 15, or newer)" ;;
        cmake) echo "CMake 3.25 or newer" ;;
        ninja) echo "Ninja" ;;
        gtest) echo "GoogleTest" ;;
        benchmark) echo "Google Benchmark" ;;
        context) echo "Boost.Context" ;;
        cli11) echo "CLI11" ;;
        clang-format) echo "clang-format 14 (others format differently)" ;;
    esac
}

version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -1)" = "$2" ]; }

is_good_compiler() {
    local version
    command -v "$1" > /dev/null || return 1
    version=$("$1" -dumpfullversion -dumpversion 2> /dev/null) || return 1
    if "$1" --version | grep -q clang; then version_at_least "$version" 15; else version_at_least "$version" 12; fi
}

# Sets CXX to the first compiler that is new enough.
find_compiler() {
    local candidate
    if [ -n "${CXX:-}" ]; then
        is_good_compiler "$CXX" || die "CXX=$CXX is not $(describe compiler)"
        return 0
    fi
    for candidate in g++ g++-14 g++-13 g++-12 clang++ clang++-{20,19,18,17,16,15}; do
        if is_good_compiler "$candidate"; then
            export CXX=$candidate
            return 0
        fi
    done
    # An older g++ is what this distribution means by g++: ask for the newer one by its name.
    if command -v g++ > /dev/null; then compiler_package=g++-12; fi
    return 1
}

# Puts a CMake that is new enough first on PATH.
find_cmake() {
    local version
    for directory in "" "$cmake_venv/bin/"; do
        version=$("${directory}cmake" --version 2> /dev/null | awk 'NR == 1 { print $3 }')
        if [ -n "$version" ] && version_at_least "$version" 3.25; then
            if [ -n "$directory" ]; then export PATH=$directory:$PATH; fi
            return 0
        fi
    done
    return 1
}

find_clang_format() {
    for clang_format in clang-format-14 clang-format; do
        if "$clang_format" --version 2> /dev/null | grep -q 'version 14\.'; then return 0; fi
    done
    return 1
}

has_header() {
    local prefix prefixes includes=()
    IFS=: read -ra prefixes <<< "${CMAKE_PREFIX_PATH:-}"
    for prefix in ${prefixes[@]+"${prefixes[@]}"}; do includes+=(-I "$prefix/include"); done
    find_compiler && printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" |
        "$CXX" ${includes[@]+"${includes[@]}"} -x c++ -fsyntax-only - 2> /dev/null
}

is_met() {
    case $1 in
        compiler) find_compiler ;;
        cmake) find_cmake ;;
        ninja) command -v ninja > /dev/null ;;
        gtest) has_header gtest/gtest.h ;;
        benchmark) has_header benchmark/benchmark.h ;;
        context) has_header boost/context/fiber.hpp ;;
        cli11) has_header CLI/CLI.hpp ;;
        clang-format) find_clang_format ;;
    esac
}

# The needs among the arguments that are not met, into the array `missing`.
find_missing() {
    local need
    missing=()
    for need; do
        if ! is_met "$need"; then missing+=("$need"); fi
    done
}

packages_of_missing() {
    local need
    for need in "${missing[@]}"; do package_of "$need"; done | sort -u | paste -sd ' '
}

install_packages() {
    say "installing $*"
    # A fresh container has no package lists; an old machine has stale ones.
    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

# The distribution's CMake is too old: PyPI has a current one, here in a folder of its own.
install_cmake_from_pypi() {
    say "installing CMake from PyPI into $cmake_venv"
    python3 -m venv "$cmake_venv" && "$cmake_venv/bin/pip" install --quiet cmake
}

# require NEED...: returns with every need met, or ends with what to do.
require() {
    local packages need
    find_missing "$@"
    if [ ${#missing[@]} -eq 0 ]; then return 0; fi
    for need in "${missing[@]}"; do note "missing: $(describe "$need")"; done
    packages=$(packages_of_missing)
    if ! command -v apt-get > /dev/null; then
        die "install what is missing (on Debian or Ubuntu: $packages) and run this again"
    fi
    if [ "$(id -u)" -ne 0 ]; then die "run this, then try again: sudo apt-get install -y $packages"; fi
    # shellcheck disable=SC2086  # a list of words
    install_packages $packages || die "apt-get could not install: $packages"
    find_missing "$@"
    if [ ${#missing[@]} -gt 0 ] && [ "${missing[*]}" = compiler ]; then
        install_packages "$(package_of compiler)" || die "apt-get could not install $(package_of compiler)"
        find_missing "$@"
    fi
    if [ ${#missing[@]} -gt 0 ] && [ "${missing[*]}" = cmake ]; then
        install_packages python3-venv && install_cmake_from_pypi ||
            die "CMake here is older than 3.25; install a newer one, for example: pip install cmake"
        find_missing "$@"
    fi
    if [ ${#missing[@]} -gt 0 ]; then die "still missing after installing: $(describe "${missing[0]}")"; fi
}

# want NEED...: says what will be left out.
want() {
    local need
    find_missing "$@"
    for need in ${missing[@]+"${missing[@]}"}; do
        case $need in
            context) note "no Boost.Context ($(package_of context)): no emulated tests" ;;
            cli11) note "no CLI11 ($(package_of cli11)): no kogge command" ;;
            *) note "no $(describe "$need") ($(package_of "$need"))" ;;
        esac
    done
}

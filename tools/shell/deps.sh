# Finds the programs and libraries that a command needs, and installs what is missing.
# A need is one of: compiler cmake ninja gtest benchmark context cli11 highway mpi clang-format ccache python doxygen.

cmake_venv=$build_root/cmake-venv

version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -1)" = "$2" ]; }

# apt_is_too_old PACKAGE VERSION: does the distribution have the package, but older?
apt_is_too_old() {
    local candidate
    candidate=$(apt-cache policy "$1" 2> /dev/null | awk '/Candidate:/ { sub(/^[0-9]+:/, "", $2); print $2 }')
    [[ $candidate == [0-9]* ]] && ! version_at_least "$candidate" "$2"
}

package_of() {
    case $1 in
        compiler) if apt_is_too_old g++ 12; then echo g++-12; else echo g++; fi ;;
        cmake) if apt_is_too_old cmake 3.25; then echo python3-venv; else echo cmake; fi ;;
        ninja) echo ninja-build ;;
        gtest) echo libgtest-dev ;;
        benchmark) echo libbenchmark-dev ;;
        context) echo libboost-context-dev ;;
        cli11) echo libcli11-dev ;;
        highway) echo libhwy-dev ;;
        mpi) echo libopenmpi-dev ;;
        clang-format) echo clang-format-14 ;;
        ccache) echo ccache ;;
        python) echo python3 ;;
        doxygen) echo doxygen ;;
    esac
}

describe() {
    case $1 in
        compiler) echo "a C++20 compiler (g++ 12 or clang++ 16, or newer)" ;;
        cmake) echo "CMake 3.25 or newer" ;;
        ninja) echo "Ninja" ;;
        gtest) echo "GoogleTest" ;;
        benchmark) echo "Google Benchmark" ;;
        context) echo "Boost.Context" ;;
        cli11) echo "CLI11" ;;
        highway) echo "Highway" ;;
        mpi) echo "MPI" ;;
        clang-format) echo "clang-format 14 (others format differently)" ;;
        ccache) echo "ccache" ;;
        python) echo "Python 3" ;;
        doxygen) echo "Doxygen" ;;
    esac
}

# The commands build the tests, which initialise aggregates by parentheses and capture structured bindings: clang++ has
# both from 16 on. The library takes 14.
is_good_compiler() {
    local version
    command -v "$1" > /dev/null || return 1
    version=$("$1" -dumpfullversion -dumpversion 2> /dev/null) || return 1
    if "$1" --version | grep clang > /dev/null; then version_at_least "$version" 16; else version_at_least "$version" 12; fi
}

# Sets CXX to the first compiler that is new enough.
find_compiler() {
    local candidate
    if [ -n "${CXX:-}" ]; then
        is_good_compiler "$CXX" || die "CXX=$CXX is not $(describe compiler)"
        return 0
    fi
    for candidate in g++ g++-14 g++-13 g++-12 clang++ clang++-{20,19,18,17,16}; do
        if is_good_compiler "$candidate"; then
            export CXX=$candidate
            return 0
        fi
    done
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
        if "$clang_format" --version 2> /dev/null | grep 'version 14\.' > /dev/null; then return 0; fi
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
        highway) has_header hwy/contrib/sort/vqsort-inl.h ;;
        mpi) command -v mpicxx > /dev/null && command -v mpirun > /dev/null ;;
        clang-format) find_clang_format ;;
        ccache) command -v ccache > /dev/null ;;
        python) command -v python3 > /dev/null ;;
        doxygen) command -v doxygen > /dev/null ;;
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
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

# PyPI has a current CMake when the distribution's is too old; it goes into a folder of its own.
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
    if command -v apt-get > /dev/null && [ "$(id -u)" -eq 0 ]; then
        # A fresh container has no package lists; an old machine has stale ones.
        apt-get update -q || die "apt-get update failed: is this machine connected?"
        packages=$(packages_of_missing)
        # shellcheck disable=SC2086  # a list of words
        install_packages $packages || die "apt-get could not install: $packages"
    fi
    if ! is_met cmake && apt_is_too_old cmake 3.25 && python3 -c 'import venv, ensurepip' 2> /dev/null; then
        install_cmake_from_pypi || die "PyPI gave no CMake: install CMake 3.25 or newer and run this again"
    fi
    find_missing "$@"
    if [ ${#missing[@]} -eq 0 ]; then return 0; fi
    packages=$(packages_of_missing)
    if ! command -v apt-get > /dev/null; then
        die "install what is missing (on Debian or Ubuntu: $packages) and run this again"
    elif [ "$(id -u)" -ne 0 ]; then
        die "run this, then try again: sudo apt-get install -y $packages"
    fi
    die "still missing after installing $packages: $(describe "${missing[0]}")"
}

# want NEED...: says what will be left out.
want() {
    local need
    find_missing "$@"
    for need in ${missing[@]+"${missing[@]}"}; do
        case $need in
            context) note "no Boost.Context ($(package_of context)): no emulated tests" ;;
            cli11) note "no CLI11 ($(package_of cli11)): no kogge command" ;;
            highway) note "no Highway ($(package_of highway)): the host sorts numbers by digits alone" ;;
            mpi) note "no MPI ($(package_of mpi)): ranks of distributed arrays are threads alone" ;;
            *) note "no $(describe "$need") ($(package_of "$need"))" ;;
        esac
    done
}

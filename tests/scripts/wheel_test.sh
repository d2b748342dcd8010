#!/usr/bin/env bash
# Wheels of the Python package around this build's libkogge.so. Each is installed beside NumPy alone, where neither that library
# nor the folder in which the wheel was built is left; and the source distribution has all that a build needs.
set -uo pipefail
source "$(dirname "$0")/tools.sh"

if [ ! -e "${KOGGE_BUILD_DIR:-}/libkogge.so" ]; then
    echo "skipped: this build has no libkogge.so"
    exit 77
fi
export KOGGE_BUILD_ROOT=$work/build
version=$(sed -nE 's/^version = "(.*)"/\1/p' "$tools/python/pyproject.toml")
mkdir "$work/library" "$work/bin"
cp "$(realpath "$KOGGE_BUILD_DIR/libkogge.so")" "$work/library/libkogge.so"
printf '#!/bin/sh\necho "Cuda compilation tools, release 13.0, V13.0.48"\n' > "$work/bin/nvcc"
chmod +x "$work/bin/nvcc"

# make_wheel FITS|DIFFERS OPTION...: whether its name tells the devices of the library. Leaves the wheel's path in `wheel`.
make_wheel() {
    local devices=$1
    shift
    if ! CUDACXX=$work/bin/nvcc "$tools/dev" wheel --library "$work/library/libkogge.so" "$@" > "$work/log" 2>&1; then
        cat "$work/log"
        if grep -q 'pip does not bring' "$work/log"; then exit 77; fi
        fail "$case_name: no wheel"
        exit 1
    fi
    if grep -q "name does not fit" "$work/log"; then [ "$devices" = DIFFERS ]; else [ "$devices" = FITS ]; fi ||
        fail "$case_name: $(cat "$work/log")"
    wheel=$(grep '\.whl$' "$work/log")
}

case_name="the wheel without CUDA"
if [ "${KOGGE_WITH_CUDA:-}" = ON ]; then fits=DIFFERS differs=FITS; else fits=FITS differs=DIFFERS; fi
make_wheel $fits
[[ ${wheel##*/} == kogge-$version-cp3*.whl ]] || fail "$case_name: it is called $wheel"
mv "$wheel" "$work/"
without_cuda=$work/${wheel##*/}
environment=$(echo "$work"/build/wheels/environment-*)
if [ -x "$environment/bin/auditwheel" ]; then
    tag=$("$environment/bin/auditwheel" show "$without_cuda" | tr '\n' ' ' | sed -E 's/.*consistent with +the following platform tag: "([^"]+)".*/\1/')
    [[ $tag == manylinux_* && ${wheel##*/} == *-"$tag.whl" ]] || fail "$case_name: tagged $tag"
else
    echo "not tested: the platform's tag, as pip brings no auditwheel"
fi

case_name="the source distribution"
# configure_package FOLDER
configure_package() {
    cmake -G Ninja -S "$1" -B "$1/build" "-DPython_EXECUTABLE=$environment/bin/python" -DKOGGE_PYTHON_XLA=OFF
}
mkdir "$work/sources"
tar -xzf "$work/build/wheels/kogge-$version.tar.gz" -C "$work/sources" --strip-components=1
expect 0 "Generating done" configure_package "$work/sources"
for folder in include lib; do
    diff -r "$KOGGE_SOURCE_DIR/$folder" "$work/sources/library/$folder" || fail "$case_name: lacks files of the library"
done
mkdir "$work/part"
cp -r "$tools/python/CMakeLists.txt" "$tools/python/src" "$work/part/"
expect 1 "not the whole source distribution" configure_package "$work/part"

case_name="the wheel with CUDA"
make_wheel $differs --cuda
[[ ${wheel##*/} == "kogge-$version+cu13"-cp3*.whl ]] || fail "$case_name: it is called $wheel"
mv "$wheel" "$work/"
with_cuda=$work/${wheel##*/}

# The first example of the package's page, and whether all of it comes from the environment.
{
    awk '/^```/ { if (inside) exit; inside = /^```python/; next } inside' "$tools/python/README.md"
    cat << 'END'
import importlib.metadata, pathlib, sys
np.testing.assert_array_equal(kogge.sort(x), np.sort(x))
np.testing.assert_array_equal(items[np.argsort(items)], np.unique(x))
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "kogge" in line.rpartition("/")[2]}
assert len(loaded) == 2 and all(pathlib.Path(sys.prefix) in pathlib.Path(name).parents for name in loaded), loaded
print(importlib.metadata.version("kogge"))
END
} > "$work/example.py"
rm -rf "$work/build" "$work/library"
fresh=$work/fresh
python3 -m venv "$fresh"
case_name="the first example"
expect 0 "" "$fresh/bin/pip" install -q --retries 1 numpy "$without_cuda"
cd /
expect 0 "$version" "$fresh/bin/python" -I "$work/example.py"
case_name="the first example, when the wheel with CUDA has replaced the other"
expect 0 "" "$fresh/bin/pip" install -q --no-index "$with_cuda"
expect 0 "$version+cu13" "$fresh/bin/python" -I "$work/example.py"
case_name="the modules"
for module in "$fresh"/lib/python3*/site-packages/kogge/*.so*; do
    paths=$(readelf -d "$module" | grep -E 'R(UN)?PATH' | sed -E 's/.*\[(.*)\]/\1/')
    [[ $paths == "" || $paths == "\$ORIGIN" ]] || fail "$case_name: ${module##*/} looks in $paths"
done

[ "$failures" -eq 0 ]

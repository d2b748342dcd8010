import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir

required_conan_version = ">=2.0"


class Kogge(ConanFile):
    name = "kogge"
    version = "0.2.0"
    description = "Scan-built primitives for CUDA GPUs and for host threads: scans, reductions, compactions, sorts, top-k"
    license = "Apache-2.0"
    topics = ("cuda", "gpu", "scan", "radix-sort", "top-k")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "cuda": [True, False],         # needs nvcc on PATH, or the environment's CUDACXX
        "architectures": [None, "ANY"],  # as KOGGE_ARCHITECTURES
        "c_interface": [True, False],  # libkogge.so
    }
    default_options = {"cuda": False, "architectures": None, "c_interface": False}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "include/*", "lib/*", "tools/cmake/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def validate(self):
        if self.settings.compiler.get_safe("cppstd"):
            check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({
            "KOGGE_CUDA": "ON" if self.options.cuda else "OFF",
            "KOGGE_HIGHWAY": "OFF",
            "KOGGE_BUILD_C": bool(self.options.c_interface),
            "KOGGE_BUILD_TESTS": False,
            "KOGGE_BUILD_BENCH": False,
            "KOGGE_BUILD_TOOLS": False,
            "KOGGE_BUILD_EMULATOR": False,
            "KOGGE_INSTALL": True,
        })
        if self.options.architectures:
            toolchain.cache_variables["KOGGE_ARCHITECTURES"] = str(self.options.architectures)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        # The package's own CMake files know what a .cu needs, and are found by CMAKE_PREFIX_PATH.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "kogge")]
        self.cpp_info.libs = ["kogge"]
        self.cpp_info.system_libs = ["pthread"]

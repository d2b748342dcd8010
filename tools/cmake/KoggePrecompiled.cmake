# What most tests, and the fuzzers' sources, include is compiled once for each kind, and not once a file: half the time of
# many of them.
# tools/dev names this file in CMAKE_PROJECT_kogge_INCLUDE; it serves g++. Builds without it, and nvcc's in any build, show
# that each test includes what it needs.
cmake_language(DEFER CALL kogge_precompile_tests)

function(kogge_precompile_tests)
    find_package(GTest QUIET)
    get_property(folders DIRECTORY PROPERTY SUBDIRECTORIES)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT GTest_FOUND OR NOT "${PROJECT_SOURCE_DIR}/tests" IN_LIST folders)
        return()
    endif()
    get_property(targets DIRECTORY tests PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target ${targets})
        get_target_property(sources ${target} SOURCES)
        # The prebuilt test is plain C++ beside an emulated library, and defines macros before it includes. Tests of the
        # machine and of networks use its names without the namespace.
        if(NOT sources MATCHES "_test\\.cpp$" OR target MATCHES "^(prebuilt|simt|networks)|_gpu$")
            continue()
        endif()
        set(library kogge)
        if(target MATCHES "_emulated$")
            set(library kogge_emulated)
        endif()
        # A compiler reads such headers only under the options that it made them with.
        get_target_property(options ${target} COMPILE_OPTIONS)
        string(MD5 hash "${options}")
        string(SUBSTRING ${hash} 0 8 hash)
        set(headers ${library}_headers_${hash})
        if(NOT TARGET ${headers})
            kogge_precompile(${headers} ${library} "${options}")
        endif()
        target_precompile_headers(${target} REUSE_FROM ${headers})
        target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache asks for it
    endforeach()
    foreach(fuzzer kogge_fuzz_host kogge_fuzz_emulated)
        if(TARGET ${fuzzer})
            target_precompile_headers(${fuzzer} PRIVATE <kogge/kogge.hpp> <fuzz/families.hpp> <fuzz/scans.hpp>)
            target_compile_options(${fuzzer} PRIVATE -fpch-preprocess)
        endif()
    endforeach()
endfunction()

# kogge_precompile(<name> <library> <options>): compiled as a test of the library is. It does not link it, as a test would
# wait for the library then before it is compiled.
function(kogge_precompile name library options)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${name}.cpp CONTENT "// Precompiled headers need a source.\n")
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/${name}.cpp)
    target_link_libraries(${name} PRIVATE GTest::gtest)
    target_include_directories(${name} PRIVATE tests include)
    target_compile_features(${name} PRIVATE cxx_std_20)
    if(library STREQUAL "kogge_emulated")
        target_compile_definitions(${name} PRIVATE $<TARGET_PROPERTY:kogge_emulated_base,INTERFACE_COMPILE_DEFINITIONS>)
        target_compile_options(${name} PRIVATE $<TARGET_PROPERTY:kogge_emulated,INTERFACE_COMPILE_OPTIONS>)
    endif()
    target_compile_options(${name} PRIVATE ${options})
    target_precompile_headers(${name} PRIVATE <gtest/gtest.h> <algorithm> <functional> <map> <numeric> <random> <string>
        <vector> <kogge/kogge.hpp> <support/backend.hpp> <support/inputs.hpp>)
endfunction()

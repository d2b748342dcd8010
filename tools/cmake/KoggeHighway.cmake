# Decides KOGGE_WITH_HIGHWAY: whether the host sorts plain numbers by Highway's vectorised quicksort. The headers are all
# that it takes, so an installed library depends on nothing. They offer the quicksort to other code only by parts of
# theirs that change between versions: whether these fit is tried out.

set(KOGGE_WITH_HIGHWAY OFF)
if(NOT KOGGE_HIGHWAY MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "KOGGE_HIGHWAY is '${KOGGE_HIGHWAY}': use AUTO, ON or OFF")
endif()
file(GLOB kogge_highway_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/highway/*.cpp)
# Always optimised: unoptimised vector code is slower than none. Without the second option GCC copies the tables that
# lanes are packed by to the stack for each use.
set(kogge_highway_options -O2 -fmerge-all-constants)
# Sanitizers would see whole vectors read and written where only some lanes count.
if(NOT KOGGE_HIGHWAY STREQUAL "OFF" AND NOT KOGGE_SANITIZE)
    find_path(KOGGE_HIGHWAY_INCLUDE hwy/contrib/sort/vqsort-inl.h DOC "The folder that holds Highway's hwy/highway.h")
    mark_as_advanced(KOGGE_HIGHWAY_INCLUDE)
    if(KOGGE_HIGHWAY_INCLUDE)
        if(NOT "${KOGGE_HIGHWAY_TRIED}" STREQUAL "${KOGGE_HIGHWAY_INCLUDE}")
            unset(KOGGE_HIGHWAY_WORKS CACHE)
            set(KOGGE_HIGHWAY_TRIED ${KOGGE_HIGHWAY_INCLUDE} CACHE INTERNAL "What KOGGE_HIGHWAY_WORKS tells of")
        endif()
        # Linked, too: nothing may be left that Highway's own library would have to bring.
        if(NOT DEFINED KOGGE_HIGHWAY_WORKS)
            file(WRITE ${PROJECT_BINARY_DIR}/highway/main.cpp "int main() {}\n")
            try_compile(KOGGE_HIGHWAY_WORKS ${PROJECT_BINARY_DIR}/highway
                SOURCES ${PROJECT_BINARY_DIR}/highway/main.cpp ${kogge_highway_sources}
                CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${KOGGE_HIGHWAY_INCLUDE}"
                COMPILE_DEFINITIONS ${kogge_highway_options}
                CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
            )
        endif()
    endif()
    if(KOGGE_HIGHWAY_INCLUDE AND KOGGE_HIGHWAY_WORKS)
        set(KOGGE_WITH_HIGHWAY ON)
    elseif(KOGGE_HIGHWAY STREQUAL "ON")
        message(FATAL_ERROR "KOGGE_HIGHWAY is ON, and there is no Highway (libhwy-dev) for x86 that fits")
    elseif(KOGGE_HIGHWAY_INCLUDE)
        message(STATUS "kogge: this Highway does not fit, so the host sorts numbers by digits alone")
    else()
        message(STATUS "kogge: no Highway (libhwy-dev), so the host sorts numbers by digits alone")
    endif()
endif()

# kogge_use_highway(<target>)
function(kogge_use_highway target)
    target_sources(${target} PRIVATE ${kogge_highway_sources})
    set_source_files_properties(${kogge_highway_sources} TARGET_DIRECTORY ${target} PROPERTIES
        COMPILE_OPTIONS "${kogge_highway_options}" INCLUDE_DIRECTORIES ${KOGGE_HIGHWAY_INCLUDE})
    # Of this target alone: the emulated library is made of the same sources, and sorts by digits.
    target_compile_definitions(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:KOGGE_HIGHWAY=1>)
endfunction()

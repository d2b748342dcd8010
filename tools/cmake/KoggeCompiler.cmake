# Compiler flags of the project's own targets; none of them reaches a consumer.

if(NOT KOGGE_SANITIZE MATCHES "^(address|thread)?$")
    message(FATAL_ERROR "KOGGE_SANITIZE is '${KOGGE_SANITIZE}': use address, thread or nothing")
endif()

if(PROJECT_IS_TOP_LEVEL)
    find_program(KOGGE_CCACHE ccache)
    foreach(language CXX CUDA)
        if(KOGGE_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
            set(CMAKE_${language}_COMPILER_LAUNCHER ${KOGGE_CCACHE})
        endif()
    endforeach()
endif()

if(KOGGE_SANITIZE STREQUAL "address")
    set(kogge_sanitizer_flags -fsanitize=address,undefined -fno-sanitize-recover=undefined)
elseif(KOGGE_SANITIZE STREQUAL "thread")
    set(kogge_sanitizer_flags -fsanitize=thread)
endif()
add_link_options(${kogge_sanitizer_flags})

# kogge_compile_quickly(<target> [UNOPTIMISED]): for code that costs more to compile than to run, as tests do. Under a
# sanitizer all run long.
function(kogge_compile_quickly target)
    set(level 1)
    if("UNOPTIMISED" IN_LIST ARGN AND NOT KOGGE_SANITIZE)
        set(level 0)
    endif()
    target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O${level}>)
endfunction()

# kogge_optimise(<target>): for what others link. Within a project that has no build type it is optimised all the same.
function(kogge_optimise target)
    if(NOT PROJECT_IS_TOP_LEVEL)
        target_compile_options(${target} PRIVATE $<$<CONFIG:>:-O3>)
    endif()
endfunction()

# kogge_compiler_options(<target> [NO_TSAN]): warnings, and the build's sanitizer.
function(kogge_compiler_options target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "NO_TSAN" "" "")
    set(warnings -Wall -Wextra -Wno-missing-field-initializers)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        list(APPEND warnings -Wno-maybe-uninitialized)  # false alarms about the unused ends of partly filled arrays
    endif()
    list(JOIN warnings "," warnings_for_nvcc)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${warnings}>
                                             $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${warnings_for_nvcc}>)
    if(KOGGE_WERROR)
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
    endif()
    if(KOGGE_SANITIZE)
        kogge_compile_quickly(${target})
        target_compile_options(${target} PRIVATE -g1 -fno-omit-frame-pointer)  # lines, and no variables: half the time
        if(NOT (arg_NO_TSAN AND KOGGE_SANITIZE STREQUAL "thread"))
            target_compile_options(${target} PRIVATE ${kogge_sanitizer_flags})
        endif()
    endif()
endfunction()

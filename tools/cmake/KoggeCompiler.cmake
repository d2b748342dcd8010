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

# kogge_compiler_options(<target> [KERNELS] [NO_TSAN]): warnings, and the build's sanitizer. KERNELS is for code
# that the emulator runs: compiling it costs more than running it.
function(kogge_compiler_options target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "KERNELS;NO_TSAN" "" "")
    set(warnings -Wall -Wextra -Wno-missing-field-initializers)
    list(JOIN warnings "," warnings_for_nvcc)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${warnings}>
                                             $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${warnings_for_nvcc}>)
    if(KOGGE_WERROR)
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
    endif()
    if(arg_KERNELS OR KOGGE_SANITIZE)
        target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
    endif()
    if(KOGGE_SANITIZE)
        target_compile_options(${target} PRIVATE -g1 -fno-omit-frame-pointer)  # lines, and no variables: half the time
        if(NOT (arg_NO_TSAN AND KOGGE_SANITIZE STREQUAL "thread"))
            target_compile_options(${target} PRIVATE ${kogge_sanitizer_flags})
        endif()
    endif()
endfunction()

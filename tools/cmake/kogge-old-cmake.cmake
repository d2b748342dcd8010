# CMake 3.25 does not know that nvcc has C++20: the option, for a target's compile options. Later ones take it from the
# feature cxx_std_20.
if(CMAKE_VERSION VERSION_LESS 3.26)
    set(kogge_old_cmake_cuda_standard $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-std=c++20>)
else()
    set(kogge_old_cmake_cuda_standard)
endif()

# The distributed component: kogge::distributed, whose ranks are threads; kogge::mpi and kogge::nccl, which are built where
# MPI and NCCL are found, and which alone depend on them.

if(NOT KOGGE_MPI MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "KOGGE_MPI is '${KOGGE_MPI}': use AUTO, ON or OFF")
elseif(NOT KOGGE_NCCL MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "KOGGE_NCCL is '${KOGGE_NCCL}': use AUTO, ON or OFF")
endif()

set(kogge_distributed_sources lib/distributed/call.cpp lib/distributed/communicator.cpp lib/distributed/threads.cpp)

# kogge_component(<target> <library> <source>...): a component on top of a library.
function(kogge_component target library)
    add_library(${target} STATIC ${ARGN})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(${target} PUBLIC ${library} PRIVATE Threads::Threads)
    kogge_compiler_options(${target})
    kogge_optimise(${target})
endfunction()

kogge_component(kogge_distributed kogge ${kogge_distributed_sources})
set_target_properties(kogge_distributed PROPERTIES EXPORT_NAME distributed)
add_library(kogge::distributed ALIAS kogge_distributed)
if(KOGGE_WITH_EMULATOR)
    kogge_component(kogge_distributed_emulated kogge_emulated ${kogge_distributed_sources})
endif()

set(KOGGE_WITH_MPI OFF)
if(NOT KOGGE_MPI STREQUAL "OFF" AND NOT KOGGE_SANITIZE)
    set(MPI_CXX_SKIP_MPICXX ON)  # the C interface is all that it takes
    find_package(MPI QUIET COMPONENTS CXX)
    if(MPI_CXX_FOUND)
        set(KOGGE_WITH_MPI ON)
        kogge_component(kogge_mpi kogge_distributed lib/distributed/mpi.cpp)
        target_link_libraries(kogge_mpi PRIVATE MPI::MPI_CXX)
        set_target_properties(kogge_mpi PROPERTIES EXPORT_NAME mpi)
        add_library(kogge::mpi ALIAS kogge_mpi)
    elseif(KOGGE_MPI STREQUAL "ON")
        message(FATAL_ERROR "KOGGE_MPI is ON, and there is no MPI (libopenmpi-dev)")
    else()
        message(STATUS "kogge: no MPI (libopenmpi-dev), so ranks are threads of one process")
    endif()
endif()

set(KOGGE_WITH_NCCL OFF)
if(NOT KOGGE_NCCL STREQUAL "OFF" AND NOT KOGGE_SANITIZE)
    if(KOGGE_WITH_CUDA)
        find_path(KOGGE_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} DOC "The folder that holds nccl.h")
        find_library(KOGGE_NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR} DOC "libnccl.so")
        mark_as_advanced(KOGGE_NCCL_INCLUDE KOGGE_NCCL_LIBRARY)
    endif()
    if(KOGGE_WITH_CUDA AND KOGGE_NCCL_INCLUDE AND KOGGE_NCCL_LIBRARY)
        set(KOGGE_WITH_NCCL ON)
        kogge_component(kogge_nccl kogge_distributed lib/distributed/nccl.cpp)
        target_include_directories(kogge_nccl PRIVATE ${KOGGE_NCCL_INCLUDE})
        target_link_libraries(kogge_nccl PRIVATE CUDA::cudart_static
            $<BUILD_INTERFACE:${KOGGE_NCCL_LIBRARY}> $<INSTALL_INTERFACE:nccl>)
        set_target_properties(kogge_nccl PROPERTIES EXPORT_NAME nccl)
        add_library(kogge::nccl ALIAS kogge_nccl)
    elseif(KOGGE_NCCL STREQUAL "ON")
        message(FATAL_ERROR "KOGGE_NCCL is ON, and there is no CUDA, or no NCCL (libnccl-dev)")
    elseif(KOGGE_WITH_CUDA)
        message(STATUS "kogge: no NCCL (libnccl-dev), so device memory goes between processes through the host's")
    endif()
endif()

# kogge_install_distributed(<package folder>): each part that depends on more than the library has a file of targets of its
# own, which find_package reads where its component is asked for, and is installed by itself.
function(kogge_install_distributed package_dir)
    foreach(part distributed mpi nccl)
        if(TARGET kogge_${part})
            install(TARGETS kogge_${part} EXPORT kogge-${part}-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
                    COMPONENT ${part})
            install(EXPORT kogge-${part}-targets NAMESPACE kogge:: DESTINATION ${package_dir} COMPONENT ${part})
        endif()
    endforeach()
    install(DIRECTORY include/kogge/distributed DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kogge COMPONENT distributed
            FILES_MATCHING PATTERN "*.hpp")
endfunction()

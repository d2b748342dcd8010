# The C interface: lib/c as objects, which the shared library and the tests link, and libkogge.so.

# Plain C++, whatever the library's device is: its kernels are called as prebuilt code.
file(GLOB kogge_c_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/c/*.cpp)
add_library(kogge_c_objects OBJECT EXCLUDE_FROM_ALL ${kogge_c_sources})
set_target_properties(kogge_c_objects PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
target_compile_features(kogge_c_objects PRIVATE cxx_std_20)
target_include_directories(kogge_c_objects PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/lib)
kogge_compiler_options(kogge_c_objects)
kogge_optimise(kogge_c_objects)

add_library(kogge_c SHARED)
add_library(kogge::c ALIAS kogge_c)
target_link_libraries(kogge_c PRIVATE kogge_c_objects kogge Threads::Threads)
target_include_directories(kogge_c INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# While the version begins with 0, a minor version may change what programs are linked to.
set_target_properties(kogge_c PROPERTIES OUTPUT_NAME kogge EXPORT_NAME c LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/lib/c/symbols.map)
# What the library is made of is nobody's business: no symbol of C++ leaves it, and it brings its own C++ runtime where
# there is a static one. Under a sanitizer that must be the program's.
target_link_options(kogge_c PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/lib/c/symbols.map" "LINKER:-z,defs"
    LINKER:--gc-sections)
if(NOT KOGGE_SANITIZE)
    target_link_options(kogge_c PRIVATE -static-libstdc++ -static-libgcc)
else()
    target_link_options(kogge_c PRIVATE "LINKER:-z,undefs")
endif()
if(KOGGE_WITH_CUDA)
    target_link_libraries(kogge_c PRIVATE CUDA::cudart_static)
endif()

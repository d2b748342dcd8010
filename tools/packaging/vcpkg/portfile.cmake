# From the tree that this file stands in, or from the one that KOGGE_SOURCE_DIR names. A registry's port replaces these lines
# by vcpkg_from_github, with the tag v${VERSION} and the archive's digest.
if(DEFINED ENV{KOGGE_SOURCE_DIR})
    set(SOURCE_PATH "$ENV{KOGGE_SOURCE_DIR}")
else()
    get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)
endif()

vcpkg_check_linkage(ONLY_STATIC_LIBRARY)
vcpkg_check_features(OUT_FEATURE_OPTIONS options
    FEATURES
        cuda KOGGE_CUDA
        c KOGGE_BUILD_C
        highway KOGGE_HIGHWAY
)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${options}
        -DKOGGE_BUILD_TESTS=OFF
        -DKOGGE_BUILD_BENCH=OFF
        -DKOGGE_BUILD_TOOLS=OFF
        -DKOGGE_BUILD_EMULATOR=OFF
        -DKOGGE_INSTALL=ON
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME kogge CONFIG_PATH lib/cmake/kogge)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

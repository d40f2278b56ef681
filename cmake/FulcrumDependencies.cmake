# Every library that Fulcrum uses, found in one place.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(Eigen3 3.3 REQUIRED NO_MODULE)
find_package(tl-expected QUIET)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CLI11 QUIET)
find_package(PkgConfig REQUIRED)
pkg_check_modules(systemd REQUIRED IMPORTED_TARGET libsystemd)
pkg_check_modules(fuse3 REQUIRED IMPORTED_TARGET fuse3>=3.10)

# Header-only libraries whose Debian packages bring no CMake files.
function(fulcrum_header_library target header)
  if(NOT TARGET ${target})
    find_path(FULCRUM_INCLUDE_${header} ${header} REQUIRED)
    add_library(${target} INTERFACE IMPORTED)
    target_include_directories(${target} INTERFACE ${FULCRUM_INCLUDE_${header}})
  endif()
endfunction()
fulcrum_header_library(tl::expected tl/expected.hpp)
fulcrum_header_library(CLI11::CLI11 CLI/CLI.hpp)
fulcrum_header_library(valijson::valijson valijson/validator.hpp)

# Boost.Asio, compiled once instead of in every source that includes it.
file(WRITE ${PROJECT_BINARY_DIR}/asio.cpp "#include <boost/asio/impl/src.hpp>\n")
add_library(fulcrum_asio STATIC ${PROJECT_BINARY_DIR}/asio.cpp)
target_compile_definitions(fulcrum_asio PUBLIC BOOST_ASIO_SEPARATE_COMPILATION)
target_link_libraries(fulcrum_asio PUBLIC Boost::headers Threads::Threads PRIVATE fulcrum_options)

if(FULCRUM_WITH_TORCH)
  find_package(Torch REQUIRED)
  # Through an interface target, so that Torch's headers are system headers and its flags reach only those who use it.
  add_library(fulcrum_torch INTERFACE)
  target_link_libraries(fulcrum_torch INTERFACE ${TORCH_LIBRARIES})
  target_include_directories(fulcrum_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
endif()

if(FULCRUM_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  include(GoogleTest)
endif()

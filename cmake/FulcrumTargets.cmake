# How every target of Fulcrum is made: one function for a library, a program, a test.

add_library(fulcrum_options INTERFACE)
target_include_directories(fulcrum_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
target_link_libraries(fulcrum_options INTERFACE fmt::fmt)
target_compile_options(fulcrum_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor
  $<$<BOOL:${FULCRUM_WERROR}>:-Werror>)
if(FULCRUM_SANITIZE)
  target_compile_options(fulcrum_options INTERFACE -fsanitize=${FULCRUM_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(fulcrum_options INTERFACE -fsanitize=${FULCRUM_SANITIZE})
  if(FULCRUM_SANITIZE MATCHES thread)
    # The thread sanitizer does not understand memory fences; Asio's queues are ordered by mutexes as well.
    target_compile_definitions(fulcrum_options INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
  if(FULCRUM_SANITIZE MATCHES undefined)
    # Without the three checks that double the time to build; AddressSanitizer sees most of what they would.
    target_compile_options(fulcrum_options INTERFACE
      -fno-sanitize-recover=undefined -fno-sanitize=null,alignment,vptr)
  endif()
endif()

# The headers that nearly every source includes, compiled once for each way in which targets are optimised: a source
# takes about a fifth less. Not for what includes LibTorch, which brings macros of its own.
function(fulcrum_make_precompiled_headers)
  set(everywhere <chrono> <functional> <map> <memory> <optional> <string> <variant> <vector> <fmt/format.h>
      <nlohmann/json.hpp> <tl/expected.hpp>)
  foreach(host IN ITEMS library waiting test)
    file(WRITE ${PROJECT_BINARY_DIR}/${host}_headers.cpp "")
    add_library(fulcrum_${host}_headers OBJECT ${PROJECT_BINARY_DIR}/${host}_headers.cpp)
    target_link_libraries(fulcrum_${host}_headers PRIVATE
      fulcrum_options nlohmann_json::nlohmann_json tl::expected)
    target_precompile_headers(fulcrum_${host}_headers PRIVATE ${everywhere})
  endforeach()
  fulcrum_optimise_little(fulcrum_waiting_headers)
  fulcrum_optimise_not(fulcrum_test_headers)
  target_link_libraries(fulcrum_test_headers PRIVATE GTest::gmock)
  target_precompile_headers(fulcrum_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
endfunction()

function(fulcrum_precompile target host)
  if(FULCRUM_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM fulcrum_${host}_headers)
  endif()
endfunction()

# A level lower than a release has by default, for what waits for sockets, disks and the board: it takes a third less
# time to compile. Tests, of which each runs once, are not optimised at all.
function(fulcrum_optimise_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
function(fulcrum_optimise_not target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
endfunction()

# Sources that use Eigen are optimised under the sanitizers as well: without, its loops take fifty times as long.
function(fulcrum_optimise_numerics target)
  if(FULCRUM_SANITIZE)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# fulcrum_add_numerics(<library's name> SOURCES ...): those sources of a library that use Eigen. Nothing is precompiled
# for them, as GCC 12 does not compile Eigen's prefetching there.
function(fulcrum_add_numerics name)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  add_library(fulcrum_${name}_numerics OBJECT ${ARG_SOURCES})
  target_link_libraries(fulcrum_${name}_numerics PRIVATE $<TARGET_PROPERTY:fulcrum_${name},LINK_LIBRARIES>)
  target_sources(fulcrum_${name} PRIVATE $<TARGET_OBJECTS:fulcrum_${name}_numerics>)
  target_compile_options(fulcrum_${name}_numerics PRIVATE $<$<CONFIG:Release>:-O3>)
  fulcrum_optimise_numerics(fulcrum_${name}_numerics)
endfunction()

# fulcrum_add_library(<folder's name> SOURCES ... DEPENDS ... [TORCH] [WAITS])  ->  target fulcrum_<name>
# TORCH: its sources include LibTorch; those of whoever links it do not. WAITS: see fulcrum_optimise_little().
function(fulcrum_add_library name)
  cmake_parse_arguments(ARG "TORCH;WAITS" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(fulcrum_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(fulcrum_${name} PUBLIC fulcrum_options ${ARG_DEPENDS})
  if(ARG_TORCH)
    target_link_libraries(fulcrum_${name} PRIVATE fulcrum_torch)
  elseif(ARG_WAITS)
    fulcrum_optimise_little(fulcrum_${name})
    fulcrum_precompile(fulcrum_${name} waiting)
  else()
    fulcrum_precompile(fulcrum_${name} library)
  endif()
endfunction()

# fulcrum_add_program(<program's name> SOURCES ... DEPENDS ...), installed into bin/
function(fulcrum_add_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE fulcrum_options ${ARG_DEPENDS})
  fulcrum_optimise_little(${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# Every test program, without the programs of the installation.
add_custom_target(tests)

# fulcrum_add_test(<target> LABEL <ctest label> SOURCES ... DEPENDS ... [TIMEOUT s] [TORCH] [NUMERICS] [SERIAL] [WHOLE])
# TORCH: its sources include LibTorch. NUMERICS: they use Eigen. SERIAL: no other test runs beside its tests. WHOLE: one
# process for all of them, where starting one is dear.
function(fulcrum_add_test name)
  cmake_parse_arguments(ARG "TORCH;NUMERICS;SERIAL;WHOLE" "LABEL;TIMEOUT" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  add_dependencies(tests ${name})
  target_link_libraries(${name} PRIVATE fulcrum_options ${ARG_DEPENDS} GTest::gmock GTest::gtest_main)
  if(ARG_NUMERICS)
    fulcrum_optimise_little(${name})
    fulcrum_optimise_numerics(${name})
  else()
    fulcrum_optimise_not(${name})
  endif()
  if(ARG_TORCH)
    target_link_libraries(${name} PRIVATE fulcrum_torch)
  elseif(NOT ARG_NUMERICS)
    fulcrum_precompile(${name} test)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  set(properties LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT})
  if(ARG_SERIAL)
    list(APPEND properties RUN_SERIAL TRUE)
  endif()
  if(ARG_WHOLE)
    add_test(NAME ${ARG_LABEL}.${name} COMMAND ${name})
    set_tests_properties(${ARG_LABEL}.${name} PROPERTIES ${properties})
    return()
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${ARG_LABEL}." DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()

# fulcrum_embed_text(<target> NAMESPACE <c++ namespace> FILES ...): compiles the files' texts into the target as
# std::string_view <namespace>::embedded_text(std::string_view file_name). The target declares it where it uses it.
function(fulcrum_embed_text target)
  cmake_parse_arguments(ARG "" "NAMESPACE" "FILES" ${ARGN})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded_text.cpp)
  list(JOIN ARG_FILES "," files)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAMESPACE=${ARG_NAMESPACE} -DFILES=${files}
            -P ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
    DEPENDS ${ARG_FILES} ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

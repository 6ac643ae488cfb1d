# Options that hold for the whole tree. What only one part wants is set in dev/cmake/folders.cmake.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Debug CACHE STRING "" FORCE)
endif()
# The everyday build keeps asserts and debug info but is optimised a little: tests start the compiler hundreds of times.
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

set(METEOR_SANITIZE "" CACHE STRING "Sanitizers for compiler and runtime: address,undefined or thread or undefined")
option(METEOR_CHECKED "The runtime tests what its transitions expect; with a sanitizer it always does" OFF)
set(METEOR_SANITIZE_FLAGS "")
if(METEOR_SANITIZE)
  # vptr needs RTTI, which the tree does without.
  set(METEOR_SANITIZE_FLAGS -fsanitize=${METEOR_SANITIZE} -fno-sanitize-recover=all -fno-sanitize=vptr -fno-omit-frame-pointer)
endif()
# Threads belong to programs: under the thread sanitizer the runtime and what the compiler emits are watched, the compiler itself is
# the everyday one. METEOR_SANITIZE_COMPILER=OFF does the same for the others: programs are tested several times faster.
option(METEOR_SANITIZE_COMPILER "The sanitizer watches the compiler too" ON)
set(METEOR_COMPILER_SANITIZE_FLAGS ${METEOR_SANITIZE_FLAGS})
if(METEOR_SANITIZE STREQUAL thread OR NOT METEOR_SANITIZE_COMPILER)
  set(METEOR_COMPILER_SANITIZE_FLAGS "")
endif()

# A Meteor program contains the runtime archive, so under a sanitizer it needs that sanitizer's own archives too.
string(REGEX REPLACE ",.*" "" METEOR_SANITIZER "${METEOR_SANITIZE}")
set(METEOR_SANITIZER_ARCHIVES "")
set(address_parts asan asan_static)
set(thread_parts tsan)
set(undefined_parts ubsan_standalone)
foreach(part IN LISTS ${METEOR_SANITIZER}_parts)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.${part}-${CMAKE_SYSTEM_PROCESSOR}.a
    OUTPUT_VARIABLE archive OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND METEOR_SANITIZER_ARCHIVES ${archive})
endforeach()

set(METEOR_WARNINGS -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  list(APPEND METEOR_WARNINGS -Wimplicit-fallthrough -Wextra-semi -Wnon-virtual-dtor -Wno-c99-designator)
  add_link_options(-fuse-ld=lld)
  if(CMAKE_BUILD_TYPE STREQUAL Debug)
    add_link_options(-Wl,--gdb-index)
    add_compile_options(-ggnu-pubnames)
  endif()
else()
  list(APPEND METEOR_WARNINGS -Wno-maybe-uninitialized)
endif()

find_program(METEOR_CCACHE ccache)
if(METEOR_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1   # clones and worktrees share their hits
    CCACHE_SLOPPINESS=pch_defines,time_macros ${METEOR_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

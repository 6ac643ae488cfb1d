# One static library per folder. A folder without sources yet becomes an INTERFACE library, so that it can be linked all the same.

# Options of everything that belongs to the compiler process (compiler/, tools/, unit tests).
add_library(meteor_compiler_options INTERFACE)
target_include_directories(meteor_compiler_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_compile_options(meteor_compiler_options INTERFACE ${METEOR_WARNINGS} ${METEOR_COMPILER_SANITIZE_FLAGS} -fno-exceptions -fno-rtti)
target_link_options(meteor_compiler_options INTERFACE ${METEOR_COMPILER_SANITIZE_FLAGS})
if(NOT METEOR_COMPILER_SANITIZE_FLAGS)
  # Fixed addresses and a static libstdc++ save a third of the start-up time.
  target_compile_options(meteor_compiler_options INTERFACE -fno-pie)
  target_link_options(meteor_compiler_options INTERFACE -no-pie -static-libstdc++ -static-libgcc)
endif()

function(meteor_find_sources out_var)
  cmake_parse_arguments(ARG "RECURSE" "" "" ${ARGN})
  if(ARG_RECURSE)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${ARG_UNPARSED_ARGUMENTS})
  else()
    file(GLOB files CONFIGURE_DEPENDS ${ARG_UNPARSED_ARGUMENTS})
  endif()
  list(FILTER files EXCLUDE REGEX "_test\\.cpp$")
  set(${out_var} ${files} PARENT_SCOPE)
endfunction()

# meteor_add_stage(name [LINK libs…]): compiler/<name>, which sees every stage declared before it.
set_property(GLOBAL PROPERTY METEOR_STAGES "")
function(meteor_add_stage name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  get_property(left GLOBAL PROPERTY METEOR_STAGES)
  list(REVERSE left)
  meteor_find_sources(sources RECURSE ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(sources)
    add_library(meteor_${name} STATIC ${sources})
    target_link_libraries(meteor_${name} PUBLIC ${left} ${ARG_LINK} meteor_compiler_options)
  else()
    add_library(meteor_${name} INTERFACE)
    target_link_libraries(meteor_${name} INTERFACE ${left} ${ARG_LINK} meteor_compiler_options)
  endif()
  set_property(GLOBAL APPEND PROPERTY METEOR_STAGES meteor_${name})
endfunction()

# LLVM's headers take seconds to read; the two folders that need them share a precompiled header each.
function(meteor_precompile_llvm name)
  get_target_property(type meteor_${name} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    return()
  endif()
  target_precompile_headers(meteor_${name} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_options(meteor_${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")   # lets ccache reuse it
  endif()
endfunction()

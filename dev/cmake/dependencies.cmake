# What the build takes from Debian: LLVM 19, lld 19, utf8proc, googletest.
set(LibEdit_FIND_QUIETLY ON)   # LLVM's own configuration asks for what Meteor does not use
set(CURL_FIND_QUIETLY ON)
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)
find_library(METEOR_UTF8PROC NAMES libutf8proc.a REQUIRED)

# LLVM is linked from its archives: libLLVM.so holds every target, and relocating it costs each start of meteor 11 ms more
# (16 ms instead of 5), which every 'meteor run' would pay.
option(METEOR_LLVM_SHARED "Link libLLVM.so instead of the static archives" OFF)

add_library(meteor_llvm INTERFACE)
target_include_directories(meteor_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
add_library(meteor_lld INTERFACE)
target_link_libraries(meteor_lld INTERFACE ${LLVM_LIBRARY_DIR}/liblldELF.a ${LLVM_LIBRARY_DIR}/liblldCommon.a meteor_llvm)

if(METEOR_LLVM_SHARED)
  target_link_libraries(meteor_llvm INTERFACE LLVM)
  target_link_libraries(meteor_lld INTERFACE z zstd)
else()
  set(METEOR_LLVM_TARGET ${LLVM_NATIVE_ARCH})
  execute_process(
    COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-config --link-static --libnames
      ${METEOR_LLVM_TARGET} passes lto linker irreader bitreader bitwriter orcjit option debuginfodwarf windowsdriver libdriver
    OUTPUT_VARIABLE llvm_archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(llvm_archives)
  list(FILTER llvm_archives EXCLUDE REGEX "Polly")
  list(TRANSFORM llvm_archives PREPEND ${LLVM_LIBRARY_DIR}/)

  # lld initialises every target LLVM was built with; all but ours are empty here, so that they are not linked in.
  set(stubs "")
  foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
    if(NOT target STREQUAL METEOR_LLVM_TARGET)
      foreach(part Target TargetInfo TargetMC AsmPrinter AsmParser Disassembler)
        string(APPEND stubs "void LLVMInitialize${target}${part}() {}\n")
      endforeach()
    endif()
  endforeach()
  configure_file(${CMAKE_CURRENT_LIST_DIR}/other_targets.cpp.in ${PROJECT_BINARY_DIR}/generated/other_targets.cpp @ONLY)
  add_library(meteor_llvm_other_targets STATIC ${PROJECT_BINARY_DIR}/generated/other_targets.cpp)
  target_compile_options(meteor_llvm_other_targets PRIVATE -fno-exceptions -fno-rtti)
  target_include_directories(meteor_llvm_other_targets SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})

  target_link_libraries(meteor_llvm INTERFACE ${llvm_archives} meteor_llvm_other_targets z zstd Threads::Threads ${CMAKE_DL_LIBS})
endif()

# What the build takes from Debian: LLVM 19 (shared), lld 19 (static archives), utf8proc, googletest.
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
find_package(LLD REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/lld)
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)

add_library(meteor_llvm INTERFACE)
target_include_directories(meteor_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(meteor_llvm INTERFACE ${LLVM_DEFINITIONS_LIST})
target_link_libraries(meteor_llvm INTERFACE LLVM)

add_library(meteor_lld INTERFACE)
target_include_directories(meteor_lld SYSTEM INTERFACE ${LLD_INCLUDE_DIRS})
target_link_libraries(meteor_lld INTERFACE lldELF lldCommon meteor_llvm)

# bin/unit_tests: every *_test.cpp that sits beside the code of compiler/ and runtime/.
file(GLOB_RECURSE unit_test_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/compiler/*_test.cpp ${PROJECT_SOURCE_DIR}/runtime/*_test.cpp)
if(unit_test_sources)
  add_executable(unit_tests ${unit_test_sources})
  target_link_libraries(unit_tests PRIVATE meteor_pipeline meteor_rt GTest::gtest GTest::gtest_main Threads::Threads)
  target_link_options(unit_tests PRIVATE ${METEOR_SANITIZE_FLAGS})
endif()

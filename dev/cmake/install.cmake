# <prefix>/bin/meteor, <prefix>/lib/libmeteor_rt{,_stripped}.a, <prefix>/lib/meteor/{meteor-compiler,std}
install(TARGETS meteor RUNTIME DESTINATION bin)
install(TARGETS meteor-compiler RUNTIME DESTINATION lib/meteor)
get_target_property(runtime_type meteor_rt TYPE)
if(runtime_type STREQUAL STATIC_LIBRARY)
  install(TARGETS meteor_rt ARCHIVE DESTINATION lib)
  install(FILES ${PROJECT_BINARY_DIR}/lib/libmeteor_rt_stripped.a DESTINATION lib)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/std/ DESTINATION lib/meteor/std FILES_MATCHING PATTERN "*.met" PATTERN "*_test.met" EXCLUDE)

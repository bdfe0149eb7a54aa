# What the command needs beside libc goes with it, so that the installed tree runs wherever libc does.
# RPATH, not RUNPATH: it also holds for what the carried libraries themselves need.
set(SC_CARRIED_DIR lib/streamcheck)
target_link_options(streamcheck PRIVATE -Wl,--disable-new-dtags)
set_target_properties(streamcheck PROPERTIES INSTALL_RPATH "$ORIGIN/../${SC_CARRIED_DIR}"
	BUILD_WITH_INSTALL_RPATH ON)
set(SC_CARRIED_FROM "" CACHE PATH "Folder with the libraries to carry, if they are not the system's")
if(SC_CARRIED_FROM)
	# In the build tree as well, where the command's RPATH finds them before the system's.
	file(COPY ${SC_CARRIED_FROM}/ DESTINATION ${PROJECT_BINARY_DIR}/${SC_CARRIED_DIR})
	install(TARGETS streamcheck RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
	install(DIRECTORY ${SC_CARRIED_FROM}/ DESTINATION ${SC_CARRIED_DIR} USE_SOURCE_PERMISSIONS)
	return()
endif()
install(TARGETS streamcheck RUNTIME_DEPENDENCY_SET carried
	RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(RUNTIME_DEPENDENCY_SET carried
	PRE_EXCLUDE_REGEXES "^(libc|libm|libdl|libpthread|librt|ld-linux[^.]*)[.]so"
	LIBRARY DESTINATION ${SC_CARRIED_DIR})

# What the command needs beside libc goes with it, so that the installed tree runs wherever libc does.
# RPATH, not RUNPATH: it also holds for what the carried libraries themselves need.
set(SC_CARRIED_DIR lib/streamcheck)
target_link_options(streamcheck PRIVATE -Wl,--disable-new-dtags)
set_target_properties(streamcheck PROPERTIES INSTALL_RPATH "$ORIGIN/../${SC_CARRIED_DIR}"
	BUILD_WITH_INSTALL_RPATH ON)
install(TARGETS streamcheck RUNTIME_DEPENDENCY_SET carried
	RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(RUNTIME_DEPENDENCY_SET carried
	PRE_EXCLUDE_REGEXES "^(libc|libm|libdl|libpthread|librt|ld-linux[^.]*)[.]so"
	LIBRARY DESTINATION ${SC_CARRIED_DIR})

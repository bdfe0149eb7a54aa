# The last that is installed: the pages, and the list of everything that was (SPDX).
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_path(SC_UTHASH_DIR uthash.h REQUIRED)
foreach(pair python:Python3_EXECUTABLE sources:PROJECT_SOURCE_DIR version:PROJECT_VERSION
		compiler:CMAKE_C_COMPILER_VERSION build:PROJECT_BINARY_DIR)
	string(REPLACE ":" ";" pair ${pair})
	list(GET pair 0 name)
	list(GET pair 1 variable)
	install(CODE "set(sc_${name} [[${${variable}}]])")
endforeach()
install(CODE "set(sc_find [[${ZSTD_INCLUDE_DIR};${LZ4_INCLUDE_DIR};${SC_UTHASH_DIR};${SC_D3_DIR}]])")
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/contents_install.cmake)

# Run while the tree is installed, after everything else: installs the pages and writes the list of all files.
# A relative prefix is one below the current folder.
get_filename_component(prefix ${CMAKE_INSTALL_PREFIX} ABSOLUTE BASE_DIR $ENV{PWD})
set(tree $ENV{DESTDIR}${prefix})
set(docs share/doc/streamcheck)
execute_process(COMMAND ${sc_python} ${sc_sources}/packaging/pages.py ${sc_sources} ${tree}/${docs}
	OUTPUT_VARIABLE pages COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "\n$" "" pages "${pages}")
string(REPLACE "\n" ";" pages "${pages}")
foreach(page IN LISTS pages)
	string(REPLACE "${tree}" "${prefix}" page ${page})
	list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${page})
endforeach()
set(files)
foreach(file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
	get_filename_component(file ${file} ABSOLUTE BASE_DIR $ENV{PWD})
	file(RELATIVE_PATH file ${prefix} ${file})
	string(APPEND files "${file}\n")
endforeach()
string(RANDOM LENGTH 12 name)
file(WRITE ${sc_build}/packaging/files.${name} "${files}")
execute_process(COMMAND ${sc_python} ${sc_sources}/packaging/sbom.py --root ${tree}
	--files ${sc_build}/packaging/files.${name} --version ${sc_version} --compiler ${sc_compiler}
	--find ${sc_find} -- ${tree}/${docs}/streamcheck.spdx.json COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${sc_build}/packaging/files.${name})
list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${prefix}/${docs}/streamcheck.spdx.json)

# The HTML report: D3's modules of the distribution and our own assets, embedded into the command.
set(SC_D3_DIR /usr/share/nodejs CACHE PATH "folder of the modules of D3 (package node-d3)")
set(html_libraries)
foreach(module dispatch color interpolate selection timer ease transition drag zoom path)
	set(file ${SC_D3_DIR}/d3-${module}/dist/d3-${module}.min.js)
	if(NOT EXISTS ${file})
		message(FATAL_ERROR "${file} is missing: install node-d3")
	endif()
	list(APPEND html_libraries ${file})
endforeach()
set(html_assets ${CMAKE_CURRENT_SOURCE_DIR}/assets)
set(html_parts)
foreach(part address data together processes links source drawing copy rules groups findings timeline_ops timeline_ranges timeline_places timeline_rows timeline_paint timeline_marks timeline times coverage summary main)
	list(APPEND html_parts ${html_assets}/${part}.js)
endforeach()
set(html_folder ${CMAKE_CURRENT_BINARY_DIR}/html)
file(MAKE_DIRECTORY ${html_folder})
add_custom_command(OUTPUT ${html_folder}/head.html ${html_folder}/tail.html
	COMMAND ${CMAKE_COMMAND} -DASSETS=${html_assets} "-DLIBRARIES=${html_libraries}"
		"-DPARTS=${html_parts}" -DLICENSE=${html_assets}/d3-license.txt
		-P ${html_assets}/join.cmake
	WORKING_DIRECTORY ${html_folder}
	DEPENDS ${html_assets}/join.cmake ${html_assets}/head.html ${html_assets}/style.css
		${html_assets}/body.html ${html_assets}/d3-license.txt ${html_parts} ${html_libraries}
	VERBATIM)
set_source_files_properties(html/html_asset.S PROPERTIES
	OBJECT_DEPENDS "${html_folder}/head.html;${html_folder}/tail.html"
	COMPILE_OPTIONS "-Wa,-I${html_folder}")
target_sources(sc_reports PRIVATE html/html_asset.S)

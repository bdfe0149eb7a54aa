# streamcheck_add_test(): a test whose program runs under streamcheck, and fails when the gate does.
#
#	streamcheck_add_test(NAME name COMMAND target-or-program [argument...]
#		[DEVICE auto|gpu|sim]		default auto, or the variable STREAMCHECK_DEVICE
#		[FAIL_ON level|rule...]		option fail-on
#		[BUDGET name=number...]		option budget
#		[BASELINE file]			findings that do not count
#		[SUPPRESSIONS file...]
#		[REPORT format:file...]		more reports; %p, %r, %q{VAR} as everywhere
#		[OPTIONS --name=value...]	anything else that streamcheck run knows
#		[REQUIRE_CUDA]			fail if nothing used the device
#		[WORKING_DIRECTORY folder])
#
# Relative files are those of the current source folder; reports go to the test's working folder. A
# test that recorded nothing, or lost something, fails too: silence is no success.

function(streamcheck_add_test)
	cmake_parse_arguments(PARSE_ARGV 0 sc "REQUIRE_CUDA" "NAME;DEVICE;BASELINE;WORKING_DIRECTORY"
		"COMMAND;FAIL_ON;BUDGET;SUPPRESSIONS;REPORT;OPTIONS")
	if(NOT sc_NAME OR NOT sc_COMMAND)
		message(FATAL_ERROR "streamcheck_add_test: NAME and COMMAND are needed")
	endif()
	if(sc_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "streamcheck_add_test: unknown ${sc_UNPARSED_ARGUMENTS}")
	endif()
	if(NOT sc_DEVICE AND STREAMCHECK_DEVICE)
		set(sc_DEVICE ${STREAMCHECK_DEVICE})
	endif()
	set(options)
	if(sc_DEVICE)
		list(APPEND options --device=${sc_DEVICE})
	endif()
	if(sc_REQUIRE_CUDA)
		list(APPEND options --require-cuda)
	endif()
	foreach(name FAIL_ON BUDGET)
		if(sc_${name})
			string(TOLOWER ${name} option)
			string(REPLACE "_" "-" option ${option})
			list(JOIN sc_${name} "," value)
			list(APPEND options --${option}=${value})
		endif()
	endforeach()
	foreach(name BASELINE SUPPRESSIONS)
		string(TOLOWER ${name} option)
		foreach(file IN LISTS sc_${name})
			get_filename_component(file "${file}" ABSOLUTE)
			list(APPEND options --${option}=${file})
		endforeach()
	endforeach()
	foreach(report IN LISTS sc_REPORT)
		list(APPEND options --report=${report})
	endforeach()
	list(POP_FRONT sc_COMMAND program)
	if(TARGET ${program})
		set(program $<TARGET_FILE:${program}>)
	endif()
	set(place)
	if(sc_WORKING_DIRECTORY)
		set(place WORKING_DIRECTORY ${sc_WORKING_DIRECTORY})
	endif()
	add_test(NAME ${sc_NAME} COMMAND ${streamcheck_EXECUTABLE} run ${options} ${sc_OPTIONS} --
		${program} ${sc_COMMAND} ${place})
	set_property(TEST ${sc_NAME} APPEND PROPERTY LABELS streamcheck)
endfunction()

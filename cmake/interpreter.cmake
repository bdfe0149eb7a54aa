# Python itself: what a version manager puts in its place is a script that takes longer than Python does to begin, and
# some 900 tests begin one.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
	execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
		OUTPUT_VARIABLE sc_interpreter OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE sc_failed)
	if(NOT sc_failed AND EXISTS "${sc_interpreter}")
		set(Python3_EXECUTABLE ${sc_interpreter})
		set_target_properties(Python3::Interpreter PROPERTIES IMPORTED_LOCATION ${sc_interpreter})
	endif()
endif()

# Tests of symbols, reports and the command.
sc_unit_test(demangle sc_symbol)
sc_unit_test(symbol ALONE sc_symbol)
sc_unit_test(unit_functions sc_symbol)
sc_unit_test(line_files sc_symbol)
sc_unit_test(frame sc_symbol)
sc_unit_test(symbol_table sc_symbol)
sc_unit_test(tail sc_symbol)
sc_unit_test(path sc_symbol)
sc_unit_test(python sc_symbol)

sc_unit_test(short_name sc_reports)
sc_unit_test(dialect sc_reports)
sc_unit_test(html_links sc_reports)
sc_unit_test(html_pack sc_reports)
sc_unit_test(output sc_reports Threads::Threads)
sc_unit_test(source sc_reports)
sc_unit_test(declared sc_reports)
sc_unit_test(verified sc_reports)
sc_unit_test(report report_fake sc_reports)
sc_unit_test(rank_set sc_reports)
sc_unit_test(summary report_fake sc_reports)
sc_unit_test(page report_fake sc_reports)
sc_unit_test(decide report_fake sc_reports)
sc_unit_test(library report_fake sc_reports)
# Preloaded into programs of the system, so never with a sanitizer.
add_library(command_recorder MODULE cmds/command_recorder.c)
target_compile_options(command_recorder PRIVATE -std=gnu17 -Wall -Wextra -Werror)
target_compile_definitions(command_recorder PRIVATE _GNU_SOURCE)
add_executable(command_static_cudart cmds/command_static_cudart.c)
target_link_libraries(command_static_cudart PRIVATE sc_flags)
# Programs for doctor: without debug information, and without a loader.
add_executable(command_stripped cmds/command_program.c)
target_link_libraries(command_stripped PRIVATE sc_flags)
target_link_options(command_stripped PRIVATE -s)
add_executable(command_fully_static cmds/command_program.c)
target_link_options(command_fully_static PRIVATE -static -nostartfiles -nostdlib -Wl,-e,main)
add_library(command_story STATIC cmds/command_story.c)
target_include_directories(command_story PUBLIC ${CMOCKA_INCLUDE_DIR})
target_link_libraries(command_story PUBLIC sc_flags)
if(sc_is_whole) # they try every command
	sc_unit_test(command command_story)
	sc_unit_test(habits command_story)
endif()
add_dependencies(command_story streamcheck command_recorder command_static_cudart command_stripped
	command_fully_static)
target_compile_definitions(command_story PUBLIC
	SC_COMMAND_FILE="$<TARGET_FILE:streamcheck>"
	SC_RECORDER_FILE="$<TARGET_FILE:command_recorder>"
	SC_STATIC_FILE="$<TARGET_FILE:command_static_cudart>"
	SC_STRIPPED_FILE="$<TARGET_FILE:command_stripped>"
	SC_FULLY_STATIC_FILE="$<TARGET_FILE:command_fully_static>")

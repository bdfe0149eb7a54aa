# What makes faults in our own code harmless: the command reads what strangers wrote. Code that runs
# inside the traced programs goes without the checks that abort, and has its tests and sanitizers.
set(SC_RELRO -Wl,-z,relro -Wl,-z,now)

# sc_inside_programs(TARGET...): the targets run inside programs of others.
function(sc_inside_programs)
	set_target_properties(${ARGN} PROPERTIES SC_INSIDE_PROGRAMS ON)
endfunction()

# sc_bind_old_glibc(TARGET...): the targets are parts of the recorder, which loads on older systems too.
function(sc_bind_old_glibc)
	foreach(target ${ARGN})
		target_compile_options(${target} PRIVATE
			"$<$<COMPILE_LANGUAGE:C>:SHELL:-include base/glibc.h>")
	endforeach()
endfunction()

include(CheckCSourceCompiles)
include(CMakePushCheckState)
set(sc_fortify)
foreach(level 3 2)
	cmake_push_check_state(RESET)
	set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level}")
	check_c_source_compiles("#include <string.h>\nint main(void) { return 0; }" SC_HAS_FORTIFY_${level})
	cmake_pop_check_state()
	if(SC_HAS_FORTIFY_${level})
		set(sc_fortify -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level})
		break()
	endif()
endforeach()

# The compiler fortifies only what it optimizes.
set(sc_outside $<NOT:$<BOOL:$<TARGET_PROPERTY:SC_INSIDE_PROGRAMS>>>)
target_compile_options(sc_flags INTERFACE
	$<$<AND:$<COMPILE_LANGUAGE:C>,${sc_outside}>:-fstack-protector-strong>)
if(NOT SC_SANITIZE)
	target_compile_options(sc_flags INTERFACE
		"$<$<AND:$<COMPILE_LANGUAGE:C>,${sc_outside},$<NOT:$<CONFIG:Debug>>>:${sc_fortify}>")
endif()

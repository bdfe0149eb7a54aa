# Tests of the simulated driver: those that hold under every schedule run once for each.
function(sc_sim_test module)
	add_executable(test_sim_${module} test_sim_${module}.c)
	target_include_directories(test_sim_${module} PRIVATE ${CMOCKA_INCLUDE_DIR})
	target_include_directories(test_sim_${module} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
	target_link_libraries(test_sim_${module} PRIVATE sc_flags sim_cuda Threads::Threads
		${CMOCKA_LIBRARY})
	foreach(schedule ${ARGN})
		string(REPLACE ":" "_" name ${schedule})
		add_test(NAME unit.sim_${module}.${name} COMMAND test_sim_${module})
		set_tests_properties(unit.sim_${module}.${name} PROPERTIES LABELS unit TIMEOUT 120
			ENVIRONMENT "STREAMCHECK_SIM_SCHEDULE=${schedule};STREAMCHECK_SIM_DEVICES=2")
	endforeach()
endfunction()

sc_sim_test(streams eager lazy random:1 random:2 random:3)
sc_sim_test(memory eager lazy random:1)
sc_sim_test(lazy lazy)
sc_sim_test(eager eager)
sc_sim_test(graph eager lazy random:1 random:2)
sc_sim_test(entry eager)
get_target_property(SIM_MADE sim_cuda SIM_MADE)
target_include_directories(test_sim_entry PRIVATE ${SIM_MADE})
add_dependencies(test_sim_entry sim_cuda)

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
sc_sim_test(nodes eager lazy random:1 random:2)
sc_sim_test(vmm eager lazy random:1)
sc_sim_test(managed eager lazy random:1)
sc_sim_test(memop eager lazy random:1 random:2)
sc_sim_test(graph eager lazy random:1 random:2)
sc_sim_test(entry eager)
sc_sim_test(link eager)
get_target_property(SIM_MADE sim_cuda SIM_MADE)
target_include_directories(test_sim_entry PRIVATE ${SIM_MADE})
add_dependencies(test_sim_entry sim_cuda)
set_target_properties(test_sim_entry PROPERTIES ENABLE_EXPORTS ON)

# sim_image(FILE FLAGS...): what nvcc makes of sim_images/kernels.cu with these flags.
set(SIM_IMAGES ${CMAKE_CURRENT_BINARY_DIR}/sim_images)
file(MAKE_DIRECTORY ${SIM_IMAGES})
function(sim_image file)
	add_custom_command(OUTPUT ${SIM_IMAGES}/${file}
		COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} ${ARGN} -o ${SIM_IMAGES}/${file}
			${CMAKE_CURRENT_SOURCE_DIR}/sim_images/kernels.cu
		DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sim_images/kernels.cu VERBATIM)
	list(APPEND SIM_IMAGE_FILES ${SIM_IMAGES}/${file})
	set(SIM_IMAGE_FILES ${SIM_IMAGE_FILES} PARENT_SCOPE)
endfunction()

sim_image(default.fatbin -fatbin)
sim_image(debug.fatbin -fatbin -G)
sim_image(compressed.fatbin -fatbin -Xfatbin -compress-all)
sim_image(relocatable.fatbin -fatbin -rdc=true)
sim_image(linked.fatbin -fatbin -rdc=true -dlink)
sim_image(ptx.fatbin -fatbin -gencode arch=compute_90,code=compute_90)
sim_image(plain.cubin -cubin -arch=sm_90)
sim_image(plain.ptx -ptx)
add_custom_target(sim_images DEPENDS ${SIM_IMAGE_FILES})

add_executable(test_sim_image test_sim_image.c)
target_include_directories(test_sim_image PRIVATE ${CMOCKA_INCLUDE_DIR} ${ZSTD_INCLUDE_DIR})
target_compile_definitions(test_sim_image PRIVATE SIM_IMAGES="${SIM_IMAGES}")
target_link_libraries(test_sim_image PRIVATE sc_flags sim_image ${CMOCKA_LIBRARY})
add_dependencies(test_sim_image sim_images)
add_test(NAME unit.sim_image COMMAND test_sim_image)
set_tests_properties(unit.sim_image PROPERTIES LABELS unit TIMEOUT 120)

sc_sim_test(launch eager lazy random:1)
target_compile_definitions(test_sim_launch PRIVATE SIM_IMAGES="${SIM_IMAGES}")
add_dependencies(test_sim_launch sim_images)

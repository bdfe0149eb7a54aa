# Unit tests of the recorder (interposer/).
sc_unit_test(api sc_record)
target_compile_definitions(test_api PRIVATE SC_CUDA_INCLUDE="${CUDAToolkit_INCLUDE_DIRS}")
sc_unit_test(result)
target_include_directories(test_result SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
sc_unit_test(recorder sc_record)
sc_unit_test(cupti sc_record sc_trace)
# One test a row, from the rows and from NVIDIA's parameter structs.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB api_rows CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/interposer/call/api_*.def)
list(GET CUDAToolkit_INCLUDE_DIRS 0 cuda_include)
add_custom_command(OUTPUT api_members.h
	COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/api_members.py
		${cuda_include}/generated_cuda_meta.h ${api_rows} > api_members.h
	DEPENDS api_members.py ${api_rows})
sc_unit_test(decode sc_record)
target_sources(test_decode PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/api_members.h)
target_include_directories(test_decode PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
# Hundreds of generated tests in one table: an optimizer takes half a minute for nothing.
target_compile_options(test_decode PRIVATE -O0)
sc_unit_test(memory sc_record Threads::Threads)
sc_unit_test(unwind sc_record)
sc_unit_test(recent sc_record)
sc_unit_test(format sc_record)
sc_unit_test(python_frame_reader sc_record)
sc_unit_test(frame_cache sc_record)
sc_unit_test(guard sc_record)
sc_unit_test(guard_bounds sc_record)
sc_unit_test(side_effect sc_record)
sc_unit_test(graph_operands sc_record)
# Its refused accesses are answered at once by a handler; ThreadSanitizer delivers signals later.
if(NOT SC_SANITIZE MATCHES thread)
	sc_unit_test(instruction sc_record)
	sc_unit_test(safe_read sc_record)
endif()
sc_unit_test(handle sc_record)
sc_unit_test(repeated sc_record)
sc_unit_test(site sc_record)
sc_unit_test(clock_of_calls sc_record)
sc_unit_test(image sc_record sc_trace)
sc_unit_test(text_cache sc_record sc_trace)
# With the recorder's own pthread_create and pthread_join before libc's.
sc_unit_test(thread_create sc_record sc_trace Threads::Threads)
target_sources(test_thread_create PRIVATE ${PROJECT_SOURCE_DIR}/interposer/sync/thread_create.c)
sc_unit_test(team sc_record sc_trace Threads::Threads)
sc_unit_test(channel sc_record sc_trace Threads::Threads)
# With the recorder's own answer to a false assertion, which the other tests do not have: there it is fatal.
sc_unit_test(assert_recorder sc_record sc_trace)
target_sources(test_assert_recorder PRIVATE ${PROJECT_SOURCE_DIR}/interposer/core/assert.c)

# Unit tests of the recorder (interposer/).
sc_unit_test(api sc_record)
target_compile_definitions(test_api PRIVATE SC_CUDA_INCLUDE="${CUDAToolkit_INCLUDE_DIRS}")
sc_unit_test(recorder sc_record)
sc_unit_test(memory sc_record Threads::Threads)
sc_unit_test(unwind sc_record)
sc_unit_test(guard sc_record)
sc_unit_test(handle sc_record)

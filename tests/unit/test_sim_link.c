/* Linking at run time on the simulated driver. */
#include "tests/unit/sim_fixture.h"

#define HEAD ".version 7.0\n.target sm_52\n.address_size 64\n"

static char first[] = HEAD ".global .align 4 .u32 counter;\n"
			   ".visible .entry put(.param .u64 p, .param .u32 n)\n{\nret;\n}\n"
			   ".weak .entry shared(.param .u64 p)\n{\nret;\n}\n";
static char second[] = HEAD ".extern .global .align 4 .u32 counter;\n"
			    ".visible .entry get(.param .u64 p)\n{\nret;\n}\n"
			    ".weak .entry shared(.param .u64 p)\n{\nret;\n}\n";

static CUresult add(CUlinkState link, char *text)
{
	return cuLinkAddData(link, CU_JIT_INPUT_PTX, text, strlen(text) + 1, "part", 0, NULL, NULL);
}

static void parts_become_one_module(void **state)
{
	size_t size, bytes, offset;
	CUfunction function;
	CUdeviceptr counter;
	CUlinkState link;
	CUmodule module;
	void *code;

	(void)state;
	OK(cuLinkCreate(0, NULL, NULL, &link));
	OK(add(link, first));
	OK(add(link, second));
	OK(cuLinkComplete(link, &code, &size));
	assert_memory_equal(code, "\177ELF", 4);
	OK(cuModuleLoadData(&module, code));
	OK(cuLinkDestroy(link));
	OK(cuModuleGetFunction(&function, module, "get"));
	OK(cuModuleGetFunction(&function, module, "shared"));
	OK(cuModuleGetFunction(&function, module, "put"));
	OK(cuFuncGetParamInfo(function, 1, &offset, &bytes));
	assert_int_equal(offset, 8);
	assert_int_equal(bytes, 4);
	OK(cuModuleGetGlobal(&counter, &bytes, module, "counter"));
	assert_int_equal(bytes, 4);
	OK(cuModuleUnload(module));
}

static void what_cannot_be_linked_is_refused(void **state)
{
	char nonsense[] = "no text";
	CUlinkState link;
	size_t size;
	void *code;

	(void)state;
	OK(cuLinkCreate(0, NULL, NULL, &link));
	FAILS(CUDA_ERROR_INVALID_PTX, add(link, nonsense));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuLinkAddData(link, CU_JIT_INPUT_PTX, NULL, 0, NULL, 0, NULL, NULL));
	FAILS(CUDA_ERROR_FILE_NOT_FOUND,
	      cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/nowhere/at.ptx", 0, NULL, NULL));
	FAILS(CUDA_ERROR_NOT_SUPPORTED,
	      cuLinkAddData(link, CU_JIT_INPUT_OBJECT, first, sizeof(first), "", 0, NULL, NULL));
	OK(add(link, first));
	FAILS(CUDA_ERROR_INVALID_IMAGE, add(link, first));
	OK(cuLinkComplete(link, &code, &size));
	FAILS(CUDA_ERROR_INVALID_VALUE, add(link, second));
	OK(cuLinkDestroy(link));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(link));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuLinkComplete(link, &code, &size));
}

/* The option says how large the buffer is, and then how much was written. */
static void logs_are_empty(void **state)
{
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	char log[16];
	void *values[] = {log, (void *)sizeof(log)};
	CUlinkState link;

	(void)state;
	OK(cuLinkCreate(2, options, values, &link));
	assert_ptr_equal(values[0], log);
	assert_null(values[1]);
	OK(cuLinkDestroy(link));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_become_one_module),
		cmocka_unit_test(what_cannot_be_linked_is_refused),
		cmocka_unit_test(logs_are_empty),
	};

	return cmocka_run_group_tests(tests, sim_setup, sim_teardown);
}

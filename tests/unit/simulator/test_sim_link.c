/* Linking at run time on the simulated driver. */
#include "tests/unit/simulator/sim_fixture.h"

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

ALL_TESTS(sim_setup, sim_teardown)

TEST(parts_become_one_module)
{
	size_t size, bytes, offset;
	CUfunction function;
	CUdeviceptr counter;
	CUlinkState link;
	CUmodule module;
	void *code;

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

static char caller[] =
	HEAD ".extern .func (.param .b32 r) twice(.param .b32 a);\n"
	     ".extern .global .align 4 .u32 base;\n"
	     ".visible .entry fill(.param .u64 p) { .reg .b64 %rd<2>; .reg .b32 %r<4>;\n"
	     "ld.param.u64 %rd0, [p]; mov.u32 %r0, %tid.x;\n"
	     "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r0;\n"
	     "call.uni (r), twice, (a); ld.param.b32 %r1, [r]; }\n"
	     "ld.global.u32 %r2, [base]; add.u32 %r1, %r1, %r2;\n"
	     "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;\n"
	     "st.global.u32 [%rd0], %r1; ret; }\n";
static char callee[] =
	HEAD ".visible .global .align 4 .u32 base = 100;\n"
	     ".visible .func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %r<2>;\n"
	     "ld.param.b32 %r0, [a]; add.u32 %r0, %r0, %r0; st.param.b32 [r], %r0; ret; }\n";

/* The second part comes from a file. */
static void add_file(CUlinkState link, const char *text)
{
	char path[] = "/tmp/sim_link.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	OK(cuLinkAddFile(link, CU_JIT_INPUT_PTX, path, 0, NULL, NULL));
	unlink(path);
}

TEST(kernels_run_and_call_other_parts)
{
	unsigned values[32];
	CUfunction fill;
	CUdeviceptr memory;
	CUlinkState link;
	CUmodule module;
	size_t size;
	void *code, *copy, *params[] = {&memory};

	OK(cuLinkCreate(0, NULL, NULL, &link));
	OK(add(link, caller));
	add_file(link, callee);
	OK(cuLinkComplete(link, &code, &size));
	copy = malloc(size); /* the program may keep it */
	memcpy(copy, code, size);
	OK(cuLinkDestroy(link));
	OK(cuModuleLoadData(&module, copy));
	free(copy);
	OK(cuModuleGetFunction(&fill, module, "fill"));
	OK(cuMemAlloc(&memory, sizeof(values)));
	OK(cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
	OK(cuMemcpyDtoH(values, memory, sizeof(values)));
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(values[i], 100 + 2 * i);
	OK(cuMemFree(memory));
	OK(cuModuleUnload(module));
}

TEST(what_cannot_be_linked_is_refused)
{
	char nonsense[] = "no text";
	CUlinkState link;
	size_t size;
	void *code;

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

/* Libraries choose by a text's architecture, also where it is newer than the device. */
TEST(texts_for_newer_devices_are_taken)
{
	char text[] = ".version 8.8\n.target sm_120\n.address_size 64\n"
		      ".visible .entry run(.param .u64 .ptr .align 1 p, .param .u32 n,\n"
		      ".param .u64 .ptr .align 1 q)\n{\nret;\n}\n";
	void *params[] = {&(CUdeviceptr){0}, &(int){0}, &(CUdeviceptr){0}};
	CUfunction function;
	size_t offset;
	CUmodule module;
	int version;

	OK(cuModuleLoadData(&module, text));
	OK(cuModuleGetFunction(&function, module, "run"));
	OK(cuFuncGetAttribute(&version, CU_FUNC_ATTRIBUTE_PTX_VERSION, function));
	assert_int_equal(version, 120);
	OK(cuFuncGetParamInfo(function, 2, &offset, NULL));
	assert_int_equal(offset, 16); /* a pointer's own alignment counts */
	OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	OK(cuCtxSynchronize());
	OK(cuModuleUnload(module));
}

/* The option says how large the buffer is, and then how much was written. */
TEST(logs_are_empty)
{
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	char log[16];
	void *values[] = {log, (void *)sizeof(log)};
	CUlinkState link;

	OK(cuLinkCreate(2, options, values, &link));
	assert_ptr_equal(values[0], log);
	assert_null(values[1]);
	OK(cuLinkDestroy(link));
}

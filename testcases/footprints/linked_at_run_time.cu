// Two texts are linked at run time: one kernel fills the front half of a buffer, the other one the
// back half. The racy one lets the second begin where the first does.
// expect: SC-105 at=second proven order=no_event
// expect[FIXED]: clean
#include <string.h>
#include "testcases/driver.h"

// One float a thread, from the pointer on.
#define FILL(name, value)                                                                 \
	".version 7.0\n.target sm_52\n.address_size 64\n"                                 \
	".visible .entry " name "(.param .u64 p, .param .u32 n)\n{\n"                     \
	".reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<5>;\n"                              \
	"ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"                                 \
	"mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"             \
	"mad.lo.s32 %r5, %r2, %r3, %r4; setp.ge.u32 %p, %r5, %r1; @%p bra END;\n"         \
	"cvta.to.global.u64 %d2, %d1; mul.wide.u32 %d3, %r5, 4; add.s64 %d4, %d2, %d3;\n" \
	"mov.u32 %r2, " value "; st.global.u32 [%d4], %r2;\nEND: ret;\n}\n"

static CUfunction function(CUmodule module, const char *name)
{
	CUfunction found;

	DRIVER_CHECK(DRIVER(cuModuleGetFunction)(&found, module, name));
	return found;
}

static CUmodule link(void)
{
	char front[] = FILL("fill_front", "0x3F800000"), back[] = FILL("fill_back", "0x40000000");
	CUlinkState state;
	CUmodule module;
	size_t bytes;
	void *code;

	DRIVER_CHECK(DRIVER(cuLinkCreate)(0, NULL, NULL, &state));
	DRIVER_CHECK(DRIVER(cuLinkAddData)(state, CU_JIT_INPUT_PTX, front, strlen(front) + 1,
					   "front.ptx", 0, NULL, NULL));
	DRIVER_CHECK(DRIVER(cuLinkAddData)(state, CU_JIT_INPUT_PTX, back, strlen(back) + 1,
					   "back.ptx", 0, NULL, NULL));
	DRIVER_CHECK(DRIVER(cuLinkComplete)(state, &code, &bytes));
	DRIVER_CHECK(DRIVER(cuModuleLoadData)(&module, code));
	DRIVER_CHECK(DRIVER(cuLinkDestroy)(state));
	return module;
}

int main()
{
	unsigned half = 1 << 15;
	const size_t bytes = 2 * half * sizeof(float);
	float *h_data = pinned(bytes), *d_data = on_device(bytes);
#ifdef FIXED
	float *d_back = d_data + half;
#else
	float *d_back = d_data;
#endif
	void *front_params[] = {&d_data, &half}, *back_params[] = {&d_back, &half};
	cudaStream_t stream1, stream2;
	CUmodule module = link();

	CHECK(cudaStreamCreate(&stream1));
	CHECK(cudaStreamCreate(&stream2));
	DRIVER_CHECK(DRIVER(cuLaunchKernel)(function(module, "fill_front"), half / 256, 1, 1, 256,
					    1, 1, 0, stream1, front_params, NULL));
	DRIVER_CHECK(DRIVER(cuLaunchKernel)(function(module, "fill_back"), half / 256, 1, 1, 256, 1,
					    1, 0, stream2, back_params, NULL)); // @second
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(h_data, d_data, bytes, cudaMemcpyDeviceToHost));
#ifdef FIXED
	if (!is_simulated()) { // whose linker keeps no PTX, so that nothing is executed
		verify(h_data, 1, half);
		verify(h_data + half, 2, half);
	}
#endif
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	DRIVER_CHECK(DRIVER(cuModuleUnload)(module));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}

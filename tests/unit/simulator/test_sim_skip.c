/* STREAMCHECK_SIM_KERNELS=skip: kernels take no time, and their place in the order stays. */
#include "tests/unit/simulator/sim_fixture.h"

static const char text[] = ".version 7.0\n.target sm_52\n.address_size 64\n"
			   ".visible .entry nothing()\n{\n\tret;\n}\n";

static CUfunction kernel;
static CUstream stream;

static int setup(void **state)
{
	CUmodule module;

	setenv("STREAMCHECK_SIM_SCHEDULE", "eager", 1);
	setenv("STREAMCHECK_SIM_KERNELS", "skip", 1);
	return sim_setup(state) || cuModuleLoadData(&module, text) ||
	       cuModuleGetFunction(&kernel, module, "nothing") ||
	       cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
}

static CUresult launch(void)
{
	return cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);
}

ALL_TESTS(setup, NULL)

/* No other thread takes part, so this holds on any machine. */
TEST(ends_with_its_launch)
{
	for (int i = 0; i < 100; i++) {
		OK(launch());
		OK(cuStreamQuery(stream));
	}
}

TEST(comes_after_what_is_before_it)
{
	struct gate gate;

	gate_close(&gate, stream);
	OK(launch());
	FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
	gate_open(&gate);
	OK(cuStreamSynchronize(stream));
}

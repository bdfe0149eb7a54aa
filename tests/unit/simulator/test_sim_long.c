/* A kernel that runs for long is named on stderr, once, with a way out. */
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/simulator/sim_fixture.h"

/* Spins for 11 s by the clock of the device. */
static const char text[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
			   ".visible .entry spin() { .reg .b64 %rd<3>; .reg .pred %p<2>;\n"
			   "mov.u64 %rd0, %globaltimer;\n"
			   "again: mov.u64 %rd1, %globaltimer; sub.u64 %rd2, %rd1, %rd0;\n"
			   "setp.lt.u64 %p0, %rd2, 11000000000; @%p0 bra again; ret; }\n";

/* Runs it, and returns what stderr got meanwhile. */
static void run_both(CUfunction spin, CUstream first, CUstream second, char *got, size_t bytes)
{
	int ends[2], old = dup(STDERR_FILENO);
	ssize_t length;

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	OK(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, first, NULL, NULL));
	OK(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, second, NULL, NULL));
	OK(cuCtxSynchronize());
	dup2(old, STDERR_FILENO);
	close(ends[1]);
	length = read(ends[0], got, bytes - 1);
	got[length > 0 ? length : 0] = '\0';
	close(ends[0]);
	close(old);
}

ALL_TESTS(sim_setup, sim_teardown)

TEST(long_kernel_is_named_once)
{
	static const char line[] =
		"simulated device: kernel spin has run for 10 s; STREAMCHECK_SIM_KERNELS=skip "
		"executes no kernel and checks the order of operations only\n";
	CUstream first, second;
	CUfunction spin;
	CUmodule module;
	char got[1024];

	OK(cuModuleLoadData(&module, text));
	OK(cuModuleGetFunction(&spin, module, "spin"));
	OK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
	run_both(spin, first, second, got, sizeof(got));
	assert_string_equal(got, line);
}

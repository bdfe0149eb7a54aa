/* STREAMCHECK_SIM_KERNELS=budget:SECONDS: a launch that takes longer is given up.
 *
 * ctest runs the program with 0 seconds, when no launch begins; with 1, which a kernel that never
 * ends takes on any machine; and with so many that a short kernel ends on any.
 */
#include <stdio.h>

#include "simulator/driver/kernel/tally.h"
#include "tests/unit/simulator/sim_fixture.h"

static const char text[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
			   ".visible .entry spin() { again: bra again; }\n"
			   ".visible .entry mark(.param .u64 at) { .reg .b64 %a; .reg .b32 %r;\n"
			   "ld.param.u64 %a, [at]; mov.u32 %r, 7; st.global.u32 [%a], %r; ret; }\n";

static CUfunction spin, mark;
static CUstream stream;
static const char *seconds; /* of the budget */

static int setup(void **state)
{
	CUmodule module;

	setenv("STREAMCHECK_SIM_KERNELS", "budget:1", 0);
	seconds = strchr(getenv("STREAMCHECK_SIM_KERNELS"), ':') + 1;
	return sim_setup(state) || cuModuleLoadData(&module, text) ||
	       cuModuleGetFunction(&spin, module, "spin") ||
	       cuModuleGetFunction(&mark, module, "mark") ||
	       cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
}

ALL_TESTS(setup, sim_teardown)

struct counted {
	uint64_t executed, given_up, skipped;
	char why[256];
};

static void add_count(void *context, uint64_t launches, const char *why, bool is_given_up)
{
	struct counted *c = context;

	*(is_given_up ? &c->given_up : why ? &c->skipped : &c->executed) += launches;
	if (is_given_up)
		snprintf(c->why, sizeof(c->why), "%s", why);
}

static struct counted count(void)
{
	struct counted c = {0};

	simulated_countLaunches(add_count, &c);
	return c;
}

/* What stderr gets while both launches have their turn. */
static void run_twice(char *got, size_t bytes)
{
	int ends[2], old = dup(STDERR_FILENO);
	ssize_t length;

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	for (int i = 0; i < 2; i++)
		OK(cuLaunchKernel(spin, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL));
	OK(cuStreamSynchronize(stream));
	dup2(old, STDERR_FILENO);
	close(ends[1]);
	length = read(ends[0], got, bytes - 1);
	got[length > 0 ? length : 0] = '\0';
	close(ends[0]);
	close(old);
}

TEST(kernel_that_never_ends_is_given_up)
{
	char line[512], got[1024];
	struct counted before = count(), after;

	if (strlen(seconds) > 1)
		skip(); /* it would take so long */
	run_twice(got, sizeof(got));
	after = count();
	assert_int_equal(after.given_up, before.given_up + 2);
	assert_int_equal(after.executed, before.executed);
	assert_int_equal(after.skipped, before.skipped);
	snprintf(line, sizeof(line),
		 "simulated device: kernel spin is given up after %s s, as "
		 "--sim-kernels=budget:%s asks; what the program computes from here on "
		 "is not its own\n",
		 seconds, seconds);
	assert_string_equal(got, line);
	snprintf(line, sizeof(line), "spin: given up after %s s, as --sim-kernels=budget:%s asks",
		 seconds, seconds);
	assert_string_equal(after.why, line);
}

/* Its work is done whole, or, without any time, not at all. */
TEST(short_kernel_has_its_time)
{
	bool has_time = strcmp(seconds, "0") != 0;
	struct counted before = count(), after;
	CUdeviceptr memory;
	uint32_t word = 1;
	void *params[] = {&memory};

	if (strcmp(seconds, "1") == 0)
		skip(); /* a busy machine may need more */
	OK(cuMemAlloc(&memory, sizeof(word)));
	OK(cuMemsetD32(memory, 0, 1));
	OK(cuCtxSynchronize());
	OK(cuLaunchKernel(mark, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
	OK(cuStreamSynchronize(stream));
	OK(cuMemcpyDtoH(&word, memory, sizeof(word)));
	after = count();
	assert_int_equal(word, has_time ? 7 : 0);
	assert_int_equal(after.executed, before.executed + has_time);
	assert_int_equal(after.given_up, before.given_up + !has_time);
	OK(cuMemFree(memory));
}

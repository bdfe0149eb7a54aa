/* The random schedule: what has run at a call follows from the seed and the calls before it. */
#include "tests/unit/simulator/sim_fixture.h"

#define BYTES	64
#define STREAMS 16
#define STEPS	8 /* of the host, after which a ready op has run */

struct random {
	CUstream stream[STREAMS];
	CUdeviceptr memory;
};

static int setup(void **state)
{
	static struct random r;

	if (sim_setup(NULL) || cuMemAlloc(&r.memory, STREAMS * BYTES))
		return -1;
	for (int i = 0; i < STREAMS; i++)
		if (cuStreamCreate(&r.stream[i], CU_STREAM_NON_BLOCKING))
			return -1;
	*state = &r;
	return 0;
}

static int teardown(void **state)
{
	struct random *r = *state;

	if (cuCtxSynchronize() || cuMemFree(r->memory))
		return -1;
	for (int i = 0; i < STREAMS; i++)
		if (cuStreamDestroy(r->stream[i]))
			return -1;
	return sim_teardown(NULL);
}

static void fill(const struct random *r, int i)
{
	OK(cuMemsetD8Async(r->memory + (CUdeviceptr)i * BYTES, 1, BYTES, r->stream[i]));
}

static int count_pending(const struct random *r, int streams)
{
	int pending = 0;

	for (int i = 0; i < streams; i++)
		pending += cuStreamQuery(r->stream[i]) == CUDA_ERROR_NOT_READY;
	return pending;
}

EACH_TEST(setup, teardown)

/* However fast these calls follow each other. */
TEST(an_op_has_run_after_some_steps)
{
	struct random *r = *state;

	for (int i = 0; i < STREAMS - 1; i++)
		fill(r, i);
	for (int i = 0; i < STEPS; i++)
		fill(r, STREAMS - 1);
	assert_int_equal(count_pending(r, STREAMS - 1), 0);
}

TEST(some_ops_are_put_off)
{
	struct random *r = *state;

	for (int i = 0; i < STREAMS; i++)
		fill(r, i);
	assert_true(count_pending(r, STREAMS) > 0);
}

// A library with transforms and random numbers, under the names of cuFFT and cuRAND. Its kernels
// come as machine code alone, and take their operands in a struct that says nothing of them.
#include "tests/e2e/libraries/operands.h"
#include "tests/e2e/libraries/opaque.h"

#ifdef RANDOM
int curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
	*(cudaStream_t *)generator = stream;
	return SUCCESS;
}

int curandGenerateNormal(curandGenerator_t generator, float *out, size_t count, float mean,
			 float deviation)
{
	// What the program asked for has to arrive.
	return mean == 1.5f && deviation == 0.25f && count
		       ? run(out, out, *(cudaStream_t *)generator)
		       : NO_SUCH;
}
#else
#define PLANS 8

static struct {
	cudaStream_t stream;
	bool is_used;
} plans[PLANS];

int cufftPlanMany(int *plan, int rank, int *n, int *, int, int, int *, int, int, int type,
		  int batch)
{
	if (rank < 1 || n[0] < 1 || !type || batch < 1)
		return NO_SUCH;
	for (*plan = 0; plans[*plan].is_used; ++*plan)
		;
	plans[*plan].is_used = true;
	return SUCCESS;
}

int cufftPlan1d(int *plan, int nx, int type, int batch)
{
	return cufftPlanMany(plan, 1, &nx, NULL, 0, 0, NULL, 0, 0, type, batch);
}

int cufftXtSetCallback(int plan, void **routine, int, void **)
{
	return plans[plan].is_used && routine ? SUCCESS : NO_SUCH;
}

int cufftSetStream(int plan, cudaStream_t stream)
{
	plans[plan].stream = stream;
	return SUCCESS;
}

int cufftDestroy(int plan)
{
	plans[plan].is_used = false;
	return SUCCESS;
}

int cufftExecC2C(int plan, void *in, void *out, int)
{
	return plans[plan].is_used ? run(in, out, plans[plan].stream) : NO_SUCH;
}

int cufftExecR2C(int plan, void *in, void *out)
{
	return cufftExecC2C(plan, in, out, 0);
}
#endif

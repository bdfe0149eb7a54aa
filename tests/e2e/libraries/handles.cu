// A library with handles, under the names of cuBLAS and cuFFT: each works in the stream that was
// set for it.
#include "tests/e2e/libraries/handles.h"
#include "testcases/common.h"

#define PLANS	   4
#define SUCCESS	   0
#define NO_SUCH	   1
#define BACK_BYTES 256

struct handle {
	cudaStream_t stream;
	void *workspace;
};

static struct handle plans[PLANS];
static bool is_taken[PLANS];

static int work(const struct handle *h, float *data, size_t bytes)
{
	return cudaMemsetAsync(data, 0, bytes, h->stream) ? NO_SUCH : SUCCESS;
}

int cublasCreate_v2(cublasHandle_t *handle)
{
	*handle = new struct handle();
	return SUCCESS;
}

int cublasDestroy_v2(cublasHandle_t handle)
{
	delete handle;
	return SUCCESS;
}

int cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
	if (!handle)
		return NO_SUCH;
	handle->stream = stream;
	handle->workspace = NULL;
	return SUCCESS;
}

int cublasSetWorkspace_v2(cublasHandle_t handle, void *memory, size_t bytes)
{
	if (bytes < BACK_BYTES)
		return NO_SUCH;
	handle->workspace = memory;
	return SUCCESS;
}

int cublasSscal_v2(cublasHandle_t handle, int n, const float *alpha, float *x, int step)
{
	(void)alpha;
	(void)step;
	return work(handle, x, n * sizeof(*x));
}

int cufftPlan1d(cufftHandle *plan, int n, int type, int batch)
{
	(void)n;
	(void)type;
	(void)batch;
	for (int i = 0; i < PLANS; i++) {
		if (is_taken[i])
			continue;
		is_taken[i] = true;
		plans[i] = {};
		*plan = i;
		return SUCCESS;
	}
	return NO_SUCH;
}

int cufftDestroy(cufftHandle plan)
{
	if (plan < 0 || plan >= PLANS || !is_taken[plan])
		return NO_SUCH;
	is_taken[plan] = false;
	return SUCCESS;
}

int cufftSetStream(cufftHandle plan, cudaStream_t stream)
{
	if (plan < 0 || plan >= PLANS || !is_taken[plan])
		return NO_SUCH;
	plans[plan].stream = stream;
	return SUCCESS;
}

int cufftExecC2C(cufftHandle plan, float *in, float *out, int direction)
{
	(void)in;
	(void)direction;
	return work(&plans[plan], out, BACK_BYTES);
}

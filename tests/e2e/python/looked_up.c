/* Calls as NVIDIA's cuda-bindings make them: looked up by cuGetProcAddress with the interpreter's
 * lock held, all at once before the first, and made without it.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))
#define BYTES  4096

/* The interpreter's, which loads this library. */
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *state);

EXPORT int look_up(void);
EXPORT int prepare(void);
EXPORT int fetch(void);
EXPORT int upload(void);
EXPORT int synchronize(void);

/* The functions that are called, and the oldest version of CUDA that has them so. */
#define FUNCTIONS(F)                                                              \
	F(cuInit, 2000, (unsigned))                                               \
	F(cuDevicePrimaryCtxRetain, 7000, (CUcontext *, CUdevice))                \
	F(cuCtxSetCurrent, 4000, (CUcontext))                                     \
	F(cuMemAlloc, 3020, (CUdeviceptr *, size_t))                              \
	F(cuMemHostAlloc, 2020, (void **, size_t, unsigned))                      \
	F(cuStreamCreate, 2000, (CUstream *, unsigned))                           \
	F(cuMemcpyDtoHAsync, 3020, (void *, CUdeviceptr, size_t, CUstream))       \
	F(cuMemcpyHtoDAsync, 3020, (CUdeviceptr, const void *, size_t, CUstream)) \
	F(cuCtxSynchronize, 2000, (void))

#undef cuMemAlloc
#undef cuMemcpyDtoHAsync
#undef cuMemcpyHtoDAsync

static struct {
#define F(name, version, parameters) CUresult(*name) parameters;
	FUNCTIONS(F)
#undef F
} calls;

static struct {
	CUdeviceptr device;
	void *host;
	CUstream stream;
} work;

typedef CUresult get_fn(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);

int look_up(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	get_fn *get = driver ? (get_fn *)dlsym(driver, "cuGetProcAddress_v2") : NULL;

	if (!get)
		return -1;
#define F(name, version, parameters)                            \
	if (get(#name, (void **)&calls.name, version, 0, NULL)) \
		return version;
	FUNCTIONS(F)
#undef F
	return 0;
}

int prepare(void)
{
	void *state = PyEval_SaveThread();
	CUcontext context;
	int err = calls.cuInit(0) || calls.cuDevicePrimaryCtxRetain(&context, 0) ||
		  calls.cuCtxSetCurrent(context) || calls.cuMemAlloc(&work.device, BYTES) ||
		  calls.cuMemHostAlloc(&work.host, BYTES, 0) ||
		  calls.cuStreamCreate(&work.stream, CU_STREAM_NON_BLOCKING);

	PyEval_RestoreThread(state);
	return err;
}

int fetch(void)
{
	void *state = PyEval_SaveThread();
	CUresult err = calls.cuMemcpyDtoHAsync(work.host, work.device, BYTES, work.stream);

	PyEval_RestoreThread(state);
	return (int)err;
}

int upload(void)
{
	void *state = PyEval_SaveThread();
	CUresult err = calls.cuMemcpyHtoDAsync(work.device, work.host, BYTES, NULL);

	PyEval_RestoreThread(state);
	return (int)err;
}

int synchronize(void)
{
	void *state = PyEval_SaveThread();
	CUresult err = calls.cuCtxSynchronize();

	PyEval_RestoreThread(state);
	return (int)err;
}

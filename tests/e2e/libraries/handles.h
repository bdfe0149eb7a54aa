// What the stand-in for cuBLAS and cuFFT can do: as much of their interfaces as the user needs.
#ifndef SC_E2E_LIBRARIES_HANDLES_H
#define SC_E2E_LIBRARIES_HANDLES_H

#include <cuda_runtime.h>

typedef struct handle *cublasHandle_t;
typedef int cufftHandle;

extern "C" {
int cublasCreate_v2(cublasHandle_t *handle);
int cublasDestroy_v2(cublasHandle_t handle);
int cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
int cublasSetWorkspace_v2(cublasHandle_t handle, void *memory, size_t bytes);
// Work in the handle's stream.
int cublasSscal_v2(cublasHandle_t handle, int n, const float *alpha, float *x, int step);

int cufftPlan1d(cufftHandle *plan, int n, int type, int batch);
int cufftDestroy(cufftHandle plan);
int cufftSetStream(cufftHandle plan, cudaStream_t stream);
int cufftExecC2C(cufftHandle plan, float *in, float *out, int direction);
}

// The same, for a user that is not linked with the library but looks it up, as Python's often do.
#ifdef LOOKED_UP
#include <dlfcn.h>

static void *in_library(const char *name)
{
	static void *library = dlopen("libcublas.so.13", RTLD_NOW | RTLD_LOCAL);

	return dlsym(library, name);
}

#define LOOK_UP(name)	      ((decltype(&::name))in_library(#name))
#define cublasCreate_v2	      LOOK_UP(cublasCreate_v2)
#define cublasDestroy_v2      LOOK_UP(cublasDestroy_v2)
#define cublasSetStream_v2    LOOK_UP(cublasSetStream_v2)
#define cublasSetWorkspace_v2 LOOK_UP(cublasSetWorkspace_v2)
#define cublasSscal_v2	      LOOK_UP(cublasSscal_v2)
#define cufftPlan1d	      LOOK_UP(cufftPlan1d)
#define cufftDestroy	      LOOK_UP(cufftDestroy)
#define cufftSetStream	      LOOK_UP(cufftSetStream)
#define cufftExecC2C	      LOOK_UP(cufftExecC2C)
#endif

#endif

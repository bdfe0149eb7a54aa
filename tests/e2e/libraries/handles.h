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

#endif

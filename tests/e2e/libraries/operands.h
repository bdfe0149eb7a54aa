// What the stand-ins for cuBLAS, cublasLt, NCCL, cuFFT and cuRAND can do: as much of their
// interfaces as the user of products and collectives needs. Their kernels come as
// machine code alone, and take their operands in a struct that says nothing of them.
#ifndef SC_E2E_LIBRARIES_OPERANDS_H
#define SC_E2E_LIBRARIES_OPERANDS_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#define SPLIT_DEPTH  512 // a product of this depth takes two kernels
#define COPIED_DEPTH 256 // with this one, a matrix is copied to scratch memory first
#define JOINED	     1	 // by this operation, a group of several streams runs in the first one
#define THROWN_DEPTH 128 // with this one, the library throws after it launched a kernel

typedef struct operands_handle *cublasHandle_t;
typedef struct communicator *ncclComm_t;
typedef void *curandGenerator_t; // in the stand-in, what it points to is the stream

// Objects of cublasLt, asked by its attributes' numbers.
struct described {
	int64_t attribute[40];
};

extern "C" {
int cublasCreate_v2(cublasHandle_t *handle);
int cublasDestroy_v2(cublasHandle_t handle);
int cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
int cublasSetWorkspace_v2(cublasHandle_t handle, void *memory, size_t bytes);
int cublasSetPointerMode_v2(cublasHandle_t handle, int mode);
int cublasGetPointerMode_v2(cublasHandle_t handle, int *mode);
int cublasSgemm_v2(cublasHandle_t handle, int ta, int tb, int m, int n, int k, const float *alpha,
		   const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
		   int ldc);
// Calls the one before for each matrix, by its exported name.
int cublasSgemmStridedBatched(cublasHandle_t handle, int ta, int tb, int m, int n, int k,
			      const float *alpha, const float *a, int lda, long long sa,
			      const float *b, int ldb, long long sb, const float *beta, float *c,
			      int ldc, long long sc, int batches);
int cublasLtMatrixLayoutGetAttribute(const described *layout, int attribute, void *out, size_t room,
				     size_t *written);
int cublasLtMatmulDescGetAttribute(const described *product, int attribute, void *out, size_t room,
				   size_t *written);
int cublasLtMatmul(void *handle, const described *product, const void *alpha, const void *a,
		   const described *a_layout, const void *b, const described *b_layout,
		   const void *beta, const void *c, const described *c_layout, void *d,
		   const described *d_layout, const void *algorithm, void *workspace,
		   size_t workspace_bytes, cudaStream_t stream);

int ncclFake(ncclComm_t *communicator, int rank, int ranks);
int ncclCommCount(ncclComm_t communicator, int *ranks);
int ncclCommUserRank(ncclComm_t communicator, int *rank);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclAllReduce(const void *send, void *receive, size_t count, int type, int operation,
		  ncclComm_t communicator, cudaStream_t stream);
int ncclAllGather(const void *send, void *receive, size_t count, int type, ncclComm_t communicator,
		  cudaStream_t stream);
int ncclGather(const void *send, void *receive, size_t count, int type, int root,
	       ncclComm_t communicator, cudaStream_t stream);
int ncclPutSignal(const void *send, size_t count, int type, int peer, void *window, size_t offset,
		  int signal, int context, unsigned flags, ncclComm_t communicator,
		  cudaStream_t stream);
int ncclBroadcast(const void *send, void *receive, size_t count, int type, int root,
		  ncclComm_t communicator, cudaStream_t stream);

int cufftPlan1d(int *plan, int nx, int type, int batch);
int cufftPlanMany(int *plan, int rank, int *n, int *in_embed, int in_step, int in_distance,
		  int *out_embed, int out_step, int out_distance, int type, int batch);
int cufftXtSetCallback(int plan, void **routine, int type, void **info);
int cufftSetStream(int plan, cudaStream_t stream);
int cufftDestroy(int plan);
int cufftExecC2C(int plan, void *in, void *out, int direction);
int cufftExecR2C(int plan, void *in, void *out);

int curandSetStream(curandGenerator_t generator, cudaStream_t stream);
int curandGenerateNormal(curandGenerator_t generator, float *out, size_t count, float mean,
			 float deviation);
}

// The same, for a user that is not linked with the libraries but looks them up.
#ifdef LOOKED_UP
#include <dlfcn.h>

static void *in_library(const char *name)
{
	static void *blas = dlopen("libcublas.so.13", RTLD_NOW | RTLD_LOCAL);
	static void *nccl = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
	static void *fft = dlopen("libcufft.so.12", RTLD_NOW | RTLD_LOCAL);
	static void *rand = dlopen("libcurand.so.10", RTLD_NOW | RTLD_LOCAL);
	static void *sparse = dlopen("libcusparse.so.12", RTLD_NOW | RTLD_LOCAL);
	static void *solver = dlopen("libcusolver.so.12", RTLD_NOW | RTLD_LOCAL);

	return dlsym(!strncmp(name, "nccl", 4)	     ? nccl
		     : !strncmp(name, "cufft", 5)    ? fft
		     : !strncmp(name, "curand", 6)   ? rand
		     : !strncmp(name, "cusparse", 8) ? sparse
		     : !strncmp(name, "cusolver", 8) ? solver
						     : blas,
		     name);
}

#define LOOK_UP(name)		  ((decltype(&::name))in_library(#name))
#define cublasCreate_v2		  LOOK_UP(cublasCreate_v2)
#define cublasDestroy_v2	  LOOK_UP(cublasDestroy_v2)
#define cublasSetStream_v2	  LOOK_UP(cublasSetStream_v2)
#define cublasSetWorkspace_v2	  LOOK_UP(cublasSetWorkspace_v2)
#define cublasSetPointerMode_v2	  LOOK_UP(cublasSetPointerMode_v2)
#define cublasSgemm_v2		  LOOK_UP(cublasSgemm_v2)
#define cublasSgemmStridedBatched LOOK_UP(cublasSgemmStridedBatched)
#define cublasLtMatmul		  LOOK_UP(cublasLtMatmul)
#define ncclFake		  LOOK_UP(ncclFake)
#define ncclGroupStart		  LOOK_UP(ncclGroupStart)
#define ncclGroupEnd		  LOOK_UP(ncclGroupEnd)
#define ncclAllReduce		  LOOK_UP(ncclAllReduce)
#define ncclAllGather		  LOOK_UP(ncclAllGather)
#define ncclBroadcast		  LOOK_UP(ncclBroadcast)
#define ncclGather		  LOOK_UP(ncclGather)
#define ncclPutSignal		  LOOK_UP(ncclPutSignal)
#define cufftPlan1d		  LOOK_UP(cufftPlan1d)
#define cufftPlanMany		  LOOK_UP(cufftPlanMany)
#define cufftXtSetCallback	  LOOK_UP(cufftXtSetCallback)
#define cufftSetStream		  LOOK_UP(cufftSetStream)
#define cufftDestroy		  LOOK_UP(cufftDestroy)
#define cufftExecC2C		  LOOK_UP(cufftExecC2C)
#define cufftExecR2C		  LOOK_UP(cufftExecR2C)
#define curandSetStream		  LOOK_UP(curandSetStream)
#define curandGenerateNormal	  LOOK_UP(curandGenerateNormal)
#endif

#endif

// What the stand-in for cuDNN can do: as much of its interface as the user of networks needs. Its
// kernels come as machine code alone, and take their operands in a struct that says nothing of
// them.
#ifndef SC_E2E_LIBRARIES_NETWORKS_H
#define SC_E2E_LIBRARIES_NETWORKS_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

typedef struct network_handle *cudnnHandle_t;

#define FUNCTIONS(ROW)                                                                             \
	ROW(cudnnCreate, (cudnnHandle_t * handle))                                                 \
	ROW(cudnnDestroy, (cudnnHandle_t handle))                                                  \
	ROW(cudnnSetStream, (cudnnHandle_t handle, cudaStream_t stream))                           \
	ROW(cudnnCreateTensorDescriptor, (void **tensor))                                          \
	ROW(cudnnSetTensorNdDescriptor,                                                            \
	    (void *tensor, int type, int dimensions, const int *sizes, const int *steps))          \
	ROW(cudnnGetTensorNdDescriptor,                                                            \
	    (const void *tensor, int room, int *type, int *dimensions, int *sizes, int *steps))    \
	ROW(cudnnCreateFilterDescriptor, (void **filter))                                          \
	ROW(cudnnSetFilterNdDescriptor,                                                            \
	    (void *filter, int type, int format, int dimensions, const int *sizes))                \
	ROW(cudnnGetFilterNdDescriptor,                                                            \
	    (const void *filter, int room, int *type, int *format, int *dimensions, int *sizes))   \
	ROW(cudnnCreateConvolutionDescriptor, (void **convolution))                                \
	ROW(cudnnSetConvolutionNdDescriptor,                                                       \
	    (void *convolution, int dimensions, const int *paddings, const int *strides,           \
	     const int *dilations, int mode, int type))                                            \
	ROW(cudnnGetConvolutionNdDescriptor,                                                       \
	    (const void *convolution, int room, int *dimensions, int *paddings, int *strides,      \
	     int *dilations, int *mode, int *type))                                                \
	ROW(cudnnGetPoolingNdDescriptor,                                                           \
	    (const void *pooling, int room, int *mode, int *propagation, int *dimensions,          \
	     int *sizes, int *paddings, int *strides))                                             \
	ROW(cudnnCreateRNNDataDescriptor, (void **sequences))                                      \
	ROW(cudnnSetRNNDataDescriptor,                                                             \
	    (void *sequences, int type, int layout, int longest, int count, int elements,          \
	     const int *lengths, void *filling))                                                   \
	ROW(cudnnGetRNNDataDescriptor,                                                             \
	    (const void *sequences, int *type, int *layout, int *longest, int *count,              \
	     int *elements, int room, int *lengths, void *filling))                                \
	ROW(cudnnGetRNNDescriptor_v8,                                                              \
	    (const void *network, int *algorithm, int *cell, int *bias, int *direction,            \
	     int *input, int *type, int *computed_in, int *math, int32_t *input_size,              \
	     int32_t *hidden_size, int32_t *result_size, int32_t *layers, void **dropout,          \
	     uint32_t *flags))                                                                     \
	ROW(cudnnGetDropoutDescriptor,                                                             \
	    (const void *dropout, cudnnHandle_t handle, float *probability, void **states,         \
	     unsigned long long *seed))                                                            \
	ROW(cudnnDropoutGetStatesSize, (cudnnHandle_t handle, size_t * bytes))                     \
	ROW(cudnnConvolutionForward,                                                               \
	    (cudnnHandle_t handle, const void *alpha, void *x_is, const void *x, void *w_is,       \
	     const void *w, void *convolution, int algorithm, void *scratch, size_t bytes,         \
	     const void *beta, void *y_is, void *y))                                               \
	ROW(cudnnConvolutionBackwardData,                                                          \
	    (cudnnHandle_t handle, const void *alpha, void *w_is, const void *w, void *dy_is,      \
	     const void *dy, void *convolution, int algorithm, void *scratch, size_t bytes,        \
	     const void *beta, void *dx_is, void *dx))                                             \
	ROW(cudnnDropoutForward, (cudnnHandle_t handle, void *dropout, void *x_is, const void *x,  \
				  void *y_is, void *y, void *saved, size_t saved_bytes))           \
	ROW(cudnnCreatePoolingDescriptor, (void **pooling))                                        \
	ROW(cudnnSetPoolingNdDescriptor,                                                           \
	    (void *pooling, int mode, int propagation, int dimensions, const int *sizes,           \
	     const int *paddings, const int *strides))                                             \
	ROW(cudnnPoolingForward,                                                                   \
	    (cudnnHandle_t handle, void *pooling, const void *alpha, void *x_is, const void *x,    \
	     const void *beta, void *y_is, void *y))                                               \
	ROW(cudnnCTCLoss, (cudnnHandle_t handle, void *x_is, const void *x, const int *labels,     \
			   const int *label_lengths, const int *lengths, void *costs, void *dx_is, \
			   void *dx, int algorithm, void *loss, void *scratch, size_t bytes))      \
	ROW(cudnnBatchNormalizationForwardTraining,                                                \
	    (cudnnHandle_t handle, int mode, const void *alpha, const void *beta, void *x_is,      \
	     const void *x, void *y_is, void *y, void *c_is, const void *scale, const void *bias,  \
	     double factor, void *running_mean, void *running_variance, double epsilon,            \
	     void *mean, void *variance))                                                          \
	ROW(cudnnRNNForward,                                                                       \
	    (cudnnHandle_t handle, void *network, int mode, const int32_t *lengths, void *x_is,    \
	     const void *x, void *y_is, void *y, void *h_is, const void *hx, void *hy, void *c_is, \
	     const void *cx, void *cy, size_t weight_bytes, const void *weights, size_t bytes,     \
	     void *scratch, size_t saved_bytes, void *saved))                                      \
	ROW(cudnnBackendCreateDescriptor, (int type, void **descriptor))                           \
	ROW(cudnnBackendDestroyDescriptor, (void *descriptor))                                     \
	ROW(cudnnBackendFinalize, (void *descriptor))                                              \
	ROW(cudnnBackendSetAttribute,                                                              \
	    (void *descriptor, int attribute, int type, int64_t count, const void *values))        \
	ROW(cudnnBackendGetAttribute, (void *descriptor, int attribute, int type, int64_t room,    \
				       int64_t *count, void *values))                              \
	ROW(cudnnBackendExecute, (cudnnHandle_t handle, void *plan, void *pack))                   \
	ROW(cudnnBackendPopulateCudaGraph,                                                         \
	    (cudnnHandle_t handle, void *plan, void *pack, void *graph))                           \
	ROW(cudnnBackendUpdateCudaGraph,                                                           \
	    (cudnnHandle_t handle, void *plan, void *pack, void *graph))

extern "C" {
#define ROW(name, parameters) int name parameters;
FUNCTIONS(ROW)
#undef ROW
}

// What the library gives its recurrent networks: states of random numbers at this address.
struct network {
	void *states;
	size_t state_bytes;
};

#ifdef LOOKED_UP
#include <dlfcn.h>

// The same, for a user that is not linked with the library but looks its functions up.
static void *in_library(const char *name)
{
	static void *library = dlopen("libcudnn.so.9", RTLD_NOW | RTLD_LOCAL);

	return dlsym(library, name);
}

namespace looked_up
{
#define ROW(name, parameters) \
	static const decltype(&::name) name = (decltype(&::name))in_library(#name);
FUNCTIONS(ROW)
#undef ROW
} // namespace looked_up
#define LIBRARY looked_up
#else
#define LIBRARY
#endif

#endif

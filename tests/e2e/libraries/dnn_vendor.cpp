/* What the recorder has of cuDNN without its headers (library/dnn_vendor.h, dnn.def, dnn_graph.def)
 * against the headers: numbers, and the kinds of the functions' parameters. It compiles, or it
 * fails. */
#include <cudnn.h>
#include "extensions/agents/operands/dnn_vendor.h"
#include "tests/e2e/libraries/alike.h"

#define ROW(name, number, bytes) SAME(number, name);
DNN_TYPES(ROW)
#undef ROW
#define ROW(id, name, number) SAME(SC_DNN_##id, name);
DNN_NUMBERS(ROW)
#if CUDNN_VERSION >= 92400
DNN_NEWER_NUMBERS(ROW)
#endif
#undef ROW

#define DNN_OPERATION(name, number, strength) \
	SAME(number, CUDNN_BACKEND_OPERATION_##name##_DESCRIPTOR);
#define DNN_TENSOR(name, number, mode, role) SAME(number, CUDNN_ATTR_OPERATION_##name);
#if CUDNN_VERSION < 92400
#define NEWER_OPERATION(name, number, strength)
#define NEWER_TENSOR(name, number, mode, role)
#endif
#include "extensions/agents/operands/dnn_graph.def"

#define ALIKE(name, parameters)                                                               \
	namespace its_##name                                                                  \
	{                                                                                     \
		using ours = int(*) parameters;                                               \
		using theirs = std::decay_t<decltype(name)>;                                  \
		static_assert(are_alike<ours, theirs>::value, #name " has other parameters"); \
	}
#if CUDNN_VERSION < 90500
#define NEWER(name, parameters)
#else
#define NEWER(name, parameters) ALIKE(name, parameters)
#endif
#define BACKEND(name, parameters, arguments, before, after) ALIKE(name, parameters)
#define EXECUTION(name, parameters, arguments)		    ALIKE(name, parameters)
#define FILLING(name, parameters, arguments)		    NEWER(name, parameters)
#define DNN(name, parameters, arguments, ...)		    ALIKE(name, parameters)
#include "extensions/agents/operands/dnn.def"

/* What the library is asked (library/dnn_calls.c). */
using descriptor = const void *;
ALIKE(cudnnGetTensorNdDescriptor, (descriptor, int, int *, int *, int *, int *))
ALIKE(cudnnGetFilterNdDescriptor, (descriptor, int, int *, int *, int *, int *))
ALIKE(cudnnGetConvolutionNdDescriptor, (descriptor, int, int *, int *, int *, int *, int *, int *))
ALIKE(cudnnGetPoolingNdDescriptor, (descriptor, int, int *, int *, int *, int *, int *, int *))
ALIKE(cudnnGetRNNDataDescriptor,
      (descriptor, int *, int *, int *, int *, int *, int, int *, void *))
ALIKE(cudnnGetRNNDescriptor_v8, (descriptor, int *, int *, int *, int *, int *, int *, int *, int *,
				 int32_t *, int32_t *, int32_t *, int32_t *, void **, uint32_t *))
ALIKE(cudnnGetDropoutDescriptor, (descriptor, void *, float *, void **, unsigned long long *))
ALIKE(cudnnDropoutGetStatesSize, (void *, size_t *))

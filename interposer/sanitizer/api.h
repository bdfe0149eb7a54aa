/* NVIDIA's Compute Sanitizer API: the functions, records and numbers of libsanitizer-public.so that
 * the recorder uses, as of CUDA 13.0. Declared here because toolkits from PyPI lack its headers.
 * Every function returns 0 if it succeeded. Records are read only, and only inside a callback.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "interposer/driver/cuda.h"

enum sc_sanitizer_domain {
	SC_SANITIZER_RESOURCE = 3,
	SC_SANITIZER_LAUNCH = 5,
	SC_SANITIZER_GRAPHS = 10
};

/* Callbacks of these domains. */
enum sc_sanitizer_resource {
	SC_SANITIZER_CONTEXT_CREATED = 3,
	SC_SANITIZER_CONTEXT_DESTROYING = 4,
	SC_SANITIZER_MODULE_LOADED = 9,
	SC_SANITIZER_MODULE_UNLOADING = 10
};
enum sc_sanitizer_launch { SC_SANITIZER_LAUNCH_BEGIN = 1 };
enum sc_sanitizer_graphs { SC_SANITIZER_NODE_BEGIN = 4 };

/* Kinds of instructions that call a patch. */
enum sc_sanitizer_instruction {
	SC_SANITIZER_GLOBAL_ACCESS = 3,
	SC_SANITIZER_BARRIER = 13,
	SC_SANITIZER_ASYNC_COPY = 14,
	SC_SANITIZER_BULK_LOAD = 30,
	SC_SANITIZER_BULK_STORE = 35,
	SC_SANITIZER_BULK_REDUCE = 37
};

#define SC_SANITIZER_TAKEN 10 /* the result of Subscribe where there is a subscriber already */

struct sc_sanitizer_context {
	CUcontext context;
};

struct sc_sanitizer_module {
	CUcontext context;
	CUmodule module;
	size_t bytes;
	const char *cubin;
};

struct sc_sanitizer_launching {
	CUcontext context;
	CUstream stream;
	void *stream_handle; /* the API's own */
	CUmodule module;
	CUfunction function;
	const char *name;
	uint32_t shape[9]; /* grid, block, cluster */
	uint64_t number;
	void *launch; /* valid until the callback after the launch */
	CUdevice device;
	CUcontext call_context; /* these three of nodes only */
	CUstream call_stream;
	void *call_stream_handle;
};

/* A node of a graph; `launching` is there if it is a kernel. */
struct sc_sanitizer_node {
	CUgraphExec exec;
	uint32_t launch;
	CUgraphNode node;
	int type; /* CUgraphNodeType */
	union {
		struct sc_sanitizer_launching launching;
		uint8_t room[144]; /* of the largest kind of node */
	};
	uint32_t is_upload;
};
_Static_assert(offsetof(struct sc_sanitizer_launching, launch) == 96, "as the API has it");
_Static_assert(offsetof(struct sc_sanitizer_launching, call_stream_handle) == 128,
	       "as the API has it");
_Static_assert(offsetof(struct sc_sanitizer_node, is_upload) == 176, "as the API has it");

typedef void sc_sanitizer_callback(void *data, int domain, uint32_t id, const void *record);

/* Member name, exported symbol, parameters. */
#define SC_SANITIZER_FUNCTIONS(F)                                                                 \
	F(Subscribe, sanitizerSubscribe, (void **subscriber, sc_sanitizer_callback *, void *))    \
	F(EnableCallback, sanitizerEnableCallback,                                                \
	  (uint32_t enable, void *subscriber, int domain, uint32_t id))                           \
	F(AddPatches, sanitizerAddPatches, (const void *image, CUcontext))                        \
	F(PatchInstructions, sanitizerPatchInstructions,                                          \
	  (int instruction, CUmodule, const char *))                                              \
	F(PatchModule, sanitizerPatchModule, (CUmodule))                                          \
	F(SetLaunchData, sanitizerSetLaunchCallbackData,                                          \
	  (void *launch, CUfunction, void *stream, const void *data))                             \
	F(Alloc, sanitizerAlloc, (CUcontext, void **, size_t))                                    \
	F(AllocHost, sanitizerAllocHost, (CUcontext, void **, size_t))                            \
	F(Free, sanitizerFree, (CUcontext, void *))                                               \
	F(FreeHost, sanitizerFreeHost, (CUcontext, void *))                                       \
	F(Fill, sanitizerMemset, (void *, int value, size_t, void *stream))                       \
	F(CopyToDevice, sanitizerMemcpyHostToDeviceAsync, (void *, void *, size_t, void *stream)) \
	F(Synchronize, sanitizerStreamSynchronize, (void *stream))

struct sc_sanitizer_calls {
#define MEMBER(name, symbol, parameters) int(*name) parameters;
	SC_SANITIZER_FUNCTIONS(MEMBER)
#undef MEMBER
};

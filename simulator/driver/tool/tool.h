/* Where the driver notifies a tool that changes kernels (instrument.h): knows nothing of what it is
 * told, so that all may call it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

/* All drop the driver's lock; afterwards handles have to be checked again. */
struct sim_tool {
	/* Announces contexts and modules that are new. */
	void (*settle)(void);
	/* These are about to end; with a library or a context, its modules. */
	void (*end_module)(CUmodule module);
	void (*end_library)(CUlibrary library);
	void (*end_context)(CUcontext context);
	/* A checked launch is about to be made, or the nodes of a graph: until sim_tool_launched
	 * the thread's kernels carry what the tool said. */
	CUresult (*launch)(const CUDA_KERNEL_NODE_PARAMS *params, const CUlaunchAttribute *attrs,
			   size_t attr_count, CUstream stream);
	CUresult (*graph)(CUgraphExec exec, CUstream stream, bool is_upload);
};

/* Of the launch that the thread makes. */
struct sim_tool_thread {
	bool is_inside; /* it runs a function of the tool */
	uint64_t grid;	/* the number that the tool was told */
	uint64_t word;	/* what it said */
};

struct sim_tool_thread *sim_tool_thread(void);

void sim_tool_set(const struct sim_tool *tool);

/* NULL: there is none, or it is the tool that calls. */
const struct sim_tool *sim_tool(void);

/* A context, or a module, was made. Under the driver's lock, as the next one. */
void sim_tool_add(void);
/* True once after it. */
bool sim_tool_take_news(void);

void sim_tool_launched(void);

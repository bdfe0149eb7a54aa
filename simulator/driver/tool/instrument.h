/* A tool that changes kernels before they run: what a stand-in for NVIDIA's Sanitizer API needs.
 *
 * One tool in a process, and none beside a subscriber of CUPTI's functions (observe.h). Its
 * functions are called inside of the program's call, on its thread, without the driver's lock; of
 * the calls that they make nobody is notified. Contexts and modules are announced at the end of the
 * call that made them, and before the first launch that uses them. A launch carries a number, which
 * its kernel reads as %gridid, and a word of the tool's, which it reads as %envreg30 and %envreg31.
 * All nodes of one launch of a graph share that word.
 *
 * The exported functions have the prefix `simulated_`, so that no program uses them by accident.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

/* A kernel that is about to be launched; valid during the tool's function. */
struct simulated_launch {
	CUcontext context;
	CUstream stream;
	CUmodule module;
	CUfunction function;
	const char *name;
	uint32_t grid[3], block[3], cluster[3];
	int device;
	uint64_t number; /* of its grid */
	uint64_t *word;	 /* 0 unless the tool sets it */
};

/* A node of a graph that is about to be launched, or uploaded; `launch` of kernels only, but for
 * the context and the stream of the call. */
struct simulated_node {
	CUgraphExec exec;
	CUgraphNode node; /* of the graph that was instantiated, or of the copy of it */
	int type;
	uint32_t exec_launch; /* number of this launch of the exec */
	bool is_upload;
	CUcontext call_context;
	CUstream call_stream;
	struct simulated_launch launch;
};

struct simulated_tool {
	void (*context)(CUcontext context, bool is_new);
	/* `names`: those of the sections of its machine code, each with a zero after it. */
	void (*module)(CUcontext context, CUmodule module, const char *names, size_t bytes,
		       bool is_new);
	void (*launch)(const struct simulated_launch *launch);
	void (*node)(const struct simulated_node *node);
};

/* False: there is a tool, or a subscriber. */
bool simulated_setTool(const struct simulated_tool *tool);
bool simulated_hasTool(void);
/* The driver's own function of that name, newest form; NULL: there is none. */
void *simulated_entry(const char *name);
/* Text `index` of a live module as it was loaded, borrowed; NULL: there are no more. */
const char *simulated_text(CUmodule module, size_t index, size_t *bytes);
struct simulated_new_text {
	const char *text;
	size_t bytes;
};
/* Later launches of the module's kernels run what these texts say, which are copied. False: out of
 * memory. */
bool simulated_replaceTexts(CUmodule module, const struct simulated_new_text *texts, size_t count);

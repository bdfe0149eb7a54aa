/* Collector: it is loaded once for each context, and launched after each launch that is recorded.
 */
#include "interposer/sanitizer/collector.h"

#include "interposer/driver/entry.h"

#define COLLECT_BLOCKS	64u
#define COLLECT_THREADS 256u /* as kernels/collect.cu has it */

extern const char sc_image_collect[];

typedef CUresult load_fn(CUmodule *, const void *);
typedef CUresult get_fn(CUfunction *, CUmodule, const char *);
typedef CUresult function_load_fn(CUfunction);
typedef CUresult exchange_fn(CUstreamCaptureMode *);
typedef CUresult push_fn(CUcontext);
typedef CUresult pop_fn(CUcontext *);
typedef CUresult launch_fn(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
			   unsigned, CUstream, void **, void **);

/* Another stream's capture must not come to harm. The function is loaded now: later that might wait
 * for kernels, which may wait for what the host has not enqueued yet. */
bool sc_collector_load(struct sc_planes *p)
{
	load_fn *load = sc_entry_find(SC_API_cuModuleLoadData, false);
	get_fn *get = sc_entry_find(SC_API_cuModuleGetFunction, false);
	function_load_fn *load_function = sc_entry_find(SC_API_cuFuncLoad, false);
	exchange_fn *exchange = sc_entry_find(SC_API_cuThreadExchangeStreamCaptureMode, false);
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUmodule module;
	bool works;

	if (!load || !get || !exchange || exchange(&mode))
		return false;
	works = !load(&module, sc_image_collect) && !get(&p->collector, module, "sc_collect") &&
		(!load_function || !load_function(p->collector));
	exchange(&mode);
	return works;
}

bool sc_collector_launch(struct sc_plane_slot *slot, const void *stream, bool per_thread)
{
	launch_fn *launch = sc_entry_find(SC_API_cuLaunchKernel, per_thread);
	push_fn *push = sc_entry_find(SC_API_cuCtxPushCurrent_v2, false);
	pop_fn *pop = sc_entry_find(SC_API_cuCtxPopCurrent_v2, false);
	void *parameters[] = {&slot->plane};
	CUcontext popped;
	bool works;

	if (!launch || !push || !pop || push(slot->planes->context))
		return false;
	works = !launch(slot->planes->collector, COLLECT_BLOCKS, 1, 1, COLLECT_THREADS, 1, 1, 0,
			(CUstream)stream, parameters, NULL);
	pop(&popped);
	return works;
}

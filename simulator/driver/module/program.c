/* The code of modules: programs for the executor, and which kernels it can execute. */
#include "simulator/driver/module/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/driver/call.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/context/thread.h"
#include "simulator/driver/schedule/crew.h"
#include "simulator/driver/kernel/execute.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/kernel/budget.h"
#include "simulator/driver/kernel/launch.h"
#include "simulator/driver/module/device_library.h"
#include "simulator/driver/module/module.h"
#include "simulator/driver/kernel/tally.h"
#include "simulator/driver/tool/tool.h"

#define BUDGET "budget:"

enum policy { RUN, STRICT, SKIP };

static enum policy policy;
static struct sim_tally *skipped; /* launches under `skip` */

void sim_program_init(void)
{
	const char *text = getenv("STREAMCHECK_SIM_KERNELS");

	if (!text || !*text || strcmp(text, "run") == 0)
		return;
	if (strncmp(text, BUDGET, strlen(BUDGET)) == 0) {
		sim_budget_set(strtoull(text + strlen(BUDGET), NULL, 10));
		return;
	}
	if (strcmp(text, "strict") == 0)
		policy = STRICT;
	else
		policy = SKIP;
	if (policy == SKIP)
		skipped = sim_tally_of("the kernels", "STREAMCHECK_SIM_KERNELS=skip");
}

bool sim_program_is_on(void)
{
	return policy != SKIP;
}

/* ---- programs ---- */

static uint64_t address_of(void *context, const char *name)
{
	CUmodule module = context;
	CUdeviceptr address;

	return sim_module_global(module, name, &address, NULL) == CUDA_SUCCESS ? address : 0;
}

/* The program of a module, made on first use; NULL: it has no text, or there is no memory. */
static struct sim_program *program_of(CUmodule module)
{
	const struct sim_text *text = module->changed ? module->changed : module->code->texts;
	struct sim_program *program;
	bool uses_library = false;
	const char *library;
	size_t library_bytes;

	if (module->program || !text)
		return module->program;
	program = calloc(1, sizeof(*program));
	if (!program)
		return NULL;
	program->refs = 1;
	program->code = exec_program_new(address_of, module);
	if (!program->code) {
		free(program);
		return NULL;
	}
	for (; text; text = text->next) {
		exec_program_add(program->code, text->bytes, text->size_bytes);
		uses_library |= sim_device_library_is_used(text->bytes, text->size_bytes);
	}
	library = sim_device_library_text(&library_bytes);
	if (uses_library)
		exec_program_add(program->code, library, library_bytes);
	module->program = program;
	return program;
}

void sim_program_end_module(CUmodule module)
{
	sim_program_put(module->program);
	module->program = NULL;
}

/* ---- initial values ---- */

static void set_initial(void *context, const char *variable, uint64_t offset, const void *bytes,
			size_t size)
{
	CUmodule module = context;
	struct sim_alloc *alloc = sim_module_own_global(module, variable);

	if (alloc && offset <= alloc->size_bytes && size <= alloc->size_bytes - offset)
		memcpy(alloc->backing->bytes + offset, bytes, size);
}

/* An image of machine code has all but the addresses, which its linker left open. Those of
 * functions matter where something is called by them. */
static bool has_addresses(const struct sim_code *code)
{
	const struct sim_text *text;

	for (text = code->texts; text; text = text->next)
		if (memmem(text->bytes, text->size_bytes, "generic(", 8) ||
		    memmem(text->bytes, text->size_bytes, ".callprototype", 14))
			return true;
	return false;
}

void sim_program_start_module(CUmodule module)
{
	const struct sim_code *code = module->code;
	struct sim_program *program = NULL;

	if (code->image->global_count && (code->image->is_ptx || has_addresses(code)))
		program = program_of(module);
	if (program)
		exec_program_initials(program->code, !code->image->is_ptx, set_initial);
}

/* Functions have other addresses in another program. */
void sim_program_change(CUmodule module)
{
	struct sim_program *program;

	sim_program_end_module(module);
	if (!has_addresses(module->code))
		return;
	program = program_of(module);
	if (program)
		exec_program_initials(program->code, true, set_initial);
}

/* ---- runs ---- */

/* The function of a kernel in that context. */
static CUresult function_of(CUfunction handle, CUcontext context, CUfunction *function)
{
	CUkernel kernel = (CUkernel)handle;
	CUmodule module;
	CUresult result;

	*function = handle;
	if (sim_handle_is(handle, SIM_KIND_FUNCTION))
		return CUDA_SUCCESS;
	result = sim_module_of_library(kernel->library, sim_context_home(context), &module);
	if (result == CUDA_SUCCESS)
		*function = &module->functions[kernel - kernel->library->kernels];
	return result;
}

CUresult sim_program_function(const CUDA_KERNEL_NODE_PARAMS *params, CUcontext context,
			      CUfunction *function)
{
	return function_of(params->func ? params->func : (CUfunction)params->kern, context,
			   function);
}

/* How machine code keeps its PTX. That which was compiled from Tile IR has a variable of its own.
 */
static const char *remedy(CUfunction function)
{
	const struct sim_image *image = function->module->code->image;

	for (size_t i = 0; i < image->global_count; i++)
		if (!strcmp(image->globals[i].name, "___NV_TILE_LAUNCH_META_DATA___"))
			return "; it was compiled from Tile IR, and tileiras keeps it with "
			       "--lineinfo";
	return "; nvcc keeps it with -arch=sm_90, and not with code=sm_90 alone "
	       "(CMake: CUDA_ARCHITECTURES 90, not 90-real)";
}

/* Names a kernel that is not executed, once. */
static void name_once(CUfunction function, const char *why)
{
	char reason[256], line[512];

	if (function->tally)
		return;
	snprintf(reason, sizeof(reason), "%s%.200s",
		 strncmp(why, "it", 2) ? "unknown instruction " : "", why);
	function->tally = sim_tally_of(function->image->name, reason);
	sim_call_say(line, snprintf(line, sizeof(line),
				    "simulated device: kernel %.200s is not executed: %s%s\n",
				    function->image->name, reason,
				    strcmp(why, EXEC_NO_PTX) ? "" : remedy(function)));
}

static const struct exec_kernel *kernel_of(CUfunction function)
{
	struct sim_program *program = program_of(function->module);
	const struct exec_kernel *kernel = NULL;
	const char *why = EXEC_NO_PTX;

	if (program)
		kernel = exec_program_kernel(program->code, function->image->name, &why);
	if (!kernel)
		name_once(function, why);
	return kernel;
}

void sim_program_measure(CUfunction handle)
{
	struct sim_image_kernel *image;
	struct sim_program *program;
	struct exec_sizes sizes;
	CUfunction function;

	if (!sim_thread_context() ||
	    function_of(handle, sim_thread_context(), &function) != CUDA_SUCCESS)
		return;
	program = program_of(function->module);
	image = &function->module->code->image->kernels[function - function->module->functions];
	image->is_measured = 1;
	if (!program || !exec_program_sizes(program->code, image->name, &sizes))
		return;
	image->shared_bytes = sizes.shared;
	image->local_bytes = sizes.local;
	image->const_bytes = sizes.constant;
}

static struct sim_run *new_run(CUfunction function, const struct exec_kernel *kernel,
			       const CUDA_KERNEL_NODE_PARAMS *params, const uint32_t *cluster,
			       bool is_cooperative)
{
	struct exec_launch launch = {
		.kernel = kernel,
		.grid = {params->gridDimX, params->gridDimY, params->gridDimZ},
		.block = {params->blockDimX, params->blockDimY, params->blockDimZ},
		.cluster = {cluster[0], cluster[1], cluster[2]},
		.dynamic_shared_bytes = params->sharedMemBytes,
		.is_cooperative = is_cooperative,
		.grid_number = sim_tool_thread()->grid,
		.tool_word = sim_tool_thread()->word};
	struct sim_run *run;

	exec_kernel_block(kernel, launch.block);
	run = sim_run_new(function->module->program, function->module->context,
			  function->image->name, &launch,
			  sim_launch_params_bytes(function->image, kernel));
	sim_crew_prepare(&launch);
	if (run && sim_launch_copy_params(params, function->image, kernel, sim_run_params(run)) &&
	    sim_run_hold(run))
		return run;
	sim_run_free(run);
	return NULL;
}

CUresult sim_program_prepare(const CUDA_KERNEL_NODE_PARAMS *params, CUcontext context,
			     bool is_cooperative, struct sim_kernel *to)
{
	const struct exec_kernel *kernel;
	CUfunction function;
	CUresult result;

	if (policy == SKIP) {
		to->tally = skipped;
		return CUDA_SUCCESS;
	}
	result = sim_program_function(params, context, &function);
	if (result != CUDA_SUCCESS)
		return result;
	kernel = kernel_of(function);
	to->tally = function->tally;
	if (!kernel)
		return policy == STRICT ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_SUCCESS;
	if (sim_budget_is_none()) {
		to->tally = sim_budget_tally(function->image->name, sim_call_say);
		return CUDA_SUCCESS;
	}
	to->run = new_run(function, kernel, params, to->cluster, is_cooperative);
	return to->run ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Executing kernels: programs of modules, runs of launches, memory for the executor. */
#include "simulator/driver/execute.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simulator/driver/call.h"
#include "simulator/driver/context.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/hostmem.h"
#include "simulator/driver/launch.h"
#include "simulator/driver/module.h"
#include "simulator/executor/executor.h"

enum policy { RUN, STRICT, SKIP };

static enum policy policy;

struct sim_program {
	unsigned int refs;
	struct exec_program *code;
};

struct sim_run {
	struct sim_program *program; /* counted */
	struct exec_launch launch;
	struct sim_alloc **held; /* owned, counted; memory that it has touched */
	size_t held_count;
	size_t held_capacity;
	char *kernel_name; /* owned */
	char params[];
};

/* A name that is no policy is reported once and means `run`. */
void sim_execute_init(void)
{
	const char *text = getenv("STREAMCHECK_SIM_KERNELS");

	if (!text || !*text || strcmp(text, "run") == 0)
		return;
	if (strcmp(text, "strict") == 0)
		policy = STRICT;
	else if (strcmp(text, "skip") == 0)
		policy = SKIP;
	else
		sim_call_unsupported("this value of STREAMCHECK_SIM_KERNELS");
}

bool sim_execute_is_on(void)
{
	return policy != SKIP;
}

/* One line on stderr; a closed one changes nothing for the caller. */
static void say(const char *line, int length)
{
	int saved_errno = errno;

	if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
		errno = saved_errno;
	errno = saved_errno;
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
	const struct sim_text *text = module->code->texts;
	struct sim_program *program;

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
	for (; text; text = text->next)
		exec_program_add(program->code, text->bytes, text->size_bytes);
	module->program = program;
	return program;
}

static void put(struct sim_program *program)
{
	if (!program || --program->refs)
		return;
	exec_program_free(program->code);
	free(program);
}

void sim_execute_end_module(CUmodule module)
{
	put(module->program);
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

/* An image of machine code has all but the addresses, which its linker left open. */
static bool has_addresses(const struct sim_code *code)
{
	const struct sim_text *text;

	for (text = code->texts; text; text = text->next)
		if (memmem(text->bytes, text->size_bytes, "generic(", 8))
			return true;
	return false;
}

void sim_execute_start_module(CUmodule module)
{
	const struct sim_code *code = module->code;
	struct sim_program *program = NULL;

	if (code->image->global_count && (code->image->is_ptx || has_addresses(code)))
		program = program_of(module);
	if (program)
		exec_program_initials(program->code, !code->image->is_ptx, set_initial);
}

/* ---- memory ---- */

static bool hold(struct sim_run *run, struct sim_alloc *alloc)
{
	struct sim_alloc **grown;

	if (run->held_count == run->held_capacity) {
		grown = realloc(run->held, (run->held_capacity + 16) * sizeof(*grown));
		if (!grown)
			return false;
		run->held = grown;
		run->held_capacity += 16;
	}
	sim_memory_get(alloc);
	run->held[run->held_count++] = alloc;
	return true;
}

static bool find(void *context, uint64_t address, struct exec_span *span)
{
	struct sim_run *run = context;
	struct sim_alloc *alloc;
	bool found;

	sim_lock();
	alloc = sim_memory_find(address);
	found = alloc && sim_memory_covers(alloc, address, 1, false) && hold(run, alloc);
	if (found)
		*span = (struct exec_span){.base = alloc->base,
					   .size_bytes = alloc->size_bytes,
					   .bytes = sim_memory_bytes(alloc, alloc->base),
					   .is_writable =
						   sim_memory_covers(alloc, address, 1, true)};
	sim_unlock();
	return found;
}

static bool read_host(void *context, void *to, uint64_t from, size_t bytes)
{
	(void)context;
	return sim_hostmem_read(to, from, bytes);
}

static bool write_host(void *context, uint64_t to, const void *from, size_t bytes)
{
	(void)context;
	return sim_hostmem_write(to, from, bytes);
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

/* Names a kernel that is not executed, once. */
static void name_once(CUfunction function, const char *why)
{
	char line[512];
	int length;

	if (function->is_named)
		return;
	function->is_named = true;
	length = snprintf(
		line, sizeof(line), "simulated device: kernel %.200s is not executed: %.200s%s\n",
		function->image->name, strncmp(why, "it", 2) ? "unknown instruction " : "", why);
	say(line, length);
}

static const struct exec_kernel *kernel_of(CUfunction function)
{
	struct sim_program *program = program_of(function->module);
	const struct exec_kernel *kernel = NULL;
	const char *why = "it has no PTX";

	if (program)
		kernel = exec_program_kernel(program->code, function->image->name, &why);
	if (!kernel)
		name_once(function, why);
	return kernel;
}

static struct sim_run *new_run(CUfunction function, const struct exec_kernel *kernel,
			       const CUDA_KERNEL_NODE_PARAMS *params)
{
	size_t bytes = sim_launch_params_bytes(function->image);
	struct sim_run *run = calloc(1, sizeof(*run) + bytes + 1);

	if (!run)
		return NULL;
	run->kernel_name = strdup(function->image->name);
	if (!run->kernel_name || !sim_launch_copy_params(params, function->image, run->params)) {
		free(run->kernel_name);
		free(run);
		return NULL;
	}
	run->program = function->module->program;
	run->program->refs++;
	run->launch = (struct exec_launch){
		.kernel = kernel,
		.grid = {params->gridDimX, params->gridDimY, params->gridDimZ},
		.block = {params->blockDimX, params->blockDimY, params->blockDimZ},
		.dynamic_shared_bytes = params->sharedMemBytes,
		.params = run->params,
		.params_bytes = bytes,
		.memory = {find, read_host, write_host, run},
		.stop = &sim_driver.exiting};
	return run;
}

CUresult sim_execute_prepare(const CUDA_KERNEL_NODE_PARAMS *params, CUcontext context,
			     struct sim_run **run)
{
	CUfunction function = params->func ? params->func : (CUfunction)params->kern;
	const struct exec_kernel *kernel;
	CUresult result;

	*run = NULL;
	if (policy == SKIP)
		return CUDA_SUCCESS;
	result = function_of(function, context, &function);
	if (result != CUDA_SUCCESS)
		return result;
	kernel = kernel_of(function);
	if (!kernel)
		return policy == STRICT ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_SUCCESS;
	*run = new_run(function, kernel, params);
	return *run ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* What a kernel did wrong, for people: the error code says no place. */
static void report(const struct sim_run *run, const struct exec_outcome *o)
{
	static const char *const faults[] = {
		[EXEC_ILLEGAL_ADDRESS] = "accesses an address without memory",
		[EXEC_MISALIGNED_ADDRESS] = "accesses a misaligned address",
		[EXEC_TRAP] = "executes trap",
		[EXEC_NEVER_ENDS] = "never ends: all its threads wait",
		[EXEC_NO_MEMORY] = "does not run: the host has no memory for its blocks"};
	char place[256] = "", line[768];
	int length;

	if (o->file)
		snprintf(place, sizeof(place), ", %.200s:%u", o->file, o->line);
	length = snprintf(line, sizeof(line),
			  "simulated device: kernel %.200s %s: 0x%llx, block (%u,%u,%u), "
			  "thread (%u,%u,%u)%s\n",
			  run->kernel_name, faults[o->result], (unsigned long long)o->address,
			  o->block[0], o->block[1], o->block[2], o->thread[0], o->thread[1],
			  o->thread[2], place);
	say(line, length);
}

CUresult sim_execute_run(struct sim_run *run)
{
	struct exec_outcome outcome;

	exec_run(&run->launch, &outcome);
	if (outcome.result != EXEC_DONE && outcome.result != EXEC_STOPPED)
		report(run, &outcome);
	switch (outcome.result) {
	case EXEC_DONE:
	case EXEC_STOPPED: return CUDA_SUCCESS;
	case EXEC_ILLEGAL_ADDRESS: return CUDA_ERROR_ILLEGAL_ADDRESS;
	case EXEC_MISALIGNED_ADDRESS: return CUDA_ERROR_MISALIGNED_ADDRESS;
	case EXEC_TRAP: return CUDA_ERROR_LAUNCH_FAILED;
	case EXEC_NEVER_ENDS: return CUDA_ERROR_LAUNCH_TIMEOUT;
	case EXEC_NO_MEMORY: return CUDA_ERROR_OUT_OF_MEMORY;
	}
	return CUDA_ERROR_UNKNOWN;
}

void sim_execute_free(struct sim_run *run)
{
	size_t i;

	if (!run)
		return;
	for (i = 0; i < run->held_count; i++)
		sim_memory_put(run->held[i]);
	put(run->program);
	free(run->held);
	free(run->kernel_name);
	free(run);
}

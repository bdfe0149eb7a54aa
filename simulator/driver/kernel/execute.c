/* Executing kernels: runs of launches, and memory for the executor. */
#include "simulator/driver/kernel/execute.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/driver/call.h"
#include "simulator/driver/graph/condition.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/schedule/crew.h"
#include "simulator/driver/schedule/schedule.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/kernel/budget.h"
#include "simulator/driver/kernel/hazards.h"
#include "simulator/driver/tool/tool.h"
#include "simulator/driver/memory/heap.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/memory/range.h"
#include "simulator/driver/graph/node_bytes.h"
#include "simulator/driver/memory/registered.h"
#include "simulator/driver/kernel/tally.h"
#include "simulator/driver/texture/texture.h"
#include "simulator/executor/touched.h"

#define LONG_NS	   10000000000u /* a kernel that runs so long is named */
#define LOOK_NS	   1000000000u
#define NAMED_LONG 64

#define WATCHED_LAUNCHES 64 /* of a kernel, and then each of so many: */
#define WATCHED_LATER	 16

struct sim_run {
	struct sim_run *next;	       /* of those that run */
	struct sim_run *older, *newer; /* of all */
	uint64_t id;		       /* of sim_next_id(), when it was enqueued */
	uint64_t begun_ns;
	atomic_bool is_given_up;
	struct sim_effort *effort; /* owned; NULL: it does not run */
	bool signals;
	struct sim_program *program; /* counted */
	uint64_t call;		     /* that launched it (tally.h) */
	struct sim_launch_bytes *of; /* counted; of a node of a graph, or NULL */
	uint32_t node;		     /* then: its number */
	bool is_body;
	CUcontext context; /* borrowed */
	struct exec_launch launch;
	struct exec_touched touched[EXEC_PHASES]; /* if somebody wants to know it, as */
	struct exec_hazards hazards;
	struct sim_alloc **held; /* owned, counted */
	size_t held_count;
	size_t held_capacity;
	struct sim_texture **textures; /* owned, counted */
	size_t texture_count;
	size_t texture_capacity;
	char *name; /* owned */
	char params[];
};

void sim_program_put(struct sim_program *program)
{
	if (!program || --program->refs)
		return;
	exec_program_free(program->code);
	free(program);
}

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

static struct sim_alloc *find_held(const struct sim_run *run, uint64_t address)
{
	size_t i;

	for (i = 0; i < run->held_count; i++)
		if (address - run->held[i]->base < run->held[i]->size_bytes)
			return run->held[i];
	return NULL;
}

/* What is there for the launch's call, or for the kernel that runs. */
static struct sim_alloc *find_memory(const struct sim_run *run, uint64_t address)
{
	return run->effort ? sim_memory_find_for_kernel(address) : sim_memory_find(address);
}

#define NAMED_REST 16 /* kernels, each once */

static void say_rest(const struct sim_run *run, uint64_t address)
{
	static char *named[NAMED_REST];
	char line[512];
	size_t i;

	sim_lock();
	for (i = 0; i < NAMED_REST && named[i]; i++)
		if (strcmp(named[i], run->name) == 0)
			i = NAMED_REST;
	if (i < NAMED_REST)
		named[i] = strdup(run->name);
	sim_unlock();
	if (i < NAMED_REST)
		sim_call_say(line,
			     snprintf(line, sizeof(line),
				      "simulated device: kernel %.200s uses memory at 0x%" PRIx64
				      ", after the end of an allocation; it goes on, since a GPU "
				      "gives out 512 bytes at a time\n",
				      run->name, address));
}

static struct sim_alloc *find_and_hold(struct sim_run *run, uint64_t address)
{
	struct sim_alloc *alloc = find_held(run, address);

	if (alloc)
		return alloc;
	alloc = find_memory(run, address);
	return alloc && hold(run, alloc) ? alloc : NULL;
}

static bool span_of(const struct sim_alloc *alloc, uint64_t address, struct exec_span *span)
{
	if (alloc->is_unmapped || !sim_memory_covers(alloc, address, 1, false))
		return false;
	*span = (struct exec_span){.base = alloc->base,
				   .size_bytes = alloc->size_bytes,
				   .bytes = sim_memory_bytes(alloc, alloc->base),
				   .is_writable = sim_memory_covers(alloc, address, 1, true)};
	return true;
}

/* A device gives out memory in whole units, and does not notice who uses the rest of one. */
static bool find_rest(struct sim_run *run, uint64_t address, struct exec_span *span)
{
	uint64_t unit = address & ~(uint64_t)(SIM_RANGE_ALIGNMENT - 1);
	struct sim_alloc *alloc = find_and_hold(run, unit);

	if (!alloc || alloc->place != SIM_PLACE_DEVICE || !span_of(alloc, unit, span))
		return false;
	span->size_bytes = unit + SIM_RANGE_ALIGNMENT - alloc->base;
	return true;
}

static bool find(void *context, uint64_t address, struct exec_span *span)
{
	struct sim_run *run = context;
	struct sim_alloc *alloc;
	bool is_rest = false, found;

	sim_lock();
	alloc = find_and_hold(run, address);
	if (alloc)
		found = span_of(alloc, address, span);
	else
		found = is_rest = find_rest(run, address, span);
	sim_unlock();
	if (is_rest)
		say_rest(run, address);
	return found;
}

/* ---- textures and surfaces ---- */

static struct sim_texture *find_held_texture(const struct sim_run *run, uint64_t handle)
{
	size_t i;

	for (i = 0; i < run->texture_count; i++)
		if (run->textures[i]->handle == handle)
			return run->textures[i];
	return NULL;
}

static bool has_memory(const struct sim_run *run, const struct sim_texture *texture)
{
	return texture->array_count || find_memory(run, texture->made.levels[0].address);
}

/* The bytes of a texture, which are there. */
static bool hold_levels(struct sim_run *run, const struct sim_texture *texture)
{
	struct sim_alloc *alloc;
	unsigned int i;

	for (i = 0; i < texture->array_count; i++)
		if (!hold(run, texture->bytes[i]))
			return false;
	if (texture->array_count)
		return true;
	alloc = find_memory(run, texture->made.levels[0].address);
	return find_held(run, alloc->base) || hold(run, alloc);
}

static bool hold_texture(struct sim_run *run, struct sim_texture *texture)
{
	struct sim_texture **grown;

	if (run->texture_count == run->texture_capacity) {
		grown = realloc(run->textures, (run->texture_capacity + 16) * sizeof(*grown));
		if (!grown)
			return false;
		run->textures = grown;
		run->texture_capacity += 16;
	}
	if (!hold_levels(run, texture))
		return false;
	sim_texture_get(texture);
	run->textures[run->texture_count++] = texture;
	return true;
}

/* The object of a handle. One that the run holds may be gone for others. */
static struct sim_texture *find_texture(struct sim_run *run, uint64_t handle)
{
	struct sim_texture *texture = find_held_texture(run, handle);

	if (texture)
		return texture;
	texture = sim_texture_find_since(handle, run->id);
	if (!texture || texture->is_dead || !has_memory(run, texture))
		return NULL;
	return hold_texture(run, texture) ? texture : NULL;
}

static const struct exec_texture *texture_of(void *context, uint64_t handle)
{
	const struct sim_texture *texture;

	sim_lock();
	texture = find_texture(context, handle);
	sim_unlock();
	return texture ? &texture->made : NULL;
}

static bool read_host(void *context, void *to, uint64_t from, size_t bytes)
{
	(void)context;
	sim_registered_read(to, from, bytes);
	return true;
}

static bool write_host(void *context, uint64_t to, const void *from, size_t bytes)
{
	(void)context;
	sim_registered_write(to, from, bytes);
	return true;
}

static void print(void *context, const char *text, size_t bytes)
{
	const struct sim_run *run = context;
	CUcontext home = sim_context_home(run->context);
	size_t most;

	sim_lock();
	most = home->limits[CU_LIMIT_PRINTF_FIFO_SIZE];
	sim_unlock();
	sim_output_add(&home->output, most, text, bytes);
}

static void complain(void *context, const char *line, size_t bytes)
{
	(void)context;
	sim_call_say(line, (int)bytes);
}

static uint64_t allocate(void *context, uint64_t bytes)
{
	const struct sim_run *run = context;
	struct sim_heap *heap;
	uint64_t address;

	sim_lock();
	heap = sim_context_heap(run->context);
	address = heap ? sim_heap_take(heap, bytes) : 0;
	sim_unlock();
	return address;
}

static bool release(void *context, uint64_t address)
{
	const struct sim_run *run = context;
	CUcontext home = sim_context_home(run->context);
	bool is_there;

	sim_lock();
	is_there = home->heap && sim_heap_give(home->heap, address);
	sim_unlock();
	return is_there;
}

static void set_condition(void *context, uint64_t handle, uint32_t value)
{
	(void)context;
	sim_lock();
	sim_condition_set(handle, value);
	sim_unlock();
}

/* ---- all runs, in the order in which their launches were enqueued ---- */

static struct sim_run *oldest, *newest; /* borrowed */

static void note_oldest(void)
{
	sim_texture_set_oldest(oldest ? oldest->id : UINT64_MAX);
}

/* `after`: the run that it follows, or NULL. */
static void link_run(struct sim_run *run, struct sim_run *after)
{
	run->older = after;
	run->newer = after ? after->newer : oldest;
	*(after ? &after->newer : &oldest) = run;
	*(run->newer ? &run->newer->older : &newest) = run;
	note_oldest();
}

static void unlink_run(struct sim_run *run)
{
	*(run->older ? &run->older->newer : &oldest) = run->newer;
	*(run->newer ? &run->newer->older : &newest) = run->older;
	note_oldest();
}

struct sim_run *sim_run_new(struct sim_program *program, CUcontext context, const char *name,
			    const struct exec_launch *launch, size_t params_bytes)
{
	struct sim_run *run = calloc(1, sizeof(*run) + params_bytes + 1);

	if (!run)
		return NULL;
	run->name = strdup(name);
	if (!run->name) {
		free(run);
		return NULL;
	}
	run->program = program;
	run->id = sim_next_id();
	link_run(run, newest);
	run->call = sim_tally_current();
	program->refs++;
	run->launch = *launch;
	run->launch.params = run->params;
	run->launch.params_bytes = params_bytes;
	run->context = context;
	run->launch.memory = (struct exec_memory){find, read_host, write_host, texture_of, run};
	run->launch.services =
		(struct exec_services){print, complain, allocate, release, run, set_condition};
	run->launch.stop = &sim_driver.exiting;
	run->launch.give_up = &run->is_given_up;
	if (sim_tally_wants_bytes(run->call))
		run->launch.touched = run->touched;
	if (run->call && !sim_tool()) /* a tool's code in the kernel is not the program's */
		run->launch.hazards = &run->hazards;
	return run;
}

const char *sim_run_name(const struct sim_run *run)
{
	return run ? run->name : "";
}

struct sim_run *sim_run_copy(struct sim_run *run)
{
	struct sim_run *copy = sim_run_new(run->program, run->context, run->name, &run->launch,
					   run->launch.params_bytes);
	size_t i;

	if (!copy)
		return NULL;
	unlink_run(copy); /* it is as old as the other */
	copy->id = run->id;
	link_run(copy, run);
	copy->call = run->call;
	copy->signals = run->signals;
	copy->launch.touched = run->launch.touched ? copy->touched : NULL;
	copy->launch.hazards = run->launch.hazards ? &copy->hazards : NULL;
	memcpy(copy->params, run->params, run->launch.params_bytes);
	for (i = 0; i < run->held_count; i++)
		if (!hold(copy, run->held[i])) {
			sim_run_free(copy);
			return NULL;
		}
	return copy;
}

void sim_run_set_node(struct sim_run *run, struct sim_launch_bytes *launch, uint32_t node,
		      bool is_body)
{
	sim_launch_bytes_get(launch);
	sim_launch_bytes_begin(launch);
	run->of = launch;
	run->node = node;
	run->is_body = is_body;
}

char *sim_run_params(struct sim_run *run)
{
	return run->params;
}

/* Kernels that volatile accesses, atomics or fences make visible at work, in memory of the host. */
static bool signals(const struct sim_run *run)
{
	size_t i;

	for (i = 0; i < run->held_count; i++)
		if (run->held[i]->place != SIM_PLACE_DEVICE)
			return exec_kernel_signals(run->launch.kernel);
	return false;
}

bool sim_run_hold(struct sim_run *run)
{
	struct sim_alloc *alloc;
	uint64_t word;
	size_t at;

	for (at = 0; at + sizeof(word) <= run->launch.params_bytes; at += sizeof(word)) {
		memcpy(&word, run->params + at, sizeof(word));
		alloc = sim_memory_find(word);
		if (alloc && !find_held(run, word) && !hold(run, alloc))
			return false;
		find_texture(run, word);
	}
	run->signals = signals(run);
	return true;
}

bool sim_run_waits(const struct sim_run *run)
{
	return run && exec_kernel_waits(run->launch.kernel);
}

bool sim_run_signals(const struct sim_run *run)
{
	return run && run->signals;
}

/* What a kernel did wrong, for people and for the tool: the error code says no place. */
static void report(const struct sim_run *run, const struct exec_outcome *o, CUresult error)
{
	static const char *const faults[] = {
		[EXEC_ILLEGAL_ADDRESS] = "accesses an address without memory",
		[EXEC_MISALIGNED_ADDRESS] = "accesses a misaligned address",
		[EXEC_TRAP] = "executes trap",
		[EXEC_WRONG_TENSOR] =
			"copies a tile by a tensor map that is none, or is for other instructions",
		[EXEC_MISALIGNED_TILE] =
			"copies a tile that does not begin at a multiple of 16 bytes",
		[EXEC_TILE_BEFORE] = "stores a tile that begins before its tensor",
		[EXEC_PIXEL_OUTSIDE] =
			"copies pixels that begin outside of the box of their tensor map",
		[EXEC_NO_TEXTURE] =
			"uses a handle without a texture or surface, or whose memory was freed",
		[EXEC_OUTSIDE_SURFACE] = "accesses a surface outside of its extent",
		[EXEC_ASSERT] = "fails an assertion",
		[EXEC_INVALID_PC] = "calls an address without a function",
		[EXEC_STACK_OVERFLOW] = "overflows the stack",
		[EXEC_NEVER_ENDS] = "never ends: all its threads wait",
		[EXEC_NO_MEMORY] = "does not run: the host has no memory for its blocks"};
	char place[256] = "", block[128], line[1024];
	int length;

	if (o->file)
		snprintf(place, sizeof(place), ", %.200s:%u", o->file, o->line);
	snprintf(block, sizeof(block), "block (%u,%u,%u), thread (%u,%u,%u)", o->block[0],
		 o->block[1], o->block[2], o->thread[0], o->thread[1], o->thread[2]);
	length = snprintf(line, sizeof(line), "simulated device: kernel %.200s %s: 0x%llx, %s%s\n",
			  run->name, faults[o->result], (unsigned long long)o->address, block,
			  place);
	if (o->result != EXEC_ASSERT) /* which has printed its own line */
		sim_call_say(line, length);
	snprintf(line, sizeof(line), "%s, %s%s", faults[o->result], block, place);
	sim_tally_failed(run->call, (int)error, o->address, run->name, line);
}

static CUresult error_of(enum exec_result result)
{
	switch (result) {
	case EXEC_DONE:
	case EXEC_STOPPED: return CUDA_SUCCESS;
	case EXEC_ILLEGAL_ADDRESS:
	case EXEC_OUTSIDE_SURFACE:
	case EXEC_NO_TEXTURE: return CUDA_ERROR_ILLEGAL_ADDRESS;
	case EXEC_MISALIGNED_ADDRESS: return CUDA_ERROR_MISALIGNED_ADDRESS;
	case EXEC_WRONG_TENSOR:
	case EXEC_MISALIGNED_TILE:
	case EXEC_TILE_BEFORE:
	case EXEC_PIXEL_OUTSIDE: return CUDA_ERROR_ILLEGAL_INSTRUCTION;
	case EXEC_ASSERT: return CUDA_ERROR_ASSERT;
	case EXEC_INVALID_PC: return CUDA_ERROR_INVALID_PC;
	case EXEC_TRAP:
	case EXEC_STACK_OVERFLOW: return CUDA_ERROR_LAUNCH_FAILED;
	case EXEC_NEVER_ENDS: return CUDA_ERROR_LAUNCH_TIMEOUT;
	case EXEC_NO_MEMORY: return CUDA_ERROR_OUT_OF_MEMORY;
	}
	return CUDA_ERROR_UNKNOWN;
}

static struct sim_run *running; /* borrowed; under the driver's lock */

/* Under the lock. */
static void begin(struct sim_run *run)
{
	run->begun_ns = sim_now_ns();
	run->next = running;
	running = run;
}

static void end(struct sim_run *run)
{
	struct sim_run **at = &running;

	while (*at != run)
		at = &(*at)->next;
	*at = run->next;
}

/* True once for each name, of the first few. */
static bool is_new(const char *name)
{
	static char *named[NAMED_LONG];
	size_t i;

	for (i = 0; i < NAMED_LONG && named[i]; i++)
		if (strcmp(named[i], name) == 0)
			return false;
	if (i == NAMED_LONG)
		return false;
	named[i] = strdup(name);
	return named[i] != NULL;
}

static void remark(const struct sim_run *run)
{
	char line[512];

	if (is_new(run->name))
		sim_call_say(line,
			     snprintf(line, sizeof(line),
				      "simulated device: kernel %.200s has run for %u s; "
				      "STREAMCHECK_SIM_KERNELS=skip executes no kernel and checks "
				      "the order of operations only\n",
				      run->name, (unsigned)(LONG_NS / 1000000000u)));
}

void sim_run_remark(uint64_t now, uint64_t *wake_ns)
{
	struct sim_run *run;

	for (run = running; run; run = run->next) {
		if (now >= run->begun_ns + LONG_NS)
			remark(run);
		if (sim_budget_is_over(run->begun_ns, now, wake_ns))
			atomic_store(&run->is_given_up, true);
	}
	if (now + LOOK_NS < *wake_ns)
		*wake_ns = now + LOOK_NS;
}

/* A kernel's threads do in its hundredth launch what they did before: each further one that is
 * watched costs as much as the first, and seldom shows anything. */
static void choose_watched(struct exec_launch *launch)
{
	uint64_t before = launch->hazards ? exec_kernel_count(launch->kernel) : 0;

	if (before >= WATCHED_LAUNCHES && before % WATCHED_LATER)
		launch->hazards = NULL;
}

static bool start(struct sim_run *run)
{
	choose_watched(&run->launch);
	run->launch.seed = sim_schedule_seed(run->id);
	run->effort = sim_effort_new(&run->launch);
	if (!run->effort)
		return false;
	sim_lock();
	begin(run);
	sim_unlock();
	return true;
}

static void say_touched_by_node(struct sim_run *run, bool is_known)
{
	sim_launch_bytes_add(run->of, run->node, run->is_body,
			     is_known ? run->launch.touched : NULL);
	sim_launch_bytes_end(run->of);
}

/* Says which bytes it touched, if that is known: of a launch that was broken off it depends on when
 * the others stopped. */
static void say_touched(struct sim_run *run, enum exec_result result)
{
	struct exec_piece *pieces;
	bool is_lost;
	size_t count;

	if (run->of && (result == EXEC_DONE || result == EXEC_STOPPED))
		say_touched_by_node(run, result == EXEC_DONE);
	if (run->of || !run->launch.touched || result != EXEC_DONE)
		return;
	count = exec_touched_phases(run->touched, sim_tally_pieces_most(), &pieces, &is_lost);
	if (!is_lost)
		sim_tally_touched(run->call, pieces, count);
	free(pieces);
	exec_touched_fini_phases(run->touched);
}

static CUresult finish(struct sim_run *run)
{
	struct exec_outcome outcome;
	CUresult error;

	sim_effort_free(run->effort, &outcome);
	run->effort = NULL;
	say_touched(run, outcome.result);
	sim_lock();
	end(run);
	if (outcome.result == EXEC_STOPPED && atomic_load(&run->is_given_up))
		sim_tally_skipped(sim_budget_tally(run->name, sim_call_say));
	else if (outcome.result != EXEC_NO_MEMORY)
		sim_tally_executed();
	sim_unlock();
	error = error_of(outcome.result);
	sim_hazards_tell(&run->hazards, run->name, run->call);
	if (error != CUDA_SUCCESS)
		report(run, &outcome, error);
	return error;
}

enum exec_progress sim_run_execute(struct sim_run *run, CUresult *result)
{
	enum exec_progress progress;

	*result = CUDA_ERROR_OUT_OF_MEMORY;
	if (!run->effort && !start(run))
		return EXEC_ENDED;
	progress = sim_effort_work(run->effort);
	if (progress == EXEC_ENDED)
		*result = finish(run);
	return progress;
}

void sim_run_free(struct sim_run *run)
{
	struct exec_outcome ignored;
	size_t i;

	if (!run)
		return;
	if (run->effort) { /* it waited, and its context has failed meanwhile */
		sim_effort_free(run->effort, &ignored);
		end(run);
	}
	unlink_run(run);
	exec_touched_fini_phases(run->touched);
	for (i = 0; i < run->held_count; i++)
		sim_memory_put(run->held[i]);
	sim_launch_bytes_put(run->of);
	sim_program_put(run->program);
	for (i = 0; i < run->texture_count; i++)
		sim_texture_put(run->textures[i]);
	free(run->textures);
	free(run->held);
	free(run->name);
	free(run);
}

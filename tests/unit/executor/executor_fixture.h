/* Running kernels of the executor on memory of the test: text in, bytes out. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "tests/unit/unit.h"

#include "simulator/executor/executor.h"

#define DEVICE_BASE UINT64_C(0x700000000000) /* where the test's memory lies for kernels */

struct device {
	char *bytes; /* of the test */
	size_t size_bytes;
	bool is_read_only;
	bool is_private;       /* only through read and write */
	const char *functions; /* before the kernel; NULL: none */
	const char *other;     /* text of the program beside; NULL: none */
	struct exec_services services;
	const struct exec_texture *(*texture)(void *device, uint64_t handle); /* or NULL */
	char text[16384];
	uint32_t grid[3], block[3], cluster[3];
	uint32_t shared_bytes;
	uint64_t budget;
	uint64_t grid_number, tool_word, seed;
	/* Runs a launch; NULL: this thread does. */
	void (*launch)(struct device *d, const struct exec_launch *l);
	struct exec_touched *touched; /* gets what a launch touches; NULL: nobody wants it */
	struct exec_hazards *hazards; /* the same of what collides */
	struct exec_outcome outcome;
};

static inline bool device_find(void *context, uint64_t address, struct exec_span *span)
{
	const struct device *d = context;

	if (address - DEVICE_BASE >= d->size_bytes)
		return 0;
	*span = (struct exec_span){DEVICE_BASE, d->size_bytes, d->is_private ? NULL : d->bytes,
				   !d->is_read_only};
	return 1;
}

static inline bool device_read(void *context, void *to, uint64_t from, size_t bytes)
{
	const struct device *d = context;

	memcpy(to, d->bytes + (from - DEVICE_BASE), bytes);
	return 1;
}

static inline bool device_write(void *context, uint64_t to, const void *from, size_t bytes)
{
	const struct device *d = context;

	memcpy(d->bytes + (to - DEVICE_BASE), from, bytes);
	return 1;
}

static inline uint64_t device_address_of(void *context, const char *name)
{
	(void)context;
	return strcmp(name, "variable") ? 0 : DEVICE_BASE;
}

/* A device with that memory, one block of so many threads. */
static inline struct device device_with(void *bytes, size_t size, uint32_t threads)
{
	return (struct device){
		.bytes = bytes, .size_bytes = size, .grid = {1, 1, 1}, .block = {threads, 1, 1}};
}

/* Runs kernel `k` of a text; NULL, or why it cannot run (a copy). */
static inline const char *device_try(struct device *d, const char *text, const void *params,
				     size_t params_bytes)
{
	static char reason[256];
	struct exec_program *p = exec_program_new(device_address_of, d);
	const char *why;
	struct exec_launch l = {.is_cooperative = 1,
				.grid = {d->grid[0], d->grid[1], d->grid[2]},
				.block = {d->block[0], d->block[1], d->block[2]},
				.cluster = {d->cluster[0], d->cluster[1], d->cluster[2]},
				.dynamic_shared_bytes = d->shared_bytes,
				.params = params,
				.params_bytes = params_bytes,
				.memory = {device_find, device_read, device_write, d->texture, d},
				.services = d->services,
				.budget = d->budget,
				.grid_number = d->grid_number,
				.tool_word = d->tool_word,
				.seed = d->seed,
				.touched = d->touched,
				.hazards = d->hazards};

	exec_program_add(p, text, strlen(text));
	if (d->other)
		exec_program_add(p, d->other, strlen(d->other));
	l.kernel = exec_program_kernel(p, "k", &why);
	if (l.kernel && d->launch)
		d->launch(d, &l);
	else if (l.kernel)
		exec_launch_run(&l, &d->outcome);
	else
		snprintf(reason, sizeof(reason), "%s", why);
	d->outcome.file = NULL; /* it was the program's */
	exec_program_free(p);
	return l.kernel ? NULL : reason;
}

/* A kernel with registers of all kinds, whose parameter is the address of the device's memory. %rd9
 * has that address, %r9 the thread, %rd8 the address of the thread's 8 bytes, %rd7 of its 4 bytes.
 */
static inline const char *device_text(struct device *d, const char *body)
{
	snprintf(
		d->text, sizeof(d->text),
		".version 8.0\n.target sm_75\n.address_size 64\n%s\n"
		".visible .entry k(.param .u64 p) {\n"
		".reg .pred %%p<10>; .reg .b16 %%h<10>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>;\n"
		".reg .f32 %%f<10>; .reg .f64 %%d<10>;\n"
		"ld.param.u64 %%rd9, [p]; cvta.to.global.u64 %%rd9, %%rd9; mov.u32 %%r9, %%tid.x;\n"
		"mul.wide.u32 %%rd8, %%r9, 8; add.s64 %%rd8, %%rd9, %%rd8;\n"
		"mul.wide.u32 %%rd7, %%r9, 4; add.s64 %%rd7, %%rd9, %%rd7;\n%s\nret;\n}\n",
		d->functions ? d->functions : "", body);
	return d->text;
}

/* Runs such a kernel; it must end with that result. */
static inline void device_ends(struct device *d, const char *body, enum exec_result result)
{
	const uint64_t params = DEVICE_BASE;
	const char *why = device_try(d, device_text(d, body), &params, sizeof(params));

	if (why)
		fail_msg("%s: %s", body, why);
	if (d->outcome.result != result)
		fail_msg("%s: result %d", body, d->outcome.result);
}

static inline void device_runs(struct device *d, const char *body)
{
	device_ends(d, body, EXEC_DONE);
}

/* Such a kernel must be refused, with a reason that contains `reason`. */
static inline void device_refuses(struct device *d, const char *body, const char *reason)
{
	const char *why = device_try(d, device_text(d, body), NULL, 0);

	if (!why)
		fail_msg("%s: runs", body);
	if (!strstr(why, reason))
		fail_msg("%s: %s", body, why);
}

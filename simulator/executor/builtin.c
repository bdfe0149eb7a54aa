/* Functions that the device has without PTX: lane after lane, by the services of the launch. */
#include "simulator/executor/builtin.h"

#include <stdio.h>
#include <string.h>

#include "simulator/executor/block.h"
#include "simulator/executor/frame.h"
#include "simulator/executor/memory.h"
#include "simulator/executor/print.h"
#include "simulator/executor/race.h"

/* One lane's call. */
struct lane_call {
	struct exec_warp *w;
	const struct exec_instruction *in;
	unsigned lane;
};

static uint64_t argument(const struct lane_call *c, uint32_t index)
{
	return exec_frame_argument(c->w, c->in->call, index, c->lane);
}

static void set_result(const struct lane_call *c, uint64_t value)
{
	exec_frame_set_result(c->w, c->in->call, c->lane, value);
}

static const struct exec_services *services(const struct lane_call *c)
{
	return &c->w->run->launch->services;
}

/* ---- printing ---- */

static bool read_memory(void *context, uint64_t address, void *to, size_t bytes)
{
	const struct lane_call *c = context;

	return exec_memory_read(c->w, c->in, c->lane, address, to, bytes);
}

static void print(const struct lane_call *c)
{
	const struct exec_services *s = services(c);
	struct exec_print p = {.read = read_memory, .context = (void *)c};

	exec_print(&p, argument(c, 0), argument(c, 1));
	if (s->print && p.text.count)
		s->print(s->context, p.text.items, p.text.count);
	set_result(c, (uint64_t)p.result);
	exec_print_fini(&p);
}

/* ---- assertions ---- */

#define NAME_MOST 512

/* A name in the device's memory, cut off if it is long. */
static void read_name(const struct lane_call *c, uint32_t index, char name[NAME_MOST])
{
	uint64_t address = argument(c, index);
	size_t at = 0;

	while (at + 1 < NAME_MOST && address &&
	       exec_memory_read(c->w, c->in, c->lane, address + at, &name[at], 1) && name[at])
		at++;
	name[at] = 0;
}

static void fail_assertion(const struct lane_call *c)
{
	const struct exec_services *s = services(c);
	const uint32_t *block = c->w->block->at;
	char text[NAME_MOST], file[NAME_MOST], function[NAME_MOST], line[4 * NAME_MOST];
	int length;

	read_name(c, 0, text);
	read_name(c, 1, file);
	read_name(c, 3, function);
	length = snprintf(line, sizeof(line),
			  "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` "
			  "failed.\n",
			  file, (unsigned)argument(c, 2), function, block[0], block[1], block[2],
			  exec_thread_x(c->w, c->lane), exec_thread_y(c->w, c->lane),
			  exec_thread_z(c->w, c->lane), text);
	if (s->complain && length > 0)
		s->complain(s->context, line, (size_t)length);
	c->w->fails_assertion = 1;
}

/* ---- the heap ---- */

static void allocate(const struct lane_call *c)
{
	const struct exec_services *s = services(c);

	exec_race_notify_by_heap(c->w);
	set_result(c, s->allocate ? s->allocate(s->context, argument(c, 0)) : 0);
}

static void release(const struct lane_call *c)
{
	const struct exec_services *s = services(c);
	uint64_t address = argument(c, 0);

	exec_race_notify_by_heap(c->w);
	if (address && (!s->release || !s->release(s->context, address)))
		exec_fail(c->w, c->in, EXEC_ILLEGAL_ADDRESS, c->lane, address);
}

/* ---- graphs ---- */

static void set_condition(const struct lane_call *c)
{
	const struct exec_services *s = services(c);

	if (s->set_condition)
		s->set_condition(s->context, argument(c, 0), (uint32_t)argument(c, 1));
}

/* ---- the table ---- */

struct exec_builtin {
	const char *name;
	const char *parameters;
	uint32_t result_bytes;
	void (*run)(const struct lane_call *c);
};

static const struct exec_builtin builtins[] = {
#define BUILTIN(name, handler, parameters, result) {name, parameters, result, handler},
#include "simulator/executor/builtin.def"
#undef BUILTIN
};

const struct exec_builtin *exec_builtin_find(const char *name)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (!strcmp(builtins[i].name, name))
			return &builtins[i];
	return NULL;
}

bool exec_builtin_fits(const struct exec_builtin *builtin, const struct exec_call *call)
{
	if (call->actual_count != strlen(builtin->parameters))
		return 0;
	for (uint32_t i = 0; i < call->actual_count; i++)
		if (call->actuals[i].bytes != (uint32_t)(builtin->parameters[i] - '0'))
			return 0;
	return !call->result.bytes || call->result.bytes == builtin->result_bytes;
}

void exec_builtin_run(const struct exec_builtin *builtin, struct exec_warp *w,
		      const struct exec_instruction *in, uint32_t lanes)
{
	struct lane_call c = {w, in, 0};

	for (; c.lane < EXEC_LANES && w->state != EXEC_WARP_ENDED; c.lane++)
		if (lanes >> c.lane & 1)
			builtin->run(&c);
	if (w->fails_assertion)
		exec_fail(w, in, EXEC_ASSERT, (unsigned)__builtin_ctz(lanes), 0);
}

/* The test machine: threads, barriers, calls. */
#include "tests/footprint/machine.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX UINT64_C(400000000)
#define WARP	  32

void machine_fail(struct machine *c, const char *error, const char *opcode)
{
	if (c->error)
		return;
	c->error = error;
	c->error_opcode = opcode;
}

const struct sc_ptx_operand *machine_operands(const struct thread *t,
					      const struct sc_instruction *in)
{
	return &t->frames[t->depth].f->operands.items[in->first];
}

const struct sc_ptx_operand *machine_inner(const struct thread *t,
					   const struct sc_ptx_operand *vector, uint32_t index)
{
	return &t->frames[t->depth].f->operands.items[vector->id + index];
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
	return align ? (value + align - 1) / align * align : value;
}

/* Symbols get a place in the window of their space on first use. Parameter memory of calls lives
 * in local memory: only one call of a function is active at a time. */
uint64_t machine_symbol(struct machine *c, uint32_t symbol)
{
	const struct sc_ptx_symbol *s = &c->m->symbols.items[symbol];
	uint64_t *place = sc_u64_map_get(&c->places, symbol);
	uint64_t *used = s->space == SC_SPACE_SHARED ? &c->shared_used : &c->local_used;

	if (*place)
		return *place - 1;
	if (s->space == SC_SPACE_PARAM &&
	    symbol - c->kernel->param_first < c->kernel->param_count) {
		*place = WINDOW_PARAM + s->offset + 1;
	} else if (s->space == SC_SPACE_GLOBAL || s->space == SC_SPACE_CONST) {
		*place = memory_buffer(c->memory, BUFFERS - 1 - symbol % 8) + 1;
	} else {
		*used = align_up(*used, s->align ? s->align : 8);
		*place = (s->space == SC_SPACE_SHARED ? WINDOW_SHARED : WINDOW_LOCAL) + *used + 1;
		*used += s->bytes ? s->bytes : 8;
	}
	return *place - 1;
}

static uint64_t special_value(const struct machine *c, const struct thread *t, uint32_t special)
{
	switch ((enum sc_special)special) {
	case SC_SPECIAL_TID_X: return t->tid[0];
	case SC_SPECIAL_TID_Y: return t->tid[1];
	case SC_SPECIAL_TID_Z: return t->tid[2];
	case SC_SPECIAL_CLUSTERID_X: /* a cluster is one block */
	case SC_SPECIAL_CTAID_X: return c->ctaid[0];
	case SC_SPECIAL_CLUSTERID_Y:
	case SC_SPECIAL_CTAID_Y: return c->ctaid[1];
	case SC_SPECIAL_CLUSTERID_Z:
	case SC_SPECIAL_CTAID_Z: return c->ctaid[2];
	case SC_SPECIAL_NTID_X: return c->launch->block[0];
	case SC_SPECIAL_NTID_Y: return c->launch->block[1];
	case SC_SPECIAL_NTID_Z: return c->launch->block[2];
	case SC_SPECIAL_NCLUSTERID_X:
	case SC_SPECIAL_NCTAID_X: return c->launch->grid[0];
	case SC_SPECIAL_NCLUSTERID_Y:
	case SC_SPECIAL_NCTAID_Y: return c->launch->grid[1];
	case SC_SPECIAL_NCLUSTERID_Z:
	case SC_SPECIAL_NCTAID_Z: return c->launch->grid[2];
	case SC_SPECIAL_LANEID: return t->linear % WARP;
	case SC_SPECIAL_DYNAMIC_SMEM: return c->launch->shared_bytes;
	case SC_SPECIAL_WARP_SIZE: return WARP;
	case SC_SPECIALS: break;
	}
	return 0;
}

uint64_t machine_value(struct machine *c, struct thread *t, const struct sc_ptx_operand *o)
{
	uint64_t value = 0;

	switch ((enum sc_operand_kind)o->kind) {
	case SC_OPERAND_REGISTER:
		value = t->frames[t->depth].registers[o->id] + (uint64_t)o->value;
		break;
	case SC_OPERAND_INTEGER:
	case SC_OPERAND_FLOAT: return (uint64_t)o->value;
	case SC_OPERAND_SPECIAL: return special_value(c, t, o->id);
	case SC_OPERAND_SYMBOL: return machine_symbol(c, o->id) + (uint64_t)o->value;
	case SC_OPERAND_ADDRESS:
		return machine_value(c, t, machine_inner(t, o, 0)) + (uint64_t)o->value;
	default: machine_fail(c, "an operand has no value", ""); return 0;
	}
	return o->negated ? !value : value;
}

void machine_set(struct thread *t, const struct sc_ptx_operand *to, uint64_t value)
{
	if (to->kind == SC_OPERAND_REGISTER)
		t->frames[t->depth].registers[to->id] = value;
}

static void enter(struct thread *t, const struct sc_function *f)
{
	struct frame *frame = &t->frames[t->depth];

	frame->f = f;
	frame->pc = 0;
	frame->registers = calloc(f->registers.count + 1, sizeof(*frame->registers));
	if (!frame->registers)
		abort();
}

static void start_thread(struct machine *c, struct thread *t, uint32_t linear)
{
	const uint32_t *block = c->launch->block;

	memset(t, 0, sizeof(*t));
	t->linear = linear;
	t->tid[0] = linear % block[0];
	t->tid[1] = linear / block[0] % block[1];
	t->tid[2] = linear / block[0] / block[1];
	t->local = calloc(1, LOCAL_BYTES);
	if (!t->local)
		abort();
	enter(t, c->kernel);
}

static void end_thread(struct thread *t)
{
	for (unsigned i = 0; i < FRAMES; i++)
		free(t->frames[i].registers);
	free(t->local);
}

static void run_thread(struct machine *c, struct thread *t)
{
	c->current = t;
	c->memory->local = t->local;
	while (t->wait == WAIT_NONE && !c->error) {
		machine_step(c);
		if (++c->steps > STEPS_MAX)
			machine_fail(c, "the kernel does not end", "");
		if (c->memory->error)
			machine_fail(c, c->memory->error, "");
	}
}

/* Lets the threads of one warp that stand at the same exchange have it; true if there were any. */
static bool exchange_warp(struct machine *c, uint32_t first)
{
	struct thread *group[WARP];
	unsigned count = 0;
	uint32_t pc = 0;

	for (uint32_t i = first; i < first + WARP && i < c->thread_count; i++) {
		struct thread *t = &c->threads[i];

		if (t->wait != WAIT_WARP)
			continue;
		if (count && t->frames[t->depth].pc != pc)
			continue;
		pc = t->frames[t->depth].pc;
		group[count++] = t;
	}
	if (!count)
		return 0;
	machine_exchange(c, group, count);
	for (unsigned i = 0; i < count; i++) {
		group[i]->frames[group[i]->depth].pc++;
		group[i]->wait = WAIT_NONE;
	}
	return 1;
}

static void release_barrier(struct machine *c)
{
	for (uint32_t i = 0; i < c->thread_count; i++)
		if (c->threads[i].wait == WAIT_BARRIER)
			c->threads[i].wait = WAIT_NONE;
}

static bool is_running(const struct machine *c)
{
	for (uint32_t i = 0; i < c->thread_count; i++)
		if (c->threads[i].wait != WAIT_DONE)
			return 1;
	return 0;
}

static void run_block(struct machine *c)
{
	for (uint32_t i = 0; i < c->thread_count; i++)
		start_thread(c, &c->threads[i], i);
	memset(c->memory->shared, 0, WINDOW_BYTES);
	while (!c->error && is_running(c)) {
		bool moved = 0;

		for (uint32_t i = 0; i < c->thread_count; i++)
			run_thread(c, &c->threads[i]);
		for (uint32_t i = 0; i < c->thread_count; i += WARP)
			moved |= exchange_warp(c, i);
		if (!moved)
			release_barrier(c);
	}
	for (uint32_t i = 0; i < c->thread_count; i++)
		end_thread(&c->threads[i]);
}

const struct decoded *machine_decoded(struct machine *c, uint32_t name)
{
	if (!c->decoded[name].vector)
		c->decoded[name] = decode(c->m->names.items[name]);
	return &c->decoded[name];
}

int machine_run(struct machine *c)
{
	const uint32_t *grid = c->launch->grid, *block = c->launch->block;

	c->thread_count = block[0] * block[1] * block[2];
	c->threads = calloc(c->thread_count, sizeof(*c->threads));
	c->decoded = calloc(c->m->names.count, sizeof(*c->decoded));
	if (!c->threads || !c->decoded)
		abort();
	for (uint32_t i = 0; i < grid[0] * grid[1] * grid[2] && !c->error; i++) {
		c->ctaid[0] = i % grid[0];
		c->ctaid[1] = i / grid[0] % grid[1];
		c->ctaid[2] = i / grid[0] / grid[1];
		run_block(c);
	}
	free(c->threads);
	free(c->decoded);
	sc_u64_map_fini(&c->places);
	return c->error ? -1 : 0;
}

/* The test machine: exchanges within a warp. */
#include <stdbool.h>
#include <string.h>

#include "tests/footprint/compute.h"
#include "tests/footprint/machine.h"

bool machine_is_exchange(const char *opcode)
{
	return !strncmp(opcode, "shfl.", 5) || !strncmp(opcode, "vote.", 5) ||
	       !strncmp(opcode, "activemask", 10) || !strcmp(opcode, "bar.warp.sync");
}

/* Lane that a shuffle reads from. */
static uint32_t source_lane(const char *opcode, uint32_t lane, uint32_t b, uint32_t c)
{
	uint32_t segment = c >> 8 & 31, limit = (lane & segment) | (c & 31 & ~segment), j;

	if (has_part(opcode, "up")) {
		j = lane - b;
		return (int32_t)j >= (int32_t)limit ? j : lane;
	}
	if (has_part(opcode, "down"))
		j = lane + b;
	else if (has_part(opcode, "bfly"))
		j = lane ^ b;
	else
		j = (lane & segment) | (b & ~segment & 31);
	return j <= limit ? j : lane;
}

static struct thread *thread_of(struct thread **group, unsigned count, uint32_t lane)
{
	for (unsigned i = 0; i < count; i++)
		if (group[i]->linear % 32 == lane)
			return group[i];
	return NULL;
}

static void shuffle(struct machine *c, struct thread **group, unsigned count, const char *opcode)
{
	uint64_t results[32];

	for (unsigned i = 0; i < count; i++) {
		struct thread *t = group[i];
		struct frame *f = &t->frames[t->depth];
		const struct sc_ptx_operand *o = machine_operands(t, &f->f->code.items[f->pc]);
		uint32_t lane =
			source_lane(opcode, t->linear % 32, (uint32_t)machine_value(c, t, &o[2]),
				    (uint32_t)machine_value(c, t, &o[3]));
		struct thread *from = thread_of(group, count, lane);

		from = from ? from : t;
		results[i] = machine_value(c, from,
					   &machine_operands(from, &f->f->code.items[f->pc])[1]);
	}
	for (unsigned i = 0; i < count; i++) {
		struct thread *t = group[i];
		struct frame *f = &t->frames[t->depth];
		const struct sc_ptx_operand *to = machine_operands(t, &f->f->code.items[f->pc]);

		if (to->kind == SC_OPERAND_VECTOR)
			to = machine_inner(t, to, 0);
		machine_set(t, to, results[i]);
	}
}

static void vote(struct machine *c, struct thread **group, unsigned count, const char *opcode)
{
	uint64_t ballot = 0, all = 0, result;

	for (unsigned i = 0; i < count; i++) {
		struct frame *f = &group[i]->frames[group[i]->depth];
		const struct sc_instruction *in = &f->f->code.items[f->pc];
		bool p = in->count < 2 ||
			 machine_value(c, group[i], &machine_operands(group[i], in)[1]);

		all |= UINT64_C(1) << group[i]->linear % 32;
		ballot |= (uint64_t)p << group[i]->linear % 32;
	}
	result = has_part(opcode, "ballot") || !strncmp(opcode, "active", 6) ? ballot
		 : has_part(opcode, "all")				     ? ballot == all
									     : ballot != 0;
	for (unsigned i = 0; i < count; i++) {
		struct frame *f = &group[i]->frames[group[i]->depth];

		machine_set(group[i], machine_operands(group[i], &f->f->code.items[f->pc]), result);
	}
}

void machine_exchange(struct machine *c, struct thread **group, unsigned count)
{
	struct frame *f = &group[0]->frames[group[0]->depth];
	const char *opcode = c->m->names.items[f->f->code.items[f->pc].name];

	if (!strncmp(opcode, "shfl.", 5))
		shuffle(c, group, count, opcode);
	else if (strncmp(opcode, "bar.", 4))
		vote(c, group, count, opcode);
}

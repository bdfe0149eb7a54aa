/* Rule 127: pageable memory that a kernel is given a pointer to (M-9). */
#include <stdbool.h>
#include <string.h>
#include "analyzer/access/launch.h"
#include "analyzer/rules/family.h"

#define RANGES 64 /* of pageable memory, the last seen */

struct pageable {
	struct {
		uint64_t start, end, sequence;
	} ranges[RANGES];
	unsigned next;
	bool has_any;
};

static void note_pageable(struct pageable *p, struct sc_analysis *a, uint64_t start, uint64_t bytes,
			  uint64_t sequence)
{
	uint64_t end;

	if (!start || !bytes || __builtin_add_overflow(start, bytes, &end))
		return;
	for (unsigned i = 0; i < RANGES; i++) {
		if (p->ranges[i].start == start && p->ranges[i].end == end)
			return;
	}
	p->ranges[p->next].start = start;
	p->ranges[p->next].end = end;
	p->ranges[p->next].sequence = sequence;
	p->next = (p->next + 1) % RANGES;
	p->has_any = 1;
	sc_families_change(a);
}

/* libc took the memory back, and may give it to another owner. */
static void forget_pageable(struct pageable *p, uint64_t start, uint64_t bytes)
{
	for (unsigned i = 0; i < RANGES; i++) {
		if (p->ranges[i].start < start + bytes && start < p->ranges[i].end)
			p->ranges[i].end = p->ranges[i].start = 0;
	}
}

/* A copy was given the same pointer, and the driver said that it is pageable. */
static bool find_pageable(const struct pageable *p, uint64_t address, uint64_t *sequence)
{
	for (unsigned i = 0; i < RANGES; i++) {
		if (p->ranges[i].start > address || address >= p->ranges[i].end)
			continue;
		*sequence = p->ranges[i].sequence;
		return 1;
	}
	return 0;
}

static void file_pageable(struct sc_analysis *a, const struct sc_record *r, uint64_t address,
			  uint64_t copied, int known)
{
	struct sc_finding f = sc_finding_begin(SC_RULE_127, NULL, 0, &r->op, r->sequence);

	f.side[0].address = address;
	f.side[0].known = (uint8_t)known;
	sc_finding_add_earlier(&f, copied, SC_SIDE_CALL);
	sc_finding_doubt_bytes(&f, known);
	if (known != SC_KNOWN_EXACT)
		f.severity = SC_WARNING;
	sc_finding_file(a, &f, NULL, &r->op);
}

/* A word of a kernel without code may be left over from what was on the caller's stack: frameworks
 * pass functors by value, which need not use all their bytes. So only those who ask for all hear of
 * it, and never of a member of a struct. */
static bool may_be_left_over(struct sc_analysis *a, const struct sc_record *r, uint32_t offset)
{
	return a->settings.profile != SC_STRICT || sc_launch_is_member(&a->kernels, r, offset);
}

/* Kernels cannot follow pageable pointers unless the device says that it can (M-9). */
static void check_parameters(const struct pageable *p, struct sc_analysis *a,
			     const struct sc_record *r)
{
	uint32_t bytes = 0;
	const uint8_t *data;

	if (!p->has_any || a->machine.reads_pageable || !a->kernels.code.has_device)
		return;
	data = sc_record_attachment(r, SC_ATTACH_LAUNCH, &bytes);
	for (uint32_t at = sizeof(struct sc_launch); data && at + 8 <= bytes; at += 8) {
		uint32_t offset = at - (uint32_t)sizeof(struct sc_launch);
		uint64_t value, canonical, copied;
		int known;

		memcpy(&value, data + at, sizeof(value));
		if (!find_pageable(p, value, &copied) ||
		    sc_memory_find(&a->memory, value, &canonical))
			continue;
		known = sc_launch_parameter(&a->kernels, r, offset);
		if (known < 0 || (known == SC_KNOWN_PARAMETER && may_be_left_over(a, r, offset)))
			continue;
		file_pageable(a, r, value, copied, known);
		return;
	}
}

static const uint16_t kinds[] = {SC_OP_COPY, SC_OP_HOST_FREE, SC_OP_KERNEL, SC_OP_NONE};

static const uint16_t routine[] = {SC_OP_COPY, SC_OP_NONE};

static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	const struct pageable *p = state;

	(void)a;
	return p->has_any;
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct pageable *p = state;
	const struct sc_op *op = &r->op;

	(void)step;
	if (op->phase == SC_PHASE_END)
		return;
	switch (op->kind) {
	case SC_OP_COPY:
		if (op->src_mem == SC_MEM_PAGEABLE)
			note_pageable(p, a, op->src, op->bytes, r->sequence);
		if (op->dst_mem == SC_MEM_PAGEABLE)
			note_pageable(p, a, op->dst, op->bytes, r->sequence);
		break;
	case SC_OP_HOST_FREE:
		if (sc_op_took_effect(op))
			forget_pageable(p, op->dst, op->bytes ? op->bytes : 1);
		break;
	case SC_OP_KERNEL:
		if (!(op->flags & SC_FLAG_LIBRARY))
			check_parameters(p, a, r);
		break;
	}
}

const struct sc_rule_family sc_rules_pageable_pointer = {
	.state_bytes = sizeof(struct pageable),
	.kinds = kinds,
	.routine = routine,
	.sees_routine = sees_routine,
	.step = check_record,
};

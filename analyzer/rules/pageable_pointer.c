/* Rule 127: pageable memory that a kernel is given a pointer to (M-9). */
#include <stdbool.h>
#include <string.h>
#include "analyzer/access/access.h"
#include "analyzer/access/launch.h"
#include "analyzer/rules/family.h"
#include "base/search.h"

#define RANGES 64 /* of pageable memory, the last seen */

struct pageable_range {
	uint64_t start, end, sequence;
};

/* A launch asks for each word of its parameters, of which there may be 500, and hardly one is such
 * an address: so the ranges are in order. */
struct pageable {
	struct pageable_range ranges[RANGES]; /* by start */
	uint64_t reach[RANGES];		      /* the highest end up to this one */
	size_t count;
};

/* How many begin at the address or below. */
static size_t count_from(const struct pageable *p, uint64_t address)
{
	size_t count;

	SC_SEARCH(count, p->count, p->ranges[count].start <= address);
	return count;
}

static void set_reach(struct pageable *p, size_t from)
{
	for (; from < p->count; from++) {
		p->reach[from] = p->ranges[from].end;
		if (from && p->reach[from - 1] > p->reach[from])
			p->reach[from] = p->reach[from - 1];
	}
}

static void remove_range(struct pageable *p, size_t at)
{
	p->count--;
	memmove(&p->ranges[at], &p->ranges[at + 1], (p->count - at) * sizeof(*p->ranges));
	set_reach(p, at);
}

static void remove_oldest(struct pageable *p)
{
	size_t oldest = 0;

	for (size_t i = 1; i < p->count; i++)
		if (p->ranges[i].sequence < p->ranges[oldest].sequence)
			oldest = i;
	remove_range(p, oldest);
}

static void note_pageable(struct pageable *p, struct sc_analysis *a, uint64_t start, uint64_t bytes,
			  uint64_t sequence)
{
	size_t at = count_from(p, start);
	uint64_t end;

	if (!start || !bytes || __builtin_add_overflow(start, bytes, &end))
		return;
	for (size_t i = at; i && p->ranges[i - 1].start == start; i--)
		if (p->ranges[i - 1].end == end)
			return;
	if (p->count == RANGES) {
		remove_oldest(p);
		at = count_from(p, start);
	}
	memmove(&p->ranges[at + 1], &p->ranges[at], (p->count - at) * sizeof(*p->ranges));
	p->ranges[at] = (struct pageable_range){start, end, sequence};
	p->count++;
	set_reach(p, at);
	sc_families_change(a);
}

/* libc took the memory back, and may give it to another owner. */
static void forget_pageable(struct pageable *p, uint64_t start, uint64_t bytes)
{
	for (size_t i = count_from(p, start + bytes - 1); i && p->reach[i - 1] > start; i--)
		if (start < p->ranges[i - 1].end)
			remove_range(p, i - 1);
}

/* A copy was given the same pointer, and the driver said that it is pageable. */
static bool find_pageable(const struct pageable *p, uint64_t address, uint64_t *sequence)
{
	for (size_t i = count_from(p, address); i && p->reach[i - 1] > address; i--) {
		if (address >= p->ranges[i - 1].end)
			continue;
		*sequence = p->ranges[i - 1].sequence;
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
static bool hears_of_any_word(const struct sc_analysis *a)
{
	return a->settings.profile == SC_STRICT;
}

/* All that the launch touched is known, and it ended well: it followed no pageable pointer. */
static bool is_seen_in_full(const struct sc_analysis *a, const struct sc_record *r)
{
	struct sc_touched touched = sc_access_touched(&a->kernels, r->sequence);

	return touched.list && !touched.is_partial && touched.list->how != SC_HOW_DOCUMENTED;
}

/* Kernels cannot follow pageable pointers unless the device says that it can (M-9). */
static void check_parameters(const struct pageable *p, struct sc_analysis *a,
			     const struct sc_record *r)
{
	uint32_t bytes = 0;
	const uint8_t *data;

	if (!p->count || a->machine.reads_pageable || !a->kernels.code.has_device)
		return;
	if (!hears_of_any_word(a) && !sc_launch_has_code(&a->kernels, r))
		return;
	data = sc_record_attachment(r, SC_ATTACH_LAUNCH, &bytes);
	for (uint32_t at = sizeof(struct sc_launch); data && at + 8 <= bytes; at += 8) {
		uint32_t offset = at - (uint32_t)sizeof(struct sc_launch);
		uint64_t value, canonical, copied;
		int known;

		memcpy(&value, data + at, sizeof(value));
		if (value < p->ranges[0].start || value >= p->reach[p->count - 1] ||
		    !find_pageable(p, value, &copied) ||
		    sc_memory_find(&a->memory, value, &canonical))
			continue;
		known = sc_launch_parameter(&a->kernels, r, offset);
		if (known < 0 ||
		    (known == SC_KNOWN_PARAMETER &&
		     (!hears_of_any_word(a) || sc_launch_is_member(&a->kernels, r, offset))) ||
		    (known != SC_KNOWN_EXACT && is_seen_in_full(a, r)))
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
	return p->count;
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

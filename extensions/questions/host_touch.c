/* Work with memory of the host: found, and followed until the host knows that it is done. */
#include "extensions/questions/host_touch.h"

#include <stdbool.h>
#include <string.h>

#define CHUNK_BITS 21
#define CHUNKS_MAX (UINT64_C(1) << 16) /* of one allocation */

/* Where programs, their heaps, mappings and stacks lie on 64-bit Linux. */
#define PROCESS_FIRST UINT64_C(0x550000000000)
#define PROCESS_END   UINT64_C(0x800000000000)

enum chunk { DEVICE_ONLY = 1, HOST_TOO = 2 };

static bool is_of_host(unsigned memory)
{
	return sc_memory_is_host(memory) || memory == SC_MEM_UNKNOWN;
}

static void add_range(struct sc_host_touch *t, const struct sc_op *op)
{
	uint64_t first = op->dst >> CHUNK_BITS, last = (op->dst + op->bytes) >> CHUNK_BITS;
	bool is_host = op->kind == SC_OP_PIN || is_of_host(op->dst_mem);

	t->has_any |= is_host;
	t->has_huge |= is_host && last - first >= CHUNKS_MAX;
	for (uint64_t i = first; i <= last && i - first < CHUNKS_MAX; i++)
		*sc_u64_map_get(&t->chunks, i) |= is_host ? HOST_TOO : DEVICE_ONLY;
}

static bool may_be_address(const struct sc_host_touch *t, uint64_t word)
{
	const uint64_t *chunk = sc_u64_map_find(&t->chunks, word >> CHUNK_BITS);

	if (chunk)
		return *chunk & HOST_TOO;
	return t->has_huge || (t->reads_pageable && word >= PROCESS_FIRST && word < PROCESS_END);
}

static bool has_address(const struct sc_host_touch *t, const struct sc_record *r)
{
	uint32_t bytes = 0;
	const uint8_t *launch = sc_record_attachment(r, SC_ATTACH_LAUNCH, &bytes);

	if (t->has_variables)
		return 1;
	if (sc_u64_map_find(&t->open, r->op.object))
		return t->has_any || t->reads_pageable;
	for (size_t at = sizeof(struct sc_launch); launch && at + sizeof(uint64_t) <= bytes;
	     at += sizeof(uint32_t)) {
		uint64_t word;

		memcpy(&word, launch + at, sizeof(word));
		if (may_be_address(t, word))
			return 1;
	}
	return 0;
}

/* Accesses that are attached count as they are. */
static bool has_access(const struct sc_host_touch *t, const struct sc_record *r)
{
	for (uint32_t i = 0; i < r->access_count; i++)
		if (is_of_host(r->accesses[i].memory) || may_be_address(t, r->accesses[i].base))
			return 1;
	return 0;
}

static bool is_touching(const struct sc_host_touch *t, const struct sc_record *r)
{
	switch (r->op.kind) {
	case SC_OP_COPY:
		return is_of_host(r->op.dst_mem) || is_of_host(r->op.src_mem) || has_access(t, r);
	case SC_OP_SET: return is_of_host(r->op.dst_mem);
	case SC_OP_KERNEL: return has_address(t, r) || has_access(t, r);
	case SC_OP_HOST_FUNC: return 1;
	default: return 0;
	}
}

static void note_open(struct sc_host_touch *t, const struct sc_analysis *a)
{
	size_t count;
	const struct sc_kernel_tally *k = sc_analysis_kernels(a, &count);

	for (size_t i = 0; i < count; i++)
		if (k[i].launches[SC_TALLY_OPEN])
			*sc_u64_map_get(&t->open, k[i].kernel) = 1;
}

void sc_host_touch_find(struct sc_host_touch *t, struct sc_reader *r, const struct sc_analysis *a)
{
	struct sc_record record;

	*t = (struct sc_host_touch){0};
	note_open(t, a);
	sc_reader_rewind(r);
	while (sc_reader_next(r, &record) > 0) {
		const struct sc_op *op = &record.op;

		if (op->kind == SC_OP_SYMBOL && !op->context)
			t->has_variables = 1;
		else if (op->kind == SC_OP_DEVICE)
			t->reads_pageable |= (op->value & SC_DEVICE_PAGEABLE_ACCESS) != 0;
		else if (op->kind == SC_OP_ALLOC || op->kind == SC_OP_ALLOC_ASYNC ||
			 op->kind == SC_OP_PIN)
			add_range(t, op);
		else if (op->flags & SC_FLAG_NODE && is_touching(t, &record))
			*sc_u64_map_get(&t->execs, op->peer) = 1;
		else if ((op->kind == SC_OP_KERNEL || sc_op_is_batch(op)) &&
			 is_touching(t, &record))
			*sc_u64_map_get(&t->listed, record.sequence) = 1;
	}
}

void sc_host_touch_fini(struct sc_host_touch *t)
{
	sc_u64_map_fini(&t->chunks);
	sc_u64_map_fini(&t->open);
	sc_u64_map_fini(&t->listed);
	sc_u64_map_fini(&t->execs);
}

static bool is_wanted(const struct sc_host_touch *t, const struct sc_step *step)
{
	const struct sc_op *op = step->op;

	switch (op->kind) {
	case SC_OP_COPY:
		if (!sc_op_is_batch(op))
			return is_of_host(op->dst_mem) || is_of_host(op->src_mem);
		/* fall through */
	case SC_OP_KERNEL: return sc_u64_map_find(&t->listed, step->sequence) != NULL;
	case SC_OP_SET: return is_of_host(op->dst_mem);
	case SC_OP_GRAPH_LAUNCH: return sc_u64_map_find(&t->execs, op->object) != NULL;
	case SC_OP_HOST_FUNC: return 1;
	default: return 0;
	}
}

void sc_host_known_see(void *data, struct sc_order *o, const struct sc_step *step)
{
	struct sc_host_known *k = data;
	size_t kept = 0;

	if (step->is_enqueued && is_wanted(k->touch, step))
		sc_vector_push(&k->pending,
			       ((struct sc_host_touch_work){step->sequence, step->when.position,
							    step->when.lane}));
	if (k->version == o->host.version)
		return;
	k->version = o->host.version;
	for (size_t i = 0; i < k->pending.count; i++) {
		struct sc_host_touch_work w = k->pending.items[i];

		if (sc_clock_at(o->host.clock, w.lane) >= w.position)
			*sc_u64_map_get(&k->known, w.sequence) = o->at;
		else
			k->pending.items[kept++] = w;
	}
	k->pending.count = kept;
}

uint64_t sc_host_known_later(const struct sc_host_known *before, const struct sc_host_known *now,
			     uint64_t *first)
{
	uint64_t count = 0;

	*first = UINT64_MAX;
	for (size_t i = 0; before->known.entries && i <= before->known.mask; i++) {
		const struct sc_map_entry *e = &before->known.entries[i];
		const uint64_t *then =
			e->key_plus ? sc_u64_map_find(&now->known, e->key_plus - 1) : NULL;

		if (!e->key_plus || (then && *then <= e->value))
			continue;
		count++;
		if (e->key_plus - 1 < *first)
			*first = e->key_plus - 1;
	}
	return count;
}

void sc_host_known_fini(struct sc_host_known *k)
{
	sc_vector_fini(&k->pending);
	sc_u64_map_fini(&k->known);
}

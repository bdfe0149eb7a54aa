/* Memory as a kernel sees it: windows, spans, and the places of an access. */
#include "simulator/executor/memory.h"

#include <stdlib.h>

#include "simulator/executor/job.h"

/* Between two allocations no access can lie, so one span is enough for one lane. */
static bool contains(const struct exec_span *s, uint64_t address, unsigned bytes)
{
	return bytes <= s->size_bytes && address - s->base <= s->size_bytes - bytes;
}

static bool remember(struct exec_run *r, const struct exec_span *span)
{
	struct exec_span *grown;

	if (r->span_count & (r->span_count - 1)) {
		r->spans[r->span_count++] = *span;
		return 1;
	}
	grown = realloc(r->spans, (r->span_count ? r->span_count * 2 : 1) * sizeof(*grown));
	if (!grown)
		return 0;
	r->spans = grown;
	r->spans[r->span_count++] = *span;
	return 1;
}

/* The span of an address: one of those found before, or a new one. */
static bool find_span(struct exec_run *r, uint64_t address, unsigned bytes, struct exec_span *span)
{
	const struct exec_memory *m = &r->launch->memory;

	for (size_t i = 0; i < r->span_count; i++)
		if (contains(&r->spans[i], address, bytes)) {
			*span = r->spans[i];
			return 1;
		}
	return m->find && m->find(m->context, address, span) && contains(span, address, bytes) &&
	       remember(r, span);
}

struct access {
	struct exec_warp *w;
	const struct exec_instruction *in;
	unsigned bytes;
	bool is_write;
};

static char *refuse(const struct access *a, enum exec_result result, unsigned lane,
		    uint64_t address)
{
	exec_fail(a->w, a->in, result, lane, address);
	return NULL;
}

/* A part of memory that the block or the thread has for itself. */
static char *place_inside(const struct access *a, unsigned lane, uint64_t at, unsigned char *base,
			  uint64_t size)
{
	if (size < a->bytes || at > size - a->bytes)
		return refuse(a, EXEC_ILLEGAL_ADDRESS, lane, at);
	return (char *)base + at;
}

/* Of the block, or of another one of its cluster. */
static char *place_shared(const struct access *a, unsigned lane, uint32_t at)
{
	const struct exec_block *b = a->w->block;
	uint32_t rank = exec_rank_of(b, at);

	if (rank >= b->cluster->count)
		return refuse(a, EXEC_ILLEGAL_ADDRESS, lane, at);
	b = b->cluster->blocks[rank];
	return place_inside(a, lane, at & ((UINT32_C(1) << EXEC_RANK_SHIFT) - 1), b->shared,
			    b->shared_bytes);
}

static char *place_local(const struct access *a, unsigned lane, uint64_t at)
{
	const struct exec_stack *s = &a->w->stack;

	return place_inside(a, lane, at, s->local + (size_t)lane * s->local_stride,
			    a->w->frame->local_end);
}

static char *place_param(const struct access *a, unsigned lane, uint64_t at)
{
	if (a->is_write)
		return refuse(a, EXEC_ILLEGAL_ADDRESS, lane, at);
	return place_inside(a, lane, at, a->w->run->params, a->w->run->kernel->param_bytes);
}

static char *place_global(const struct access *a, unsigned lane, uint64_t at,
			  struct exec_places *places)
{
	struct exec_span *span = &a->w->spans[a->in->hint];
	const struct exec_memory *m = &a->w->run->launch->memory;
	struct exec_job *job = a->w->run->job;

	if (at >> EXEC_WINDOW_BITS == EXEC_WINDOW_GRID >> EXEC_WINDOW_BITS)
		return place_inside(a, lane, at & UINT32_MAX, job->meeting, sizeof(job->meeting));
	if (!contains(span, at, a->bytes) && !find_span(a->w->run, at, a->bytes, span)) {
		*span = (struct exec_span){0};
		return refuse(a, EXEC_ILLEGAL_ADDRESS, lane, at);
	}
	if (a->is_write && !span->is_writable)
		return refuse(a, EXEC_ILLEGAL_ADDRESS, lane, at);
	if (span->bytes)
		return span->bytes + (at - span->base);
	if (!m->read || !m->read(m->context, places->buffer[lane], at, a->bytes))
		return refuse(a, EXEC_ILLEGAL_ADDRESS, lane, at);
	places->borrowed |= UINT32_C(1) << lane;
	return places->buffer[lane];
}

static char *place(const struct access *a, unsigned lane, struct exec_places *places)
{
	uint64_t at = places->address[lane];
	unsigned space = a->in->space;

	if (at & (a->bytes - 1))
		return refuse(a, EXEC_MISALIGNED_ADDRESS, lane, at);
	if (space == SC_SPACE_GENERIC &&
	    at >> EXEC_WINDOW_BITS == EXEC_WINDOW_SHARED >> EXEC_WINDOW_BITS)
		space = SC_SPACE_SHARED;
	if (space == SC_SPACE_GENERIC &&
	    at >> EXEC_WINDOW_BITS == EXEC_WINDOW_LOCAL >> EXEC_WINDOW_BITS)
		space = SC_SPACE_LOCAL;
	if (space == SC_SPACE_GENERIC &&
	    at >> EXEC_WINDOW_BITS == EXEC_WINDOW_PARAM >> EXEC_WINDOW_BITS)
		space = SC_SPACE_PARAM;
	switch ((enum sc_space)space) {
	case SC_SPACE_SHARED: return place_shared(a, lane, (uint32_t)at);
	case SC_SPACE_LOCAL: return place_local(a, lane, at & UINT32_MAX);
	case SC_SPACE_PARAM: return place_param(a, lane, at & UINT32_MAX);
	case SC_SPACE_GENERIC:
	case SC_SPACE_GLOBAL:
	case SC_SPACE_CONST: break;
	}
	return place_global(a, lane, at, places);
}

void exec_places_addresses(const struct exec_warp *w, const struct exec_instruction *in,
			   uint32_t mask, uint64_t *address)
{
	const void *base = exec_lanes(w, in->slot[1]);
	const uint64_t *wide = base;
	const uint32_t *narrow = base;
	uint64_t first;

	if (in->width[1] == 8)
		for (unsigned i = 0; i < EXEC_LANES; i++)
			address[i] = wide[i] + in->value;
	else
		for (unsigned i = 0; i < EXEC_LANES; i++)
			address[i] = narrow[i] + in->value;
	if (mask == EXEC_ALL)
		return;
	first = address[__builtin_ctz(mask)];
	for (unsigned i = 0; i < EXEC_LANES; i++)
		address[i] = mask >> i & 1 ? address[i] : first;
}

/* All lanes in one piece of memory, as most accesses are. */
static bool find_at_once(const struct access *a, uint32_t mask, char *bytes, uint64_t base,
			 uint64_t size, struct exec_places *p)
{
	uint64_t outside = 0, odd = 0, gaps = 0, last;

	if (!bytes || size < a->bytes)
		return 0;
	last = size - a->bytes;
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint64_t at = p->address[i] - base;

		outside |= at > last;
		odd |= p->address[i];
		gaps |= p->address[i] ^ (p->address[0] + (uint64_t)i * a->bytes);
		p->lane[i] = (char *)((uintptr_t)bytes + at);
	}
	p->is_row = mask == EXEC_ALL && !gaps;
	return !outside && !(odd & (a->bytes - 1));
}

/* Each lane in its thread's own memory. */
static bool find_local(const struct access *a, struct exec_places *p)
{
	const struct exec_stack *s = &a->w->stack;
	uint64_t outside = 0, odd = 0, size = a->w->frame->local_end, last;

	if (size < a->bytes)
		return 0;
	last = size - a->bytes;
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		outside |= p->address[i] > last;
		odd |= p->address[i];
		p->lane[i] = (char *)((uintptr_t)s->local + (uint64_t)i * s->local_stride +
				      p->address[i]);
	}
	p->is_row = 0;
	return !outside && !(odd & (a->bytes - 1));
}

/* The memory in which such accesses probably lie. */
static bool find_common(const struct access *a, uint32_t mask, struct exec_places *p)
{
	const struct exec_span *s = &a->w->spans[a->in->hint];
	const struct exec_block *b = a->w->block;

	switch ((enum sc_space)a->in->space) {
	case SC_SPACE_SHARED:
		return find_at_once(a, mask, (char *)b->shared, 0, b->shared_bytes, p);
	case SC_SPACE_LOCAL: return find_local(a, p);
	case SC_SPACE_PARAM: return 0;
	case SC_SPACE_GENERIC:
	case SC_SPACE_GLOBAL:
	case SC_SPACE_CONST: break;
	}
	if (a->is_write && !s->is_writable)
		return 0;
	return find_at_once(a, mask, s->bytes, s->base, s->size_bytes, p);
}

/* Shared and local memory and parameters are a block's or a thread's alone; the barrier of all
 * blocks is no memory of the program. */
static bool is_of_device(const struct access *a, uint64_t address)
{
	enum sc_space space = (enum sc_space)a->in->space;

	if (space != SC_SPACE_GENERIC && space != SC_SPACE_GLOBAL && space != SC_SPACE_CONST)
		return 0;
	return address - EXEC_WINDOW_FIRST >= EXEC_WINDOW_END - EXEC_WINDOW_FIRST;
}

static void note_lanes(const struct access *a, uint32_t mask, enum exec_use use,
		       const struct exec_places *p)
{
	struct exec_touched *t = &a->w->run->touched;

	if (p->is_row && is_of_device(a, p->address[0])) {
		exec_touched_add_range(t, p->address[0], (size_t)a->bytes * EXEC_LANES, use);
		return;
	}
	for (unsigned i = 0; i < EXEC_LANES; i++)
		if (mask >> i & 1 && is_of_device(a, p->address[i]))
			exec_touched_add(t, p->address[i], a->bytes, use);
}

static inline void note(const struct access *a, uint32_t mask, enum exec_use use,
			const struct exec_places *p)
{
	if (a->w->run->launch->touched)
		note_lanes(a, mask, use, p);
}

bool exec_places_find(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
		      unsigned bytes, enum exec_use use, struct exec_places *p)
{
	exec_places_addresses(w, in, mask, p->address);
	return exec_places_find_at(w, in, mask, bytes, use, p);
}

bool exec_places_find_at(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
			 unsigned bytes, enum exec_use use, struct exec_places *p)
{
	const struct access a = {w, in, bytes, use != EXEC_READ};

	p->borrowed = 0;
	w->wrote |= a.is_write && in->space != SC_SPACE_LOCAL;
	if (find_common(&a, mask, p)) {
		note(&a, mask, use, p);
		return 1;
	}
	p->is_row = 0;
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		p->lane[i] = place(&a, i, p);
		if (!p->lane[i])
			return 0;
	}
	note(&a, mask, use, p);
	return 1;
}

char *exec_places_find_one(struct exec_warp *w, const struct exec_instruction *in, unsigned space,
			   unsigned lane, uint64_t address, unsigned bytes, enum exec_use use,
			   struct exec_places *p)
{
	struct exec_instruction part = *in;

	part.space = (uint8_t)space;
	for (unsigned i = 0; i < EXEC_LANES; i++)
		p->address[i] = address;
	return exec_places_find_at(w, &part, UINT32_C(1) << lane, bytes, use, p) ? p->lane[lane]
										 : NULL;
}

bool exec_memory_read(struct exec_warp *w, const struct exec_instruction *in, unsigned lane,
		      uint64_t address, void *to, size_t bytes)
{
	const struct access a = {w, in, 1, 0};
	struct exec_places places = {0};
	const char *from;

	for (size_t i = 0; i < bytes; i++) {
		places.address[lane] = address + i;
		from = place(&a, lane, &places);
		if (!from)
			return 0;
		((char *)to)[i] = *from;
	}
	return 1;
}

void exec_places_end(struct exec_warp *w, const struct exec_instruction *in, unsigned bytes,
		     const struct exec_places *p)
{
	const struct exec_memory *m = &w->run->launch->memory;

	for (unsigned i = 0; p->borrowed >> i; i++) {
		if (!(p->borrowed >> i & 1))
			continue;
		if (!m->write || !m->write(m->context, p->address[i], p->buffer[i], bytes))
			exec_fail(w, in, EXEC_ILLEGAL_ADDRESS, i, p->address[i]);
		if (i == EXEC_LANES - 1)
			break;
	}
}

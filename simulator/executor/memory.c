/* Memory as a kernel sees it: windows, spans, and the places of an access. */
#include "simulator/executor/memory.h"

#include <stdlib.h>

#include "simulator/executor/job.h"
#include "simulator/executor/memory_tile.h"
#include "simulator/executor/race.h"
#include "simulator/executor/watch.h"

/* Between two allocations no access can lie, so one span is enough for one lane. */
static bool contains(const struct exec_span *s, uint64_t address, unsigned bytes)
{
	return bytes <= s->size_bytes && address - s->base <= s->size_bytes - bytes;
}

void exec_memory_add_base(struct exec_run *r, uint64_t base)
{
	for (unsigned phase = 0; r->launch->touched && phase < exec_phases(r->kernel); phase++)
		exec_touched_add_base(&r->touched[phase], base);
}

static bool remember(struct exec_run *r, const struct exec_span *span)
{
	struct exec_span *grown;

	exec_memory_add_base(r, span->base);
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
	if (!m->find)
		return 0;
	/* What begins in an allocation may end in the rest of its last unit. */
	return ((m->find(m->context, address, span) && contains(span, address, bytes)) ||
		(m->find(m->context, address + bytes - 1, span) &&
		 contains(span, address, bytes))) &&
	       remember(r, span);
}

struct access {
	struct exec_warp *w;
	const struct exec_instruction *in;
	unsigned bytes;
	enum exec_use use;
	bool is_write;
};

/* ---- regions ---- */

static bool lies_in(const struct exec_region *r, uint64_t address, unsigned bytes)
{
	return bytes <= r->size_bytes && address - r->base <= r->size_bytes - bytes;
}

static char *bytes_of(const struct exec_region *r, uint64_t address, unsigned lane)
{
	return (char *)((uintptr_t)r->bytes + (address - r->base) + (size_t)lane * r->apart);
}

/* The space of a generic address by its window. */
static enum sc_space window_space(uint64_t address)
{
	switch (address >> EXEC_WINDOW_BITS) {
	case EXEC_WINDOW_SHARED >> EXEC_WINDOW_BITS: return SC_SPACE_SHARED;
	case EXEC_WINDOW_LOCAL >> EXEC_WINDOW_BITS: return SC_SPACE_LOCAL;
	case EXEC_WINDOW_PARAM >> EXEC_WINDOW_BITS: return SC_SPACE_PARAM;
	}
	return SC_SPACE_GLOBAL;
}

/* Of the block, or of another one of its cluster. */
static inline bool find_shared(const struct exec_block *b, uint64_t at, struct exec_region *r)
{
	uint32_t rank = exec_rank_of(b, (uint32_t)at);

	if (rank >= b->cluster->count)
		return 0;
	b = b->cluster->blocks[rank];
	*r = (struct exec_region){.base = at >> EXEC_RANK_SHIFT << EXEC_RANK_SHIFT,
				  .size_bytes = b->shared_bytes,
				  .bytes = (char *)b->shared,
				  .is_writable = 1,
				  .is_shared = 1};
	return 1;
}

static inline bool find_global(const struct access *a, uint64_t at, struct exec_region *r)
{
	struct exec_span *span = &a->w->spans[a->in->hint];
	struct exec_job *job = a->w->run->job;

	if (at >> EXEC_WINDOW_BITS == EXEC_WINDOW_GRID >> EXEC_WINDOW_BITS) {
		*r = (struct exec_region){.base = EXEC_WINDOW_GRID,
					  .size_bytes = sizeof(job->meeting),
					  .bytes = (char *)job->meeting,
					  .is_writable = 1};
		return 1;
	}
	if (!contains(span, at, a->bytes) && !find_span(a->w->run, at, a->bytes, span)) {
		*span = (struct exec_span){0};
		return 0;
	}
	*r = (struct exec_region){.base = span->base,
				  .size_bytes = span->size_bytes,
				  .bytes = span->bytes,
				  .is_of_device = 1,
				  .is_writable = span->is_writable};
	return span->is_writable || !a->is_write;
}

/* The memory in which the address may lie; false: there is none, or it must not be written. */
static inline bool find_region(const struct access *a, uint64_t at, struct exec_region *r)
{
	enum sc_space space = (enum sc_space)a->in->space;
	const struct exec_warp *w = a->w;
	uint64_t base = at & ~(uint64_t)UINT32_MAX;

	switch (space == SC_SPACE_GENERIC ? window_space(at) : space) {
	case SC_SPACE_SHARED: return find_shared(w->block, at, r);
	case SC_SPACE_LOCAL:
		*r = (struct exec_region){.base = base,
					  .size_bytes = w->frame->local_end,
					  .bytes = (char *)w->stack.local,
					  .apart = w->stack.local_stride,
					  .is_writable = 1};
		return 1;
	case SC_SPACE_PARAM:
		*r = (struct exec_region){.base = base,
					  .size_bytes = w->run->kernel->param_bytes,
					  .bytes = (char *)w->run->params};
		return !a->is_write;
	case SC_SPACE_GENERIC:
	case SC_SPACE_GLOBAL:
	case SC_SPACE_CONST: break;
	}
	return find_global(a, at, r);
}

/* ---- places ---- */

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

/* Whether the lanes have waited; those of which some have may have been notified by these. */
static enum exec_phase phase_of(const struct exec_warp *w)
{
	const struct exec_kernel *k = w->run->kernel;
	bool may_know = w->waited || (k->meets && w->block->has_waited);

	if (!(w->active & ~w->waited))
		return EXEC_WAITED;
	if (k->notifies)
		may_know |= atomic_load_explicit(&w->run->job->has_waited, memory_order_relaxed);
	return may_know ? EXEC_MAYBE_WAITED : EXEC_NOT_WAITED;
}

struct exec_touched *exec_touched_of(const struct exec_warp *w)
{
	return &w->run->touched[w->run->kernel->waits ? phase_of(w) : EXEC_WAITED];
}

/* Which bytes the launch touches is noted for memory that others see. */
static bool notes(const struct access *a, const struct exec_region *r)
{
	return r->is_of_device && a->w->run->launch->touched;
}

/* Threads may collide there, or notify each other. */
static inline bool is_watched(const struct access *a)
{
	const struct exec_block *b = a->w->block;

	return b->watch || b->sees_all || (b->race && exec_race_may_notify(a->in, a->use));
}

static void watch(const struct access *a, const struct exec_region *r, uint32_t lanes,
		  const uint64_t *address)
{
	const struct exec_block *b = a->w->block;
	bool notifies = a->in->polls || (a->use != EXEC_READ && a->use != EXEC_WRITE);
	bool is_global = r->is_of_device && a->in->space != SC_SPACE_CONST;

	if (b->watch && (r->is_shared || notifies))
		exec_watch_access(a->w, a->in, lanes, address, a->bytes, a->use, r->is_shared);
	if (b->race && (is_global || (notifies && (r->is_shared || r->base == EXEC_WINDOW_GRID))))
		exec_race_access(a->w, a->in, lanes, address, r, a->bytes, a->use);
}

static void note_lanes(const struct access *a, uint32_t mask, const struct exec_places *p)
{
	struct exec_touched *t = exec_touched_of(a->w);
	uint64_t first = 0, end = 0;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		if (!(mask >> i & 1) || p->address[i] + a->bytes == end)
			continue;
		if (p->address[i] != end) {
			exec_touched_add(t, first, end - first, exec_noted_use(a->in, a->use));
			first = p->address[i];
		}
		end = p->address[i] + a->bytes;
	}
	exec_touched_add(t, first, end - first, exec_noted_use(a->in, a->use));
}

/* All lanes in one piece of memory, as most accesses are. */
static bool find_at_once(const struct access *a, uint32_t mask, struct exec_places *p)
{
	uint64_t outside = 0, odd = 0, last;
	struct exec_region r;

	if (!find_region(a, p->address[__builtin_ctz(mask)], &r) || !r.bytes ||
	    r.size_bytes < a->bytes)
		return 0;
	last = r.size_bytes - a->bytes;
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint64_t at = p->address[i] - r.base;

		outside |= at | (last - at); /* the sign: one of them is negative */
		odd |= p->address[i];
		p->lane[i] = (char *)((uintptr_t)r.bytes + at + (size_t)i * r.apart);
	}
	if (outside >> 63 || (odd & (a->bytes - 1)))
		return 0;
	if (notes(a, &r))
		note_lanes(a, mask, p);
	if (is_watched(a))
		watch(a, &r, mask, p->address);
	return 1;
}

static char *refuse(const struct access *a, enum exec_result result, unsigned lane,
		    uint64_t address)
{
	exec_fail(a->w, a->in, result, lane, address);
	return NULL;
}

/* Bytes that are read now, and written back by exec_places_end. */
static char *borrow(const struct access *a, unsigned lane, struct exec_places *p)
{
	const struct exec_memory *m = &a->w->run->launch->memory;

	if (!m->read || !m->read(m->context, p->buffer[lane], p->address[lane], a->bytes))
		return refuse(a, EXEC_ILLEGAL_ADDRESS, lane, p->address[lane]);
	p->borrowed |= UINT32_C(1) << lane;
	return p->buffer[lane];
}

static char *place(const struct access *a, unsigned lane, struct exec_places *p)
{
	uint64_t at = p->address[lane];
	struct exec_region r;

	if (at & (a->bytes - 1))
		return refuse(a, EXEC_MISALIGNED_ADDRESS, lane, at);
	if (!find_region(a, at, &r) || !lies_in(&r, at, a->bytes))
		return refuse(a, EXEC_ILLEGAL_ADDRESS, lane, at);
	if (notes(a, &r))
		exec_touched_add(exec_touched_of(a->w), at, a->bytes,
				 exec_noted_use(a->in, a->use));
	if (is_watched(a))
		watch(a, &r, UINT32_C(1) << lane, p->address);
	return r.bytes ? bytes_of(&r, at, lane) : borrow(a, lane, p);
}

static bool find_each(const struct access *a, uint32_t mask, struct exec_places *p)
{
	char *any = NULL;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		p->lane[i] = any = place(a, i, p);
		if (!any)
			return 0;
	}
	for (unsigned i = 0; i < EXEC_LANES; i++)
		p->lane[i] = mask >> i & 1 ? p->lane[i] : any;
	return 1;
}

bool exec_places_find(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
		      unsigned bytes, enum exec_use use, struct exec_places *p)
{
	exec_places_addresses(w, in, mask, p->address);
	return exec_places_find_at(w, in, mask, bytes, use, p);
}

static struct access begin(struct exec_warp *w, const struct exec_instruction *in, unsigned bytes,
			   enum exec_use use)
{
	return (struct access){w, in, bytes, use, use != EXEC_READ && use != EXEC_ATOMIC_READ};
}

/* Local memory is the thread's own. */
static void note_write(const struct access *a)
{
	a->w->wrote |= a->is_write && a->in->space != SC_SPACE_LOCAL;
}

bool exec_places_find_at(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
			 unsigned bytes, enum exec_use use, struct exec_places *p)
{
	const struct access a = begin(w, in, bytes, use);

	p->borrowed = 0;
	note_write(&a);
	if (find_at_once(&a, mask, p))
		return 1;
	return find_each(&a, mask, p);
}

/* ---- addresses with constant distances ---- */

/* How far before and after the first lane's address the others' are. False: so far that sums might
 * overflow, or addresses of 4 bytes wrap around. */
static inline bool measure(const struct exec_shape *s, bool is_narrow, int64_t *before,
			   int64_t *after)
{
	int64_t stride = s->stride, low = s->jump[0], high = s->jump[1];

	if (stride != (int32_t)stride || low != (int32_t)low || high != (int32_t)high)
		return 0;
	stride *= EXEC_PIECE - 1;
	*after = (stride > 0 ? stride : 0) + (low > 0 ? low : 0) + (high > 0 ? high : 0);
	*before = *after - stride - low - high;
	return !is_narrow ||
	       ((uint64_t)*before <= s->first && s->first + (uint64_t)*after <= UINT32_MAX);
}

static uint64_t piece_offset(const struct exec_shape *s, unsigned piece)
{
	return (uint64_t)((piece & 1 ? s->jump[0] : 0) + (piece & 2 ? s->jump[1] : 0));
}

static void note_apart(const struct access *a, uint64_t at, int64_t stride, unsigned lanes)
{
	struct exec_touched *t = exec_touched_of(a->w);

	if (!stride)
		exec_touched_add(t, at, a->bytes, exec_noted_use(a->in, a->use));
	else if (stride == a->bytes)
		exec_touched_add(t, at, (size_t)a->bytes * lanes, exec_noted_use(a->in, a->use));
	else
		exec_touched_add_apart(t, at, a->bytes, (uint64_t)stride, lanes,
				       exec_noted_use(a->in, a->use));
}

static void note_straight(const struct access *a, const struct exec_shape *s, uint64_t first)
{
	if (s->jump[0] == s->stride * EXEC_PIECE && s->jump[1] == s->jump[0] * 2) {
		note_apart(a, first, s->stride, EXEC_LANES);
		return;
	}
	for (unsigned p = 0; p < (s->jump[0] || s->jump[1] ? EXEC_PIECES : 1); p++)
		note_apart(a, first + piece_offset(s, p), s->stride, EXEC_PIECE);
}

static void watch_straight(const struct access *a, const struct exec_region *r,
			   const struct exec_shape *s, uint64_t first)
{
	uint64_t address[EXEC_LANES], at;
	uint32_t lanes = EXEC_ALL;

	/* Of reads at one address two lanes say as much as all. */
	if (!s->stride && !a->is_write)
		lanes &= 0x03030303;
	if (!s->jump[0] && !a->is_write)
		lanes &= 0x00FF00FF;
	if (!s->jump[1] && !a->is_write)
		lanes &= 0x0000FFFF;
	for (unsigned p = 0; p < EXEC_PIECES; p++) {
		at = first + piece_offset(s, p);
		for (unsigned i = 0; i < EXEC_PIECE; i++, at += (uint64_t)s->stride)
			address[p * EXEC_PIECE + i] = at;
	}
	watch(a, r, lanes, address);
}

/* Keeps where the lanes of that shape have their bytes if they lie in the region. */
static inline void keep_place(struct exec_known *k, const struct exec_region *r, int64_t before,
			      int64_t after)
{
	const struct exec_shape *s = &k->shape;
	uint64_t extent = (uint64_t)before + (uint64_t)after;

	k->is_writable = r->is_writable;
	k->before = (uint64_t)before;
	k->after = (uint64_t)after;
	k->least = r->base + (uint64_t)before;
	k->room = extent < r->size_bytes ? r->size_bytes - extent : 0;
	k->steps = (uint64_t)(s->stride | s->jump[0] | s->jump[1]);
	k->origin = (uintptr_t)r->bytes - r->base;
	k->stride = s->stride + r->apart;
	k->jump[0] = s->jump[0] + (int64_t)EXEC_PIECE * r->apart;
	k->jump[1] = s->jump[1] + (int64_t)EXEC_PIECE * 2 * r->apart;
}

/* The lanes have the distances of an access before, in the same piece of memory, which is noted. */
static bool is_kept(const struct access *a, const struct exec_known *k)
{
	const struct exec_shape *s = &k->shape;

	return k->space == a->in->space && a->in->width[1] == 8 && !is_watched(a) &&
	       (k->is_writable || !a->is_write) && k->stride == s->stride &&
	       k->jump[0] == s->jump[0] && k->jump[1] == s->jump[1] &&
	       exec_known_has(k, a->in, a->bytes);
}

/* A loop accesses the same bytes in each turn. */
static bool is_noted_already(struct exec_known *k, const struct access *a, uint64_t first)
{
	const struct exec_touched *t = exec_touched_of(a->w);
	uint32_t use = 1U << exec_noted_use(a->in, a->use);
	bool is_same = k->noted_in == t && k->noted_at == first && k->noted_bytes == a->bytes;
	bool is_noted = is_same && k->noted_uses & use;

	k->noted_in = t;
	k->noted_at = first;
	k->noted_bytes = a->bytes;
	k->noted_uses = is_same ? k->noted_uses | use : use;
	return is_noted;
}

/* The same as exec_straight_place where nothing is known. */
static __attribute__((noinline)) bool place_anew(const struct access *a, struct exec_known *known,
						 struct exec_straight *places)
{
	const struct exec_instruction *in = a->in;
	const struct exec_block *b = a->w->block;
	const struct exec_shape *s = &known->shape;
	uint64_t first = s->first + in->value;
	int64_t before, after;
	struct exec_region r;

	known->has_place = known->is_noted = 0;
	known->noted_in = NULL;
	if (!measure(s, in->width[1] != 8, &before, &after) || !find_region(a, first, &r) ||
	    !r.bytes)
		return 0;
	keep_place(known, &r, before, after);
	if (!exec_known_has(known, in, a->bytes))
		return 0;
	note_write(a);
	known->space = in->space;
	known->has_place = !notes(a, &r) && !b->watch && !b->sees_all;
	known->is_noted = notes(a, &r);
	known->is_lasting = !r.apart && !(r.is_shared && b->cluster->count > 1);
	if (known->is_noted && !is_noted_already(known, a, first))
		note_straight(a, s, first);
	if (is_watched(a))
		watch_straight(a, &r, s, first);
	*places = exec_known_places(known, in);
	return 1;
}

bool exec_straight_place(struct exec_warp *w, const struct exec_instruction *in,
			 struct exec_known *known, unsigned bytes, enum exec_use use,
			 struct exec_straight *places)
{
	const struct access a = begin(w, in, bytes, use);
	uint64_t first = known->shape.first + in->value;

	if (!known->is_noted || !is_kept(&a, known))
		return place_anew(&a, known, places);
	note_write(&a);
	if (!is_noted_already(known, &a, first))
		note_straight(&a, &known->shape, first);
	*places = exec_known_places(known, in);
	return 1;
}

bool exec_memory_region(struct exec_warp *w, const struct exec_instruction *in, uint64_t address,
			enum exec_use use, struct exec_region *r)
{
	const struct access a = begin(w, in, 1, use);

	return find_region(&a, address, r) && r->bytes;
}

void exec_memory_note(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
		      unsigned bytes, enum exec_use use, const struct exec_region *r,
		      const struct exec_places *places)
{
	const struct access a = begin(w, in, bytes, use);

	note_write(&a);
	if (notes(&a, r))
		note_lanes(&a, mask, places);
	if (is_watched(&a))
		watch(&a, r, mask, places->address);
}

char *exec_places_find_one(struct exec_warp *w, const struct exec_instruction *in, unsigned space,
			   unsigned lane, uint64_t address, unsigned bytes, enum exec_use use,
			   struct exec_places *p)
{
	struct exec_instruction part = *in;
	const struct access a = begin(w, &part, bytes, use);

	part.space = (uint8_t)space;
	p->address[lane] = address;
	p->borrowed = 0;
	note_write(&a);
	return place(&a, lane, p);
}

bool exec_memory_read(struct exec_warp *w, const struct exec_instruction *in, unsigned lane,
		      uint64_t address, void *to, size_t bytes)
{
	const struct access a = begin(w, in, 1, EXEC_READ);
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

const char *exec_memory_texel(struct exec_warp *w, const struct exec_instruction *in, unsigned lane,
			      uint64_t address, unsigned bytes, char *to)
{
	const struct access a = begin(w, in, bytes, EXEC_READ);
	struct exec_places places;
	const char *from;
	struct exec_region r;

	places.borrowed = 0;
	places.address[lane] = address;
	if (!find_global(&a, address, &r) || !lies_in(&r, address, bytes))
		return refuse(&a, EXEC_ILLEGAL_ADDRESS, lane, address);
	from = r.bytes ? bytes_of(&r, address, lane) : borrow(&a, lane, &places);
	if (!from)
		return NULL;
	memcpy(to, from, bytes);
	if (notes(&a, &r))
		exec_touched_add(exec_touched_of(w), address, bytes, EXEC_READ);
	return to;
}

const char *exec_memory_texels(struct exec_warp *w, const struct exec_instruction *in,
			       uint64_t address, uint64_t bytes)
{
	const struct access a = begin(w, in, 1, EXEC_READ);
	struct exec_region r;

	if (!find_global(&a, address, &r) || !r.bytes || r.size_bytes < bytes ||
	    address - r.base > r.size_bytes - bytes)
		return NULL;
	return bytes_of(&r, address, 0);
}

char *exec_memory_tile(struct exec_warp *w, const struct exec_instruction *in, uint64_t first,
		       const struct exec_tile *t, enum exec_use use)
{
	const struct access a = begin(w, in, t->bytes, use);
	uint64_t extent = (t->rows - 1) * t->pitch + t->row_bytes;
	struct exec_region r;

	if (first & (t->bytes - 1) || is_watched(&a) || !find_region(&a, first, &r) || !r.bytes ||
	    r.apart || r.size_bytes < extent || first - r.base > r.size_bytes - extent)
		return NULL;
	note_write(&a);
	for (unsigned i = 0; notes(&a, &r) && i < t->rows; i++)
		exec_touched_add(exec_touched_of(w), first + i * t->pitch, t->row_bytes,
				 exec_noted_use(in, use));
	return bytes_of(&r, first, 0);
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

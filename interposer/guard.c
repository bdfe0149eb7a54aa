/* The page guard: arms, and the waits that open them. */
#include "interposer/guard.h"

#include <errno.h>
#include <sys/mman.h>
#include "interposer/call.h"
#include "interposer/session.h"

#define PAGE	   UINT64_C(4096)
#define MOST_STEPS 4096 /* single steps on neighbours before an arm is given up */

/* ---- protection ---- */

/* What the host may do with the page now, and where the next change may be. */
static enum sc_right wanted(const struct sc_guard *g, uint64_t page, uint64_t *next)
{
	enum sc_right right = SC_MAY_ALL;

	for (unsigned i = 0; i < g->used; i++) {
		const struct sc_arm *a = &g->arm[i];

		if (!a->is_live)
			continue;
		if (a->first_page > page && a->first_page < *next)
			*next = a->first_page;
		if (a->end_page > page && a->end_page < *next)
			*next = a->end_page;
		if (a->first_page <= page && page < a->end_page && a->right < right)
			right = a->right;
	}
	return right;
}

/* Gives the pages the protection that the live arms ask for. */
static bool protect(const struct sc_guard *g, uint64_t first, uint64_t end)
{
	static const int bits[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
	bool ok = true;

	while (first < end) {
		uint64_t next = end;
		enum sc_right right = wanted(g, first, &next);

		if (mprotect((void *)first, next - first, bits[right]))
			ok = false;
		first = next;
	}
	return ok;
}

static void widen(struct sc_guard *g, const struct sc_arm *a)
{
	uint64_t low = a->first_page && a->first_page < a->start ? a->first_page : a->start;
	uint64_t high = a->end_page > a->end ? a->end_page : a->end;

	if (atomic_load_explicit(&g->live, memory_order_relaxed) > 1) {
		uint64_t old_low = atomic_load_explicit(&g->low, memory_order_relaxed);
		uint64_t old_high = atomic_load_explicit(&g->high, memory_order_relaxed);

		low = old_low < low ? old_low : low;
		high = old_high > high ? old_high : high;
	}
	atomic_store_explicit(&g->low, low, memory_order_relaxed);
	atomic_store_explicit(&g->high, high, memory_order_relaxed);
}

static void set_bounds(struct sc_guard *g)
{
	uint64_t low = UINT64_MAX, high = 0;

	while (g->used && !g->arm[g->used - 1].is_live)
		g->used--;
	for (unsigned i = 0; i < g->used; i++) {
		const struct sc_arm *a = &g->arm[i];

		if (!a->is_live)
			continue;
		low = a->start < low ? a->start : low;
		low = a->first_page && a->first_page < low ? a->first_page : low;
		high = a->end > high ? a->end : high;
		high = a->end_page > high ? a->end_page : high;
	}
	atomic_store_explicit(&g->low, low, memory_order_relaxed);
	atomic_store_explicit(&g->high, high, memory_order_relaxed);
}

static void release(struct sc_guard *g, struct sc_arm *a)
{
	a->is_live = false;
	atomic_fetch_sub_explicit(&g->live, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&g->openings, 1, memory_order_relaxed);
	protect(g, a->first_page, a->end_page);
}

/* Releases every arm that `test` accepts. Returns how many. */
static unsigned release_if(bool (*test)(const struct sc_arm *, const void *), const void *context)
{
	struct sc_guard *g = &sc_session.guard;
	int saved = errno;
	unsigned n = 0;

	if (!atomic_load_explicit(&g->live, memory_order_relaxed))
		return 0;
	sc_lock_get(&g->lock);
	for (unsigned i = 0; i < g->used; i++) {
		if (g->arm[i].is_live && test(&g->arm[i], context)) {
			release(g, &g->arm[i]);
			n++;
		}
	}
	if (n)
		set_bounds(g);
	sc_lock_put(&g->lock);
	errno = saved;
	return n;
}

/* ---- arming ---- */

/* True if the bytes before `start` on its page can only be the header of a malloc chunk that has a
 * mapping of its own: the size field says so (bit 1), and such a chunk ends on a page boundary. */
static bool is_mapped_chunk(uint64_t start, uint64_t bytes)
{
	uint64_t size;

	if (start % PAGE != 16)
		return false;
	size = *(const uint64_t *)(start - 8);
	return (size & 7) == 2 && (size & ~UINT64_C(7)) % PAGE == 0 && size >= bytes + 16;
}

/* The pages of an operand that may be protected. */
static void choose_pages(struct sc_arm *a, uint8_t memory)
{
	uint64_t first = a->start & ~(PAGE - 1), end = (a->end + PAGE - 1) & ~(PAGE - 1);
	struct sc_allocation owner;

	a->first_page = a->end_page = 0;
	if (memory == SC_MEM_PAGEABLE || sc_session.options.guard == SC_GUARD_OFF)
		return;
	if (!sc_memory_find(&sc_session.memory, a->start, &owner) ||
	    (owner.flags & SC_FLAG_READ_ONLY))
		return;
	if (memory == SC_MEM_REGISTERED && !is_mapped_chunk(owner.start, owner.bytes)) {
		if (first < owner.start)
			first += PAGE;
		if (end > owner.start + owner.bytes)
			end -= PAGE;
	}
	if (first < end) {
		a->first_page = first;
		a->end_page = end;
	}
}

/* A place for one more; when all are taken, that of the oldest arm, which then is open. */
static struct sc_arm *free_arm(struct sc_guard *g)
{
	struct sc_arm *oldest = &g->arm[0];

	if (g->used < SC_ARMS)
		return &g->arm[g->used++];
	for (unsigned i = 0; i < g->used; i++) {
		if (!g->arm[i].is_live)
			return &g->arm[i];
		if (g->arm[i].sequence < oldest->sequence)
			oldest = &g->arm[i];
	}
	release(g, oldest);
	atomic_fetch_add_explicit(&g->unguarded, 1, memory_order_relaxed);
	return oldest;
}

static void enter(const struct sc_arm *model)
{
	struct sc_guard *g = &sc_session.guard;
	struct sc_arm *a;

	sc_lock_get(&g->lock);
	a = free_arm(g);
	*a = *model;
	a->is_live = true;
	atomic_fetch_add_explicit(&g->live, 1, memory_order_relaxed);
	if (!protect(g, model->first_page, model->end_page)) {
		a->first_page = a->end_page = 0;
		protect(g, model->first_page, model->end_page);
	}
	if (a->access.memory != SC_MEM_PAGEABLE && a->first_page == a->end_page)
		atomic_fetch_add_explicit(&g->unguarded, 1, memory_order_relaxed);
	widen(g, a);
	sc_lock_put(&g->lock);
}

static void arm_one(const struct sc_call *call, const struct sc_access *access, enum sc_right right)
{
	struct sc_arm a = {.access = *access,
			   .start = access->base,
			   .sequence = call->sequence,
			   .stream = call->stream->id,
			   .context = call->op.context,
			   .right = (uint8_t)right,
			   .is_ordered = !(call->stream->flags & SC_FLAG_NON_BLOCKING)};

	a.end = access->base + (access->slices - 1) * access->slice_pitch +
		(access->rows - 1) * access->pitch + access->width;
	choose_pages(&a, access->memory);
	enter(&a);
}

static void arm_operand(const struct sc_call *call, const struct sc_access *access)
{
	if (access->memory != SC_MEM_PINNED && access->memory != SC_MEM_REGISTERED &&
	    access->memory != SC_MEM_MANAGED && access->memory != SC_MEM_PAGEABLE)
		return;
	if (access->width)
		arm_one(call, access, access->mode == SC_WRITE ? SC_MAY_NOTHING : SC_MAY_READ);
}

static const struct sc_access *attached(const struct sc_call *call, uint32_t *count)
{
	for (uint32_t i = 0; i < call->parts; i++) {
		if (call->part[i].type != SC_ATTACH_ACCESSES)
			continue;
		*count = call->part[i].bytes / (uint32_t)sizeof(struct sc_access);
		return call->part[i].data;
	}
	return NULL;
}

void sc_guard_arm(const struct sc_call *call)
{
	const struct sc_op *op = &call->op;
	struct sc_access dst = {.base = op->dst,
				.width = op->bytes,
				.rows = 1,
				.slices = 1,
				.mode = SC_WRITE,
				.memory = op->dst_mem};
	struct sc_access src = {.base = op->src,
				.width = op->bytes,
				.rows = 1,
				.slices = 1,
				.mode = SC_READ,
				.memory = op->src_mem};
	uint32_t count = 0;
	const struct sc_access *list = attached(call, &count);

	if (!call->stream || call->sequence == SC_NOT_WRITTEN)
		return;
	/* Host to host is synchronous whatever its name (C-A3); managed memory is not host here. */
	if (sc_memory_is_host(op->dst_mem) && sc_memory_is_host(op->src_mem) &&
	    op->dst_mem != SC_MEM_MANAGED && op->src_mem != SC_MEM_MANAGED)
		return;
	for (uint32_t i = 0; i < count; i++)
		arm_operand(call, &list[i]);
	if (!list) {
		arm_operand(call, &dst);
		arm_operand(call, &src);
	}
}

/* ---- waits ---- */

static bool is_covered(const struct sc_arm *a, const void *cover)
{
	return sc_cover_holds(cover, a->stream, a->context, a->is_ordered, a->sequence);
}

/* What a point in a stream covers: what was put into it, and what its waits brought in. */
static struct sc_cover cover_of(const struct sc_handle *stream, uint64_t sequence)
{
	struct sc_cover cover;

	sc_lock_get(&sc_session.guard.lock);
	cover = stream->cover;
	sc_lock_put(&sc_session.guard.lock);
	sc_cover_add(&cover, (struct sc_cover_entry){.stream = stream->id, .sequence = sequence});
	if (stream->flags & SC_FLAG_LEGACY) /* S-4 */
		sc_cover_add(&cover, (struct sc_cover_entry){.context = stream->context,
							     .sequence = sequence});
	return cover;
}

void sc_guard_waited_stream(struct sc_handle *stream, uint64_t sequence)
{
	struct sc_cover cover;

	if (!atomic_load_explicit(&sc_session.guard.live, memory_order_relaxed))
		return;
	cover = cover_of(stream, sequence);
	release_if(is_covered, &cover);
}

void sc_guard_waited_event(struct sc_handle *event)
{
	struct sc_cover cover;

	if (!atomic_load_explicit(&sc_session.guard.live, memory_order_relaxed))
		return;
	sc_lock_get(&sc_session.guard.lock);
	cover = event->cover;
	sc_lock_put(&sc_session.guard.lock);
	release_if(is_covered, &cover);
}

/* Without live arms there is nothing that an event could cover later. */
void sc_guard_record(struct sc_handle *event, const struct sc_handle *stream, uint64_t sequence)
{
	struct sc_guard *g = &sc_session.guard;
	struct sc_cover cover;

	if (!atomic_load_explicit(&g->live, memory_order_relaxed)) {
		event->cover.count = 0;
		return;
	}
	cover = cover_of(stream, sequence);
	sc_lock_get(&g->lock);
	event->cover = cover;
	sc_lock_put(&g->lock);
}

void sc_guard_join(struct sc_handle *stream, const struct sc_handle *event)
{
	struct sc_guard *g = &sc_session.guard;

	if (!atomic_load_explicit(&g->live, memory_order_relaxed))
		return;
	sc_lock_get(&g->lock);
	sc_cover_join(&stream->cover, &event->cover);
	sc_lock_put(&g->lock);
}

struct context_wait {
	uint32_t context;
	uint64_t sequence;
};

static bool is_in_context(const struct sc_arm *a, const void *context)
{
	const struct context_wait *w = context;

	return a->context == w->context && a->sequence < w->sequence;
}

void sc_guard_open_context(uint32_t context, uint64_t sequence)
{
	struct context_wait w = {context, sequence};

	release_if(is_in_context, &w);
}

static bool is_any(const struct sc_arm *a, const void *context)
{
	(void)a;
	(void)context;
	return true;
}

void sc_guard_lift(void)
{
	release_if(is_any, NULL);
}

/* ---- accesses ---- */

struct span {
	uint64_t start, end;
	bool is_write;
	bool conflicts; /* found out by the test */
};

static bool touches_bytes(const struct sc_arm *a, const struct span *s)
{
	return a->start < s->end && s->start < a->end;
}

static bool touches(const struct sc_arm *a, const void *context)
{
	const struct span *s = context;

	return touches_bytes(a, s) || (a->first_page < s->end && s->start < a->end_page);
}

void sc_guard_open_range(uint64_t start, uint64_t bytes)
{
	struct span s = {.start = start, .end = start + bytes};

	release_if(touches, &s);
}

static bool is_accessed(const struct sc_arm *a, const void *context)
{
	struct span *s = (struct span *)context;

	if (!touches(a, s) || a->first_page == a->end_page)
		return false;
	if (touches_bytes(a, s) && (s->is_write || a->right == SC_MAY_NOTHING))
		s->conflicts = true;
	return s->conflicts || s->is_write || a->right == SC_MAY_NOTHING;
}

bool sc_guard_access(uint64_t start, uint64_t bytes, bool is_write)
{
	struct span s = {.start = start, .end = start + bytes, .is_write = is_write};

	release_if(is_accessed, &s);
	return s.conflicts;
}

static bool is_ended(const struct sc_arm *a, const void *context)
{
	struct span *s = (struct span *)context;

	s->conflicts |= touches_bytes(a, s);
	return touches(a, s);
}

bool sc_guard_end(uint64_t start, uint64_t bytes)
{
	struct span s = {.start = start, .end = start + bytes};

	release_if(is_ended, &s);
	return s.conflicts;
}

/* ---- faults ---- */

/* True if the operand, row by row, holds this byte. */
static bool holds(const struct sc_access *x, uint64_t address)
{
	uint64_t at = address - x->base;

	if (address < x->base)
		return false;
	if (x->slices > 1) {
		if (at / x->slice_pitch >= x->slices)
			return false;
		at %= x->slice_pitch;
	}
	if (x->rows > 1) {
		if (at / x->pitch >= x->rows)
			return false;
		at %= x->pitch;
	}
	return at < x->width;
}

static enum sc_fault judge(struct sc_guard *g, uint64_t address, bool is_write, bool silent)
{
	enum sc_fault verdict = SC_FAULT_FOREIGN;
	uint64_t page = address & ~(PAGE - 1);

	for (unsigned i = 0; i < g->used; i++) {
		struct sc_arm *a = &g->arm[i];
		bool forbids = a->right == SC_MAY_NOTHING || is_write;

		if (!a->is_live || page < a->first_page || page >= a->end_page || !forbids)
			continue;
		if (silent || a->steps >= MOST_STEPS) {
			release(g, a);
			verdict = verdict == SC_FAULT_FOREIGN ? SC_FAULT_OPENED : verdict;
		} else if (holds(&a->access, address)) {
			release(g, a);
			verdict = SC_FAULT_HIT;
		} else if (verdict != SC_FAULT_HIT) {
			a->steps++;
			verdict = SC_FAULT_NEIGHBOUR;
		}
	}
	if (verdict == SC_FAULT_NEIGHBOUR)
		mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
	if (verdict == SC_FAULT_HIT || verdict == SC_FAULT_OPENED)
		set_bounds(g);
	return verdict;
}

enum sc_fault sc_guard_fault(uint64_t address, bool is_write, bool silent)
{
	struct sc_guard *g = &sc_session.guard;
	enum sc_fault verdict;

	/* No look without the lock: another thread may be between protecting and telling so. */
	sc_lock_get(&g->lock);
	verdict = judge(g, address, is_write, silent);
	sc_lock_put(&g->lock);
	return verdict;
}

void sc_guard_rearm(uint64_t page)
{
	struct sc_guard *g = &sc_session.guard;

	sc_lock_get(&g->lock);
	protect(g, page, page + PAGE);
	sc_lock_put(&g->lock);
}

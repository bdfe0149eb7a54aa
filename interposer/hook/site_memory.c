/* Sites of asynchronous allocations and frees: from addresses to records. */
#include "interposer/hook/site_memory.h"

#include <errno.h>
#include <string.h>
#include "interposer/call/api.h"
#include "interposer/call/pool.h"
#include "interposer/core/clock.h"
#include "interposer/core/session.h"
#include "interposer/guard/guard.h"
#include "interposer/library/enqueues.h"
#include "interposer/object/memory.h"
#include "interposer/python/python.h"
#include "trace/reserve.h"
#include "trace/slot.h"

/* Where a field of the op lies: words of a slot begin at multiples of eight. */
#define IN_SLOT(field) ((sizeof(uint32_t) + offsetof(struct sc_op, field)) % SC_SLOT_SIZE)
#define IN_NEXT(field) (sizeof(uint32_t) + offsetof(struct sc_op, field) - SC_SLOT_DATA)

_Static_assert(IN_SLOT(object) % 8 == 4 && IN_SLOT(stack) % 8 == 4 && IN_SLOT(time_ns) % 8 == 4 &&
		       IN_SLOT(dst) == SC_SLOT_SIZE - 4 && IN_SLOT(dst_mem) % 8 == 0 &&
		       IN_NEXT(bytes) % 8 == 0,
	       "write shifts by halves of words");

_Static_assert(offsetof(cuMemAllocFromPoolAsync_params, dptr) ==
			       offsetof(cuMemAllocAsync_params, dptr) &&
		       offsetof(cuMemAllocFromPoolAsync_params, bytesize) ==
			       offsetof(cuMemAllocAsync_params, bytesize),
	       "both allocations are read as one");

/* What differs from call to call. */
struct memory_op {
	uint64_t time_ns, dst, bytes;
	uint32_t object, stack;
	uint8_t dst_mem; /* 0: the head has it */
};

/* What sc_slot_fill does with an op of this head, whose first slot has the sum but for these. */
static inline void fill(struct sc_slot *slot, const void *head, uint64_t sum,
			const struct memory_op *m)
{
	uint8_t *first = slot->data, *next = slot[1].data;
	uint32_t high = (uint32_t)(m->dst >> 32);

	memcpy(first, head, SC_SITE_HEAD_BYTES);
	memcpy(first + offsetof(struct sc_op, object), &m->object, sizeof(m->object));
	memcpy(first + offsetof(struct sc_op, stack), &m->stack, sizeof(m->stack));
	first[offsetof(struct sc_op, dst_mem)] |= m->dst_mem;
	memcpy(first + offsetof(struct sc_op, time_ns), &m->time_ns, sizeof(m->time_ns));
	memcpy(first + offsetof(struct sc_op, dst), &m->dst, sizeof(uint32_t));
	slot[1].head = SC_SLOT_NEXT;
	memcpy(next, &high, sizeof(high));
	memcpy(next + offsetof(struct sc_op, bytes) - SC_SLOT_DATA, &m->bytes, sizeof(m->bytes));
	sum += ((uint64_t)m->object << 32) + ((uint64_t)m->stack << 32) + m->dst_mem +
	       (m->time_ns << 32) + (m->time_ns >> 32) + (m->dst << 32);
	sum = sc_slot_join(sum, SC_SLOT_NEXT + ((uint64_t)high << 32) + m->bytes);
	memcpy((uint8_t *)slot + SC_SLOT_CHECK, &sum, sizeof(sum));
}

/* The first slot's head is stored last: the record is there then. */
static inline void commit(struct sc_slot *slot)
{
	/* release: paired with the reader's look at the head, as in sc_slot_fill */
	__atomic_store_n(&slot->head, SC_SLOT_FIRST | 1, __ATOMIC_RELEASE);
}

static inline struct sc_slot *reserve(struct sc_call *call)
{
	struct sc_writer *w = &sc_session.writer;

	call->sequence = SC_NOT_WRITTEN;
	if (atomic_load_explicit(&sc_session.state, memory_order_relaxed) > SC_LIVE)
		return NULL;
	sc_self.records++;
	call->sequence = sc_reserve(w, 2, 1);
	return call->sequence == SC_NOT_WRITTEN ? NULL : w->slots + call->sequence;
}

__attribute__((noinline)) uint32_t sc_site_ask_python(uint32_t below)
{
	int saved = errno;
	uint32_t stack = sc_python_stack(below);

	errno = saved;
	return stack;
}

/* ---- frees ---- */

/* The id of a recurring range was taken at the entry. */
void sc_site_freed(struct sc_call *call, CUresult result)
{
	if (call->recurring && result)
		sc_recurring_undo_end(call->recurring, call->op.object);
	else if (!call->recurring && !result)
		sc_memory_remove(&sc_memory, call->op.dst, call->op.object);
}

/* What is freed, and what of it is known; false: nothing. */
static inline bool find_freed(struct sc_call *call, uint64_t address, struct memory_op *m)
{
	struct sc_recurring *recurring = sc_recurring_find(&sc_memory.recurring, address);
	struct sc_known_allocation a;

	call->recurring = NULL;
	m->object = recurring ? sc_recurring_end(recurring) : 0;
	if (m->object) {
		call->recurring = recurring;
		m->dst = address;
		m->dst_mem = SC_MEM_DEVICE;
		return true;
	}
	if (!sc_memory_look_up(&sc_memory, address, &a))
		return false;
	m->dst = a.host ? a.host + (address - a.start) : address;
	m->object = a.object;
	m->dst_mem = a.memory;
	return true;
}

bool sc_site_put_free(struct sc_call *call, const struct sc_site *s, const void *params)
{
	const cuMemFreeAsync_params *p = params;
	struct memory_op m = {.bytes = 0};
	struct sc_slot *slot;

	if (atomic_load_explicit(&sc_guard.live, memory_order_relaxed) || !p->dptr ||
	    !find_freed(call, p->dptr, &m))
		return false;
	m.time_ns = sc_clock_quick();
	m.stack = sc_site_stack(s->head, s->asks_python);
	call->op.dst = m.dst;
	call->op.object = m.object;
	slot = reserve(call);
	if (slot) {
		fill(slot, s->head, s->sum, &m);
		commit(slot);
	}
	return true;
}

/* ---- allocations ---- */

void sc_site_clear_allocation(struct sc_op *op)
{
	op->object = 0;
	op->dst = op->bytes = 0;
}

bool sc_site_is_pool_as_before(const struct sc_call *call)
{
	const struct sc_handle *pool = sc_pool_of_call(call);
	uint8_t memory = pool && pool->memory ? pool->memory : SC_MEM_DEVICE;

	return call->op.peer == (pool ? pool->id : 0) && call->op.dst_mem == memory;
}

void sc_site_begin_allocation(struct sc_call *call, const struct sc_site *s, const void *params)
{
	call->api = &sc_apis[SC_SITE_ROW(s->what)];
	call->params = (void *)params;
	call->frame = s->frame;
	call->per_thread = s->what & 1;
	call->parts = 0;
	call->function = NULL;
	call->sequence = SC_NOT_WRITTEN;
	call->changes = s->changes;
	call->asks_python = s->asks_python;
	call->sum = s->sum;
	memcpy(&call->op, s->head, SC_SITE_HEAD_BYTES); /* its result is 0: it had succeeded */
}

/* The range is new, or other memory than before. */
static __attribute__((noinline)) void enter_anew(const struct sc_op *op, const struct memory_op *m)
{
	const struct sc_known_allocation a = {.start = m->dst,
					      .bytes = m->bytes,
					      .object = m->object,
					      .context = op->context,
					      .flags = op->flags,
					      .memory = op->dst_mem,
					      .device = op->device};

	sc_memory_insert(&sc_memory, &a);
}

static inline void enter(const struct sc_op *op, const struct memory_op *m)
{
	const struct sc_recurring_key key = {m->dst, m->bytes, op->context, op->flags, op->device};

	if (op->dst_mem != SC_MEM_DEVICE ||
	    !sc_recurring_renew(&sc_memory.recurring, &key, m->object))
		enter_anew(op, m);
}

bool sc_site_put_allocation(struct sc_call *call)
{
	const cuMemAllocAsync_params *p = call->params;
	const uint64_t done = sc_slot_patch_check(0, 0);
	struct memory_op m = {.dst = (uint64_t)*p->dptr, .bytes = p->bytesize};
	struct sc_slot *slot;

	if (!m.dst ||
	    atomic_load_explicit(&sc_session.changes, memory_order_acquire) != call->changes)
		return false;
	m.time_ns = sc_clock_quick();
	m.stack = sc_site_stack((const uint8_t *)&call->op, call->asks_python);
	m.object = 1 + atomic_fetch_add_explicit(&sc_session.object_ids, 1, memory_order_relaxed);
	enter(&call->op, &m);
	slot = reserve(call);
	if (slot) {
		fill(slot, &call->op, call->sum, &m);
		memcpy((uint8_t *)slot + SC_SLOT_PATCH_CHECK, &done, sizeof(done));
		commit(slot);
	}
	if (sc_self.enqueues)
		sc_enqueues_note(sc_self.enqueues, call->sequence);
	return true;
}

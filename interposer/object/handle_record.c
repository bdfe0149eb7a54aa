/* Records of handles: taken, held by their handles, used again. */
#include "interposer/object/handle_record.h"

#include "base/assert.h"
#include "interposer/core/arena.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"

struct sc_handle_records sc_handle_records;

/* ---- life and death ---- */

/* seq_cst: pairs with sc_site_keep, which sets `is_kept` before it looks at `alive` */
bool sc_handle_record_kill(struct sc_handle_ref ref)
{
	uint32_t alive = ref.id;

	if (!ref.handle || !ref.id ||
	    !atomic_compare_exchange_strong(&ref.handle->alive, &alive, 0))
		return false;
	if (atomic_load(&ref.handle->is_kept))
		sc_session_changed();
	return true;
}

void sc_handle_set_outer(struct sc_handle *handle, struct sc_handle *outer)
{
	handle->outer_id = outer ? outer->id : 0;
	handle->outer = outer;
}

/* ---- records that are used again ---- */

/* Contexts are in a list for ever, and threads keep them and their implicit streams. */
static bool is_used_again(enum sc_handle_type type)
{
	return type != SC_HANDLE_CONTEXT && type != SC_HANDLE_IMPLICIT;
}

static void append(struct sc_handle_list *list, struct sc_handle *h)
{
	h->next = NULL;
	h->earlier = list->last;
	if (list->last)
		list->last->next = h;
	else
		list->first = h;
	list->last = h;
}

static void take_out(struct sc_handle_list *list, struct sc_handle *h)
{
	if (h->earlier)
		h->earlier->next = h->next;
	else
		list->first = h->next;
	if (h->next)
		h->next->earlier = h->earlier;
	else
		list->last = h->earlier;
}

static void take_dead_out(struct sc_handle *h)
{
	struct sc_handle_records *r = &sc_handle_records;

	if (!h->is_remembered)
		return;
	take_out(&r->dead[h->type], h);
	r->dead_count[h->type]--;
	h->is_remembered = false;
}

static struct sc_handle *take_free(enum sc_handle_type type)
{
	struct sc_handle_records *r = &sc_handle_records;
	struct sc_handle *h;

	sc_lock_get(&r->lock);
	h = r->free[type].first;
	if (h)
		take_out(&r->free[type], h);
	sc_lock_put(&r->lock);
	return h;
}

static void put_free(struct sc_handle *h)
{
	struct sc_handle_records *r = &sc_handle_records;

	sc_lock_get(&r->lock);
	take_dead_out(h);
	append(&r->free[h->type], h);
	sc_lock_put(&r->lock);
}

/* Another thread may have the record in use for another object by now, or in the free list. */
static bool is_dead_handle(struct sc_handle_ref ref)
{
	const struct sc_handle *h = ref.handle;

	return is_used_again(h->type) && h->id == ref.id && !h->alive && h->keys &&
	       !h->is_remembered;
}

struct sc_handle_ref sc_handle_record_remember(struct sc_handle_ref ref)
{
	struct sc_handle_records *r = &sc_handle_records;
	struct sc_handle_ref oldest = {0};
	uint8_t type = ref.handle->type;

	sc_lock_get(&r->lock);
	if (is_dead_handle(ref)) {
		append(&r->dead[type], ref.handle);
		ref.handle->is_remembered = true;
		r->dead_count[type]++;
	}
	if (r->dead_count[type] > SC_HANDLES_DEAD) {
		oldest = sc_handle_refer(r->dead[type].first);
		take_dead_out(oldest.handle);
	}
	sc_lock_put(&r->lock);
	return oldest;
}

#define CLEAR(member) atomic_store_explicit(&h->member, 0, memory_order_relaxed)

/* The id goes first: who kept the record for what it was finds that it is that no more. The
 * completion says which id it is of; `old_launch` and `nodes` are replaced by their owners. */
static void clear(struct sc_handle *h, uint32_t id)
{
	atomic_store_explicit(&h->id, id, memory_order_relaxed);
	/* release: pairs with the acquire in sc_handle_of, for those who have read a new value */
	atomic_thread_fence(memory_order_release);
	CLEAR(is_kept);
	CLEAR(flags);
	CLEAR(context);
	CLEAR(device);
	CLEAR(green);
	CLEAR(opens);
	CLEAR(was_freed);
	CLEAR(is_kernel);
	CLEAR(is_embedded);
	CLEAR(memory);
	CLEAR(raw);
	CLEAR(outer);
	CLEAR(outer_id);
	CLEAR(looked);
	CLEAR(layout);
	CLEAR(name_hash);
	CLEAR(text_name);
	CLEAR(row_bytes);
	CLEAR(row_count);
	CLEAR(library.stream);
	CLEAR(library.scratch);
	CLEAR(library.scratch_bytes);
	CLEAR(semaphore.is_binary);
	CLEAR(semaphore.signals);
	CLEAR(semaphore.waits);
}

static struct sc_handle *make(enum sc_handle_type type)
{
	struct sc_handle *h = sc_arena_get(sizeof(*h));

	if (h)
		h->type = (uint8_t)type;
	return h;
}

struct sc_handle *sc_handle_record_take(enum sc_handle_type type, uint32_t id)
{
	struct sc_handle *h;

	sc_assert(type < SC_HANDLE_TYPES && id);
	h = take_free(type);
	if (h)
		clear(h, id);
	else
		h = make(type);
	if (!h) {
		sc_put_loss(SC_GAP_objects);
		return NULL;
	}
	sc_assert(!h->alive && !h->keys && h->type == type);
	h->id = id;
	h->alive = id; /* release: what was cleared comes before */
	return h;
}

void sc_handle_record_hold(struct sc_handle *handle)
{
	atomic_fetch_add_explicit(&handle->keys, 1, memory_order_relaxed);
}

void sc_handle_record_drop(enum sc_handle_type type, struct sc_handle *handle)
{
	unsigned before;

	if (!handle)
		return;
	/* acq_rel: what other handles' last users did comes before the record is used again */
	before = atomic_fetch_sub_explicit(&handle->keys, 1, memory_order_acq_rel);
	sc_assert(before);
	if (before > 1 || !is_used_again(type))
		return;
	sc_handle_record_kill(sc_handle_refer(handle));
	put_free(handle);
}

/* ---- the module ---- */

const struct sc_module sc_module_handle_record = {SC_MODULE_STATE(sc_handle_records)};

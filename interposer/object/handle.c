/* Handles and ids: first sight, creation, death. */
#include "interposer/object/handle.h"

#include "base/assert.h"
#include "interposer/driver/driver.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/core/module.h"
#include "interposer/core/lock.h"
#include "interposer/core/clock.h"

struct sc_handles sc_handles;

/* NULL is a legal stream handle, so a table's key is the handle's value and one. */
static uint64_t key_of(const void *raw)
{
	return (uint64_t)raw + 1;
}

struct sc_handle *sc_handle_find(enum sc_handle_type type, const void *raw)
{
	return sc_table_get(&sc_handles.table[type], key_of(raw));
}

void sc_handle_count_function(void)
{
	/* release: pairs with the acquire of those who remember what a handle meant (call/launch.c)
	 */
	atomic_fetch_add_explicit(&sc_handles.functions, 1, memory_order_release);
	sc_session_changed();
}

/* From now on the key leads to this record, or to none; what it led to before may be free then. */
static void enter(enum sc_handle_type type, uint64_t key, struct sc_handle *h)
{
	void *before = NULL;

	if (h)
		sc_handle_record_hold(h);
	if (sc_table_replace(&sc_handles.table[type], key, h, &before)) {
		sc_put_loss(SC_GAP_objects); /* nothing leads to it, and it is never used again */
		return;
	}
	if (type == SC_HANDLE_FUNCTION)
		sc_handle_count_function();
	sc_handle_record_drop(type, before);
}

void sc_handle_forget(enum sc_handle_type type, const void *raw, uint32_t id)
{
	struct sc_handle *h = sc_handle_find(type, raw);

	if (h && h->id == id && sc_table_clear(&sc_handles.table[type], key_of(raw), h))
		sc_handle_record_drop(type, h);
}

bool sc_handle_kill(struct sc_handle_ref ref)
{
	struct sc_handle_ref oldest;

	if (!sc_handle_record_kill(ref))
		return false;
	oldest = sc_handle_record_remember(ref);
	if (oldest.handle)
		sc_handle_forget(oldest.handle->type, oldest.handle->raw, oldest.id);
	return true;
}

void sc_handle_alias(enum sc_handle_type type, const void *raw, struct sc_handle *handle)
{
	enter(type, key_of(raw), handle);
}

static bool is_live(const struct sc_handle *h)
{
	return h && !sc_handle_is_dead(h);
}

/* Those that were never seen count as alive. */
static bool is_context_live(uint32_t id)
{
	/* acquire: pairs with the release in add_context */
	const struct sc_handle *h =
		atomic_load_explicit(&sc_handles.contexts, memory_order_acquire);

	while (h && h->id != id)
		h = h->older;
	return !h || is_live(h);
}

bool sc_handle_may_ask(const struct sc_handle *handle)
{
	const struct sc_handle *h = handle, *outer;
	uint32_t id;

	for (; is_live(h) && (outer = h->outer); h = outer) {
		id = h->outer_id;
		if (!id || outer->alive != id)
			return false;
	}
	return is_live(h) && is_context_live(h->context);
}

static atomic_uint *counter(enum sc_handle_type type)
{
	if (type == SC_HANDLE_CONTEXT)
		return &sc_session.context_ids;
	if (type == SC_HANDLE_STREAM || type == SC_HANDLE_IMPLICIT)
		return &sc_session.stream_ids;
	return &sc_session.object_ids;
}

static void set_only_context(struct sc_handle *context)
{
	atomic_store_explicit(&sc_handles.only_context, context, memory_order_release);
	sc_session_changed();
}

static void add_context(struct sc_handle *context)
{
	struct sc_handle *_Atomic *last = &sc_handles.contexts;

	sc_assert(context->context == context->id);
	context->older = atomic_load(last);
	/* release: pairs with the acquire in is_context_live */
	while (!atomic_compare_exchange_weak_explicit(last, &context->older, context,
						      memory_order_release, memory_order_relaxed))
		;
	set_only_context(context->id == 1 ? context : NULL);
}

struct sc_handle *sc_handle_new(enum sc_handle_type type, const void *raw, uint32_t flags,
				uint32_t context)
{
	uint32_t id = 1 + atomic_fetch_add_explicit(counter(type), 1, memory_order_relaxed);
	struct sc_handle *h = sc_handle_record_take(type, id);

	if (!h)
		return NULL;
	h->flags = flags;
	h->context = type == SC_HANDLE_CONTEXT ? h->id : context;
	h->raw = raw;
	if (type == SC_HANDLE_CONTEXT)
		add_context(h);
	return h;
}

struct sc_handle *sc_handle_make(enum sc_handle_type type, const void *raw, uint32_t flags,
				 uint32_t context)
{
	struct sc_handle *h = sc_handle_new(type, raw, flags, context);

	enter(type, key_of(raw),
	      h); /* kills what it meant, whose end was not seen, even without h */
	return h;
}

struct sc_handle *sc_handle_enter_function(struct sc_handle *function)
{
	uint64_t key = key_of(function->raw);
	struct sc_handle *there;

	sc_lock_get(&sc_handles.lock);
	there = sc_table_get(&sc_handles.table[SC_HANDLE_FUNCTION], key);
	if (there && there->name_hash == function->name_hash) {
		sc_handle_record_hold(function);
		sc_handle_record_drop(SC_HANDLE_FUNCTION, function);
	} else {
		enter(SC_HANDLE_FUNCTION, key, function);
		there = function;
	}
	sc_lock_put(&sc_handles.lock);
	return there;
}

/* The op that declares a handle which was met before its creation was seen. */
static void define(enum sc_handle_type type, const struct sc_handle *h)
{
	struct sc_op op = {.context = h->context, .flags = h->flags, .device = (uint8_t)h->device};

	if (type == SC_HANDLE_CONTEXT) {
		op.kind = SC_OP_CONTEXT_CREATE;
		op.peer = h->green;
	} else if (type == SC_HANDLE_STREAM || type == SC_HANDLE_IMPLICIT) {
		op.kind = SC_OP_STREAM_CREATE;
		op.stream = h->id;
	} else if (type == SC_HANDLE_EVENT) {
		op.kind = SC_OP_EVENT_CREATE;
		op.object = h->id;
	} else {
		return; /* no op declares the others */
	}
	op.time_ns = sc_clock_now();
	op.thread = sc_thread_id();
	sc_put_op(&op, NULL, 0);
}

uint32_t sc_stream_kind(unsigned flags)
{
	return flags & CU_STREAM_NON_BLOCKING ? SC_FLAG_NON_BLOCKING : 0;
}

/* What the driver can report about a handle whose creation was not seen. */
static void ask(enum sc_handle_type type, const void *raw, uint32_t *flags, uint32_t *context)
{
	const struct sc_driver *d = sc_driver();
	unsigned kind = 0;
	CUcontext owner = NULL;

	*flags = 0;
	*context = 0;
	if (type != SC_HANDLE_STREAM || sc_self.callback)
		return;
	if (d->StreamGetFlags && !d->StreamGetFlags((CUstream)raw, &kind))
		*flags = sc_stream_kind(kind);
	if (d->StreamGetCtx && !d->StreamGetCtx((CUstream)raw, &owner)) {
		struct sc_handle *h = sc_handle_see(SC_HANDLE_CONTEXT, owner);

		*context = h ? h->id : 0;
	}
}

/* What a record begins with. */
struct facts {
	uint32_t flags, context, device, green;
};

/* Makes and declares a record unless another thread just did. */
static struct sc_handle *first_sight(enum sc_handle_type type, const void *raw, uint64_t key,
				     struct facts model)
{
	struct sc_table *table = &sc_handles.table[type];
	struct sc_handle *h;

	sc_lock_get(&sc_handles.lock);
	h = sc_table_get(table, key);
	if (!is_live(h)) {
		h = sc_handle_new(type, raw, model.flags, model.context);
		if (h) {
			h->device = model.device;
			h->green = model.green;
			define(type, h);
			enter(type, key, h);
		}
	}
	sc_lock_put(&sc_handles.lock);
	return h;
}

struct sc_handle *sc_handle_see(enum sc_handle_type type, const void *raw)
{
	struct sc_handle *h = sc_handle_find(type, raw);
	struct facts model = {0};

	if (h)
		return h;
	ask(type, raw, &model.flags, &model.context);
	return first_sight(type, raw, key_of(raw), model);
}

/* ---- contexts ---- */

struct sc_handle *sc_context_seen(const void *raw, uint32_t flags, int device, uint32_t green)
{
	struct sc_handle *h = sc_handle_find(SC_HANDLE_CONTEXT, raw);
	struct facts model = {.flags = flags, .device = (uint32_t)device, .green = green};

	if (!raw)
		return NULL;
	return is_live(h) ? h : first_sight(SC_HANDLE_CONTEXT, raw, key_of(raw), model);
}

/* Primary contexts stand a second time in the table, under keys that no pointer has. */
static uint64_t primary_key(int device)
{
	return ~(uint64_t)(unsigned)device;
}

void sc_context_set_primary(int device, struct sc_handle *context)
{
	enter(SC_HANDLE_CONTEXT, primary_key(device), context);
}

const void *sc_context_primary(int device)
{
	struct sc_table *table = &sc_handles.table[SC_HANDLE_CONTEXT];
	struct sc_handle *h = sc_table_get(table, primary_key(device));

	return h ? h->raw : NULL;
}

struct sc_handle *sc_pool_of_device(int device)
{
	return sc_table_get(&sc_handles.table[SC_HANDLE_POOL], primary_key(device));
}

void sc_pool_set_device(int device, struct sc_handle *pool)
{
	enter(SC_HANDLE_POOL, primary_key(device), pool);
	sc_session_changed(); /* allocations that were kept name the pool */
}

struct sc_handle *sc_context_current(void)
{
	const struct sc_driver *d = sc_driver();
	struct sc_handle_thread *own = sc_handle_thread();
	CUcontext raw = NULL;
	CUdevice device = 0;

	if (sc_self.callback || !d->CtxGetCurrent || d->CtxGetCurrent(&raw) || !raw)
		return NULL;
	if (raw == own->context_raw && is_live(own->context))
		return own->context;
	if (d->CtxGetDevice)
		d->CtxGetDevice(&device);
	own->context = sc_context_seen(raw, 0, device, 0);
	own->context_raw = raw;
	return own->context;
}

bool sc_stream_is_implicit(const void *stream)
{
	return !stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

struct sc_handle *sc_context_for(const void *stream)
{
	struct sc_handle *only;

	/* acquire: pairs with the release in add_context */
	only = atomic_load_explicit(&sc_handles.only_context, memory_order_acquire);
	if (sc_stream_is_implicit(stream) || !is_live(only) || sc_self.callback)
		return sc_context_current();
	return only;
}

/* ---- streams ---- */

static struct sc_handle *legacy_of(struct sc_handle *context)
{
	/* acquire: pairs with the release below */
	struct sc_handle *h = atomic_load_explicit(&context->legacy, memory_order_acquire);
	struct facts model = {.flags = SC_FLAG_LEGACY, .context = context->id};

	if (h)
		return h;
	h = first_sight(SC_HANDLE_IMPLICIT, NULL, (uint64_t)context->id << 32, model);
	atomic_store_explicit(&context->legacy, h, memory_order_release);
	return h;
}

static struct sc_handle *per_thread_of(const struct sc_handle *context)
{
	struct facts model = {.flags = SC_FLAG_PER_THREAD, .context = context->id};
	uint64_t key = (uint64_t)context->id << 32 | sc_thread_id();
	struct sc_handle_thread *own = sc_handle_thread();

	if (own->implicit && own->implicit_for == context->id)
		return own->implicit;
	own->implicit = first_sight(SC_HANDLE_IMPLICIT, CU_STREAM_PER_THREAD, key, model);
	own->implicit_for = context->id;
	return own->implicit;
}

struct sc_handle *sc_stream_resolve(const void *raw, bool per_thread, struct sc_handle *context)
{
	if (!sc_stream_is_implicit(raw))
		return sc_handle_see(SC_HANDLE_STREAM, raw);
	if (!context)
		return NULL;
	if (raw == CU_STREAM_PER_THREAD || (!raw && per_thread))
		return per_thread_of(context);
	return legacy_of(context);
}

bool sc_stream_captures(const struct sc_handle *stream, const void *raw)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	const struct sc_driver *d;

	if (!atomic_load_explicit(&sc_session.captures, memory_order_relaxed) ||
	    !sc_handle_may_ask(stream))
		return false;
	if (stream->cig_of && stream->cig_of == stream->id)
		return true;
	d = sc_driver();
	if (sc_self.callback || (stream->flags & SC_FLAG_LEGACY) || !d->StreamIsCapturing)
		return false;
	if (stream->flags & SC_FLAG_PER_THREAD)
		raw = CU_STREAM_PER_THREAD;
	if (d->StreamIsCapturing((CUstream)raw, &status))
		return false;
	return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/* ---- the module ---- */

const struct sc_module sc_module_handle = {SC_MODULE_STATE(sc_handles)};

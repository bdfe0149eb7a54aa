/* Managed variables of modules, by module. */
#include "interposer/object/managed_variable.h"

#include "interposer/core/module.h"
#include "interposer/core/session.h"
#include "interposer/object/handle.h"
#include "interposer/core/lock.h"

static struct {
	struct sc_lock lock; /* of those who add and remove */
	atomic_uint count;   /* places that were ever used */
	atomic_uint lost;    /* variables without a place */
	struct {
		atomic_uint module; /* 0: the place is free */
		_Atomic uint64_t start;
	} place[SC_MANAGED_VARIABLES_MOST];
} globals;

static unsigned free_place(void)
{
	typeof(globals) *v = &globals;
	unsigned count = atomic_load_explicit(&v->count, memory_order_relaxed);

	for (unsigned i = 0; i < count; i++)
		if (!atomic_load_explicit(&v->place[i].module, memory_order_relaxed))
			return i;
	return count;
}

void sc_managed_variable_add(uint32_t module, uint64_t start)
{
	typeof(globals) *v = &globals;
	unsigned at;

	sc_lock_get(&v->lock);
	at = free_place();
	if (at < SC_MANAGED_VARIABLES_MOST) {
		atomic_store_explicit(&v->place[at].start, start, memory_order_relaxed);
		/* release: pairs with the acquires in sc_managed_variable_next */
		atomic_store_explicit(&v->place[at].module, module, memory_order_release);
		if (at == atomic_load_explicit(&v->count, memory_order_relaxed))
			atomic_store_explicit(&v->count, at + 1, memory_order_release);
	} else {
		atomic_fetch_add_explicit(&v->lost, 1, memory_order_relaxed);
	}
	sc_lock_put(&v->lock);
	sc_session_changed(); /* launches that were kept could not reach it */
}

void sc_managed_variable_forget(uint32_t module)
{
	typeof(globals) *v = &globals;

	if (!module || !atomic_load_explicit(&v->count, memory_order_relaxed))
		return;
	sc_lock_get(&v->lock);
	for (unsigned i = 0; i < atomic_load_explicit(&v->count, memory_order_relaxed); i++)
		if (atomic_load_explicit(&v->place[i].module, memory_order_relaxed) == module)
			atomic_store_explicit(&v->place[i].module, 0, memory_order_relaxed);
	sc_lock_put(&v->lock);
}

bool sc_managed_variable_next(const struct sc_handle *function, unsigned *at,
			      struct sc_known_allocation *out)
{
	uint32_t module = function->outer ? function->outer->id : 0;
	typeof(globals) *v = &globals;
	/* acquire: pairs with the releases in sc_managed_variable_add */
	unsigned count = atomic_load_explicit(&v->count, memory_order_acquire);

	while (module && *at < count) {
		unsigned i = (*at)++;

		if (atomic_load_explicit(&v->place[i].module, memory_order_acquire) == module &&
		    sc_memory_look_up(
			    &sc_memory,
			    atomic_load_explicit(&v->place[i].start, memory_order_relaxed), out) &&
		    out->module == module)
			return true;
	}
	return false;
}

unsigned sc_managed_variable_lost(void)
{
	return atomic_load_explicit(&globals.lost, memory_order_relaxed);
}

const struct sc_module sc_module_managed_variable = {SC_MODULE_STATE(globals)};

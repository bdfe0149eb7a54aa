/* Global variables of modules: their sizes, SYMBOL ops, and the managed ones by module. */
#include "interposer/object/global.h"

#include <string.h>
#include "interposer/call/call.h"
#include "interposer/driver/driver.h"
#include "interposer/core/session.h"
#include "interposer/call/site.h"
#include "interposer/object/handle.h"
#include "interposer/guard/arm.h"
#include "interposer/core/thread.h"

/* ---- the question ---- */

typedef CUresult size_question(const void *module, const char *name, size_t *bytes);

static CUresult ask_module(const void *module, const char *name, size_t *bytes)
{
	return sc_driver()->ModuleGetGlobal
		       ? sc_driver()->ModuleGetGlobal(NULL, bytes, (CUmodule)module, name)
		       : CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult ask_library(const void *library, const char *name, size_t *bytes)
{
	return sc_driver()->LibraryGetGlobal
		       ? sc_driver()->LibraryGetGlobal(NULL, bytes, (CUlibrary)library, name)
		       : CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult ask_managed(const void *library, const char *name, size_t *bytes)
{
	return sc_driver()->LibraryGetManaged
		       ? sc_driver()->LibraryGetManaged(NULL, bytes, (CUlibrary)library, name)
		       : CUDA_ERROR_NOT_SUPPORTED;
}

/* The program's own question was answered, so module and name are good. */
static void look(struct sc_call *call, const void *module, const char *name, size_question *ask)
{
	const struct sc_handle *h = sc_handle_find(SC_HANDLE_MODULE, module);
	struct sc_facts *f = &call->facts;
	struct sc_known_allocation known;
	size_t bytes = 0;

	f->module = h ? h->id : 0;
	if (f->bytes || !f->dst || !name)
		return;
	if (h && sc_memory_look_up(&sc_memory, f->dst, &known) && known.start == f->dst &&
	    known.module == h->id)
		f->bytes = known.bytes;
	else if (!sc_self.callback && !ask(module, name, &bytes))
		f->bytes = bytes;
}

void sc_global_of_module(struct sc_call *call)
{
	const cuModuleGetGlobal_v2_params *p = call->params;

	look(call, p->hmod, p->name, ask_module);
}

void sc_global_of_library(struct sc_call *call)
{
	const cuLibraryGetGlobal_params *p = call->params;

	look(call, p->library, p->name, ask_library);
}

void sc_global_managed(struct sc_call *call)
{
	const cuLibraryGetManaged_params *p = call->params;

	look(call, p->library, p->name, ask_managed);
}

/* ---- the answer ---- */

/* Of a managed variable, which has one address in all contexts, no context is named. */
static void tell(const struct sc_call *call, const char *name, bool is_managed)
{
	struct sc_op op = {.kind = SC_OP_SYMBOL,
			   .object = call->facts.module,
			   .context = is_managed ? 0 : call->op.context,
			   .dst = call->op.dst,
			   .bytes = call->op.bytes};
	struct sc_attachment part = {SC_ATTACH_TEXT, 0, name};

	if (!op.object || !name || call->op.kind == SC_OP_NONE || !op.dst ||
	    (!is_managed && !op.context))
		return;
	part.bytes = (uint32_t)strlen(name);
	sc_session_put(&op, &part, 1);
}

void sc_global_told_of_module(struct sc_call *call)
{
	const cuModuleGetGlobal_v2_params *p = call->params;

	tell(call, p->name, false);
}

void sc_global_told_of_library(struct sc_call *call)
{
	const cuLibraryGetGlobal_params *p = call->params;

	tell(call, p->name, false);
}

/* ---- managed variables ---- */

static unsigned free_place(struct sc_globals *v)
{
	unsigned count = atomic_load_explicit(&v->count, memory_order_relaxed);

	for (unsigned i = 0; i < count; i++)
		if (!atomic_load_explicit(&v->place[i].module, memory_order_relaxed))
			return i;
	return count;
}

static void keep(uint32_t module, uint64_t start)
{
	struct sc_globals *v = &sc_guard.globals;
	unsigned at;

	sc_lock_get(&v->lock);
	at = free_place(v);
	if (at < SC_GLOBALS_MOST) {
		atomic_store_explicit(&v->place[at].start, start, memory_order_relaxed);
		/* release: pairs with the acquires in sc_global_next */
		atomic_store_explicit(&v->place[at].module, module, memory_order_release);
		if (at == atomic_load_explicit(&v->count, memory_order_relaxed))
			atomic_store_explicit(&v->count, at + 1, memory_order_release);
	} else {
		atomic_fetch_add_explicit(&sc_guard.unguarded, 1, memory_order_relaxed);
	}
	sc_lock_put(&v->lock);
	sc_session_changed(); /* launches that were kept could not reach it */
}

void sc_global_told_managed(struct sc_call *call)
{
	const cuLibraryGetManaged_params *p = call->params;

	tell(call, p->name, true);
	if (call->facts.module && call->op.kind != SC_OP_NONE && call->op.dst)
		keep(call->facts.module, call->op.dst);
}

void sc_global_forget(uint32_t module)
{
	struct sc_globals *v = &sc_guard.globals;

	if (!module || !atomic_load_explicit(&v->count, memory_order_relaxed))
		return;
	sc_lock_get(&v->lock);
	for (unsigned i = 0; i < atomic_load_explicit(&v->count, memory_order_relaxed); i++)
		if (atomic_load_explicit(&v->place[i].module, memory_order_relaxed) == module)
			atomic_store_explicit(&v->place[i].module, 0, memory_order_relaxed);
	sc_lock_put(&v->lock);
}

bool sc_global_next(const struct sc_handle *function, unsigned *at, struct sc_known_allocation *out)
{
	uint32_t module = function->outer ? function->outer->id : 0;
	struct sc_globals *v = &sc_guard.globals;
	/* acquire: pairs with the releases in keep */
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

/* Handles of NVIDIA's libraries: finding the real functions, and what is written. */
#include "interposer/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include "interposer/range.h"
#include "interposer/session.h"
#include "interposer/stack.h"

static const char *const names[SC_LIBRARY_ROWS] = {
#define LIBRARY(name, type, use) #name,
#include "interposer/library.def"
#undef LIBRARY
};

_Bool sc_library_is_name(const char *name)
{
	for (unsigned i = 0; i < SC_LIBRARY_ROWS; i++)
		if (!strcmp(names[i], name))
			return 1;
	return 0;
}

/* ---- the real functions ---- */

/* One that was found, for calls from one object. Never freed: it stays loaded. */
struct found {
	uint64_t start, bytes; /* of the caller's code */
	void *real;
	struct found *older;
};

static struct found *_Atomic known[SC_LIBRARY_ROWS];

static void *look_up_known(enum sc_library_row row, uint64_t caller)
{
	/* acquire: pairs with the release in `keep` */
	const struct found *f = atomic_load_explicit(&known[row], memory_order_acquire);

	for (; f; f = f->older)
		if (caller - f->start < f->bytes)
			return f->real;
	return NULL;
}

/* A pointer that is kept must stay good, so the library that it leads to is never unloaded. */
static void keep(enum sc_library_row row, uint64_t caller, void *real, const char *path)
{
	const struct sc_range *range = sc_range_find(caller);
	struct found *f = range ? sc_arena_get(sizeof(*f)) : NULL;

	if (!f || !SC_REAL(dlopen)(path, RTLD_NOLOAD | RTLD_LAZY))
		return;
	*f = (struct found){.start = range->start, .bytes = range->bytes, .real = real};
	f->older = atomic_load_explicit(&known[row], memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&known[row], &f->older, f,
						      memory_order_release, memory_order_relaxed))
		;
}

/* What the caller was linked with: it may have a version of its own beside another program's. */
static void *find_for_caller(const char *name, const void *caller)
{
	Dl_info info;
	void *found, *handle = NULL;

	if (dladdr(caller, &info) && info.dli_fname)
		handle = SC_REAL(dlopen)(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
	if (!handle)
		return NULL;
	found = sc_real_dlsym()(handle, name);
	dlclose(handle); /* it was loaded before, and stays so */
	return found;
}

static bool is_librarys_own(const Dl_info *info)
{
	return info->dli_fname && sc_range_classify(info->dli_fname) == SC_CODE_LIBRARY;
}

/* Another tool in front of the library comes first; of two versions of a library, the caller's. */
static void *find(const char *name, const void *caller)
{
	void *behind_us = sc_real_dlsym()(RTLD_NEXT, name), *callers;
	Dl_info info;

	if (behind_us && dladdr(behind_us, &info) && !is_librarys_own(&info))
		return behind_us;
	callers = find_for_caller(name, caller);
	return callers ? callers : behind_us;
}

void *sc_library_find(enum sc_library_row row, const void *caller)
{
	void *real = look_up_known(row, (uint64_t)caller);
	int saved = errno;
	Dl_info info;

	if (real)
		return real;
	sc_self.busy++;
	real = find(names[row], caller);
	if (real && dladdr(real, &info) && info.dli_fname)
		keep(row, (uint64_t)caller, real, info.dli_fname);
	sc_self.busy--;
	errno = saved;
	return real;
}

/* ---- what is written ---- */

static void fill(struct sc_op *op, const struct sc_library_change *c, struct sc_handle *h)
{
	struct sc_handle *stream;

	op->object = h->id;
	op->value = c->use;
	if (c->use == SC_LIBRARY_SCRATCH)
		op->dst = (uint64_t)c->scratch;
	if (c->use != SC_LIBRARY_STREAM && c->use != SC_LIBRARY_RESET)
		return;
	stream = sc_stream_resolve(c->stream, false, sc_context_for(c->stream));
	op->stream = stream ? stream->id : 0;
	op->context = stream ? stream->context : 0;
}

/* Programs tell a handle the same stream, and the same scratch memory, in front of each call:
 * nothing is written then. */
static bool is_news(const struct sc_op *op, struct sc_handle *h)
{
	bool is_stream = op->value == SC_LIBRARY_STREAM || op->value == SC_LIBRARY_RESET;
	bool is_same = is_stream ? op->stream == h->library.stream
				 : op->value == SC_LIBRARY_SCRATCH && op->dst == h->library.scratch;

	if (is_stream && !is_same)
		h->library.stream = op->stream;
	if (op->value == SC_LIBRARY_SCRATCH || (op->value == SC_LIBRARY_RESET && !is_same))
		h->library.scratch = op->dst;
	return !is_same;
}

static void put(const struct sc_library_change *c, uint32_t stack)
{
	enum sc_handle_type type = c->is_number ? SC_HANDLE_PLAN : SC_HANDLE_LIBRARY;
	const void *raw = (const void *)(uintptr_t)c->handle;
	struct sc_handle *h = sc_handle_see(type, raw);
	struct sc_op op = sc_session_op(SC_OP_LIBRARY_STREAM);

	if (!h)
		return;
	fill(&op, c, h);
	op.stack = stack;
	if (is_news(&op, h))
		sc_session_put(&op, NULL, 0);
	if (c->use == SC_LIBRARY_END)
		sc_handle_forget(type, raw);
}

void sc_library_note(const struct sc_library_change *change)
{
	int saved = errno;
	struct sc_stack stack;

	if (!sc_session_is_live() || sc_self.busy || sc_self.depth || sc_self.callback)
		return;
	stack = sc_stack_here();
	if (!stack.library) /* else it is the library's own affair (0.4) */
		put(change, stack.id);
	errno = saved;
}

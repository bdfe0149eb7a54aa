/* Handles of NVIDIA's libraries: what is written of their changes. */
#include "interposer/library/library.h"

#include <errno.h>
#include <stdbool.h>
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/stack/stack.h"
#include "interposer/core/module.h"
#include "interposer/core/thread.h"
#include "interposer/object/handle.h"

struct sc_libraries sc_libraries;

static void write_counts(void)
{
	if (atomic_load(&sc_libraries.others))
		sc_put_source("handles of a library's second version", false);
}

/* What a change makes of a handle, as far as an op needs it. */
struct state {
	uint32_t stream, context;
	uint64_t scratch;
};

static struct state state_after(const struct sc_library_change *c)
{
	struct state s = {.scratch = c->use == SC_LIBRARY_SCRATCH ? (uint64_t)c->scratch : 0};
	struct sc_handle *stream;

	if (c->use != SC_LIBRARY_STREAM && c->use != SC_LIBRARY_RESET)
		return s;
	stream = sc_stream_resolve(c->stream, false, sc_context_for(c->stream));
	s.stream = stream ? stream->id : 0;
	s.context = stream ? stream->context : 0;
	return s;
}

/* Programs set the same stream, and the same scratch memory, of a handle before each call. */
static bool is_news(const struct sc_library_change *c, const struct state *s,
		    const struct sc_handle *h)
{
	if (c->use == SC_LIBRARY_STREAM || c->use == SC_LIBRARY_RESET)
		return s->stream != h->library.stream;
	return c->use != SC_LIBRARY_SCRATCH || s->scratch != h->library.scratch ||
	       c->bytes != h->library.scratch_bytes;
}

static void keep_state(const struct sc_library_change *c, const struct state *s,
		       struct sc_handle *h)
{
	if (c->use == SC_LIBRARY_STREAM || c->use == SC_LIBRARY_RESET)
		h->library.stream = s->stream;
	if (c->use == SC_LIBRARY_SCRATCH || c->use == SC_LIBRARY_RESET)
		h->library.scratch = s->scratch;
	if (c->use == SC_LIBRARY_SCRATCH || c->use == SC_LIBRARY_RESET)
		h->library.scratch_bytes = c->bytes;
}

static void put(const struct sc_library_change *c, const struct state *s, enum sc_handle_type type)
{
	const void *raw = (const void *)(uintptr_t)c->handle;
	struct sc_stack stack = sc_stack_here();
	struct sc_handle *h = stack.library ? NULL : sc_handle_see(type, raw);
	struct sc_op op;

	if (!h) /* or the library's own affair (0.4) */
		return;
	op = sc_put_new(SC_OP_LIBRARY_STREAM);
	op.object = h->id;
	op.value = c->use;
	op.stream = s->stream;
	op.context = s->context;
	op.dst = s->scratch;
	op.stack = stack.id;
	sc_put_op(&op, NULL, 0);
	keep_state(c, s, h);
	if (c->use == SC_LIBRARY_END)
		sc_handle_forget(type, raw, h->id);
}

/* Whether it is news is asked before anything else: the stack costs most. */
void sc_library_note(const struct sc_library_change *change)
{
	enum sc_handle_type type = change->is_number ? SC_HANDLE_PLAN : SC_HANDLE_LIBRARY;
	int saved = errno;
	struct sc_handle *known;
	struct state s;

	if (!sc_session_is_live() || sc_self.busy || sc_self.depth || sc_self.callback)
		return;
	known = sc_handle_find(type, (const void *)(uintptr_t)change->handle);
	s = state_after(change);
	if (!known || is_news(change, &s, known))
		put(change, &s, type);
	errno = saved;
}

const struct sc_module sc_module_library = {.flush = write_counts};

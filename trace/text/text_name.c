/* Names of the text form: streams, events, contexts, functions, declared on first use. */
#include "trace/text/text_line.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define DEFAULT_CONTEXT "c1"

uint32_t sc_text_new_id(struct sc_text_parser *p)
{
	return p->next_id++;
}

void sc_text_use_id(uint32_t *next, uint64_t id)
{
	if (id >= *next && id < UINT32_C(1) << 30)
		*next = (uint32_t)id + 1;
}

/* Contexts. */

static struct sc_text_symbol *declare_context(struct sc_text_parser *p, struct sc_text_line *l,
					      struct sc_text_span name)
{
	bool made;
	struct sc_text_symbol *context =
		sc_symbols_get(&p->symbols, SC_SYMBOL_CONTEXT, name, &made);
	struct sc_op op = {
		.kind = SC_OP_CONTEXT_CREATE, .flags = SC_FLAG_PRIMARY, .thread = l->op.thread};

	if (made) {
		context->id = op.context = sc_text_new_id(p);
		sc_text_emit_implied(p, &op, (struct sc_text_span){0});
	}
	return context;
}

static void use_context(struct sc_text_line *l, struct sc_text_symbol *context)
{
	l->context = context;
	l->op.context = context->id;
	if (!sc_text_is_given(l, SC_FIELD_device))
		l->op.device = context->device;
}

int sc_text_name_context(struct sc_text_parser *p, struct sc_text_line *l, struct sc_text_span name)
{
	struct sc_text_symbol *context = sc_symbols_find(&p->symbols, SC_SYMBOL_CONTEXT, name);
	bool made;

	if (l->op.kind == SC_OP_CONTEXT_CREATE) {
		context = sc_symbols_get(&p->symbols, SC_SYMBOL_CONTEXT, name, &made);
		context->id = sc_text_new_id(p);
	} else if (!context && *name.text == 'c') {
		context = declare_context(p, l, name);
	} else if (!context) {
		return sc_text_fail(p, "context %.*s is not declared (context %.*s DEVICE)",
				    SC_SPAN(name), SC_SPAN(name));
	}
	use_context(l, context);
	return 0;
}

int sc_text_name_default_context(struct sc_text_parser *p, struct sc_text_line *l)
{
	use_context(l, declare_context(p, l, sc_span_of(DEFAULT_CONTEXT)));
	return 0;
}

/* Streams. */

static uint32_t stream_flags(struct sc_text_span name)
{
	switch (*name.text) {
	case 'L': return SC_FLAG_LEGACY;
	case 'p': return SC_FLAG_PER_THREAD;
	case 'n': return SC_FLAG_NON_BLOCKING;
	}
	return 0;
}

static bool is_stream_name(struct sc_text_span name)
{
	return sc_span_is(name, "L") || strchr("stnp", *name.text);
}

/* Default streams exist once a context, or once a context and thread. */
static struct sc_text_symbol *stream_symbol(struct sc_text_parser *p, const struct sc_text_line *l,
					    struct sc_text_span name, bool *made)
{
	uint32_t flags = stream_flags(name);
	struct sc_text_symbol *stream;
	struct sc_buf full = {0};

	sc_buf_add_bytes(&full, name.text, name.bytes);
	if (flags & (SC_FLAG_LEGACY | SC_FLAG_PER_THREAD))
		sc_buf_printf(&full, "@%" PRIu32, l->op.context);
	if (flags & SC_FLAG_PER_THREAD)
		sc_buf_printf(&full, "@%" PRIu32, l->op.thread);
	stream = sc_symbols_get(&p->symbols, SC_SYMBOL_STREAM,
				(struct sc_text_span){full.text, full.bytes}, made);
	sc_buf_fini(&full);
	return stream;
}

static void create_stream(struct sc_text_parser *p, const struct sc_text_line *l,
			  struct sc_text_symbol *stream, struct sc_text_span name)
{
	struct sc_op op = {
		.kind = SC_OP_STREAM_CREATE,
		.flags = stream_flags(name),
		.thread = l->op.thread,
		.device = l->op.device,
		.context = l->op.context,
		.stream = stream->id,
	};

	sc_text_emit_implied(p, &op, (struct sc_text_span){0});
}

/* NAME or NAME@CONTEXT: the context, where it is not the one of the line. */
static int stream_context(struct sc_text_parser *p, struct sc_text_line *l,
			  struct sc_text_span *name)
{
	struct sc_text_span full = *name, rest = full;

	if (sc_lex_split(&rest, '@', name)) {
		if (!rest.bytes)
			return sc_text_fail(p, "stream %.*s names no context", SC_SPAN(full));
		return sc_text_name_context(p, l, rest);
	}
	if (sc_text_is_given(l, SC_FIELD_context))
		return 0;
	return sc_text_name_default_context(p, l);
}

/* A stream by NAME or NAME@CONTEXT, if it is known. */
static int known_stream(struct sc_text_parser *p, struct sc_text_span name,
			struct sc_text_symbol **stream)
{
	struct sc_text_span context = name, base;
	bool has_context = sc_lex_split(&context, '@', &base);

	*stream = sc_symbols_find(&p->symbols, SC_SYMBOL_STREAM, base);
	if (*stream && has_context &&
	    (*stream)->context != sc_symbols_find(&p->symbols, SC_SYMBOL_CONTEXT, context))
		return sc_text_fail(p, "stream %.*s belongs to another context than %.*s",
				    SC_SPAN(base), SC_SPAN(context));
	return 0;
}

static void adopt_context(struct sc_text_line *l, const struct sc_text_symbol *stream)
{
	if (sc_text_is_given(l, SC_FIELD_context))
		return;
	l->op.context = stream->context_id;
	l->given |= UINT32_C(1) << SC_FIELD_context;
	if (stream->context)
		use_context(l, stream->context);
}

int sc_text_name_stream(struct sc_text_parser *p, struct sc_text_line *l, struct sc_text_span name)
{
	bool is_declaration = l->op.kind == SC_OP_STREAM_CREATE, made = 0;
	struct sc_text_symbol *stream = NULL;
	int err = is_declaration ? 0 : known_stream(p, name, &stream);

	if (err)
		return err;
	if (stream) {
		adopt_context(l, stream);
		l->op.stream = stream->id;
		return 0;
	}
	err = stream_context(p, l, &name);
	if (err)
		return err;
	if (!is_stream_name(name) && !is_declaration)
		return sc_text_fail(p, "stream names begin with s, t, n, p, or are L; not %.*s",
				    SC_SPAN(name));
	stream = stream_symbol(p, l, name, &made);
	if (made || is_declaration) {
		stream->id = sc_text_new_id(p);
		stream->context_id = l->op.context;
		stream->context = l->context;
	}
	l->op.stream = stream->id;
	if (is_declaration && !sc_text_is_given(l, SC_FIELD_flags))
		l->op.flags |= stream_flags(name);
	if (made && !is_declaration)
		create_stream(p, l, stream, name);
	return 0;
}

/* Events, functions, other objects. */

static int name_event(struct sc_text_parser *p, struct sc_text_line *l, struct sc_text_span name,
		      uint64_t *id)
{
	bool is_declaration = l->op.kind == SC_OP_EVENT_CREATE, made;
	struct sc_op op = {.kind = SC_OP_EVENT_CREATE, .thread = l->op.thread};
	struct sc_text_symbol *event;

	if (!is_declaration && *name.text != 'e' &&
	    !sc_symbols_find(&p->symbols, SC_SYMBOL_EVENT, name))
		return sc_text_fail(p, "event %.*s is not declared (event %.*s)", SC_SPAN(name),
				    SC_SPAN(name));
	if (!l->op.context && !sc_text_is_given(l, SC_FIELD_context))
		sc_text_name_default_context(p, l);
	event = sc_symbols_get(&p->symbols, SC_SYMBOL_EVENT, name, &made);
	if (made || is_declaration)
		event->id = sc_text_new_id(p);
	*id = op.object = event->id;
	op.context = l->op.context;
	op.device = l->op.device;
	if (made && !is_declaration)
		sc_text_emit_implied(p, &op, (struct sc_text_span){0});
	return 0;
}

static int name_function(struct sc_text_parser *p, struct sc_text_line *l, struct sc_text_span name,
			 uint64_t *id)
{
	bool is_declaration = l->op.kind == SC_OP_FUNCTION, made;
	struct sc_op op = {.kind = SC_OP_FUNCTION};
	struct sc_text_symbol *function =
		sc_symbols_get(&p->symbols, SC_SYMBOL_FUNCTION, name, &made);

	if (made || is_declaration)
		function->id = sc_text_new_id(p);
	*id = op.object = function->id;
	if (made && !is_declaration)
		sc_text_emit_implied(p, &op, name);
	return 0;
}

/* What the program calls by a name may be of any class. */
static int name_anything(struct sc_text_parser *p, struct sc_text_span name, uint64_t *id)
{
	static const char classes[] = {SC_SYMBOL_STREAM, SC_SYMBOL_EVENT,   SC_SYMBOL_BUFFER,
				       SC_SYMBOL_OBJECT, SC_SYMBOL_CONTEXT, SC_SYMBOL_FUNCTION};

	for (size_t i = 0; i < sizeof(classes); i++) {
		struct sc_text_symbol *symbol =
			sc_symbols_find(&p->symbols, (enum sc_symbol_class)classes[i], name);

		if (symbol) {
			*id = symbol->id;
			return 0;
		}
	}
	return sc_text_fail(p, "nothing is called %.*s so far", SC_SPAN(name));
}

static int name_plain(struct sc_text_parser *p, struct sc_text_span name, uint64_t *id)
{
	bool made;
	struct sc_text_symbol *object = sc_symbols_get(&p->symbols, SC_SYMBOL_OBJECT, name, &made);

	if (made)
		object->id = sc_text_new_id(p);
	*id = object->id;
	return 0;
}

int sc_text_name_object(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
			struct sc_text_span name, uint64_t *id)
{
	switch (l->op.kind) {
	case SC_OP_EVENT_CREATE:
	case SC_OP_EVENT_DESTROY:
	case SC_OP_EVENT_RECORD:
	case SC_OP_EVENT_WAIT:
	case SC_OP_EVENT_SYNC:
	case SC_OP_EVENT_QUERY:
	case SC_OP_EVENT_ELAPSED: return name_event(p, l, name, id);
	case SC_OP_CONTEXT_RECORD:
	case SC_OP_CONTEXT_WAIT:
		return field == SC_FIELD_object ? name_event(p, l, name, id)
						: name_plain(p, name, id);
	case SC_OP_KERNEL:
		return field == SC_FIELD_peer ? name_event(p, l, name, id)
					      : name_function(p, l, name, id);
	case SC_OP_FUNCTION:
		return field == SC_FIELD_object ? name_function(p, l, name, id)
						: name_plain(p, name, id);
	case SC_OP_NAME: return name_anything(p, name, id);
	case SC_OP_SHARE: /* else physical memory */
		return *name.text == 'e' ? name_event(p, l, name, id) : name_plain(p, name, id);
	case SC_OP_STRING:
	case SC_OP_STACK: return sc_text_fail(p, "%.*s is not a number", SC_SPAN(name));
	}
	return name_plain(p, name, id);
}

int sc_text_name_graph(struct sc_text_parser *p, struct sc_text_span name, uint64_t *id)
{
	if (sc_lex_number(name, id) && *id <= UINT32_MAX)
		return 0;
	if (sc_lex_name(name) != name.bytes)
		return sc_text_fail(p, "%.*s is no name of a graph", SC_SPAN(name));
	return name_plain(p, name, id);
}

uint32_t sc_text_name_string(struct sc_text_parser *p, struct sc_text_span text)
{
	bool made;
	struct sc_text_symbol *string = sc_symbols_get(&p->symbols, SC_SYMBOL_STRING, text, &made);
	struct sc_op op = {.kind = SC_OP_STRING};

	if (made) {
		string->id = op.object = p->next_string++;
		sc_text_emit_implied(p, &op, text);
	}
	return string->id;
}

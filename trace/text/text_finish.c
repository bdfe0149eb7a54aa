/* What a line of the text form left out, filled in; and the op written as one record or two. */
#include "trace/text/text_line.h"

#include <stdbool.h>
#include <string.h>
#include "base/assert.h"
#include "trace/text/text_node.h"
#include "base/search.h"

/* True if the line says what the op works on, as far as its kind has operands. */
static bool has_first_operand(const struct sc_text_line *l)
{
	unsigned at = 0, field = sc_field_operand(l->op.kind, &at);

	return field == SC_OPERAND_END || sc_text_is_given(l, field);
}

/* `stream_sync end link=4`: an END that only names its BEGIN repeats what identifies the call. */
static void finish_end(struct sc_text_parser *p, struct sc_text_line *l)
{
	static const uint8_t repeated[] = {SC_FIELD_thread, SC_FIELD_context, SC_FIELD_stream,
					   SC_FIELD_object, SC_FIELD_device,  SC_FIELD_call};
	size_t before;

	if (l->op.phase != SC_PHASE_END || !l->op.link || has_first_operand(l))
		return;
	SC_SEARCH(before, p->done.count, p->done.items[before].sequence + 1 < l->op.link);
	while (before < p->done.count && p->done.items[before].is_other)
		before++;
	if (before == p->done.count || p->done.items[before].sequence + 1 != l->op.link)
		return;
	for (size_t i = 0; i < sizeof(repeated); i++)
		if (!sc_text_is_given(l, repeated[i]))
			sc_field_set(&l->op, repeated[i],
				     sc_field_get(&p->done.items[before].op, repeated[i]));
	l->given |= UINT32_C(1) << SC_FIELD_context | UINT32_C(1) << SC_FIELD_stream |
		    UINT32_C(1) << SC_FIELD_object;
}

/* True if something else than the line provides the operand. */
static bool is_optional(const struct sc_text_line *l, unsigned field)
{
	switch (field) {
	case SC_FIELD_bytes:
	case SC_FIELD_dst_mem:
	case SC_FIELD_flags:
	case SC_FIELD_context:
	case SC_FIELD_value:
	case SC_FIELD_device:
	case SC_OPERAND_TEXT:
	case SC_OPERAND_FRAMES: return 1;
	case SC_FIELD_dst: return l->declares.bytes || l->op.phase == SC_PHASE_END;
	case SC_FIELD_src: return l->op.phase == SC_PHASE_END;
	case SC_FIELD_peer: return l->op.kind == SC_OP_FUNCTION || l->op.kind == SC_OP_THREAD_BEGIN;
	case SC_FIELD_thread: return l->op.kind != SC_OP_THREAD_BEGIN;
	}
	return 0;
}

static int check_operands(struct sc_text_parser *p, const struct sc_text_line *l)
{
	unsigned at = 0, field;

	while ((field = sc_field_operand(l->op.kind, &at)) != SC_OPERAND_END)
		if (!is_optional(l, field) && !sc_text_is_given(l, field))
			return sc_text_fail(p, "%s needs a %s", sc_op_kind_text(l->op.kind),
					    sc_field_name(field));
	return 0;
}

static void finish_kernel(struct sc_text_parser *p, struct sc_text_line *l)
{
	if (l->op.kind == SC_OP_KERNEL && !sc_text_is_given(l, SC_FIELD_object))
		sc_text_value(p, l, SC_FIELD_object, sc_span_of("kernel"));
}

/* Executions of host functions are numbered as they begin. */
static void finish_callback(struct sc_text_parser *p, struct sc_text_line *l)
{
	struct sc_text_callback callback = {.link = l->op.link, .thread = l->op.thread};

	if (l->is_callback_prefix && sc_field_has_context(l->op.kind))
		l->op.flags |= SC_FLAG_IN_CALLBACK;
	if (sc_text_is_given(l, SC_FIELD_callback))
		return;
	if (l->op.kind == SC_OP_CALLBACK_BEGIN) {
		sc_vector_push(&p->callbacks, callback);
		l->op.callback = (uint32_t)p->callbacks.count;
	} else if (l->op.kind == SC_OP_CALLBACK_END) {
		for (size_t i = p->callbacks.count; i-- && !l->op.callback;)
			if (p->callbacks.items[i].link == l->op.link)
				l->op.callback = (uint32_t)i + 1;
	}
}

/* A string's text leads calls to its id, as far as a C string goes. */
static void name_string(struct sc_text_parser *p, struct sc_text_line *l)
{
	const struct sc_attachment *text = NULL;
	struct sc_text_symbol *string;
	struct sc_text_span name;
	bool made;

	for (size_t i = l->attachments.list.count; i--;)
		if (l->attachments.list.items[i].type == SC_ATTACH_TEXT)
			text = &l->attachments.list.items[i];
	if (!text)
		return;
	name = (struct sc_text_span){text->data, strnlen(text->data, text->bytes)};
	string = sc_symbols_get(&p->symbols, SC_SYMBOL_STRING, name, &made);
	if (made)
		string->id = l->op.object;
}

/* The properties that a declaration gives its name. */
static void finish_declaration(struct sc_text_parser *p, struct sc_text_line *l)
{
	if (l->op.kind == SC_OP_CONTEXT_CREATE && l->context)
		l->context->device = l->op.device;
	if (l->op.kind != SC_OP_STRING)
		return;
	sc_text_use_id(&p->next_string, l->op.object);
	name_string(p, l);
}

static int finish_node(struct sc_text_parser *p, struct sc_text_line *l)
{
	struct sc_buf data = {0};
	bool ok;

	if (!l->is_node)
		return 0;
	ok = sc_text_node_parse_rest(&data, l->node, l->after);
	if (ok)
		sc_text_attach_add(&l->attachments, SC_ATTACH_NODE, data.text, data.bytes);
	sc_buf_fini(&data);
	return ok ? 0 : sc_text_fail(p, "\"%.*s\" is no place of a node", SC_SPAN(l->after));
}

/* Of a run of several processes: time goes on with the lines, and all are in a group by rank. */
static void finish_rank(struct sc_text_parser *p, struct sc_text_line *l)
{
	if (!p->rank)
		return;
	if (!sc_text_is_given(l, SC_FIELD_time_ns))
		l->op.time_ns = p->line;
	if (l->op.kind == SC_OP_GROUP && !sc_text_is_given(l, SC_FIELD_peer))
		l->op.peer = p->rank;
}

int sc_text_finish(struct sc_text_parser *p, struct sc_text_line *l)
{
	int err;

	finish_rank(p, l);
	finish_end(p, l);
	finish_kernel(p, l);
	err = check_operands(p, l);
	if (!err && sc_field_has_context(l->op.kind) && !l->context &&
	    !sc_text_is_given(l, SC_FIELD_context))
		err = sc_text_name_default_context(p, l);
	if (!err)
		err = sc_text_place_finish(p, l);
	if (err)
		return err;
	finish_callback(p, l);
	finish_declaration(p, l);
	if (l->accesses.count)
		sc_text_attach_add(&l->attachments, SC_ATTACH_ACCESSES, l->accesses.items,
				   l->accesses.count * sizeof(*l->accesses.items));
	if (l->arguments.bytes)
		sc_text_attach_params(&l->attachments, l->arguments.text, l->arguments.bytes);
	return finish_node(p, l);
}

/* Emitting. */

/* A wait that is written in one line becomes its BEGIN and its END. */
static uint64_t emit_phases(struct sc_text_parser *p, struct sc_text_line *l, uint32_t line)
{
	uint64_t begin;

	l->op.phase = SC_PHASE_BEGIN;
	begin = sc_text_emit(p, &l->op, l->attachments.list.items,
			     (unsigned)l->attachments.list.count, line);
	if (begin == SC_NOT_WRITTEN || l->op.result == SC_RESULT_PENDING)
		return begin;
	l->op.phase = SC_PHASE_END;
	l->op.link = begin + 1;
	l->op.dst = l->op.src = l->op.bytes = l->op.value = 0;
	l->op.dst_mem = l->op.src_mem = SC_MEM_NONE;
	sc_text_emit(p, &l->op, NULL, 0, line);
	return begin;
}

static uint64_t emit_message(struct sc_text_parser *p, struct sc_text_line *l, uint32_t line)
{
	uint64_t sequence = sc_text_emit(p, &l->op, NULL, 0, line);
	struct sc_op end = {.kind = SC_OP_MESSAGE_END,
			    .thread = l->op.thread,
			    .time_ns = l->op.time_ns,
			    .link = sequence + 1};

	sc_text_emit(p, &end, NULL, 0, line);
	return sequence;
}

int sc_text_emit_line(struct sc_text_parser *p, struct sc_text_line *l)
{
	struct sc_text_done done = {.op = l->op};
	uint32_t line = (uint32_t)p->done.count + 1;

	sc_assert(l->op.kind < SC_OP_KINDS);
	if (sc_field_has_phases(&l->op) && !sc_text_is_given(l, SC_FIELD_phase))
		done.sequence = emit_phases(p, l, line);
	else if (l->is_returned)
		done.sequence = emit_message(p, l, line);
	else
		done.sequence = sc_text_emit(p, &l->op, l->attachments.list.items,
					     (unsigned)l->attachments.list.count, line);
	if (done.sequence == SC_NOT_WRITTEN)
		return sc_text_fail(p, "the record is longer than %d bytes",
				    SC_RECORD_MOST * SC_SLOT_DATA);
	p->lost += l->op.kind == SC_OP_LOST && l->op.object == 1;
	sc_vector_push(&p->done, done);
	return 0;
}

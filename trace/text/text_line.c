/* One op line of the text form: tokens to fields, then what the line left out. */
#include "trace/text/text_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "trace/text/text_node.h"

#define CALLBACK_THREAD 100 /* on which host functions run unless a line says otherwise */

/* Words that open a list of accesses. */
static const struct access_word {
	const char *text;
	uint8_t mode;
	uint8_t known;
} access_words[] = {
	{"reads", SC_READ, SC_KNOWN_EXACT},
	{"writes", SC_WRITE, SC_KNOWN_EXACT},
	{"updates", SC_READ_WRITE, SC_KNOWN_EXACT},
	{"atomics", SC_ATOMIC, SC_KNOWN_EXACT},
	{"observes", SC_ATOMIC_READ, SC_KNOWN_EXACT},
	{"maybe", SC_READ_WRITE, SC_KNOWN_PARAMETER},
	{"args", 0, 0},
};
#define ACCESS_WORDS   (sizeof(access_words) / sizeof(access_words[0]))
#define MODE_ARGUMENTS UINT8_MAX

static const struct shape_key {
	const char *text;
	size_t first, second; /* members of struct sc_text_shape */
} shape_keys[] = {
#define AT(member) offsetof(struct sc_text_shape, member)
	{"width", AT(width), AT(width)},
	{"rows", AT(rows), AT(rows)},
	{"slices", AT(slices), AT(slices)},
	{"pitch", AT(dst_pitch), AT(src_pitch)},
	{"dst_pitch", AT(dst_pitch), AT(dst_pitch)},
	{"src_pitch", AT(src_pitch), AT(src_pitch)},
	{"slice_pitch", AT(dst_slice_pitch), AT(src_slice_pitch)},
	{"dst_slice_pitch", AT(dst_slice_pitch), AT(dst_slice_pitch)},
	{"src_slice_pitch", AT(src_slice_pitch), AT(src_slice_pitch)},
#undef AT
};
#define SHAPE_KEYS (sizeof(shape_keys) / sizeof(shape_keys[0]))

/* Before the kind: tN:, cbN: and gN/INDEX:. */

/* A node has its graph for a stream, and nothing of it is executed now. */
static int take_node_prefix(struct sc_text_parser *p, struct sc_text_line *l,
			    struct sc_text_span graph)
{
	uint64_t id;
	int err = sc_text_name_graph(p, graph, &id);

	if (err)
		return err;
	l->is_node = 1;
	l->op.peer = (uint32_t)id;
	l->op.flags |= SC_FLAG_NODE | SC_FLAG_CAPTURED;
	l->given |= UINT32_C(1) << SC_FIELD_stream | UINT32_C(1) << SC_FIELD_peer;
	return 0;
}

static int take_prefix(struct sc_text_parser *p, struct sc_text_line *l, struct sc_text_span word)
{
	bool is_callback = word.bytes > 2 && word.text[0] == 'c' && word.text[1] == 'b';
	struct sc_text_span digits = {word.text + 1 + is_callback, word.bytes - 2 - is_callback};
	struct sc_text_span node = {word.text, word.bytes - 1}, graph;
	uint64_t number;

	if (sc_text_node_prefix(node, &graph, &l->node))
		return take_node_prefix(p, l, graph);
	if ((!is_callback && *word.text != 't') || !sc_lex_number(digits, &number) ||
	    number > UINT32_MAX)
		return sc_text_fail(
			p,
			"\"%.*s\" is neither a thread (t1:), a callback (cb1:) nor a node (g1/0:)",
			SC_SPAN(word));
	if (!is_callback) {
		l->op.thread = (uint32_t)number;
		l->given |= UINT32_C(1) << SC_FIELD_thread;
		return 0;
	}
	l->op.callback = (uint32_t)number;
	l->given |= UINT32_C(1) << SC_FIELD_callback;
	l->is_callback_prefix = 1;
	return 0;
}

static bool is_prefix(const struct sc_token *t)
{
	return t->form == SC_TOKEN_WORD && !t->key.bytes && t->value.bytes > 1 &&
	       t->value.text[t->value.bytes - 1] == ':';
}

/* Takes prefixes and the kind; *next gets the first token after them. */
static int take_kind(struct sc_text_parser *p, struct sc_text_line *l, size_t *next)
{
	struct sc_text_span word;
	size_t i = 0;
	int err;

	for (; i < p->tokens.count && is_prefix(&p->tokens.items[i]); i++) {
		err = take_prefix(p, l, p->tokens.items[i].value);
		if (err)
			return err;
	}
	if (i == p->tokens.count || p->tokens.items[i].form != SC_TOKEN_WORD ||
	    p->tokens.items[i].key.bytes)
		return sc_text_fail(p, "there is no op on this line");
	word = p->tokens.items[i].value;
	l->is_2d = sc_span_is(word, "copy2d");
	l->op.kind = l->is_2d ? SC_OP_COPY : (uint16_t)sc_field_kind(word.text, word.bytes);
	if (l->op.kind == SC_OP_KINDS || l->op.kind == SC_OP_NONE)
		return sc_text_fail(p, "there is no op \"%.*s\"%s", SC_SPAN(word),
				    p->done.count ? ""
						  : "; if this is no trace in text form, name the "
						    "file that option trace wrote");
	*next = i + 1;
	return 0;
}

/* The thread that makes the call, as far as prefixes say. */
static void finish_thread(struct sc_text_parser *p, struct sc_text_line *l)
{
	uint32_t number = l->op.callback;

	if (sc_text_is_given(l, SC_FIELD_thread) || !sc_field_has_thread(l->op.kind) ||
	    sc_field_is_operand(l->op.kind, SC_FIELD_thread))
		return;
	l->op.thread = 1;
	if (l->is_callback_prefix || l->op.kind == SC_OP_CALLBACK_BEGIN ||
	    l->op.kind == SC_OP_CALLBACK_END)
		l->op.thread = CALLBACK_THREAD;
	if (number && number <= p->callbacks.count)
		l->op.thread = p->callbacks.items[number - 1].thread;
}

/* key=value. */

static bool take_shape(struct sc_text_line *l, const struct sc_token *t, bool *ok)
{
	uint64_t value;

	for (const struct shape_key *key = shape_keys; key < shape_keys + SHAPE_KEYS; key++) {
		if (!sc_span_is(t->key, key->text))
			continue;
		*ok = sc_lex_number(t->value, &value);
		if (*ok) {
			memcpy((uint8_t *)&l->shape + key->first, &value, sizeof(value));
			memcpy((uint8_t *)&l->shape + key->second, &value, sizeof(value));
		}
		return 1;
	}
	return 0;
}

static int take_attachment(struct sc_text_parser *p, struct sc_text_line *l,
			   const struct sc_token *t)
{
	uint32_t type = sc_text_attach_type(t->key.text, t->key.bytes);
	struct sc_text_span v = t->value;
	bool ok = 0;

	if (sc_span_is(t->key, "accesses"))
		return sc_text_place_accesses(p, l, v);
	if (l->is_node && sc_span_is(t->key, "after")) {
		l->after = v;
		return 0;
	}
	if (sc_span_is(t->key, "launch"))
		ok = sc_text_attach_launch(&l->attachments, v.text, v.bytes);
	else if (sc_span_is(t->key, "params"))
		ok = sc_text_attach_params_hex(&l->attachments, v.text, v.bytes);
	else if (type)
		ok = sc_text_attach_parse(&l->attachments, type, v.text, v.bytes);
	else if (!l->is_2d || !take_shape(l, t, &ok))
		return sc_text_fail(p, "there is no field \"%.*s\"", SC_SPAN(t->key));
	return ok ? 0
		  : sc_text_fail(p, "\"%.*s\" is no value of %.*s", SC_SPAN(v), SC_SPAN(t->key));
}

/* A rank, a tag or a number as the library of the message counts it. */
static int take_counted(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
			uint64_t added, struct sc_text_span value)
{
	uint64_t number;

	if (!sc_lex_number(value, &number) || !sc_field_set(&l->op, field, number + added))
		return sc_text_fail(p, "\"%.*s\" is no rank, tag or number", SC_SPAN(value));
	l->given |= UINT32_C(1) << field;
	return 0;
}

static int take_field(struct sc_text_parser *p, struct sc_text_line *l, const struct sc_token *t)
{
	unsigned field = sc_field_find(t->key.text, t->key.bytes), added, of_message;

	of_message = sc_text_message_key(&l->op, t->key, &added);
	if (of_message < SC_FIELDS)
		return take_counted(p, l, of_message, added, t->value);
	if (field == SC_FIELDS)
		return take_attachment(p, l, t);
	return sc_text_value(p, l, field, t->value);
}

/* Fields that say whose call it is come before the names that depend on them. */
static bool is_early(const struct sc_token *t)
{
	return sc_span_is(t->key, "thread") || sc_span_is(t->key, "context") ||
	       sc_span_is(t->key, "device") || sc_span_is(t->key, "phase") ||
	       sc_span_is(t->key, "flags") || sc_span_is(t->key, "dst");
}

static int take_fields(struct sc_text_parser *p, struct sc_text_line *l, size_t first, bool early)
{
	int err = 0;

	for (size_t i = first; !err && i < p->tokens.count; i++) {
		const struct sc_token *t = &p->tokens.items[i];

		if (t->key.bytes && is_early(t) == early)
			err = take_field(p, l, t);
	}
	return err;
}

/* Words. */

static unsigned swapped(unsigned field)
{
	return field == SC_FIELD_dst ? SC_FIELD_src : field == SC_FIELD_src ? SC_FIELD_dst : field;
}

static bool is_allocation(const struct sc_op *op)
{
	return op->kind == SC_OP_ALLOC || op->kind == SC_OP_ALLOC_ASYNC ||
	       op->kind == SC_OP_VMM_MAP;
}

/* True if the operand stands somewhere as field=value. (An allocation may have both, a name and
 * dst=, the address of that name.) */
static bool is_elsewhere(const struct sc_text_line *l, unsigned field)
{
	if (field >= SC_FIELDS || (field == SC_FIELD_dst && is_allocation(&l->op)))
		return 0;
	return (l->given | l->keyed) >> field & 1;
}

/* The operand that the next word fills. */
static unsigned next_operand(struct sc_text_line *l)
{
	unsigned field;

	do {
		field = sc_field_operand(l->op.kind, &l->operand_at);
		if (l->is_reversed)
			field = swapped(field);
	} while (is_elsewhere(l, field));
	return field;
}

static unsigned peek_operand(struct sc_text_line *l)
{
	unsigned at = l->operand_at, field = next_operand(l);

	l->operand_at = at;
	return field;
}

static int take_text(struct sc_text_parser *p, struct sc_text_line *l, const struct sc_token *t,
		     uint32_t type)
{
	bool ok = 1;

	if (t->form == SC_TOKEN_WORD && sc_span_is(t->value, "-"))
		return 0;
	if (type == SC_ATTACH_TEXT && t->form == SC_TOKEN_WORD)
		sc_text_attach_add(&l->attachments, type, t->value.text, t->value.bytes);
	else
		ok = sc_text_attach_parse(&l->attachments, type, t->value.text, t->value.bytes);
	return ok ? 0 : sc_text_fail(p, "\"%.*s\" is malformed", SC_SPAN(t->value));
}

static int take_operand(struct sc_text_parser *p, struct sc_text_line *l, const struct sc_token *t)
{
	unsigned field = next_operand(l);
	uint64_t number;

	switch (field) {
	case SC_OPERAND_END: return sc_text_fail(p, "\"%.*s\" is too much", SC_SPAN(t->value));
	case SC_OPERAND_TEXT: return take_text(p, l, t, SC_ATTACH_TEXT);
	case SC_OPERAND_FRAMES: return take_text(p, l, t, SC_ATTACH_FRAMES);
	case SC_FIELD_dst:
		if (is_allocation(&l->op) && !sc_lex_number(t->value, &number)) {
			l->declares = t->value;
			return 0;
		}
	}
	return sc_text_value(p, l, field, t->value);
}

static bool take_access_word(struct sc_text_line *l, struct sc_text_span word)
{
	for (const struct access_word *w = access_words; w < access_words + ACCESS_WORDS; w++)
		if (sc_span_is(word, w->text)) {
			l->mode = w->mode ? w->mode : MODE_ARGUMENTS;
			l->known = w->known;
			return 1;
		}
	return 0;
}

static bool is_flag(struct sc_text_span word)
{
	for (unsigned bit = 0; bit < 32; bit++) {
		const char *text = sc_op_flag_text(UINT32_C(1) << bit);

		if (text && sc_span_is(word, text))
			return 1;
	}
	return 0;
}

static bool is_phase(const struct sc_text_line *l, struct sc_text_span word)
{
	return (sc_field_has_phases(&l->op) || l->op.kind == SC_OP_COPY ||
		l->op.kind == SC_OP_SET) &&
	       (sc_span_is(word, "begin") || sc_span_is(word, "end") || sc_span_is(word, "once"));
}

/* Kinds whose accesses may be written as words. */
static bool is_work(const struct sc_op *op)
{
	return sc_op_kind_class(op->kind) == SC_CLASS_ENQUEUE || op->kind == SC_OP_AGENT;
}

static int take_word(struct sc_text_parser *p, struct sc_text_line *l, const struct sc_token *t)
{
	unsigned field = peek_operand(l);

	/* a call may have the name of a flag */
	if (t->form != SC_TOKEN_WORD || field == SC_OPERAND_TEXT || field == SC_OPERAND_FRAMES ||
	    field == SC_FIELD_call)
		return take_operand(p, l, t);
	if (sc_span_is(t->value, "<-") || sc_span_is(t->value, "->"))
		return 0;
	if (is_work(&l->op) && take_access_word(l, t->value))
		return 0;
	if (l->op.kind == SC_OP_MESSAGE && sc_span_is(t->value, "returned")) {
		l->is_returned = 1;
		return 0;
	}
	if (is_phase(l, t->value))
		return sc_text_value(p, l, SC_FIELD_phase, t->value);
	if (is_flag(t->value))
		return sc_text_value(p, l, SC_FIELD_flags, t->value);
	if (l->mode == MODE_ARGUMENTS)
		return sc_text_place_argument(p, l, t->value);
	if (l->mode)
		return sc_text_place_access(p, l, t->value);
	return take_operand(p, l, t);
}

/* Looks ahead for what changes the meaning of words: an arrow, and operands written as fields. */
static void look_ahead(struct sc_text_parser *p, struct sc_text_line *l, size_t first)
{
	for (size_t i = first; i < p->tokens.count; i++) {
		const struct sc_token *t = &p->tokens.items[i];
		unsigned field = sc_field_find(t->key.text, t->key.bytes);

		if (t->key.bytes && field < SC_FIELDS)
			l->keyed |= UINT32_C(1) << field;
		if (!t->key.bytes && t->form == SC_TOKEN_WORD && sc_span_is(t->value, "->"))
			l->is_reversed = l->op.kind == SC_OP_COPY;
	}
}

static int take_words(struct sc_text_parser *p, struct sc_text_line *l, size_t first)
{
	int err = 0;

	for (size_t i = first; !err && i < p->tokens.count; i++)
		if (!p->tokens.items[i].key.bytes)
			err = take_word(p, l, &p->tokens.items[i]);
	return err;
}

static int parse(struct sc_text_parser *p, struct sc_text_line *l)
{
	size_t first = 0;
	int err = take_kind(p, l, &first);

	if (err)
		return err;
	finish_thread(p, l);
	look_ahead(p, l, first);
	err = take_fields(p, l, first, 1);
	if (!err)
		err = take_words(p, l, first);
	if (!err)
		err = take_fields(p, l, first, 0);
	if (!err)
		err = sc_text_finish(p, l);
	if (!err)
		err = sc_text_emit_line(p, l);
	if (!err)
		sc_text_place_effect(p, l);
	return err;
}

int sc_text_line(struct sc_text_parser *p)
{
	struct sc_text_line l = {.attachments.arena = &p->arena};
	int err = parse(p, &l);

	sc_vector_fini(&l.attachments.list);
	sc_vector_fini(&l.accesses);
	sc_buf_fini(&l.arguments);
	return err;
}

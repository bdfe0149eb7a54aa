/* The value of one field in the text form, parsed and stored. */
#include "trace/text/text_line.h"

#include <inttypes.h>
#include <stdbool.h>

static int malformed(struct sc_text_parser *p, unsigned field, struct sc_text_span value)
{
	return sc_text_fail(p, "\"%.*s\" is no value of %s", SC_SPAN(value), sc_field_name(field));
}

static bool is_number(struct sc_text_span s)
{
	return s.bytes && *s.text >= '0' && *s.text <= '9';
}

static int store(struct sc_text_parser *p, struct sc_text_line *l, unsigned field, uint64_t value)
{
	if (!sc_field_set(&l->op, field, value))
		return sc_text_fail(p, "%" PRIu64 " does not fit into %s", value,
				    sc_field_name(field));
	l->given |= UINT32_C(1) << field;
	return 0;
}

static int number_value(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
			struct sc_text_span value)
{
	bool is_negative = field == SC_FIELD_result && value.bytes && *value.text == '-';
	struct sc_text_span digits = {value.text + is_negative, value.bytes - is_negative};
	uint64_t number;

	if (field == SC_FIELD_result && sc_span_is(value, "pending"))
		return store(p, l, field, (uint64_t)SC_RESULT_PENDING);
	if (!sc_lex_number(digits, &number))
		return malformed(p, field, value);
	return store(p, l, field, is_negative ? -number : number);
}

/* An id: a number as it is, or a name. */
static int id_value(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
		    struct sc_text_span value)
{
	bool is_object = sc_field_format(field) == SC_AS_OBJECT;
	uint64_t id = 0;
	int err;

	if (is_number(value)) {
		if (!sc_lex_number(value, &id))
			return malformed(p, field, value);
		if (!is_object || (l->op.kind != SC_OP_STRING && l->op.kind != SC_OP_STACK))
			sc_text_use_id(&p->next_id, id);
		return store(p, l, field, id);
	}
	if (!sc_lex_name(value))
		return malformed(p, field, value);
	l->given |= UINT32_C(1) << field;
	if (field == SC_FIELD_stream)
		return sc_text_name_stream(p, l, value);
	if (field == SC_FIELD_context)
		return sc_text_name_context(p, l, value);
	err = sc_text_name_object(p, l, field, value, &id);
	return err ? err : store(p, l, field, id);
}

static int thread_value(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
			struct sc_text_span value)
{
	struct sc_text_span digits = value;
	uint64_t number;

	if (digits.bytes && *digits.text == 't') {
		digits.text++;
		digits.bytes--;
	}
	if (!sc_lex_number(digits, &number))
		return malformed(p, field, value);
	return store(p, l, field, number);
}

/* The other context of a peer copy or of peer access. */
static int peer_context_value(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
			      struct sc_text_span value)
{
	struct sc_text_line side = {.op = {.kind = SC_OP_CALL, .thread = l->op.thread}};
	int err;

	if (is_number(value))
		return id_value(p, l, field, value);
	if (!value.bytes)
		return malformed(p, field, value);
	err = sc_text_name_context(p, &side, value);
	return err ? err : store(p, l, field, side.op.context);
}

/* The `peer` of a thread op is a thread, the `peer` of peer access a context. */
static int object_value(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
			struct sc_text_span value)
{
	switch (l->op.kind) {
	case SC_OP_THREAD_BEGIN:
	case SC_OP_THREAD_END:
	case SC_OP_THREAD_JOIN: return thread_value(p, l, field, value);
	case SC_OP_PEER_ACCESS: return peer_context_value(p, l, field, value);
	}
	return id_value(p, l, field, value);
}

static int address_value(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
			 struct sc_text_span value)
{
	struct sc_text_symbol **buffer = field == SC_FIELD_dst ? &l->dst : &l->src;
	uint64_t address;
	int err = sc_text_place(p, value, &address, buffer);

	return err ? err : store(p, l, field, address);
}

static int memory_value(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
			struct sc_text_span value)
{
	for (unsigned memory = 0; memory < SC_MEM_KINDS; memory++)
		if (sc_span_is(value, sc_memory_text(memory)))
			return store(p, l, field, memory);
	return malformed(p, field, value);
}

static bool flag_of(struct sc_text_span word, uint64_t *flag)
{
#define SC_FLAG(id, bit, text, meaning)       \
	if (sc_span_is(word, text)) {         \
		*flag = UINT32_C(1) << (bit); \
		return 1;                     \
	}
#include "trace/flag.def"
#undef SC_FLAG
	return sc_lex_number(word, flag) && *flag <= UINT32_MAX;
}

static int flags_value(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
		       struct sc_text_span value)
{
	struct sc_text_span word, rest = value;
	uint64_t flags = l->op.flags, flag;
	bool more = !sc_span_is(value, "-");

	while (more) {
		more = sc_lex_split(&rest, '|', &word);
		if (!flag_of(word, &flag))
			return malformed(p, field, value);
		flags |= flag;
	}
	return store(p, l, field, flags);
}

static int phase_value(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
		       struct sc_text_span value)
{
	static const char *const phases[] = {"once", "begin", "end"};

	for (unsigned phase = 0; phase <= SC_PHASE_END; phase++)
		if (sc_span_is(value, phases[phase]))
			return store(p, l, field, phase);
	return malformed(p, field, value);
}

static int call_value(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
		      struct sc_text_span value)
{
	struct sc_text_span digits = {value.text + 1, value.bytes - 1};
	uint64_t id;

	if (!value.bytes)
		return malformed(p, field, value);
	if (*value.text != '@')
		return store(p, l, field, sc_text_name_string(p, value));
	if (!sc_lex_number(digits, &id))
		return malformed(p, field, value);
	return store(p, l, field, id);
}

/* A line number, or @ and the value that the field itself is to have. */
static int link_value(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
		      struct sc_text_span value)
{
	bool is_raw = value.bytes && *value.text == '@';
	struct sc_text_span digits = {value.text + is_raw, value.bytes - is_raw};
	uint64_t number;

	if (!sc_lex_number(digits, &number))
		return malformed(p, field, value);
	if (is_raw || !number)
		return store(p, l, field, number);
	if (number > p->done.count)
		return sc_text_fail(p, "op line %" PRIu64 " does not stand before this one",
				    number);
	if (p->done.items[number - 1].is_other)
		return sc_text_fail(p, "op line %" PRIu64 " is of another rank", number);
	return store(p, l, field, p->done.items[number - 1].sequence + 1);
}

static int engine_value(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
			struct sc_text_span value)
{
	for (unsigned engine = 0; engine < SC_ENGINES; engine++)
		if (sc_span_is(value, sc_engine_text(engine)))
			return store(p, l, field, engine);
	return malformed(p, field, value);
}

int sc_text_value(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
		  struct sc_text_span value)
{
	uint64_t number;

	if (sc_text_message_value(&l->op, field, value, &number))
		return store(p, l, field, number);
	switch (sc_field_format(field)) {
	case SC_AS_NUMBER: return number_value(p, l, field, value);
	case SC_AS_ADDRESS: return address_value(p, l, field, value);
	case SC_AS_THREAD: return thread_value(p, l, field, value);
	case SC_AS_OBJECT: return object_value(p, l, field, value);
	case SC_AS_STREAM: return id_value(p, l, field, value);
	case SC_AS_CONTEXT:
		return field == SC_FIELD_context ? id_value(p, l, field, value)
						 : peer_context_value(p, l, field, value);
	case SC_AS_MEMORY: return memory_value(p, l, field, value);
	case SC_AS_FLAGS: return flags_value(p, l, field, value);
	case SC_AS_PHASE: return phase_value(p, l, field, value);
	case SC_AS_CALL: return call_value(p, l, field, value);
	case SC_AS_LINK: return link_value(p, l, field, value);
	case SC_AS_ENGINE: return engine_value(p, l, field, value);
	}
	return malformed(p, field, value);
}

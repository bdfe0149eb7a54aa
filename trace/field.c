/* Field: the members of struct sc_op as rows, for the text form in both directions. */
#include "trace/field.h"

#include <stdbool.h>
#include <string.h>
#include "base/assert.h"

struct field {
	const char *name;
	uint8_t offset;
	uint8_t size;
	uint8_t format;
};

static const struct field fields[] = {
#define SC_FIELD(member, format)                                                       \
	{#member, offsetof(struct sc_op, member), sizeof(((struct sc_op *)0)->member), \
	 SC_AS_##format},
#include "trace/field.def"
#undef SC_FIELD
};

static const char *const operands[] = {
#define SC_OP(id, text, operands, class, meaning) operands,
#include "trace/op.def"
#undef SC_OP
};

const char *sc_field_name(unsigned id)
{
	sc_assert(id < SC_FIELDS);
	return fields[id].name;
}

enum sc_field_format sc_field_format(unsigned id)
{
	sc_assert(id < SC_FIELDS);
	return fields[id].format;
}

static bool is_text(const char *row, const char *text, size_t bytes)
{
	return strlen(row) == bytes && !memcmp(row, text, bytes);
}

unsigned sc_field_find(const char *name, size_t bytes)
{
	unsigned id = 0;

	while (id < SC_FIELDS && !is_text(fields[id].name, name, bytes))
		id++;
	return id;
}

uint64_t sc_field_get(const struct sc_op *op, unsigned id)
{
	uint64_t value = 0;

	sc_assert(id < SC_FIELDS);
	if (id == SC_FIELD_result)
		return (uint64_t)(int64_t)op->result;
	memcpy(&value, (const uint8_t *)op + fields[id].offset, fields[id].size);
	return value;
}

bool sc_field_set(struct sc_op *op, unsigned id, uint64_t value)
{
	sc_assert(id < SC_FIELDS);
	memcpy((uint8_t *)op + fields[id].offset, &value, fields[id].size);
	return sc_field_get(op, id) == value;
}

unsigned sc_field_kind(const char *text, size_t bytes)
{
	unsigned kind = 0;

	while (kind < SC_OP_KINDS && !is_text(sc_op_kind_text(kind), text, bytes))
		kind++;
	return kind;
}

unsigned sc_field_operand(unsigned kind, unsigned *at)
{
	const char *name = operands[kind] + *at;
	size_t bytes = strcspn(name, " ");

	sc_assert(kind < SC_OP_KINDS);
	if (!bytes)
		return SC_OPERAND_END;
	*at += (unsigned)(bytes + strspn(name + bytes, " "));
	if (is_text("text", name, bytes))
		return SC_OPERAND_TEXT;
	if (is_text("frames", name, bytes))
		return SC_OPERAND_FRAMES;
	return sc_field_find(name, bytes);
}

bool sc_field_is_operand(unsigned kind, unsigned id)
{
	unsigned at = 0, operand;

	while ((operand = sc_field_operand(kind, &at)) != SC_OPERAND_END)
		if (operand == id)
			return 1;
	return 0;
}

bool sc_field_has_thread(unsigned kind)
{
	sc_assert(kind < SC_OP_KINDS);
	switch (kind) {
	case SC_OP_CONTEXT_CREATE:
	case SC_OP_STREAM_CREATE:
	case SC_OP_EVENT_CREATE:
	case SC_OP_RANGE_PUSH:
	case SC_OP_RANGE_POP:
	case SC_OP_MARK:
	case SC_OP_MESSAGE:
	case SC_OP_MESSAGE_END: return 1;
	}
	return sc_op_kind_class(kind) != SC_CLASS_DEFINE;
}

bool sc_field_has_context(unsigned kind)
{
	switch (kind) {
	case SC_OP_HOST_READ:
	case SC_OP_HOST_WRITE:
	case SC_OP_HOST_FREE:
	case SC_OP_THREAD_BEGIN:
	case SC_OP_THREAD_END:
	case SC_OP_THREAD_JOIN:
	case SC_OP_RANGE_PUSH:
	case SC_OP_RANGE_POP:
	case SC_OP_MARK:
	case SC_OP_SYNC_RELEASE:
	case SC_OP_SYNC_ACQUIRE:
	case SC_OP_SYNC_HOLD:
	case SC_OP_AGENT:
	case SC_OP_AGENT_END:
	case SC_OP_MESSAGE:
	case SC_OP_MESSAGE_END:
	case SC_OP_EXIT: return 0;
	}
	return sc_field_has_thread(kind);
}

bool sc_field_has_phases(const struct sc_op *op)
{
	if (op->kind == SC_OP_COPY || op->kind == SC_OP_SET)
		return op->flags & SC_FLAG_SYNC;
	return sc_op_kind_class(op->kind) == SC_CLASS_WAIT;
}

bool sc_field_is_filled(const struct sc_op *op, unsigned id)
{
	bool is_definition = sc_op_kind_class(op->kind) == SC_CLASS_DEFINE;

	switch (id) {
	case SC_FIELD_phase: return sc_field_has_phases(op);
	case SC_FIELD_thread: return sc_field_has_thread(op->kind);
	case SC_FIELD_context: return sc_field_has_context(op->kind);
	case SC_FIELD_dst_mem: return op->dst && !is_definition;
	case SC_FIELD_src_mem: return op->src && !is_definition;
	case SC_FIELD_callback:
		return op->kind == SC_OP_CALLBACK_BEGIN || op->kind == SC_OP_CALLBACK_END;
	}
	return 0;
}

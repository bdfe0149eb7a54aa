/* Field: the members of struct sc_op as rows (field.def), for the text form in both directions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "trace/op.h"

enum sc_field_id {
#define SC_FIELD(member, format) SC_FIELD_##member,
#include "trace/field.def"
#undef SC_FIELD
	SC_FIELDS,
	/* Operands that are attachments. */
	SC_OPERAND_TEXT = SC_FIELDS,
	SC_OPERAND_FRAMES,
	SC_OPERAND_END
};

enum sc_field_format {
	SC_AS_NUMBER,
	SC_AS_ADDRESS,
	SC_AS_THREAD,
	SC_AS_STREAM,
	SC_AS_OBJECT,
	SC_AS_CONTEXT,
	SC_AS_MEMORY,
	SC_AS_FLAGS,
	SC_AS_PHASE,
	SC_AS_CALL,
	SC_AS_LINK,
	SC_AS_ENGINE
};

const char *sc_field_name(unsigned id);
enum sc_field_format sc_field_format(unsigned id);
/* Id of a field by its name, or SC_FIELDS. */
unsigned sc_field_find(const char *name, size_t bytes);
/* Value of a member, sign-extended if it is signed. */
uint64_t sc_field_get(const struct sc_op *op, unsigned id);
/* Stores a value; false if the member is too narrow for it. */
bool sc_field_set(struct sc_op *op, unsigned id, uint64_t value);

/* Kind of op by its text, or SC_OP_KINDS. */
unsigned sc_field_kind(const char *text, size_t bytes);
/* Walks the operands of a kind: *at begins at 0; SC_OPERAND_END after the last. */
unsigned sc_field_operand(unsigned kind, unsigned *at);
bool sc_field_is_operand(unsigned kind, unsigned id);

/* True if the kind is a CUDA call or a host access, which some thread makes. */
bool sc_field_has_thread(unsigned kind);
/* True if the kind is a CUDA call made in a context. */
bool sc_field_has_context(unsigned kind);
/* True if the parser fills the field of such an op in when it is not written. */
bool sc_field_is_filled(const struct sc_op *op, unsigned id);
/* True if the op is written as a BEGIN and an END. */
bool sc_field_has_phases(const struct sc_op *op);

/* The text form, printed: one record as one line. */
#include "trace/text/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "base/assert.h"
#include "base/buf.h"
#include "trace/field.h"
#include "trace/lines.h"
#include "trace/text/text_attach.h"

static void print_flags(struct sc_buf *out, uint32_t flags)
{
	const char *between = "";

	for (unsigned bit = 0; bit < 32; bit++) {
		uint32_t flag = UINT32_C(1) << bit;
		const char *text = sc_op_flag_text(flag);

		if (!(flags & flag))
			continue;
		sc_buf_add(out, between);
		if (text)
			sc_buf_add(out, text);
		else
			sc_buf_printf(out, "0x%" PRIx32, flag);
		between = "|";
	}
	if (!flags)
		sc_buf_add_char(out, '-');
}

static void print_phase(struct sc_buf *out, unsigned phase)
{
	static const char *const texts[] = {"once", "begin", "end"};

	sc_assert(phase <= SC_PHASE_END); /* sc_check_op */
	sc_buf_add(out, texts[phase]);
}

static bool is_identifier(const char *text)
{
	if (!isalpha((unsigned char)*text) && *text != '_')
		return 0;
	while (isalnum((unsigned char)*text) || *text == '_')
		text++;
	return !*text;
}

static void print_call(struct sc_buf *out, const struct sc_reader *r, uint32_t id)
{
	const char *name = sc_reader_string(r, id);

	if (is_identifier(name))
		sc_buf_add(out, name);
	else
		sc_buf_printf(out, "@%" PRIu32, id);
}

static void print_link(struct sc_buf *out, const struct sc_reader *r, uint64_t link)
{
	uint64_t line = link ? sc_lines_find(sc_reader_printed(r), link - 1) : 0;

	if (line || !link)
		sc_buf_printf(out, "%" PRIu64, line);
	else
		sc_buf_printf(out, "@%" PRIu64, link);
}

static void print_value(struct sc_buf *out, const struct sc_reader *r, const struct sc_op *op,
			unsigned id)
{
	uint64_t value = sc_field_get(op, id);

	switch (sc_field_format(id)) {
	case SC_AS_NUMBER:
		if (id != SC_FIELD_result)
			sc_buf_printf(out, "%" PRIu64, value);
		else if (op->result == SC_RESULT_PENDING)
			sc_buf_add(out, "pending");
		else
			sc_buf_printf(out, "%" PRId32, op->result);
		return;
	case SC_AS_STREAM:
	case SC_AS_OBJECT:
	case SC_AS_CONTEXT: sc_buf_printf(out, "%" PRIu64, value); return;
	case SC_AS_ADDRESS: sc_buf_printf(out, "0x%" PRIx64, value); return;
	case SC_AS_THREAD: sc_buf_printf(out, "t%" PRIu64, value); return;
	case SC_AS_MEMORY: sc_buf_add(out, sc_memory_text((unsigned)value)); return;
	case SC_AS_FLAGS: print_flags(out, (uint32_t)value); return;
	case SC_AS_PHASE: print_phase(out, (unsigned)value); return;
	case SC_AS_CALL: print_call(out, r, (uint32_t)value); return;
	case SC_AS_LINK: print_link(out, r, value); return;
	case SC_AS_ENGINE: sc_buf_add(out, sc_engine_text((unsigned)value)); return;
	}
}

static void print_operands(struct sc_buf *out, const struct sc_reader *r,
			   const struct sc_record *record)
{
	unsigned at = 0, id;

	while ((id = sc_field_operand(record->op.kind, &at)) != SC_OPERAND_END) {
		sc_buf_add_char(out, ' ');
		if (id == SC_OPERAND_TEXT)
			sc_text_attach_print_operand(out, record, SC_ATTACH_TEXT);
		else if (id == SC_OPERAND_FRAMES)
			sc_text_attach_print_operand(out, record, SC_ATTACH_FRAMES);
		else
			print_value(out, r, &record->op, id);
	}
}

/* The thread stands at the start of the line, if it stands nowhere else. */
static bool has_prefix(const struct sc_op *op)
{
	return op->thread && !sc_field_is_operand(op->kind, SC_FIELD_thread);
}

static void print_fields(struct sc_buf *out, const struct sc_reader *r, const struct sc_op *op)
{
	for (unsigned id = 0; id < SC_FIELDS; id++) {
		if (sc_field_is_operand(op->kind, id))
			continue;
		if (id == SC_FIELD_thread && has_prefix(op))
			continue;
		if (!sc_field_get(op, id) && !sc_field_is_filled(op, id))
			continue;
		sc_buf_printf(out, " %s=", sc_field_name(id));
		print_value(out, r, op, id);
	}
}

void sc_text_print(FILE *file, const struct sc_reader *r, const struct sc_record *record)
{
	const struct sc_op *op = &record->op;
	struct sc_buf out = {0};

	sc_assert(op->kind < SC_OP_KINDS);
	if (has_prefix(op))
		sc_buf_printf(&out, "t%" PRIu32 ": ", op->thread);
	sc_buf_add(&out, sc_op_kind_text(op->kind));
	print_operands(&out, r, record);
	print_fields(&out, r, op);
	sc_text_attach_print(&out, record);
	/* now, so that no link names its own line */
	sc_lines_add(sc_reader_printed(r), record->sequence);
	sc_buf_add_char(&out, '\n');
	fwrite(out.text, 1, out.bytes, file);
	sc_buf_fini(&out);
}

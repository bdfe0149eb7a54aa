/* Finished ops of the text form, to slots. */
#include "trace/text/text_parser.h"

#include <string.h>
#include "base/assert.h"
#include "trace/slot.h"

uint64_t sc_text_emit(struct sc_text_parser *p, const struct sc_op *op,
		      const struct sc_attachment *attachments, unsigned count, uint32_t op_line)
{
	uint32_t n = sc_slot_count(attachments, count);
	uint64_t sequence = p->slots.count;

	sc_assert(op->kind < SC_OP_KINDS && p->op_lines.count == p->slots.count);
	if (!n)
		return SC_NOT_WRITTEN;
	sc_vector_reserve(&p->slots, n);
	sc_vector_reserve(&p->op_lines, n);
	memset(p->slots.items + sequence, 0, n * sizeof(*p->slots.items));
	memset(p->op_lines.items + sequence, 0, n * sizeof(*p->op_lines.items));
	sc_slot_fill(p->slots.items + sequence, n, op, attachments, count);
	p->op_lines.items[sequence] = op_line;
	p->slots.count += n;
	p->op_lines.count += n;
	return sequence;
}

void sc_text_emit_implied(struct sc_text_parser *p, const struct sc_op *op,
			  struct sc_text_span text)
{
	struct sc_attachment attachment = {SC_ATTACH_TEXT, (uint32_t)text.bytes, text.text};

	sc_text_emit(p, op, &attachment, text.bytes ? 1 : 0, 0);
}

/* Names of buffers in the text form, addresses, accesses. */
#include "trace/text/text_line.h"

#include <stdbool.h>
#include <string.h>
#include "trace/text/text_access.h"

#define FIRST_ALLOCATION UINT64_C(0x7f0000000000)
#define FIRST_HOST	 UINT64_C(0x550000000000)
#define HOST_SPACING	 (UINT64_C(1) << 30) /* between pageable buffers, whose size nobody says */
#define PAGE		 UINT64_C(4096)
#define LARGEST		 (UINT64_C(1) << 40)

static struct sc_text_symbol *host_buffer(struct sc_text_parser *p, struct sc_text_span name)
{
	bool made;
	struct sc_text_symbol *buffer = sc_symbols_get(&p->symbols, SC_SYMBOL_BUFFER, name, &made);

	buffer->memory = SC_MEM_PAGEABLE;
	buffer->base = FIRST_HOST + p->next_host++ * HOST_SPACING;
	sc_vector_push(&p->buffers, buffer);
	return buffer;
}

/* The buffer that a plain address lies in. */
static struct sc_text_symbol *buffer_at(struct sc_text_parser *p, uint64_t address)
{
	for (size_t i = p->buffers.count; i--;) {
		struct sc_text_symbol *buffer = p->buffers.items[i];
		uint64_t bytes = buffer->bytes ? buffer->bytes : HOST_SPACING;

		if (address >= buffer->base && address - buffer->base < bytes)
			return buffer;
	}
	return NULL;
}

/* NAME, NAME+OFFSET or a number. */
int sc_text_place(struct sc_text_parser *p, struct sc_text_span text, uint64_t *address,
		  struct sc_text_symbol **buffer)
{
	struct sc_text_span name, offset = text;
	uint64_t plus = 0;

	*buffer = NULL;
	if (sc_lex_number(text, address))
		return 0;
	if (sc_lex_split(&offset, '+', &name) && !sc_lex_number(offset, &plus))
		return sc_text_fail(p, "\"%.*s\" is no offset", SC_SPAN(offset));
	if (sc_lex_name(name) != name.bytes || !name.bytes)
		return sc_text_fail(p, "\"%.*s\" is no address", SC_SPAN(text));
	*buffer = sc_symbols_find(&p->symbols, SC_SYMBOL_BUFFER, name);
	if (!*buffer && *name.text == 'h')
		*buffer = host_buffer(p, name);
	if (!*buffer)
		return sc_text_fail(p, "buffer %.*s is not allocated (alloc %.*s BYTES)",
				    SC_SPAN(name), SC_SPAN(name));
	*address = (*buffer)->base + plus;
	return 0;
}

/* Bytes from the address to the end of its buffer, 0 if not known. */
static uint64_t bytes_behind(const struct sc_text_symbol *buffer, uint64_t address)
{
	if (!buffer || address < buffer->base || address - buffer->base >= buffer->bytes)
		return 0;
	return buffer->bytes - (address - buffer->base);
}

static uint8_t memory_of(struct sc_text_parser *p, const struct sc_text_symbol *buffer,
			 uint64_t address)
{
	if (!buffer)
		buffer = buffer_at(p, address);
	return buffer ? buffer->memory : SC_MEM_UNKNOWN;
}

/* Accesses. */

int sc_text_place_access(struct sc_text_parser *p, struct sc_text_line *l, struct sc_text_span spec)
{
	struct sc_text_span address, rest = spec;
	struct sc_text_access_rest written;
	struct sc_text_symbol *buffer;
	uint64_t base;
	int err;

	address = sc_text_access_address(&rest);
	err = sc_text_place(p, address, &base, &buffer);
	if (err)
		return err;
	if (!sc_text_access_rest(rest, &written))
		return sc_text_fail(p, "\"%.*s\" is no access", SC_SPAN(spec));
	written.access.base = base;
	written.access.mode = l->mode;
	if (!written.access.known)
		written.access.known = l->known;
	if (!written.has_memory)
		written.access.memory = memory_of(p, buffer, base);
	if (!written.has_width) {
		written.access.width = bytes_behind(buffer, base);
		if (!written.access.width)
			return sc_text_fail(p, "how much of %.*s? write %.*s:BYTES",
					    SC_SPAN(address), SC_SPAN(address));
	}
	sc_vector_push(&l->accesses, written.access);
	return 0;
}

int sc_text_place_accesses(struct sc_text_parser *p, struct sc_text_line *l,
			   struct sc_text_span list)
{
	struct sc_text_span mode, spec;
	int err = 0;

	sc_vector_clear(&l->accesses);
	while (!err && sc_lex_element(&list, &mode)) {
		l->mode = (uint8_t)sc_text_access_mode(mode);
		l->known = SC_KNOWN_EXACT;
		if (!l->mode)
			return sc_text_fail(p, "\"%.*s\" is no access mode (r, w, rw, a, ar)",
					    SC_SPAN(mode));
		if (!sc_lex_element(&list, &spec))
			return sc_text_fail(p, "no access follows \"%.*s\"", SC_SPAN(mode));
		err = sc_text_place_access(p, l, spec);
	}
	l->mode = 0;
	sc_text_attach_add(&l->attachments, SC_ATTACH_ACCESSES, l->accesses.items,
			   l->accesses.count * sizeof(*l->accesses.items));
	sc_vector_clear(&l->accesses);
	return err;
}

int sc_text_place_argument(struct sc_text_parser *p, struct sc_text_line *l,
			   struct sc_text_span text)
{
	struct sc_text_symbol *buffer;
	uint64_t value;
	int err = sc_text_place(p, text, &value, &buffer);

	if (!err)
		sc_buf_add_bytes(&l->arguments, &value, sizeof(value));
	return err;
}

/* Allocations. */

static int place_allocation(struct sc_text_parser *p, struct sc_text_line *l,
			    struct sc_text_symbol *buffer)
{
	bool fits = buffer->freed && buffer->bytes >= l->op.bytes;

	if (sc_text_is_given(l, SC_FIELD_dst))
		return 0;
	if (l->op.dst_mem == SC_MEM_ARRAY) {
		l->op.dst = SC_ARRAY_ADDRESS(l->op.object);
		return 0;
	}
	if (l->op.bytes > LARGEST)
		return sc_text_fail(p, "so much room needs an address, add dst=0x...");
	l->op.dst = p->next_address;
	if (fits)
		l->op.dst = buffer->base; /* freed memory comes back, as it does in life */
	else
		p->next_address += (l->op.bytes + 2 * PAGE - 1) & ~(PAGE - 1);
	return 0;
}

static int finish_allocation(struct sc_text_parser *p, struct sc_text_line *l)
{
	struct sc_text_symbol *buffer;
	bool made;
	int err;

	if (sc_lex_name(l->declares) != l->declares.bytes)
		return sc_text_fail(p, "\"%.*s\" is no name", SC_SPAN(l->declares));
	if (!sc_text_is_given(l, SC_FIELD_bytes))
		return sc_text_fail(p, "how many bytes?");
	buffer = sc_symbols_get(&p->symbols, SC_SYMBOL_BUFFER, l->declares, &made);
	if (!made && !buffer->freed)
		return sc_text_fail(p, "%.*s is in use", SC_SPAN(l->declares));
	if (!sc_text_is_given(l, SC_FIELD_dst_mem))
		l->op.dst_mem = SC_MEM_DEVICE;
	if (!sc_text_is_given(l, SC_FIELD_object))
		l->op.object = sc_text_new_id(p);
	err = place_allocation(p, l, buffer);
	*buffer = (struct sc_text_symbol){.id = l->op.object,
					  .memory = l->op.dst_mem,
					  .base = l->op.dst,
					  .bytes = l->op.bytes};
	if (l->op.kind == SC_OP_ALLOC_ASYNC && !sc_text_is_given(l, SC_FIELD_flags))
		l->op.flags |= SC_FLAG_POOL;
	sc_vector_push(&p->buffers, buffer);
	return err;
}

/* Copies in two dimensions. */

static void set_default(uint64_t *value, uint64_t otherwise)
{
	if (!*value)
		*value = otherwise;
}

static int finish_2d(struct sc_text_parser *p, struct sc_text_line *l)
{
	struct sc_text_shape *s = &l->shape;
	struct sc_access write = {.base = l->op.dst, .mode = SC_WRITE, .memory = l->op.dst_mem};
	struct sc_access read = {.base = l->op.src, .mode = SC_READ, .memory = l->op.src_mem};

	if (!s->width || !s->rows)
		return sc_text_fail(p, "copy2d needs width= and rows=");
	set_default(&s->slices, 1);
	set_default(&s->dst_pitch, s->width);
	set_default(&s->src_pitch, s->width);
	set_default(&s->dst_slice_pitch, s->dst_pitch * s->rows);
	set_default(&s->src_slice_pitch, s->src_pitch * s->rows);
	write.width = read.width = s->width;
	write.rows = read.rows = s->rows;
	write.slices = read.slices = s->slices;
	write.pitch = s->dst_pitch;
	read.pitch = s->src_pitch;
	write.slice_pitch = s->slices > 1 ? s->dst_slice_pitch : 0;
	read.slice_pitch = s->slices > 1 ? s->src_slice_pitch : 0;
	sc_vector_push(&l->accesses, write);
	sc_vector_push(&l->accesses, read);
	return 0;
}

/* The rest. */

static void finish_memory(struct sc_text_parser *p, struct sc_text_line *l)
{
	struct sc_op *op = &l->op;

	if (sc_op_kind_class(op->kind) == SC_CLASS_DEFINE)
		return;
	if (op->dst && !sc_text_is_given(l, SC_FIELD_dst_mem))
		op->dst_mem =
			op->kind == SC_OP_PIN ? SC_MEM_REGISTERED : memory_of(p, l->dst, op->dst);
	if (op->src && !sc_text_is_given(l, SC_FIELD_src_mem))
		op->src_mem = memory_of(p, l->src, op->src);
}

/* A size that is not written reaches to the end of the smaller buffer. */
static int finish_bytes(struct sc_text_parser *p, struct sc_text_line *l)
{
	uint64_t dst = bytes_behind(l->dst, l->op.dst), src = bytes_behind(l->src, l->op.src);

	if (l->op.phase == SC_PHASE_END || sc_text_is_given(l, SC_FIELD_bytes) ||
	    !sc_field_is_operand(l->op.kind, SC_FIELD_bytes) || l->attachments.list.count)
		return 0;
	l->op.bytes = !dst || (src && src < dst) ? src : dst;
	if (l->op.kind == SC_OP_VALUE_WRITE || l->op.kind == SC_OP_VALUE_WAIT)
		l->op.bytes = sizeof(uint32_t);
	if (!l->op.bytes)
		return sc_text_fail(p, "how many bytes?");
	return 0;
}

int sc_text_place_finish(struct sc_text_parser *p, struct sc_text_line *l)
{
	if (!p->next_address)
		p->next_address = FIRST_ALLOCATION;
	if (l->declares.bytes)
		return finish_allocation(p, l);
	finish_memory(p, l);
	if (l->is_2d)
		return finish_2d(p, l);
	if (sc_op_kind_class(l->op.kind) == SC_CLASS_DEFINE)
		return 0;
	return finish_bytes(p, l);
}

void sc_text_place_effect(struct sc_text_parser *p, struct sc_text_line *l)
{
	struct sc_text_symbol *buffer = l->dst;

	(void)p;
	if (!buffer || l->op.result)
		return;
	switch (l->op.kind) {
	case SC_OP_FREE:
	case SC_OP_FREE_ASYNC:
	case SC_OP_VMM_UNMAP:
	case SC_OP_HOST_FREE: buffer->freed = 1; break;
	case SC_OP_PIN:
		buffer->memory = l->op.dst_mem;
		buffer->bytes = l->op.bytes;
		break;
	case SC_OP_UNPIN: buffer->memory = SC_MEM_PAGEABLE; break;
	}
}

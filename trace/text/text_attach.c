/* Attachments in the text form: printing them, and collecting them while a line is parsed. */
#include "trace/text/text_attach.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "base/assert.h"
#include "trace/field.h"
#include "trace/text/text_access.h"
#include "trace/text/text_lex.h"
#include "trace/text/text_node.h"

/* How an attachment reads and is parsed. */
struct form {
	uint32_t type;
	const char *key;
	void (*print)(struct sc_buf *out, const uint8_t *data, uint32_t bytes);
	bool (*parse)(struct sc_buf *data, struct sc_text_span text); /* NULL: parsed elsewhere */
};

/* Printing. */

static void print_text(struct sc_buf *out, const uint8_t *data, uint32_t bytes)
{
	sc_buf_add_char(out, '"');
	sc_lex_quote(out, (const char *)data, bytes);
	sc_buf_add_char(out, '"');
}

static void print_hex(struct sc_buf *out, const uint8_t *data, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		sc_buf_printf(out, "%02x", data[i]);
}

static void print_frames(struct sc_buf *out, const uint8_t *data, uint32_t bytes)
{
	const uint64_t *frames = (const uint64_t *)data;

	sc_buf_add_char(out, '[');
	for (uint32_t i = 0; i < bytes / sizeof(*frames); i++)
		sc_buf_printf(out, "%s0x%" PRIx64, i ? "," : "", frames[i]);
	sc_buf_add_char(out, ']');
}

static void print_accesses(struct sc_buf *out, const uint8_t *data, uint32_t bytes)
{
	const struct sc_access *accesses = (const struct sc_access *)data;

	sc_buf_add_char(out, '[');
	for (uint32_t i = 0; i < bytes / sizeof(*accesses); i++) {
		if (i)
			sc_buf_add(out, ", ");
		sc_text_access_print(out, &accesses[i]);
	}
	sc_buf_add_char(out, ']');
}

static void print_launch(struct sc_buf *out, const uint8_t *data, uint32_t bytes)
{
	const struct sc_launch *l = (const struct sc_launch *)data;

	sc_buf_printf(out,
		      "%" PRIu32 ",%" PRIu32 ",%" PRIu32 "/%" PRIu32 ",%" PRIu32 ",%" PRIu32
		      "/%" PRIu32 "/%" PRIu32,
		      l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
		      l->shared_bytes, l->attributes);
	if (bytes > sizeof(*l)) {
		sc_buf_add(out, " params=");
		print_hex(out, data + sizeof(*l), bytes - (uint32_t)sizeof(*l));
	}
}

static void print_layout(struct sc_buf *out, const uint8_t *data, uint32_t bytes)
{
	const struct sc_param *params = (const struct sc_param *)data;

	sc_buf_add_char(out, '[');
	for (uint32_t i = 0; i < bytes / sizeof(*params); i++)
		sc_buf_printf(out, "%s%" PRIu32 ":%" PRIu32, i ? "," : "", params[i].offset,
			      params[i].bytes);
	sc_buf_add_char(out, ']');
}

/* Parsing. */

static bool parse_text(struct sc_buf *data, struct sc_text_span text)
{
	return sc_lex_unquote(text, data);
}

static bool parse_frames(struct sc_buf *data, struct sc_text_span text)
{
	struct sc_text_span element;

	while (sc_lex_element(&text, &element)) {
		uint64_t frame;

		if (!sc_lex_number(element, &frame))
			return 0;
		sc_buf_add_bytes(data, &frame, sizeof(frame));
	}
	return 1;
}

static bool parse_u32(struct sc_text_span text, uint32_t *out)
{
	uint64_t value;

	if (!sc_lex_number(text, &value) || value > UINT32_MAX)
		return 0;
	*out = (uint32_t)value;
	return 1;
}

static bool parse_layout(struct sc_buf *data, struct sc_text_span text)
{
	struct sc_text_span element, offset;

	while (sc_lex_element(&text, &element)) {
		struct sc_param param;

		if (!sc_lex_split(&element, ':', &offset) || !parse_u32(offset, &param.offset) ||
		    !parse_u32(element, &param.bytes))
			return 0;
		sc_buf_add_bytes(data, &param, sizeof(param));
	}
	return 1;
}

static bool parse_hex(struct sc_buf *data, struct sc_text_span text)
{
	return sc_lex_hex(text, data);
}

/* Bytes of an image: in hexadecimal, or, where it is PTX written by hand, as text. */
static bool parse_image(struct sc_buf *data, struct sc_text_span text)
{
	bool is_text = text.bytes && (*text.text == '.' || *text.text == '/');

	return is_text ? sc_lex_unquote(text, data) : sc_lex_hex(text, data);
}

static const struct form forms[] = {
	{SC_ATTACH_TEXT, "text", print_text, parse_text},
	{SC_ATTACH_FRAMES, "frames", print_frames, parse_frames},
	{SC_ATTACH_ACCESSES, "accesses", print_accesses, NULL},
	{SC_ATTACH_LAUNCH, "launch", print_launch, NULL},
	{SC_ATTACH_LAYOUT, "layout", print_layout, parse_layout},
	{SC_ATTACH_BUILD_ID, "build_id", print_hex, parse_hex},
	{SC_ATTACH_PYTHON, "python", print_text, parse_text},
	{SC_ATTACH_IMAGE, "data", print_hex, parse_image},
	{SC_ATTACH_NODE, "node", sc_text_node_print, sc_text_node_parse},
	{SC_ATTACH_RUN, "run", print_text, parse_text},
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

static const struct form *find_form(uint32_t type)
{
	for (const struct form *f = forms; f < forms + FORMS; f++)
		if (f->type == type)
			return f;
	return NULL;
}

static void print_one(struct sc_buf *out, const struct sc_attach_head *head, const uint8_t *data)
{
	const struct form *form = find_form(head->type);

	if (form) {
		sc_buf_printf(out, " %s=", form->key);
		form->print(out, data, head->bytes);
	} else {
		sc_buf_printf(out, " attach%" PRIu32 "=", head->type);
		print_hex(out, data, head->bytes);
	}
}

/* True if the first attachment of this type is printed as an operand. */
static bool is_operand(unsigned kind, uint32_t type)
{
	return (type == SC_ATTACH_TEXT && sc_field_is_operand(kind, SC_OPERAND_TEXT)) ||
	       (type == SC_ATTACH_FRAMES && sc_field_is_operand(kind, SC_OPERAND_FRAMES));
}

void sc_text_attach_print(struct sc_buf *out, const struct sc_record *record)
{
	bool operand_seen = 0;
	uint32_t at = 0;

	while (record->attachment_bytes - at >= sizeof(struct sc_attach_head)) {
		struct sc_attach_head head;

		memcpy(&head, record->attachments + at, sizeof(head));
		at += sizeof(head);
		if (!operand_seen && is_operand(record->op.kind, head.type))
			operand_seen = 1;
		else
			print_one(out, &head, record->attachments + at);
		at += (head.bytes + 7) & ~UINT32_C(7);
	}
}

void sc_text_attach_print_operand(struct sc_buf *out, const struct sc_record *record, uint32_t type)
{
	uint32_t bytes;
	const uint8_t *data = sc_record_attachment(record, type, &bytes);

	if (data)
		find_form(type)->print(out, data, bytes);
	else
		sc_buf_add_char(out, '-');
}

void sc_text_attach_add(struct sc_text_attachments *a, uint32_t type, const void *data,
			size_t bytes)
{
	struct sc_attachment piece = {
		.type = type,
		.bytes = (uint32_t)bytes,
		.data = sc_arena_xcopy(a->arena, data, bytes),
	};

	sc_assert(type != 0);
	sc_vector_push(&a->list, piece);
}

uint32_t sc_text_attach_type(const char *key, size_t bytes)
{
	struct sc_text_span span = {key, bytes};
	uint32_t type;

	for (const struct form *f = forms; f < forms + FORMS; f++)
		if (f->parse && sc_span_is(span, f->key))
			return f->type;
	if (bytes <= 6 || memcmp(key, "attach", 6))
		return 0;
	return parse_u32((struct sc_text_span){key + 6, bytes - 6}, &type) ? type : 0;
}

bool sc_text_attach_parse(struct sc_text_attachments *a, uint32_t type, const char *text,
			  size_t bytes)
{
	const struct form *form = find_form(type);
	struct sc_text_span span = {text, bytes};
	struct sc_buf data = {0};
	bool ok = bytes <= UINT32_MAX;

	sc_assert(type != 0);
	if (ok && form)
		ok = form->parse && form->parse(&data, span);
	else if (ok)
		ok = sc_lex_hex(span, &data);
	if (ok)
		sc_text_attach_add(a, type, sc_buf_text(&data), data.bytes);
	sc_buf_fini(&data);
	return ok;
}

/* gx[,gy[,gz]], what is missing is 1. */
static bool parse_shape(struct sc_text_span text, uint32_t shape[3])
{
	struct sc_text_span element;

	shape[0] = shape[1] = shape[2] = 1;
	for (unsigned i = 0; text.bytes; i++) {
		sc_lex_split(&text, ',', &element);
		if (i == 3 || !parse_u32(element, &shape[i]))
			return 0;
	}
	return 1;
}

bool sc_text_attach_launch(struct sc_text_attachments *a, const char *text, size_t bytes)
{
	struct sc_launch l = {0};
	struct sc_text_span rest = {text, bytes}, part;

	sc_lex_split(&rest, '/', &part);
	if (!parse_shape(part, l.grid))
		return 0;
	sc_lex_split(&rest, '/', &part);
	if (!parse_shape(part, l.block))
		return 0;
	if (sc_lex_split(&rest, '/', &part) || part.bytes)
		if (!parse_u32(part, &l.shared_bytes))
			return 0;
	if (rest.bytes && !parse_u32(rest, &l.attributes))
		return 0;
	sc_text_attach_add(a, SC_ATTACH_LAUNCH, &l, sizeof(l));
	return 1;
}

static struct sc_launch *last_launch(struct sc_text_attachments *a)
{
	for (size_t i = a->list.count; i--;)
		if (a->list.items[i].type == SC_ATTACH_LAUNCH)
			return (struct sc_launch *)a->list.items[i].data;
	sc_text_attach_launch(a, "1/1", 3);
	return (struct sc_launch *)sc_vector_last(&a->list)->data;
}

void sc_text_attach_params(struct sc_text_attachments *a, const void *data, size_t bytes)
{
	struct sc_launch *launch = last_launch(a);
	size_t i = 0, old = sizeof(*launch) + launch->param_bytes;
	struct sc_launch *longer = sc_arena_xalloc(a->arena, 1, old + bytes);

	while (a->list.items[i].data != launch)
		i++;
	memcpy(longer, launch, old);
	if (bytes)
		memcpy((uint8_t *)longer + old, data, bytes);
	longer->param_bytes += (uint32_t)bytes;
	a->list.items[i].data = longer;
	a->list.items[i].bytes = (uint32_t)(old + bytes);
}

bool sc_text_attach_params_hex(struct sc_text_attachments *a, const char *text, size_t bytes)
{
	struct sc_buf data = {0};
	bool ok = sc_lex_hex((struct sc_text_span){text, bytes}, &data);

	if (ok)
		sc_text_attach_params(a, sc_buf_text(&data), data.bytes);
	sc_buf_fini(&data);
	return ok;
}

/* Accesses in the text form. */
#include "trace/text/text_access.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "base/assert.h"

static const char *const modes[] = {[SC_READ] = "r",
				    [SC_WRITE] = "w",
				    [SC_READ_WRITE] = "rw",
				    [SC_ATOMIC] = "a",
				    [SC_ATOMIC_READ] = "ar"};

static const char *const orders[SC_SOURCE_ORDERS] = {
	"", "stream", "during_call", "any", "maybe_early", "early", "read_first", "moved"};

static const char known_marks[] = {
	[SC_KNOWN_EXACT] = 0, [SC_KNOWN_OVER] = '~', [SC_KNOWN_PARAMETER] = '?'};

void sc_text_access_print(struct sc_buf *out, const struct sc_access *a)
{
	sc_assert(a->mode >= SC_READ && a->mode < SC_MODES && a->known <= SC_KNOWN_PARAMETER);
	sc_buf_printf(out, "%s 0x%" PRIx64 ":%" PRIu64, modes[a->mode], a->base, a->width);
	if (a->rows != 1 || a->pitch || a->slices != 1 || a->slice_pitch)
		sc_buf_printf(out, "*%" PRIu64 "/%" PRIu64, a->rows, a->pitch);
	if (a->slices != 1 || a->slice_pitch)
		sc_buf_printf(out, "*%" PRIu64 "/%" PRIu64, a->slices, a->slice_pitch);
	sc_buf_printf(out, "@%s", sc_memory_text(a->memory));
	if (a->order)
		sc_buf_printf(out, "%%%s", orders[a->order]);
	if (a->known)
		sc_buf_add_char(out, known_marks[a->known]);
	if (a->how == SC_HOW_PROGRAM)
		sc_buf_add_char(out, '!');
	if (a->how == SC_HOW_RECORDED)
		sc_buf_add_char(out, '^');
}

struct sc_text_span sc_text_access_address(struct sc_text_span *rest)
{
	struct sc_text_span address = *rest;
	size_t n = 0;

	while (n < rest->bytes && !memchr(":@%~?!^", rest->text[n], 7))
		n++;
	address.bytes = n;
	rest->text += n;
	rest->bytes -= n;
	return address;
}

/* COUNT/PITCH */
static bool parse_repeat(struct sc_text_span text, uint64_t *count, uint64_t *pitch)
{
	struct sc_text_span number;

	return sc_lex_split(&text, '/', &number) && sc_lex_number(number, count) &&
	       sc_lex_number(text, pitch);
}

/* WIDTH[*ROWS/PITCH[*SLICES/PITCH]] */
static bool parse_shape(struct sc_text_span text, struct sc_access *a)
{
	struct sc_text_span part;

	sc_lex_split(&text, '*', &part);
	if (!sc_lex_number(part, &a->width))
		return 0;
	if (!text.bytes)
		return 1;
	sc_lex_split(&text, '*', &part);
	if (!parse_repeat(part, &a->rows, &a->pitch))
		return 0;
	return !text.bytes || parse_repeat(text, &a->slices, &a->slice_pitch);
}

static bool parse_memory(struct sc_text_span text, struct sc_access *a)
{
	for (unsigned memory = 0; memory < SC_MEM_KINDS; memory++)
		if (sc_span_is(text, sc_memory_text(memory))) {
			a->memory = (uint8_t)memory;
			return 1;
		}
	return 0;
}

/* Cuts %ORDER off the end, if it is there. False if ORDER is unknown. */
static bool take_order(struct sc_text_span *rest, uint8_t *order)
{
	struct sc_text_span text = *rest, front;

	if (!sc_lex_split(&text, '%', &front))
		return 1;
	*rest = front;
	for (*order = SC_SOURCE_STREAM; *order < SC_SOURCE_ORDERS; ++*order)
		if (sc_span_is(text, orders[*order]))
			return 1;
	return 0;
}

static uint8_t take_mark(struct sc_text_span *rest)
{
	for (uint8_t known = SC_KNOWN_OVER; known <= SC_KNOWN_PARAMETER; known++)
		if (rest->bytes && rest->text[rest->bytes - 1] == known_marks[known]) {
			rest->bytes--;
			return known;
		}
	return SC_KNOWN_EXACT;
}

bool sc_text_access_rest(struct sc_text_span rest, struct sc_text_access_rest *out)
{
	struct sc_text_span shape;

	*out = (struct sc_text_access_rest){.access = {.rows = 1, .slices = 1}};
	if (rest.bytes && strchr("!^", rest.text[rest.bytes - 1])) {
		rest.bytes--;
		out->access.how = rest.text[rest.bytes] == '!' ? SC_HOW_PROGRAM : SC_HOW_RECORDED;
	}
	out->access.known = take_mark(&rest);
	if (!take_order(&rest, &out->access.order))
		return 0;
	out->has_memory = sc_lex_split(&rest, '@', &shape);
	if (out->has_memory && !parse_memory(rest, &out->access))
		return 0;
	if (!shape.bytes)
		return 1;
	if (*shape.text != ':')
		return 0;
	out->has_width = 1;
	return parse_shape((struct sc_text_span){shape.text + 1, shape.bytes - 1}, &out->access);
}

unsigned sc_text_access_mode(struct sc_text_span text)
{
	for (unsigned mode = SC_READ; mode < SC_MODES; mode++)
		if (sc_span_is(text, modes[mode]))
			return mode;
	return 0;
}

/* Initializers of module variables.
 *
 * An element is a number; an address, `name+4` or `generic(name)+4`; or some bits of an address,
 * `0xFF00(name)`, which initializes one byte of a pointer inside a structure. Braces may nest; rows
 * are laid one after the other, as compilers write them in full.
 */
#include "ptx/initial.h"

#include <stdbool.h>
#include <string.h>

static bool ends(const struct sc_lexer *l)
{
	return l->kind == SC_TOKEN_END || sc_lexer_is_mark(l, ';');
}

static uint64_t narrowed(uint64_t bits)
{
	uint32_t out;
	double wide;
	float narrow;

	memcpy(&wide, &bits, sizeof(wide));
	narrow = (float)wide;
	memcpy(&out, &narrow, sizeof(out));
	return out;
}

/* A signed number: of an integer its value, of a floating-point number the bits of an element. */
static uint64_t read_number(struct sc_lexer *l, unsigned bytes)
{
	bool minus = 0, is_single;
	uint64_t value;

	for (; sc_lexer_is_mark(l, '-') || sc_lexer_is_mark(l, '+'); sc_lexer_next(l))
		minus ^= *l->text == '-';
	value = (uint64_t)l->value;
	is_single = l->is_single;
	if (l->kind == SC_TOKEN_FLOAT && !is_single && bytes == 4) {
		value = narrowed(value);
		is_single = 1;
	}
	if (minus && l->kind == SC_TOKEN_FLOAT)
		value ^= UINT64_C(1) << (is_single ? 31 : 63);
	else if (minus)
		value = -value;
	sc_lexer_next(l);
	return value;
}

/* `name+4` with the current token at the name. */
static void read_address(struct sc_ptx_reader *r, struct sc_ptx_initial *out)
{
	out->target = sc_ptx_name(r->module, r->lexer.text, r->lexer.bytes) + 1;
	sc_lexer_next(&r->lexer);
	if (sc_lexer_is_mark(&r->lexer, '+') || sc_lexer_is_mark(&r->lexer, '-'))
		out->value += read_number(&r->lexer, 8);
}

static void read_element(struct sc_ptx_reader *r, struct sc_ptx_initial *out)
{
	struct sc_lexer *l = &r->lexer;

	if (!sc_lexer_is_text(l, "generic") && l->kind != SC_TOKEN_WORD)
		out->value = read_number(l, out->bytes);
	if (sc_lexer_is_mark(l, '(')) {
		out->mask = out->value;
		out->value = 0;
		sc_lexer_next(l);
	}
	if (sc_lexer_is_text(l, "generic")) {
		sc_lexer_next(l);
		sc_lexer_take(l, '(');
	}
	if (l->kind == SC_TOKEN_WORD)
		read_address(r, out);
	while (sc_lexer_take(l, ')'))
		;
	if (sc_lexer_is_mark(l, '+') || sc_lexer_is_mark(l, '-'))
		out->value += read_number(l, 8);
}

void sc_initial_read(struct sc_ptx_reader *r, uint32_t symbol, unsigned type)
{
	struct sc_lexer *l = &r->lexer;
	struct sc_ptx_initial element = {.symbol = symbol};
	unsigned depth = 0;

	element.bytes = (uint8_t)((sc_type_bits(type) + 7) / 8);
	while (!ends(l) && !(sc_lexer_is_mark(l, ',') && !depth)) {
		if (sc_lexer_take(l, '{')) {
			depth++;
		} else if (sc_lexer_take(l, '}')) {
			depth -= depth > 0;
		} else if (!sc_lexer_take(l, ',')) {
			element.target = 0;
			element.value = 0;
			element.mask = UINT64_MAX;
			read_element(r, &element);
			if (element.bytes && element.bytes <= 8)
				sc_vector_push(&r->module->initials, element);
			element.offset += element.bytes;
		}
	}
}

/* Location tables of code objects. */
#include "interposer/python/lines.h"

#define FIRST	  0x80 /* of an entry */
#define CODE_UNIT 2    /* bytes */

/* Kinds of entries; those below ONE_LINE are in the line of the entry before. */
#define ONE_LINE   10 /* to 12: the line grows by kind - 10 */
#define NO_COLUMNS 13
#define LONG	   14
#define NO_LINE	   15

#define MOST_SHIFT 30

struct sc_python_lines sc_python_lines_init(uint64_t offset, int64_t first_line)
{
	return (struct sc_python_lines){.offset = offset, .line = first_line};
}

/* True if that says all about the entry's line. */
static bool begin_entry(struct sc_python_lines *l, uint8_t first)
{
	unsigned kind = first >> 3 & 15;

	l->end += ((first & 7) + 1u) * CODE_UNIT;
	l->has_line = kind != NO_LINE;
	l->is_open = kind == NO_COLUMNS || kind == LONG;
	l->delta = l->shift = 0;
	if (kind >= ONE_LINE && kind < NO_COLUMNS)
		l->line += kind - ONE_LINE;
	return !l->is_open;
}

/* Six bits at a time, the lowest first; the lowest of all is the sign. */
static bool add_to_delta(struct sc_python_lines *l, uint8_t byte)
{
	if (l->shift <= MOST_SHIFT)
		l->delta |= (byte & UINT64_C(63)) << l->shift;
	l->shift = l->shift <= MOST_SHIFT ? l->shift + 6 : l->shift;
	l->is_open = byte & 64;
	if (!l->is_open)
		l->line += l->delta & 1 ? -(int64_t)(l->delta >> 1) : (int64_t)(l->delta >> 1);
	return !l->is_open;
}

bool sc_python_lines_feed(struct sc_python_lines *l, const uint8_t *table, size_t bytes)
{
	for (size_t i = 0; i < bytes && !l->is_known; i++) {
		bool is_whole = false;

		if (table[i] & FIRST)
			is_whole = begin_entry(l, table[i]);
		else if (l->is_open)
			is_whole = add_to_delta(l, table[i]);
		l->is_known = is_whole && l->end > l->offset;
	}
	return l->is_known;
}

uint64_t sc_python_lines_number(const struct sc_python_lines *l)
{
	return l->is_known && l->has_line && l->line > 0 ? (uint64_t)l->line : 0;
}

/* Lines of Python as text. */
#include "interposer/python/text.h"

#include <inttypes.h>
#include <stdio.h>

#define LINE_BYTES   64 /* least of a line */
#define NUMBER_BYTES 32

bool sc_python_text_has_room(const struct sc_python_text *t)
{
	return t->used < SC_PYTHON_BYTES - LINE_BYTES;
}

static void add(struct sc_python_text *t, char c)
{
	if (t->used < SC_PYTHON_BYTES - NUMBER_BYTES)
		t->bytes[t->used++] = c == '\t' || c == '\n' ? ' ' : c;
}

void sc_python_text_add(struct sc_python_text *t, const char *name)
{
	for (; *name; name++)
		add(t, *name);
}

void sc_python_text_add_code_point(struct sc_python_text *t, uint32_t c)
{
	unsigned more = (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);

	if (!more) {
		add(t, (char)c);
		return;
	}
	add(t, (char)(0xFF00 >> (more + 1) | c >> 6 * more));
	while (more--)
		add(t, (char)(0x80 | (c >> 6 * more & 0x3F)));
}

void sc_python_text_end_function(struct sc_python_text *t)
{
	if (t->used < SC_PYTHON_BYTES - NUMBER_BYTES)
		t->bytes[t->used++] = '\t';
}

void sc_python_text_end_line(struct sc_python_text *t, uint64_t number)
{
	uint32_t room = SC_PYTHON_BYTES - t->used;

	t->used += (uint32_t)snprintf(t->bytes + t->used, room, "\t%" PRIu64 "\n", number);
}

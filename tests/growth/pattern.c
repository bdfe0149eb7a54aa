/* Patterns of long runs, as traces. */
#include "tests/growth/pattern.h"

#include <ctype.h>
#include <inttypes.h>
#include "base/buf.h"

#define FIRST	  1000 /* number of the first turn: smaller ones are the names of what stays */
#define PARTS	  1024
#define PLACES	  16 /* at least the lines of a turn */
#define PART_SIZE 64

const struct pattern patterns[] = {
#define PATTERN(name, before, turn) {#name, before, turn},
#include "tests/growth/pattern.def"
#undef PATTERN
};
const unsigned pattern_count = sizeof(patterns) / sizeof(*patterns);

/* One template; *line is the number of the line that begins. Each of its lines is one place of the
 * program, and has a stack of its own. */
static void expand(struct sc_buf *out, const char *text, uint64_t turn, uint64_t *line)
{
	unsigned place = 1;

	for (; *text; text++) {
		if (*text == '%') {
			sc_buf_printf(out, "%" PRIu64, turn);
		} else if (*text == '$') {
			sc_buf_printf(out, "%" PRIu64, turn % PARTS * PART_SIZE);
		} else if (*text == '^' && isdigit((unsigned char)text[1])) {
			text++;
			sc_buf_printf(out, "%" PRIu64, *line - (uint64_t)(*text - '0'));
		} else {
			if (*text == '\n') {
				++*line;
				sc_buf_printf(out, " stack=%u", place++);
			}
			sc_buf_add_char(out, *text);
		}
	}
}

void pattern_write(struct sc_buf *out, const struct pattern *p, uint64_t turns)
{
	uint64_t line = 1;

	for (unsigned i = 1; i <= PLACES; i++, line++)
		sc_buf_printf(out, "stack %u frames=[0x%x]\n", i, i << 8);
	expand(out, p->before, FIRST, &line);
	for (uint64_t i = 0; i < turns; i++)
		expand(out, p->turn, FIRST + i, &line);
}

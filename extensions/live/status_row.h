/* Status row: one line at the bottom of a terminal that others write to as well.
 *
 * The last row is taken out of what scrolls (DECSTBM), so that whatever the program and this tool
 * print moves above it, as they print it, and never gets mixed with it. The row is drawn by one
 * write(2) that puts the cursor back. It is given back when the terminal gets too small, when
 * another job comes to the foreground, and at the end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sc_status_row {
	int fd;	       /* borrowed; -1: no terminal that can do this */
	unsigned rows; /* of the terminal when the row was taken; 0: it is not */
	unsigned columns;
	uint64_t drawn_ns;
};

/* `fd` may be anything; only a terminal that moves its cursor gets a row. */
void sc_status_row_init(struct sc_status_row *s, int fd);
/* Draws the text (of any origin, cut to the width); nothing if it was drawn a moment ago. */
void sc_status_row_draw(struct sc_status_row *s, const char *text, uint64_t now_ns);
/* Clears the row, and gives it back. */
void sc_status_row_fini(struct sc_status_row *s);
/* Gives back what another process took and could not give back. */
void sc_status_row_reset(int fd);

/* Screen: a terminal taken for a view that is drawn again and again, and given back as it was.
 *
 * Keys come one by one and are not shown; the view has a screen of its own (the terminal's other
 * buffer), so that what stood there before is there again afterwards. Signals that end or stop
 * the process come as events, so that the terminal is always given back first.
 */
#pragma once

#include <stdbool.h>
#include <signal.h>
#include <termios.h>
#include "base/buf.h"

struct sc_screen {
	int in, out;	       /* borrowed: terminals */
	int signals;	       /* owned */
	struct termios before; /* of `in` */
	sigset_t mask;	       /* before */
	unsigned rows, columns;
};

enum sc_screen_event { SC_SCREEN_TIME, SC_SCREEN_CHANGED, SC_SCREEN_END };

/* False if the two are no terminals that this can use. */
bool sc_screen_open(struct sc_screen *s, int in, int out);
/* Shows lines, cut to the terminal's size. */
void sc_screen_draw(struct sc_screen *s, const struct sc_buf *lines);
/* Waits: for the time to pass, a change of the size or a key, or the end (q, a signal). */
enum sc_screen_event sc_screen_wait(struct sc_screen *s, int milliseconds);
void sc_screen_close(struct sc_screen *s);

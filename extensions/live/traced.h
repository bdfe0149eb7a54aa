/* Traced: the process that writes a trace.
 *
 * A trace names it by its number, which is one of its own PID namespace, and may be another process
 * here (a container), or be given out again. It is the one that maps the trace's file and has that
 * number in its innermost namespace; a descriptor holds on to it. Where it is not seen from here,
 * nothing is ever sent to it.
 */
#pragma once

#include <stdbool.h>

struct sc_traced {
	int descriptor; /* owned; -1: not seen */
	int number;	/* as the trace has it */
	int here;	/* as this process sees it */
};

/* Looks for the process; with one look at each process of the machine where its number is another
 * one here. */
void sc_traced_open(struct sc_traced *t, int number, const char *trace);
void sc_traced_close(struct sc_traced *t);
/* False if it has ended for certain. */
bool sc_traced_may_live(const struct sc_traced *t);
/* False, and nothing is sent, if it is not seen or has ended. */
bool sc_traced_signal(const struct sc_traced *t, int number);

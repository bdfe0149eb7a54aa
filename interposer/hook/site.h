/* Sites: a call that is repeated from the same place of the program, with the same handles.
 *
 * What the handles mean and what recent.c finds by the place on the stack is kept here a second
 * time, as one thing that lies in neighbouring lines and is written into the trace without an op in
 * between: a launch touches a third of the instructions and of the cache lines then. A site holds
 * for one thread, one stack, one call and its handles; all else that it rests on is counted in
 * sc_session.changes, which any change moves on. Where the least thing is otherwise the call goes
 * the ordinary way, and both ways write the same record (test_site.c).
 */
#pragma once

#include "interposer/call/call.h"

/* Enters a call of repeated.def by its site; returns the real function, NULL if the call has no
 * site or something is otherwise than then: it has not been entered. */
void *sc_site_enter(struct sc_call *call, uint64_t what, const void *params, const void *object,
		    const void *stream, const void *frame);
/* Ends a call that was entered by its site; false: it ends the ordinary way (hook/intercept.h). */
bool sc_site_exit(struct sc_call *call, CUresult result);

/* Enqueues: what a function of a library enqueues while it runs, and saying afterwards which bytes
 * that touches.
 *
 * Each thread has one, and notes in it the operations that it writes during a wrapper's call. Of
 * nested calls the outermost one counts; one that was left by an unwinding of the stack is over.
 * After a successful return the documented operands of the function are written for the kernels
 * that it launched, as op LAUNCH_BYTES: for the first one, which stands for those that follow it in
 * its stream, else for each as an upper bound. Of captured launches, too: the nodes that they
 * became name them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/core/thread.h"
#include "interposer/library/function.h"
#include "trace/attach.h"

#define SC_ENQUEUES_MOST 512 /* operations; of a call with more nothing is said */

struct sc_enqueues {
	const void *frame; /* of the wrapper */
	unsigned count;	   /* those that are too many are counted */
	uint64_t sequence[SC_ENQUEUES_MOST];
};

/* What a call is documented to touch. */
struct sc_documented {
	struct sc_library_function *function;
	uint32_t stream;	    /* id: of launches in this stream only; 0: in any */
	struct sc_access *accesses; /* borrowed; `known` may be changed */
	unsigned count;
	bool is_nothing; /* in this process; then `count` is 0 */
};

/* Begins a call of the wrapper with this frame; NULL if nothing of it is to be said. Keeps errno.
 */
struct sc_enqueues *sc_enqueues_begin(const void *frame);
/* Ends it, before anything is written of it; false if another call began in it without ending. */
bool sc_enqueues_end(struct sc_enqueues *e, const void *frame);
/* True if the call launched a kernel in the stream. */
bool sc_enqueues_has_launch(const struct sc_enqueues *e, uint32_t stream);
/* Says what the call touched. With sc_self.busy raised. */
void sc_enqueues_document(const struct sc_enqueues *e, const struct sc_documented *d);

/* The thread wrote an op. */
static inline void sc_enqueues_note(struct sc_enqueues *e, uint64_t sequence)
{
	if (e->count < SC_ENQUEUES_MOST)
		e->sequence[e->count] = sequence;
	e->count++;
}

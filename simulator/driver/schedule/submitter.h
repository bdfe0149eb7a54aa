/* Submitters: whether the thread that submitted an op has had time to go on.
 *
 * A host function that begins at once may come before or after what its thread does next: who is
 * faster. So it begins when the thread waits, has ended, or has used its processor for long enough.
 * A thread that only does not get a processor goes on first, so that a busy machine makes no
 * difference. The kernel says which it is: a thread that sleeps, and has not been awake between two
 * looks, waits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sim_submitter {
	int thread;	  /* as the kernel numbers it; 0: none */
	uint64_t used_ns; /* of a processor, when it submitted */
	uint64_t sleeps; /* how often it had gone to sleep at the last look, + 1; 0: it was awake */
};

/* The calling thread. */
void sim_submitter_init(struct sim_submitter *s);

/* Looks at the thread; true if it waits, has ended, or has used `patience_ns` of a processor.
 * `is_late`: that it sleeps now is enough, as where it polls and sleeps by turns. */
bool sim_submitter_is_away(struct sim_submitter *s, uint64_t patience_ns, bool is_late);

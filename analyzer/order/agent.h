/* Agents: operations of somebody who knows no streams, above all of MPI (section 14).
 *
 * Between the call that begins it and the call that shows its end, an operation is on a lane of its
 * own: it comes after what the host knew at the call (B-8), nothing comes after it but what follows
 * the call that shows its end (B-9). Its lane is used again once the host knows of that end.
 *
 * One that a stream begins (B-22) comes after the work that the stream has then, too. All of a
 * stream are on one lane, so that a stream which never waits for the host needs no more; what two
 * of them do to each other is not looked at.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/order/host.h"
#include "analyzer/order/step.h"
#include "base/vector.h"

struct sc_agent_op; /* one that has not ended: agent.c */

/* An empty one is all zero. */
struct sc_agents {
	struct sc_agent_op *running; /* owned */
	/* Owned: the ends of others, which not everybody who counts may know. */
	SC_VECTOR(struct sc_point) ended;
	size_t ended_most; /* then it is looked which of their lanes are free */
	bool is_left;	   /* the program took leave: all of them are over */
	/* That ended last because its agent was destroyed. */
	struct sc_op lost;
	uint64_t lost_sequence;
};

void sc_agents_fini(struct sc_agents *all, struct sc_clock_pool *pool);
/* The step's op begins an operation; the step gets its interval. */
void sc_agent_begin(struct sc_agents *all, struct sc_host *h, struct sc_step *step);
/* The same of one that the stream begins; `base` is what comes before its next work, and the
 * operation's from here on. */
void sc_agent_begin_in(struct sc_agents *all, struct sc_host *h, struct sc_stream *s,
		       struct sc_clock *base, struct sc_step *step);
/* What comes after the work of the stream comes after the end of one, which goes on for others if
 * another stream began it. */
void sc_agent_end_in(struct sc_agents *all, struct sc_host *h, struct sc_stream *s,
		     const struct sc_step *step);
/* The step's op shows the end of one, or of all. */
void sc_agent_end(struct sc_agents *all, struct sc_host *h, const struct sc_step *step);
/* True if the op takes part although its call has not returned: its agent may be at work. */
bool sc_agent_is_begun(const struct sc_op *op);
/* Calls `see` for each operation whose end was not shown, the oldest first. */
void sc_agents_visit(const struct sc_agents *all,
		     void (*see)(void *context, const struct sc_op *op, uint64_t sequence),
		     void *context);

/* The words of a finding: how sure it is and why not, what came nearest, what would help. */
#ifndef SC_ANALYZER_VERDICT_H
#define SC_ANALYZER_VERDICT_H

enum sc_confidence { SC_POSSIBLE, SC_PROVEN };

/* Why a finding is only `possible`. */
enum sc_doubt {
	SC_DOUBT_NONE,
	SC_DOUBT_FOOTPRINT,   /* which bytes a kernel touches is known from its parameters only */
	SC_DOUBT_OVER,	      /* the bytes, or whose they are, are known roughly only */
	SC_DOUBT_HANDED_OVER, /* a callback and a thread may have notified each other, unseen */
	SC_DOUBT_FOREIGN,  /* what is not followed (other process, word in memory) may order it */
	SC_DOUBT_TALK,	   /* kernels that use words in memory to signal may order it (M-4, D-7) */
	SC_DOUBT_LOST,	   /* ops were not seen; one of them may order it */
	SC_DOUBT_FAULTED,  /* the context reported an error before */
	SC_DOUBT_SCRATCH,  /* one handle of a library drives both: what they share is not seen */
	SC_DOUBT_HOLDER,   /* which thread holds the lock was not seen */
	SC_DOUBT_ENDED,	   /* in this run the wait ended: the lock was released, or a wait failed */
	SC_DOUBT_NOTIFIER, /* what notifies the thread after an error is not seen without one */
	SC_DOUBT_WAIT	   /* the later access may come after a wait in the kernel's code (L-2) */
};

/* How the last ordering between the two sides looked; says how far it reached. */
enum sc_reach {
	SC_REACH_NONE,	    /* nothing was waited for or joined between the two */
	SC_REACH_OTHER,	    /* `reach` op waits, but for something else */
	SC_REACH_EARLIER,   /* `reach` op waits for an earlier part of the same stream */
	SC_REACH_NEVER,	    /* `reach` op waits for an event that was not recorded yet */
	SC_REACH_RECORD,    /* `reach` op waits for another record of the event: `reach_record` */
	SC_REACH_NOT_READY, /* `reach` op is a query that answered "not ready" */
	SC_REACH_FOREIGN,   /* `reach` op waits for what another process may have recorded */
	SC_REACH_LAUNCH,    /* `reach` op waits for an event that the launch itself recorded */
	SC_REACH_FORK,	    /* node `reach` is the last that comes before both */
	SC_REACH_JOIN,	    /* node `reach` is the first that comes after both */
	SC_REACH_EARLY,	    /* node `reach`, on the path, does not wait: a programmatic edge */
	SC_REACH_BESIDE,    /* node `reach` waits for the first, and does not lead to the second */
	SC_REACH_PART,	    /* `reach` op waits for node `reach_record`, not after the first */
	SC_REACH_BEFORE	    /* `reach` op waited before another thread enqueued the first */
};

/* What would have ordered the two ops. */
enum sc_fix {
	SC_FIX_RULE,	     /* the rule's own sentence */
	SC_FIX_SYNC_STREAM,  /* synchronize `fix_stream` before op `fix_before` */
	SC_FIX_SYNC_CONTEXT, /* synchronize device `fix_device` before op `fix_before` */
	SC_FIX_EVENT,	/* record after `fix_after`, wait in `fix_stream` before `fix_before` */
	SC_FIX_MOVE,	/* move op `fix_before` after op `fix_after` */
	SC_FIX_EDGE,	/* let node `fix_before` depend on node `fix_after` */
	SC_FIX_CALLBACK /* enqueue the callback in `fix_stream`, after `fix_after` */
};

/* Whether the two ops really ran at the same time; a finding is one either way. */
enum sc_timing { SC_TIMING_UNKNOWN, SC_TIMING_APART, SC_TIMING_TOGETHER };

#endif

/* Races: filing a conflict between two ops under its rule (15.0). */
#pragma once

#include <stdbool.h>
#include "analyzer/model/model.h"

/* How the later side ends memory, if it does. */
enum sc_race_end {
	SC_END_NONE,
	SC_END_LIBC,	    /* free, realloc, munmap */
	SC_END_MAY_WAIT,    /* a CUDA free that may wait for the device (H-3) */
	SC_END_NEVER_WAITS, /* a CUDA free that does not */
	SC_END_IN_STREAM,   /* a stream-ordered free, not on the host's time line (P-2) */
	SC_END_UNMAPPED,    /* its mapping, or a device's right to use that, ends (P-12) */
	SC_END_PEER,	    /* another device's right to use it ends (D-4) */
	SC_END_ATTACHED,    /* in its stream: it belongs to that stream only (M-7) */
	SC_END_GRAPHICS,    /* in its stream: it goes back to the graphics API (W-6) */
	SC_END_PIECE	    /* in its stream: it goes back to a pool of the program (P-15) */
};

/* Made by host code, in a thread or in a callback. */
static inline bool sc_note_is_host(const struct sc_note *n)
{
	return sc_interval_is_host(&n->when) || n->is_callback;
}

/* An agent's operation, on a lane of its own (B-8). */
static inline bool sc_note_is_agent(const struct sc_note *n)
{
	return n->kind == SC_OP_AGENT;
}

/* It comes after what the host waited for, and nothing else, as an agent's operation does. */
static inline bool sc_note_is_by_host(const struct sc_note *n)
{
	return sc_interval_is_host(&n->when) || sc_note_is_agent(n);
}

/* A graph's node ends the memory (G-13). */
static inline bool sc_touch_is_end(const struct sc_touch *t)
{
	return t->note->is_replay && sc_touch_op(t)->kind == SC_OP_FREE_ASYNC;
}

/* M-4, SC-216: the host waits for a word that a kernel writes. */
static inline bool sc_race_is_poll(const struct sc_touch *device, const struct sc_touch *host)
{
	return sc_touch_op(device)->kind == SC_OP_KERNEL &&
	       sc_touch_op(host)->kind == SC_OP_HOST_READ &&
	       sc_touch_op(host)->flags & SC_FLAG_POLLED;
}

/* L-2, G-8: two kernels of one stream, or of one launch on a path of edges, of which the later may
 * start before the earlier is complete. */
static inline bool sc_race_is_early_pair(const struct sc_touch *a, const struct sc_touch *b)
{
	const struct sc_op *x = sc_touch_op(a), *y = sc_touch_op(b);

	if (x->kind != SC_OP_KERNEL || y->kind != SC_OP_KERNEL)
		return 0;
	if (sc_touch_same_launch(a, b))
		return sc_graph_leads(a->note->graph, a->node, b->node);
	return x->stream && x->stream == y->stream;
}

/* A note of the current op, on the device's or on the host's side of the op. */
struct sc_note *sc_race_note(struct sc_analysis *a, const struct sc_step *step, bool is_host);
/* The same for uses of that memory, which some of what is known does not order (E-6). */
struct sc_note *sc_race_note_of(struct sc_analysis *a, const struct sc_step *step, bool is_host,
				const struct sc_allocation *memory);
/* Files one conflict with the later touch. */
void sc_race_file(struct sc_analysis *a, const struct sc_conflict *c, const struct sc_touch *later,
		  const struct sc_allocation *memory, enum sc_race_end end);

/* race_base.c: what collides; `end` says how the later one ends the memory. */
unsigned sc_race_base(const struct sc_touch *earlier, const struct sc_touch *later,
		      enum sc_race_end end);
/* race_cause.c: why it was believed to be ordered. */
void sc_race_explain(struct sc_analysis *a, const struct sc_touch *earlier,
		     const struct sc_touch *later, struct sc_finding *f);
/* A free between the two, which usually waits for the device, is all that hides the race (H-3). */
bool sc_race_is_hidden(struct sc_analysis *a, const struct sc_note *n, const struct sc_note *m);
/* race_doubt.c: how sure and how bad it is, once its causes are known. */
void sc_race_judge(struct sc_analysis *a, const struct sc_conflict *c, const struct sc_touch *later,
		   bool is_of_host_memory, struct sc_finding *f);

/* What an op, or a node of a launch, uses at one moment: each use is checked, then remembered; its
 * own uses never race. False if anything collided. */
bool sc_race_node(struct sc_analysis *a, const struct sc_use *uses, size_t count,
		  struct sc_note *note, uint32_t node);
/* The same uses, as far as the code may make them before it waits for the grids that it depends on
 * (L-2, G-8): in a stream what is complete then is `begun`, in a graph it is the graph's. To be
 * called first. */
void sc_race_early(struct sc_analysis *a, const sc_uses *uses, const struct sc_note *note,
		   uint32_t node, struct sc_clock *begun);
/* A launch, or the node of a graph in it, may use memory by addresses that it loads. */
void sc_race_loads(struct sc_analysis *a, struct sc_note *note, uint32_t node);
/* Adds such launches, with which a touch of the host in this memory may collide, to the conflicts
 * at hand. */
void sc_race_check_loads(struct sc_analysis *a, const struct sc_allocation *memory,
			 const struct sc_touch *touch);
/* Remembers a use that stands for all uses of the launch in its allocation. */
void sc_race_launch(struct sc_analysis *a, const struct sc_use *use, struct sc_note *note,
		    uint32_t node);

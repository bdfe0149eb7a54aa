/* Trail: by which calls everybody came to know that one op is complete.
 *
 * Follows an op through a run of the ordering engine. The verdicts are the engine's: an op comes
 * after the followed one if its interval says so. For each stream, and for the host, the trail has
 * a link: the first op that comes after the followed one, and the link of another stream, event or
 * thread from which it learned that. Going back over the links gives the path of edges that orders
 * an op. Costs one comparison for each op, and a search where somebody learns something new.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/order/order.h"
#include "base/map.h"
#include "base/vector.h"

enum sc_trail_rule {
#define SC_TRAIL(id, rule, sentence) SC_TRAIL_##id,
#include "analyzer/order/trail.def"
#undef SC_TRAIL
	SC_TRAIL_RULES
};

struct sc_trail_row {
	const char *rule, *sentence;
};
extern const struct sc_trail_row sc_trail_rows[];

struct sc_trail_link {
	uint64_t sequence;
	uint64_t position; /* of a device op, on its lane; 0: the host learned here */
	uint32_t lane;
	uint32_t from; /* number of the link before, from 1; 0: this is the followed op */
	uint8_t rule;  /* enum sc_trail_rule: why it comes after that */
};

/* A stream that comes after the followed op, from its link on. */
struct sc_trail_mark {
	uint32_t context;
	uint32_t link;
	bool is_legacy, is_blocking;
};

struct sc_trail_write {
	uint64_t word; /* address, or number of a semaphore */
	uint32_t link;
};

struct sc_trail {
	/* The op of a sequence number; borrowed. */
	bool (*op_of)(const void *data, uint64_t sequence, struct sc_op *out);
	const void *data;
	uint64_t sequence; /* of the followed op */
	uint64_t start;	   /* the same, or of the host function in which it is */
	bool is_begun;	   /* it was met */
	struct sc_interval first;
	SC_VECTOR(struct sc_trail_link) links;
	SC_VECTOR(struct sc_trail_mark) marks;
	SC_VECTOR(struct sc_trail_write) writes;
	struct sc_u64_map streams;  /* to number of a mark */
	struct sc_u64_map hosts;    /* threads to number of a link; 0: all of them */
	struct sc_u64_map syncs;    /* objects of the host likewise */
	struct sc_u64_map agents;   /* and operations of MPI, by their sequence numbers */
	struct sc_u64_map contexts; /* that wait, likewise */
	struct sc_u64_map execs;    /* executable graphs, likewise */
	struct sc_u64_map records;  /* those that host waits bound to, likewise */
};

/* Takes what the engine just did; an op is followed, or asked about, by the number of its step. */
void sc_trail_see(struct sc_trail *t, struct sc_order *o, const struct sc_step *step);
/* True if the step's op is something that can be followed, or asked about, now. */
bool sc_trail_is_moment(const struct sc_step *step);
/* True if the op of the step, which was just seen, comes after the followed one. */
bool sc_trail_is_after(const struct sc_trail *t, const struct sc_step *step);
/* The number of its link then. */
uint32_t sc_trail_reach(struct sc_trail *t, struct sc_order *o, const struct sc_step *step);
void sc_trail_fini(struct sc_trail *t);

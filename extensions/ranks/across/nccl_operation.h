/* NCCL's operations: which operations of NCCL belong together, and which of them needs which.
 *
 * The nth collective of each rank in a communicator; the nth send from a rank to another one, and
 * that one's nth receive from it (B-19). Together they are a meeting, which has the same key in all
 * processes. Nothing is said of communicators of which not all is known.
 */
#pragma once

#include "extensions/ranks/across/match.h"
#include "base/hash.h"

#define SC_NCCL_NO_RANK UINT32_MAX

/* Without gaps: it is hashed as bytes. */
struct sc_nccl_key {
	uint64_t group, number;
	uint32_t from, to; /* SC_NCCL_NO_RANK: a collective */
};

struct sc_nccl_count; /* of messages from one rank to another */

/* The messages so far. All zero: none. */
struct sc_nccl_numbers {
	struct sc_nccl_count *counts; /* owned */
};

/* True for what the ranks of a communicator enqueue and answer. */
bool sc_nccl_is_operation(const struct sc_match *m, const struct sc_across_event *e);
/* All that its ranks enqueue is known, and no process has two of them. */
bool sc_nccl_is_known(const struct sc_match_group *g);
/* The key of an operation; each is asked for once, in the order of its process. */
struct sc_nccl_key sc_nccl_number(struct sc_nccl_numbers *n, const struct sc_across_event *e);
void sc_nccl_numbers_fini(struct sc_nccl_numbers *n);
/* The operation has data that others need; it needs that of all that give. */
bool sc_nccl_gives(const struct sc_across_event *e);
bool sc_nccl_takes(const struct sc_across_event *e);
/* How many operations of the meeting give. */
unsigned sc_nccl_givers(const struct sc_match_group *g, const struct sc_across_event *e);
/* Two operations of a meeting are the same one of two ranks, or the two sides of a message. */
bool sc_nccl_is_same(const struct sc_across_event *a, const struct sc_across_event *b);
/* How many operations the meeting has. */
unsigned sc_nccl_expected(const struct sc_match_group *g, const struct sc_nccl_key *key);

/* Sharing: device memory that processes of a run share, and which uses of it are not ordered.
 *
 * A use is before one of another process if the host of the first knew that it was complete, and
 * the second was enqueued by a host that knew of that (knowledge.h); or if a record of a shared
 * event covers the first, and the second comes after a wait for that record (E-12); or if
 * operations of NCCL are between the two (rendezvous.h). Naive form: an edge for each of these, and
 * a search for a path (extensions/ranks/tests/test_across_order.c compares).
 *
 * What is proven does not rest on what is not seen: each was enqueued before the other's host could
 * know that its own was complete, by the one clock of a node, so that no message, lock or file can
 * have ordered the two. Where one host knew first, something that is not followed may have.
 *
 * A use is forgotten when all who share the memory know that it is complete.
 */
#pragma once

#include <stdbool.h>
#include "extensions/ranks/across/holder.h"
#include "extensions/ranks/across/remark.h"
#include "extensions/ranks/across/rendezvous.h"
#include "extensions/ranks/across/shared.h"

#define SC_SHARING_EXAMPLES   4	   /* of one pair of call sites; the surest is filed */
#define SC_SHARING_USES_MOST  4096 /* of one memory that are kept */
#define SC_SHARING_PAIRS_MOST 4096 /* of call sites that collide */

struct sc_sharing_line;
struct sc_sharing_pair;
struct sc_sharing_process;

struct sc_sharing {
	struct sc_knowledge knowledge;
	struct sc_shared shared;
	struct sc_holders holders;
	struct sc_rendezvous rendezvous;
	struct sc_match *match;		      /* borrowed */
	struct sc_across_remarks *remarks;    /* borrowed */
	struct sc_sharing_line *lines;	      /* owned: of all processes */
	uint32_t lanes;			      /* in clocks: of processes, then of lines */
	struct sc_sharing_pair *pairs;	      /* owned */
	struct sc_sharing_process *processes; /* owned */
	/* All lines that have open uses, and some others. */
	SC_VECTOR(struct sc_sharing_line *) busy;
	uint64_t known_ns; /* when a host last got to know the end of a use of its own */
	uint64_t forgotten, left_out;
	bool may_learn_unseen; /* some process may have waited for an event without a record */
	/* For tests, or NULL: two uses that are not ordered. */
	void (*see_race)(void *data, struct sc_match_key a, struct sc_match_key b);
	void *see_data;
};

/* For the processes of the matcher, whose events it takes, too. */
void sc_sharing_init(struct sc_sharing *s, struct sc_match *m, struct sc_across_remarks *remarks,
		     void (*hold)(void *data, unsigned process, bool is_held), void *data);
void sc_sharing_fini(struct sc_sharing *s);
/* Gives the matcher the next event of a process, and looks at what it means. */
void sc_sharing_take(struct sc_sharing *s, unsigned process, const struct sc_across_event *e);
/* All that are left are held: they go on. What comes after that, of which not all order is known,
 * is possible only if no host can have ordered it. */
void sc_sharing_give_up(struct sc_sharing *s);
/* All events were taken: files what was found. */
void sc_sharing_finish(struct sc_sharing *s);

/* A context, as the ordering engine knows it: its streams, and what goes for all of them (S-3,
 * E-9).
 *
 * Plain data, owned by struct sc_streams; stream.h has what is done with it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "analyzer/clock/point.h"

struct sc_stream;

/* What was recorded of, and what holds, all streams of a context or a green context (E-9). */
struct sc_context_order {
	struct sc_point recorded; /* owned: the last record of them all */
	struct sc_clock *awaited; /* owned: what all their later work waits for */
	uint64_t version;	  /* changes with `awaited` */
};

/* A green context: streams of its own, which belong to a context of its device too (S-9). */
struct sc_green {
	uint32_t id;
	uint8_t device;
	struct sc_context_order order;
	struct sc_green *next; /* older one */
};

struct sc_context {
	uint32_t id;
	uint8_t device;
	bool is_dead;
	bool has_sync_memops;	  /* 4.2 note 3 */
	struct sc_stream *used;	  /* owned: those with ops, the last used first but for `news` */
	struct sc_stream *idle;	  /* owned: those without, but for `news` */
	struct sc_stream *news;	  /* borrowed: those with ops since the last sort */
	uint64_t known;		  /* position up to which the host knows all its work */
	struct sc_stream *legacy; /* borrowed: one of them, or NULL */
	bool is_primary;	  /* it covers the green contexts of its device too (S-9) */
	struct sc_green *green;	  /* borrowed: the one that it was made from, or NULL */
	struct sc_context_order order;
	uint64_t last_blocking; /* position of the last op in a blocking stream */
	uint64_t faulted;	/* position of the first sticky error (0.2) */
	uint64_t last_free;	/* position of the last free that may have waited (H-3) */
	uint64_t last_alloc;	/* the same of an allocation, which only streams may wait for */
	uint64_t last_load;	/* position of the last load of a module by hand (H-3) */
	uint64_t destroyed;	/* position of the call that destroyed it */
	const struct sc_stream *abandoned; /* borrowed: had the newest work at the destruction */
	struct sc_context *next;	   /* older one */
};

/* Memory: allocations by address, each with the history of its bytes (0.5, section 6).
 *
 * An allocation is one generation: a later one at the same address is another object (P-6). Its
 * bytes are known by their host or device address; a second address (M-2) leads to the same bytes.
 * Physical memory that is mapped at several addresses has a history at each of them; a use of one
 * is checked against the others, too (sc_memory_mapped_as). What no allocation is known for
 * (pageable host memory, imports) shares one implicit object that is keyed by plain address. The
 * last freed allocations are kept to recognise stale pointers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "analyzer/memory/history.h"
#include "analyzer/memory/piece.h"
#include "base/map.h"

struct sc_allocation;

/* One address range that leads to an allocation. */
struct sc_address {
	struct sc_range range; /* first */
	struct sc_allocation *allocation;
};

/* Which side may use managed memory where devices and host cannot use it at the same time; CUDA's
 * numbers. */
enum sc_attached { SC_ATTACHED_ALL = 1, SC_ATTACHED_HOST = 2, SC_ATTACHED_STREAM = 4 };

/* What each use looks at is in the first cache line. */
struct sc_allocation {
	struct sc_address home; /* where its bytes are known */
	uint8_t kind;		/* enum sc_memory */
	bool is_pool;
	bool is_read_only;	/* the device may not write it (M-11) */
	bool is_write_combined; /* slow to read for the host (M-3) */
	bool stays;		/* some of it outlives the launch (G-13) */
	bool is_imported;	/* from another process (P-11) */
	uint8_t attached;	/* of managed memory: enum sc_attached (M-7) */
	uint32_t physical;	/* of mapped memory: what is mapped, else 0 (P-12) */
	uint32_t context;
	struct sc_history history;
	struct sc_address alias; /* range.end 0: none */
	uint64_t sequence;	 /* + 1 of the op that began it; 0: the implicit object */
	uint32_t id;		 /* the recorder's */
	uint32_t graph;		 /* executable graph whose nodes begin it, else 0 (G-13) */
	uint32_t arena;		 /* of that graph */
	uint32_t pool;		 /* it comes from; 0: not known */
	uint32_t resource;	 /* of a graphics API, that it belongs to (W-6) */
	uint32_t attached_to;	 /* the stream, of managed memory that is attached to one */
	uint64_t offset;	 /* of its first byte in the physical memory */
	uint64_t readers;	 /* bit a device: which may read it, */
	uint64_t writers;	 /* and write it */
	/* another mapping of the same physical memory; of those that ended, another one */
	struct sc_allocation *next_mapped;
};
_Static_assert(offsetof(struct sc_allocation, history.spans.chunks) <= SC_CACHE_LINE, "one line");

/* What is kept of freed memory: a long run has many of them. */
struct sc_dead {
	struct sc_range home; /* end 0: its addresses are in use again, */
	uint64_t former_end;  /* and this was its end */
	uint64_t sequence;    /* + 1 of the op that began it */
	uint64_t freed;	      /* + 1 of the op that ended it */
	struct sc_dead *next; /* younger one */
	uint8_t kind;	      /* enum sc_memory */
	bool is_imported;
	bool is_graphics; /* belonged to a graphics API (W-6) */
	bool is_graph;	  /* nodes of a graph began it (G-13) */
	bool is_frame;	  /* a function's, which returned */
};
_Static_assert(sizeof(struct sc_dead) <= 56, "a small block of the heap");

#define SC_MEMORY_RECENT 32
#define SC_MEMORY_FOUND	 64
struct sc_memory_map {
	uint64_t changes; /* how often an address range began or ended to lead somewhere */
	struct sc_address_range {
		uint64_t start, end;
	} recent[SC_MEMORY_RECENT]; /* which; a ring, the newest at changes - 1 */
	struct sc_notes notes;
	struct sc_ranges live;			       /* struct sc_address */
	const struct sc_range *found[SC_MEMORY_FOUND]; /* borrowed: of `live`, those found last */
	struct sc_range bounds;			       /* of `live` */
	uint64_t found_at;     /* `changes` then; another number: these may be others */
	struct sc_ranges dead; /* struct sc_dead of freed allocations, no aliases */
	struct sc_dead *oldest_dead, *youngest_dead; /* owned queue */
	struct sc_allocation *ended;  /* owned list: those that the last of these ops ended */
	uint64_t ended_by;	      /* this one */
	size_t dead_count, dead_most; /* where those in use again are dropped */
	size_t remembered;	      /* freed ones that are kept; 0: all */
	uint64_t forgotten;	      /* how many made room */
	bool pageable_ends;	      /* some of it was no allocation's */
	struct sc_allocation implicit;
	struct sc_u64_map mapped; /* struct sc_allocation *, the last mapping of physical memory */
	bool has_read_only;	  /* some of it was registered read-only */
	struct sc_pieces pieces;  /* that pools of the program handed out */
};

void sc_memory_init(struct sc_memory_map *m, struct sc_clock_pool *pool);
void sc_memory_fini(struct sc_memory_map *m);

/* A generation begins. Whatever was known of these addresses is over. */
struct sc_allocation *sc_memory_add(struct sc_memory_map *m, const struct sc_op *op,
				    uint64_t sequence);
/* The allocation's bytes have a second address from now on. */
void sc_memory_alias(struct sc_memory_map *m, struct sc_allocation *a, uint64_t address);
/* A generation, not the implicit one, ends. The allocation goes when a later op ends another. */
void sc_memory_end(struct sc_memory_map *m, struct sc_allocation *a, uint64_t sequence);
/* Host memory ends of which no allocation is known: sc_memory_find_former alone finds it.
 * `is_frame`: a function returned. */
void sc_memory_end_pageable(struct sc_memory_map *m, uint64_t start, uint64_t end,
			    uint64_t sequence, bool is_frame);
/* All memory of a context ends, except what outlives it (P-13). */
void sc_memory_end_context(struct sc_memory_map *m, uint32_t context, uint64_t sequence);
/* The live allocation at an address, or NULL; *canonical: the address as its history knows it. */
struct sc_allocation *sc_memory_find(struct sc_memory_map *m, uint64_t address,
				     uint64_t *canonical);
/* From the first byte of live memory to the last one's end: most parameters lie outside. */
struct sc_range sc_memory_bounds(struct sc_memory_map *m);
/* The live allocation at whose home address the bytes of a span are; NULL says nothing. */
static inline struct sc_allocation *sc_memory_of_span(const struct sc_span *s)
{
	struct sc_allocation *a;

	if (!s)
		return NULL;
	/* Needed when the new touch is remembered. */
	__builtin_prefetch(s->inside[0].note, 1);
	__builtin_prefetch(&s->inside[1], 1);
	a = (struct sc_allocation *)((char *)sc_span_history(s) -
				     offsetof(struct sc_allocation, history));
	return s->range.start >= a->home.range.start && s->range.start < a->home.range.end ? a
											   : NULL;
}
/* Fetches into the cache what sc_span_recall will look at. */
static inline void sc_memory_prefetch(struct sc_memory_map *m, uint64_t first, uint64_t end)
{
	__builtin_prefetch(sc_span_index_pair(&m->notes.spans, first, end)[0]);
}
/* The first address from this one on that is some allocation's; UINT64_MAX: there is none. */
uint64_t sc_memory_from(const struct sc_memory_map *m, uint64_t address);
/* The next other mapping of a's physical memory after `after` (NULL: the first one), or NULL. */
struct sc_allocation *sc_memory_mapped_as(const struct sc_memory_map *m,
					  const struct sc_allocation *a,
					  const struct sc_allocation *after);
/* True if two mappings of the same physical memory share some of it; *shift is what leads from an
 * address of the first to one of the second. */
bool sc_memory_shares(const struct sc_allocation *a, const struct sc_allocation *b,
		      uint64_t *shift);
/* The freed allocation that an address belonged to last, or NULL. */
const struct sc_dead *sc_memory_find_dead(const struct sc_memory_map *m, uint64_t address);
/* Freed memory that held the address when op `at` was recorded, or NULL; also where the address is
 * in use again. Host memory that CUDA did not know is found last: when it began is not known. Looks
 * at all that was freed lately. */
const struct sc_dead *sc_memory_find_former(const struct sc_memory_map *m, uint64_t address,
					    uint64_t at);

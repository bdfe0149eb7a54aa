/* Names: what the definitions of a trace say about processes, devices, contexts and streams. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/map.h"
#include "base/vector.h"
#include "trace/op.h"
#include "trace/reader.h"

/* A stream or context as its definition describes it. */
struct sc_named {
	uint32_t id;
	uint32_t flags;	  /* enum sc_op_flag */
	uint32_t context; /* of a stream */
	uint32_t thread;  /* that made it, or whose default stream it is */
	uint32_t stack;	  /* where it was made */
	uint32_t device;  /* of a context */
};

/* Memory that the program gave a name. */
struct sc_named_bytes {
	uint64_t start, bytes, sequence;
	const char *name;
};

/* A stack at which objects of a kind were made: streams, events, graphs, allocations. */
struct sc_origin_stack {
	uint32_t kind; /* enum sc_op_kind */
	uint32_t stack;
	uint64_t count; /* of objects */
};

#define SC_NAMES_MADE_MOST 256	 /* stacks of a kind */
#define SC_NAMES_PLACES	   65536 /* events and graphs of which the stack is kept */

struct sc_names {
	struct sc_arena arena;
	struct sc_u64_map stream_index;	 /* id to index + 1 */
	struct sc_u64_map context_index; /* id to index + 1 */
	SC_VECTOR(struct sc_named) streams;
	SC_VECTOR(struct sc_named) contexts;
	SC_VECTOR(struct sc_named_bytes) bytes; /* in order */
	struct sc_u64_map made_index;		/* of kind and stack */
	SC_VECTOR(struct sc_origin_stack)
	made;				   /* each once, the first SC_NAMES_MADE_MOST of a kind */
	uint16_t made_counts[SC_OP_KINDS]; /* in `made` */
	struct sc_u64_map places;	   /* stack by kind and id, of events and graphs */
	struct sc_u64_map nodes; /* node and graph of the driver by executable graph and node */
	size_t most;   /* set by the caller: streams at a time, the last ones, and named memory, the
			* first; 0: all */
	size_t oldest; /* of the streams, if there are so many */
	unsigned devices; /* that have a context */
	uint32_t process;
	bool is_child;	     /* streamcheck run started another process, which led to this one */
	int rank;	     /* that a launcher gave to the process, or -1 */
	const char *command; /* the program's command line, "" if unknown */
	const char *run; /* of a launcher, that the process is of (base/run_id.h), "" if unknown */
};

/* Walks the trace once, from its start, after it has been read; only as far as the process's name,
 * read or not, if nothing but that name will be reported. */
void sc_names_init(struct sc_names *n, struct sc_reader *r, bool process_only);
/* The same by a walk of the caller's: each record is taken once. */
void sc_names_begin(struct sc_names *n, const struct sc_reader *r);
void sc_names_take(struct sc_names *n, const struct sc_record *record);
void sc_names_fini(struct sc_names *n);
/* Name of the memory that holds this address, given since the op `since`; or NULL. */
const char *sc_names_memory(const struct sc_names *n, uint64_t address, uint64_t since);
/* The definition of an id, or NULL. */
const struct sc_named *sc_names_stream(const struct sc_names *n, uint32_t id);
const struct sc_named *sc_names_context(const struct sc_names *n, uint32_t id);
/* The stack at which an event (SC_OP_EVENT_CREATE) or executable graph (SC_OP_INSTANTIATE) was made
 * first, or 0. */
uint32_t sc_names_made_at(const struct sc_names *n, unsigned kind, uint32_t id);
/* What the driver calls a node of an executable graph, if the program asked it; else false. */
bool sc_names_node(const struct sc_names *n, uint32_t exec, uint32_t node, uint32_t *graph,
		   uint32_t *local);
/* How many objects of a kind were made at a stack; 0: not known. */
uint64_t sc_names_made_count(const struct sc_names *n, unsigned kind, uint32_t stack);
/* True if the context is not the only one of its device. */
bool sc_names_has_sibling(const struct sc_names *n, const struct sc_named *context);

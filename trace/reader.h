/* The trace reader: walks a trace file of which every byte may be hostile.
 *
 * Ops come out in sequence order, each copied into plain memory with its attachments after it.
 * The reader also keeps the definitions (strings, stacks, maps, functions) for look-up by id.
 * Torn, uncommitted or damaged records are stepped over and counted, never trusted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "trace/digest.h"
#include "trace/format.h"

struct sc_reader;  /* opaque */
struct sc_splice;  /* trace/splice.h */
struct sc_remains; /* trace/remains.h */

/* An op as it comes out of a trace. Pointers are valid until the next sc_reader_next. */
struct sc_record {
	struct sc_op op;
	uint64_t sequence;
	const uint8_t *attachments; /* borrowed; 8-byte aligned */
	uint32_t attachment_bytes;
	uint32_t access_count;
	const struct sc_access *accesses; /* the first list in there, or NULL */
};

/* What the reader found on its way; complete after sc_reader_next returned 0. */
struct sc_reader_stats {
	uint64_t records;
	uint64_t uncommitted; /* slots reserved, never committed: the process died while writing */
	uint64_t damaged;     /* slots that made no sense */
	uint64_t lost;	      /* records that the writer had no room for */
	uint64_t gaps[SC_GAPS]; /* what the recorder had to leave out */
	bool closed;		/* the process ended in an orderly way */
	bool running;		/* it goes on (sc_reader_set_end) */
	bool is_cut; /* since then: the file had less than this end, or it could not be read */
};

/* Opens a trace file, binary or text form (the magic says which). Returns 0 or -errno; with an
 * error, `message` (if not NULL) names the byte or line and what is wrong with it. */
int sc_reader_open(struct sc_reader **out, const char *path, char *message, size_t message_bytes);
/* The same from memory (borrowed until free). */
int sc_reader_open_memory(struct sc_reader **out, const void *data, size_t bytes, char *message,
			  size_t message_bytes);
void sc_reader_free(struct sc_reader *r);

/* Next record: 1, or 0 at the end. */
int sc_reader_next(struct sc_reader *r, struct sc_record *out);
/* A trace that is still written: it ends at this slot until the next call (trace/follow.h). The
 * walk goes on from where it is; what the header counts is not known before the trace has ended. */
void sc_reader_set_end(struct sc_reader *r, uint64_t slots);
/* Such a trace has ended: the walk goes on to the end of the file, and what the header counts is
 * known. */
void sc_reader_finish(struct sc_reader *r);
/* The caller gives back all before this slot, which was read; `rest` (borrowed) has what is kept of
 * it. From here on all other functions find only that of it. */
void sc_reader_give(struct sc_reader *r, struct sc_remains *rest, uint64_t slots);
/* False if all calls of these kinds that were read have one record each. */
bool sc_reader_had_phases(const struct sc_reader *r, const struct sc_kinds *kinds);
/* False if a part of the trace was given back (trace/given.h). */
bool sc_reader_is_whole(const struct sc_reader *r);
/* So many slots of it were. */
uint64_t sc_reader_given(const struct sc_reader *r);
/* Reads one record that was read before, wherever the walk is by now; false if it is not there. Its
 * pointers are valid until any other record is read. */
bool sc_reader_record(struct sc_reader *r, uint64_t sequence, struct sc_record *out);
/* Of each kind of definition (strings, stacks, …) so many at most are kept, for a run that goes on
 * and on; the others are counted (SC_GAP_definitions). */
void sc_reader_limit(struct sc_reader *r, size_t definitions);
/* Who decides which records of the trace sc_reader_next hands out, and may change their ops. */
struct sc_filter {
	bool (*is_kept)(void *data, struct sc_record *record);
	void *data; /* borrowed */
};
/* From now on; borrowed. NULL: all records as they are. */
void sc_reader_set_filter(struct sc_reader *r, const struct sc_filter *f);
/* Whom a walk over records that were read before is for. */
struct sc_visit {
	/* Of `op` there are the first SC_SLOT_DATA bytes, not judged yet. */
	bool (*is_wanted)(void *data, const struct sc_op *op, uint64_t sequence);
	void (*take)(void *data, const struct sc_record *record);
	void *data; /* borrowed: theirs */
	/* If not NULL, only records of these kinds can be wanted, and those with these sequence
	 * numbers, in order: most of a trace that was read to its end is passed by. Borrowed. */
	const struct sc_kinds *kinds;
	const uint64_t *places;
	size_t place_count;
};
/* Walks over all records again, handing out the wanted records; the counts stay. */
void sc_reader_visit(struct sc_reader *r, const struct sc_visit *v);
/* The op of a record that was read before, wherever the walk is by now; false if a trace that is
 * still written was cut short since then. */
bool sc_reader_op(const struct sc_reader *r, uint64_t sequence, struct sc_op *out);
/* Starts again at the first record; definitions are kept. */
void sc_reader_rewind(struct sc_reader *r);
/* Reads the trace with a splice (borrowed; NULL: without) from the next sc_reader_rewind on. */
void sc_reader_set_splice(struct sc_reader *r, struct sc_splice *s);
/* Where a record with this sequence number stands in the file, whatever the splice. */
uint64_t sc_reader_place(const struct sc_reader *r, uint64_t sequence);

const struct sc_trace_header *sc_reader_header(const struct sc_reader *r);
const struct sc_reader_stats *sc_reader_stats(const struct sc_reader *r);
/* How much of the trace the walk has come past, in percent. Safe in signal handlers. */
unsigned sc_reader_percent(const struct sc_reader *r);

/* How many records the walk will have read at its end: at most, or, once an eighth of the trace is
 * read, about, rather more. */
uint64_t sc_reader_expects(const struct sc_reader *r);

/* Look-ups of definitions met so far; all results are borrowed from the reader. */
/* Text of a string id; "" if unknown. */
const char *sc_reader_string(const struct sc_reader *r, uint32_t id);
/* Return addresses of a stack, innermost first; 0 frames if unknown. */
size_t sc_reader_stack(const struct sc_reader *r, uint32_t id, const uint64_t **frames);
/* Lines of Python that called what the stack shows, innermost first: function, file, number, with
 * tabs between and a line end after each; "" if there are none. */
const char *sc_reader_stack_python(const struct sc_reader *r, uint32_t id);
/* Mangled kernel name of a function id; "" if unknown. */
const char *sc_reader_function(const struct sc_reader *r, uint32_t id);
/* Name that the program gave to a stream, event or thread (NAME op), or NULL. */
const char *sc_reader_name(const struct sc_reader *r, enum sc_naming what, uint32_t id);

/* A mapped file of the traced process. */
struct sc_map {
	uint64_t start;
	uint64_t bytes;
	uint64_t offset; /* in the file */
	const char *path;
	const uint8_t *build_id; /* or NULL */
	uint32_t build_id_bytes;
};
size_t sc_reader_maps(const struct sc_reader *r, const struct sc_map **maps);

/* Finds an attachment of a record: its data (8-byte aligned) or NULL; *bytes gets its size. */
const void *sc_record_attachment(const struct sc_record *record, uint32_t type, uint32_t *bytes);

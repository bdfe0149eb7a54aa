/* What the parts of the trace reader share: opening and ending (reader_open.c), walking (reader.c).
 */
#ifndef SC_TRACE_READER_STATE_H
#define SC_TRACE_READER_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/vector.h"
#include "trace/definition.h"
#include "trace/format.h"
#include "trace/lines.h"
#include "trace/reader.h"
#include "trace/remains.h"
#include "trace/text.h"
#include "trace/window.h"

struct sc_reader {
	struct sc_trace_header header;
	struct sc_window window;
	uint64_t at;	   /* next slot */
	uint64_t defined;  /* definitions before this slot were taken up */
	uint64_t missing;  /* slots that the header counts and the file lacks */
	bool is_unsealed;  /* it was closed, and what it says of its end is not what was written */
	bool in_gap;	   /* the slot before was reserved but never committed */
	bool is_live;	   /* sc_reader_set_end says how far it goes */
	uint64_t given;	   /* records before this slot were given back (trace/given.h) */
	uint64_t unjudged; /* so many of them, by a reader that is not this one */
	struct sc_remains *rest; /* borrowed, or `own_rest`: those that were kept */
	struct sc_remains own_rest;
	struct sc_reader_stats stats;
	struct sc_definitions definitions;
	struct sc_lines lines;
	struct sc_splice *splice;	/* borrowed; or NULL */
	const struct sc_filter *filter; /* borrowed, or NULL */
	struct sc_text_script script;	/* owned; of a trace in text form */
	char *slurped;			/* owned; that text */
	SC_VECTOR(uint8_t) attachments; /* owned; of the current record */
};

/* Counts begin again, at the first slot. */
void sc_reader_reset(struct sc_reader *r);

#endif

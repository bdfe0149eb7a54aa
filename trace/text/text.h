/* The text form of a trace: the unit of testing, and what `streamcheck dump` prints.
 *
 * One op a line: the kind's name, its operands (op.def), then field=value pairs (field.def), then
 * attachments: text="…", frames=[…], accesses=[r|w|rw|a base+width(*rows/pitch)(*slices/pitch)
 * [~ over-approximate | ? by parameter], …], launch=…, params=hex. `#` starts a comment. Written by
 * hand, a script may leave out nearly everything:
 *
 *	# Copy on one stream, kernel on another, nothing orders them.
 *	alloc  A 1024
 *	copy   s1 A <- host 1024
 *	kernel s2 reads A
 *	expect race A write:2 read:3
 *
 * Names declare themselves on first use: streams s…, t… (blocking), n… (non-blocking), L (legacy),
 * p… (per-thread); events e…; `host` and h… pageable buffers; buffers by alloc NAME BYTES [memory].
 * An address is NAME, NAME+offset or 0x…; the words <- -> reads writes are noise or access lists.
 * `t2: copy …` makes thread 2 the caller. Waits take one line (BEGIN and END together). Numbers in
 * link= and in `expect` are line numbers counted over op lines, from 1. Lines that begin with
 * `expect` are kept aside for the test (sc_text_expectations). What stands between the lines
 * `repeat N` and `again` is read N times.
 * The full grammar is docs/dev/trace-format.md.
 */
#pragma once

#include <stdio.h>
#include "trace/reader.h"

/* Prints one record as one line of the text form. */
void sc_text_print(FILE *out, const struct sc_reader *r, const struct sc_record *record);

/* Result of reading a script. */
struct sc_text_script {
	uint8_t *trace; /* owned: a binary trace, header and slots */
	size_t bytes;
	char **expectations; /* owned: the lines after `expect`, in order */
	size_t expectation_count;
	uint32_t *op_lines; /* owned: op_lines[n] = number of op line that made sequence n, or 0 */
	size_t op_line_count;
};

/* Turns a script into a binary trace. Returns 0 or -EINVAL with a message that names the line. */
int sc_text_parse(struct sc_text_script *out, const char *text, size_t bytes, char *message,
		  size_t message_bytes);
/* The same of one process of a run, whose lines are in one text with those of the others:
 *
 *	group world 77 world of=2
 *	rank 0: message MPI_Send send+blocks world to=1 tag=4 bytes=100
 *	rank 1: message MPI_Recv receive+blocks world from=0 tag=4 bytes=49
 *
 * A line without a rank is of each. Lines are counted over all; time goes on with them. */
int sc_text_parse_rank(struct sc_text_script *out, uint32_t rank, const char *text, size_t bytes,
		       char *message, size_t message_bytes);
void sc_text_script_fini(struct sc_text_script *s);

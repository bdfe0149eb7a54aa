/* A splice: a trace as it would be if the program had made other calls as well.
 *
 * While a reader has a splice, ops of the splice's owner come out before and after the records of
 * the file, and the owner may change each record. So that there is room between any two, every
 * place of the file is `room` sequence numbers away from the next one: a record at slot n is number
 * n × room, and links are translated likewise. Before the first slot of the file there is no room.
 */
#pragma once

#include <stdbool.h>
#include "base/vector.h"
#include "trace/reader.h"

struct sc_spliced {
	struct sc_op op;
	size_t at; /* of its attachments in `attached` */
	uint32_t bytes;
};

struct sc_splice {
	/* Called for each record of the file once, in order: may change the record's op, and puts
	 * other ops around it. */
	void (*around)(void *data, struct sc_splice *s, struct sc_record *record);
	void *data;			     /* borrowed: the owner's */
	SC_VECTOR(struct sc_spliced) before; /* the record at hand, in order */
	SC_VECTOR(struct sc_spliced) after;
	SC_VECTOR(uint64_t) attached; /* to these */
	uint32_t room;
	uint64_t refused; /* ops for which there was no room */
	/* The reader's own. */
	struct sc_record held;
	size_t step;   /* of before, held and after, one after the other */
	uint64_t last; /* sequence number that came out last */
};

/* Puts an op before, or after, the record at hand. An END without a link ends the op that was put
 * there just before it. */
void sc_splice_before(struct sc_splice *s, const struct sc_op *op);
void sc_splice_after(struct sc_splice *s, const struct sc_op *op);
/* The same with an attachment of a type (enum sc_attach). */
void sc_splice_after_with(struct sc_splice *s, const struct sc_op *op, uint32_t type,
			  const void *data, uint32_t bytes);
/* Takes the next record from around the one at hand; false if there is none. */
bool sc_splice_take(struct sc_splice *s, struct sc_record *out);
/* Begins with a record of the file. */
void sc_splice_begin(struct sc_splice *s, const struct sc_record *record);
/* Makes a record's numbers those of a spliced trace. */
void sc_splice_number(const struct sc_splice *s, struct sc_record *record);
/* Forgets what was read, so that the trace can be read again. */
void sc_splice_rewind(struct sc_splice *s);
void sc_splice_fini(struct sc_splice *s);

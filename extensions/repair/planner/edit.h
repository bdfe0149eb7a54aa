/* Edits: changes of a program's text that bring an order which was missing.
 *
 * An edit belongs to lines of the source, not to one operation: it happens whenever these lines
 * run. A line is known by the innermost part of the call stack up to it (struct sc_edit_place).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/vector.h"
#include "trace/op.h"

enum sc_edit_kind {
#define SC_EDIT(constant, id, is_host, meaning) SC_EDIT_##constant,
#include "extensions/repair/planner/edit.def"
#undef SC_EDIT
	SC_EDIT_KINDS
};

/* The id of a kind (edit.def). */
const char *sc_edit_kind_id(enum sc_edit_kind kind);
/* True if it makes the host wait. */
bool sc_edit_kind_is_host(enum sc_edit_kind kind);

/* Why an edit cannot be written. */
enum sc_edit_flaw {
	SC_FLAW_NONE,
	SC_FLAW_DEAD_STREAM, /* the stream is destroyed when it would be used */
	SC_FLAW_DEAD_EVENT,
	SC_FLAW_CAPTURED, /* one of its lines also runs in a capture */
	SC_FLAW_CALLBACK, /* one of its lines also runs in a host function */
	SC_FLAW_REACH,	  /* a stream that the line's thread cannot name */
	SC_FLAW_HELD,	  /* the stream waits for a later call, or may */
	SC_FLAW_ROOM,	  /* too many calls at one place */
	SC_FLAW_SEVERAL,  /* one of its lines uses several streams, or a call without one */
	SC_FLAW_APART,	  /* one of its lines runs more often than the other */
	SC_FLAW_TAKEN,	  /* its address began anew between its lines */
	SC_FLAW_HARM	  /* it brings a finding of its own */
};

/* A line of the program. */
struct sc_edit_place {
	uint64_t hash;	 /* of the part of the stack that leads to it */
	uint32_t frames; /* return addresses of that part; 0: the operation alone, no stack is known
			  */
	uint32_t lines;	 /* lines of Python of that part */
	uint64_t op;	 /* an operation that was called there: its place in the trace */
	uint32_t stack;	 /* of that operation */
	uint32_t inlined; /* of the frames at the last address, how many are further in */
	bool has_inner;	  /* one of them is the program's own */
	bool is_outer;	  /* the line calls a function of the program, which makes the call */
	bool is_foreign;  /* no edit goes there: it is not the program's own code */
	bool is_line;	  /* the hash is of the line alone, whatever was called from it */
};

struct sc_edit {
	uint8_t kind;		     /* enum sc_edit_kind */
	uint8_t flaw;		     /* enum sc_edit_flaw, once it was tried */
	bool is_priced;		     /* lost_ns is known */
	bool is_needed;		     /* without it a finding comes back: this was tried */
	struct sc_edit_place first;  /* after these calls; of WAIT and HOST_WAIT: the record; of
					STREAM: the one that names the stream */
	struct sc_edit_place before; /* before these; of MOVE: the record that moves; of STREAM:
					the operation that goes into the stream */
	uint32_t stream;	     /* of the first operation, in the example */
	uint32_t waiting;	     /* stream that waits; 0 is the host; of STREAM: the old one */
	uint32_t event;		     /* of an existing record, in the example */
	uint32_t kernel;	     /* of KERNEL_WAIT: that waits; `before` is a launch of it */
	uint64_t key;		     /* of the finding that it was made for: sc_finding.places */
	struct sc_edit_place
		nodes[2];	  /* of EDGE: between which it stands, perhaps around the two */
	uint32_t other;		  /* of sc_repair.others: would do as well, + 1 */
	uint64_t lost_ns;	  /* that it would have taken in this run (price.h) */
	uint64_t calls;		  /* inserted in this run */
	uint32_t thread;	  /* that waits; UINT32_MAX: several */
	uint32_t streams;	  /* that were recorded or waited for in this run */
	SC_VECTOR(uint32_t) ends; /* owned: findings that it ends, by their number from 0 */
};

/* True if it happens before, or after, whole calls of the program's own functions (calls.h). */
bool sc_edit_is_before_calls(const struct sc_edit *e);
bool sc_edit_is_after_calls(const struct sc_edit *e);
/* True if the call of the line `before` goes after the line `first`. */
bool sc_edit_moves_call(const struct sc_edit *e);

/* Verification: findings of a first run that are not proven because the bytes of a kernel are not
 * known, looked for again in the traces of a second run.
 *
 * A finding is met again by its two operations: their kinds, kernels, calls, and places in the
 * binaries (or lines of Python), whichever came first. Not by its rule: known bytes may make
 * another one of it (SC-209 becomes SC-105 or SC-106). Any other finding of two operations that
 * nothing orders counts, and of one operation only the same rule.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/map.h"
#include "base/option.h"
#include "base/vector.h"
#include "cmds/check/loaded.h"
#include "reports/verified.h"

/* One side of such a finding. */
struct sc_verify_side {
	uint64_t key;	/* kind, kernel or call, and place; 0: there is no such side */
	char *name;	/* owned: the kernel's mangled name, or the call */
	char *actor;	/* owned: the same for people */
	uint8_t kind;	/* enum sc_op_kind */
	bool is_kernel; /* whose bytes were not known */
};

/* A finding of the first run, and the surest one of the second run that meets it, if any. */
struct sc_verify_item {
	struct sc_verify_side side[2];
	char *what;  /* owned */
	char *doubt; /* owned: of the second run's finding, why it is not proven */
	uint64_t fingerprint, found;
	uint64_t lines;		   /* sc_fingerprint_lines */
	uint16_t rule, found_rule; /* 0: it was not met */
	uint8_t confidence, found_confidence;
	bool is_race;	     /* nothing orders its two sides */
	bool is_by_query;    /* in the second run nothing does but queries */
	bool is_about_bytes; /* the second run's finding is not proven for want of bytes */
};

/* Why bytes of launches are not known in the second run. */
struct sc_verify_note {
	char *kernel; /* owned: mangled name; NULL: of any kernel */
	char *reason; /* owned */
};

struct sc_verification {
	SC_VECTOR(struct sc_verify_item) items;
	struct sc_u64_map reached;  /* keys of sides that the second run had */
	struct sc_u64_map launched; /* hash of a kernel's name: launches */
	struct sc_u64_map unknown;  /* the same: of which bytes are not known */
	SC_VECTOR(struct sc_verify_note) notes;
	bool is_lost;	  /* a trace of the second run is not complete */
	unsigned traces;  /* of the second run, that could be read */
	uint64_t others;  /* findings of the second run that are none of these */
	uint64_t unasked; /* findings of the first run that are not proven for other reasons */
};

/* Takes the findings of a trace of the first run; false if it cannot be read. */
bool sc_verification_take(struct sc_verification *v, const char *path,
			  const struct sc_options *options);
/* Appends the mangled names of the kernels whose bytes are to be recorded, one a line. */
void sc_verification_kernels(struct sc_buf *out, const struct sc_verification *v);
/* Looks for them in a trace of the second run. */
void sc_verification_look(struct sc_verification *v, const char *path,
			  const struct sc_options *options);
/* Judges each, after the last trace. `exit_code` is the program's in the second run. */
void sc_verification_judge(struct sc_verified *out, const struct sc_verification *v, int exit_code);
void sc_verification_fini(struct sc_verification *v);

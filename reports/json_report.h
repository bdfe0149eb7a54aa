/* The JSON report of a process, and a finding alone as JSON: for formats that carry it (HTML), and
 * for findings that are told while a program runs.
 */
#pragma once

#include "reports/fingerprint.h"
#include "reports/json_pool.h"
#include "reports/json_writer.h"
#include "reports/report.h"

/* What a frame is the place of. */
enum sc_json_place {
	SC_JSON_ACCESS,
	SC_JSON_FIX,
	SC_JSON_ORIGIN, /* of memory, of an object */
	SC_JSON_OTHER
};

/* What of a report is put. Everything is borrowed. */
struct sc_json_scope {
	const char *directory; /* in sentences, paths below it are relative to it; NULL = none */
	const struct sc_fingerprints *prints; /* of the findings */
	size_t findings_most;		      /* the worst come first */
	/* Stacks go into the pool, and are named by index; NULL: they stand where they belong. */
	struct sc_json_pool *stacks;
	/* Takes each frame by which reports name a place; NULL: none does. */
	void (*see)(void *to, const struct sc_frame *frame, enum sc_json_place place);
	void *to;
};

/* Puts the report of a process. */
void sc_json_report(struct sc_json *w, const char *key, const struct sc_report *r,
		    const struct sc_json_scope *scope);
/* Puts the findings of a process, an array. */
void sc_json_findings(struct sc_json *w, const char *key, const struct sc_report *r,
		      const struct sc_json_scope *scope);
/* Puts the stack of an op as member "frames"; empty for NULL. */
void sc_json_frames(struct sc_json *w, const struct sc_report *r, const struct sc_op *op,
		    const struct sc_json_scope *scope, enum sc_json_place place);
/* Puts a finding of the report's analysis. Its number is 0 until all findings are known. */
void sc_json_finding(struct sc_json *w, const char *key, const struct sc_report *r,
		     const struct sc_finding *f, uint64_t fingerprint);

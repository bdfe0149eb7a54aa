/* Verified: what a second run showed of the findings of a first one that were not proven, because
 * the bytes of a kernel were not known. */
#pragma once

#include <stdint.h>
#include "base/buf.h"
#include "base/vector.h"
#include "reports/json_writer.h"
#include "reports/text/text_layout.h"

/* PROVEN: the second run has it with known bytes. OPEN: it is not decided, and why. APART: both
 * operations ran, their bytes were known, and did not meet. */
enum sc_verified_as { SC_VERIFIED_PROVEN, SC_VERIFIED_OPEN, SC_VERIFIED_APART, SC_VERIFIED_WAYS };

struct sc_verified_row {
	uint64_t fingerprint; /* in the report of the first run */
	uint64_t found;	      /* in that of the second, if it is there; else 0 */
	uint16_t rule;
	uint16_t found_rule; /* 0: it is not there */
	uint8_t confidence;  /* enum sc_confidence: of the first run */
	uint8_t verdict;     /* enum sc_verified_as */
	char *what;	     /* owned: "add(float*) at a.cu:20 and mul(float*) at a.cu:31" */
	char *reason;	     /* owned: why it is open; NULL for the others */
};

struct sc_verified {
	const char *trace; /* borrowed: of the first run; of several, the first */
	SC_VECTOR(struct sc_verified_row) rows;
	uint64_t others; /* findings of the second run that none of the rows is about */
};

void sc_verified_fini(struct sc_verified *v);
/* Proven first, then what is open, then what was not seen; by rule and place. */
void sc_verified_sort(struct sc_verified *v);
uint64_t sc_verified_count(const struct sc_verified *v, enum sc_verified_as as);
/* The table: a line of counts, then one for each pair of places; what is beyond a screen is
 * counted. */
void sc_verified_print(struct sc_buf *out, const struct sc_verified *v,
		       const struct sc_report_style *style);
/* The same as a member "verified", with all rows. */
void sc_verified_put(struct sc_json *w, const struct sc_verified *v);

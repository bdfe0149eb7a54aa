/* A finding in the text report: at most SC_TEXT_LINES lines, unless all is asked for. */
#pragma once

#include "reports/words/words.h"

#define SC_TEXT_LINES 25 /* of a finding */

/* A text report that is being made. */
struct sc_text {
	struct sc_buf *out;
	const struct sc_report *report;
	const struct sc_report_style *style;
	struct sc_words words;
	struct sc_buf phrase; /* the line under construction */
	bool *is_met;	      /* owned: findings that are shown elsewhere; NULL: none */
	size_t open;	      /* findings that streamcheck verify decides; 0: one of them said so */
};

/* Appends the phrase as "  label:   text", and empties it. */
void sc_text_fact(struct sc_text *t, const char *label);
/* Lines of a text, the last one ended or not. */
size_t sc_text_count_lines(const char *text);
/* Adds to the phrase how often a finding, or so many, were seen, if that is more than once:
 * " (3 findings, seen 12 times)". */
void sc_text_add_count(struct sc_text *t, size_t findings, uint64_t count);
/* Appends what streamcheck verify needs, to the phrase, and how many findings it decides. */
void sc_text_add_command(struct sc_text *t);
/* Appends a finding, and a line for each of the first of its `count` followers. */
void sc_text_finding(struct sc_text *t, const struct sc_finding *f,
		     const struct sc_finding *const *followers, size_t count);

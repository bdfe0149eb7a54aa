/* Edit text: an edit as calls in the program's own language, for people.
 *
 * Streams and events have the names that the line itself shows, if it calls CUDA, else those of the
 * variables that they were made for; whether these are known at the line only a parser can tell
 * (packaging/python/patch).
 */
#pragma once

#include "extensions/repair/planner/edit.h"
#include "cmds/judge/own_code.h"
#include "reports/words/words.h"

struct sc_edit_line {
	const struct sc_frame *frame; /* NULL: the line is not known */
	const char *where;	      /* then */
	struct sc_buf code;	      /* owned: what to write there; empty: nothing */
	bool replaces;		      /* the statement there goes */
};

struct sc_edit_text {
	const struct sc_dialect *dialect;
	struct sc_buf event;		 /* owned: the event's name, or empty */
	struct sc_buf make;		 /* owned: how that is made */
	struct sc_buf returns;		 /* owned: of FRAME: where it waits */
	struct sc_edit_line first, then; /* code goes after the first line, and before the second */
};

/* True if there is anything to do at the line. */
bool sc_edit_line_is_said(const struct sc_edit_line *line);
/* Where the code of its second line goes: "before", "after", or "at" it. */
const char *sc_edit_text_label(const struct sc_edit_text *t, const struct sc_edit *e);
/* The text may not move afterwards. `number`: of a new event, from 1; the number for the next
 * edit's is returned. */
unsigned sc_edit_text_make(struct sc_edit_text *t, const struct sc_own *own, struct sc_words *words,
			   const struct sc_edit *e, unsigned number);
void sc_edit_text_fini(struct sc_edit_text *t);
/* Appends what is done, in one sentence: "stream 3 waits for an event that …". */
void sc_edit_text_summary(struct sc_buf *out, struct sc_words *words, const struct sc_edit *e);

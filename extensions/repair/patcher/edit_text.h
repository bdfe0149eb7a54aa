/* Edit text: an edit as lines of the program's own language. */
#ifndef SC_EXTENSIONS_REPAIR_PATCHER_EDIT_TEXT_H
#define SC_EXTENSIONS_REPAIR_PATCHER_EDIT_TEXT_H

#include "extensions/repair/planner/edit.h"
#include "extensions/repair/planner/threads.h"
#include "cmds/judge/own_code.h"
#include "extensions/repair/patcher/source_frame.h"
#include "reports/words/words.h"

struct sc_edit_line {
	const struct sc_frame *frame; /* NULL: the line is not known */
	const char *where;	      /* then */
	struct sc_buf code;	      /* owned: what to write there; empty: nothing */
	bool is_after;		      /* after the statement at the line; else before it */
	bool replaces;		      /* the statement there goes */
	bool becomes;		      /* the statement there becomes the code */
};

struct sc_edit_text {
	const struct sc_dialect *dialect;
	struct sc_buf event;  /* owned: the name of a new event, or empty */
	struct sc_buf stream; /* owned: the first operation's stream, as the source has it */
	struct sc_buf make;   /* owned: how that is made */
	struct sc_edit_line first, then;
	struct sc_source_frame frame; /* of FRAME: where it ends, if that is known */
	struct sc_frame end;	      /* the first of these lines */
	bool is_plain;		 /* all streams and events are named as the source names them */
	bool has_one_package;	 /* both files import it by one name */
	bool is_own;		 /* both lines are the program's own */
	enum sc_threads threads; /* that run its lines; only a patch needs to know */
};

/* The text may not move afterwards. `number`: of a new event, from 1; the number for the next
 * edit's is returned. */
unsigned sc_edit_text_make(struct sc_edit_text *t, const struct sc_own *own, struct sc_words *words,
			   const struct sc_edit *e, unsigned number);
/* Why an event cannot go from the one line to the other, for the threads that run them; or NULL. */
const char *sc_edit_text_threads_reason(const struct sc_edit_text *t);
/* True if both of its lines are known, in one function. */
bool sc_edit_text_is_one_function(const struct sc_edit_text *t);
void sc_edit_text_fini(struct sc_edit_text *t);
/* Appends what is done, in one sentence: "stream 3 waits for an event that …". */
void sc_edit_text_summary(struct sc_buf *out, struct sc_words *words, const struct sc_edit *e);

#endif

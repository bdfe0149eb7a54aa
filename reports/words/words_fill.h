/* Words: a sentence of analyzer/finding/verdict.def about one finding. */
#ifndef SC_REPORTS_WORDS_WORDS_FILL_H
#define SC_REPORTS_WORDS_WORDS_FILL_H

#include "reports/words/words.h"

/* Appends the sentence; "{name}" becomes what the name stands for. */
void sc_words_fill(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f,
		   const char *sentence);

#endif

/* Words: a sentence of analyzer/finding/verdict.def about one finding. */
#pragma once

#include "reports/words/words.h"

/* Appends the sentence; "{name}" becomes what the name stands for. */
void sc_words_fill(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f,
		   const char *sentence);

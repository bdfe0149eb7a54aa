/* Words for a whole run: what it ended by, what its program lacks, where its options come from. */
#pragma once

#include "reports/words/words.h"

/* "signal 11 (SIGSEGV)". */
void sc_words_signal(struct sc_buf *out, unsigned signal);
/* "no line of app is known: build it with -g (nvcc: -g -lineinfo) …"; false if a finding has a
 * line, or none has a stack. */
bool sc_words_without_lines(struct sc_buf *out, const struct sc_words *w);
/* "from ci/streamcheck.toml"; false if no file was read. */
bool sc_words_config(struct sc_buf *out, const struct sc_words *w);

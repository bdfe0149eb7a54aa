/* Flags: which ops write the words that streams wait for (W-2), for analyzer/order/signal_word.h.
 */
#ifndef SC_ANALYZER_RULES_FLAGS_H
#define SC_ANALYZER_RULES_FLAGS_H

#include "analyzer/state.h"

/* Before an op: if the op is a memory operation on a new word, what wrote the word before. */
void sc_flags_meet(struct sc_analysis *a, const struct sc_op *op);
/* What the uses of the step's op write. */
void sc_flags_note(struct sc_analysis *a, const struct sc_step *step);

#endif

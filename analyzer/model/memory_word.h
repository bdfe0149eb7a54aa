/* Memory words: which ops write the words that streams wait for (W-2), for order/signal_word.h. */
#pragma once

#include "analyzer/model/model.h"

/* Before the order of an op: if the op is a memory operation on a new word, looks up what wrote the
 * word before. */
void sc_memory_word_begin(struct sc_analysis *a, const struct sc_op *op);
/* Fills a->conflicts, which the caller clears, with what wrote these bytes and may still matter. */
void sc_memory_word_writers(struct sc_analysis *a, uint64_t address, uint64_t bytes);
/* Notes the words that the uses of the step's op write. */
void sc_memory_word_write(struct sc_analysis *a, const struct sc_step *step);

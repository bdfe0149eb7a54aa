/* Words: what else writes to the words that streams wait for.
 *
 * Only a memory operation says what it writes (W-1). A copy, a kernel or the host may give a word
 * any value, a fill with zeros gives it zero. So a wait is certain of a write only if nothing else
 * may have fulfilled it: signal.c asks for that when it looks for the write. Cost: a binary search
 * for each op that writes, once there are such words.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sc_order;
struct sc_step;
struct sc_signal_set;

/* The op of the step, no memory operation, writes [first, end), on the host if that is said. */
void sc_signal_word_write(struct sc_order *o, const struct sc_step *step, uint64_t first,
			  uint64_t end, bool is_host);
/* Launches of graphs write there: no wait for these words is certain any more. */
void sc_signal_word_spoil(struct sc_signal_set *signals, uint64_t first, uint64_t end);
/* Memory begins there: what was written and waited for before was other memory. */
void sc_signal_word_forget(struct sc_order *o, uint64_t first, uint64_t end);

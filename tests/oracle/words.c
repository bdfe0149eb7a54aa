/* Words in memory and external semaphores of the naive model. */
#include "tests/oracle/words.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

bool words_has(uint16_t kind)
{
	return kind == SC_OP_VALUE_WRITE || kind == SC_OP_SIGNAL || words_is_wait(kind);
}

bool words_is_wait(uint16_t kind)
{
	return kind == SC_OP_VALUE_WAIT || kind == SC_OP_SIGNAL_WAIT;
}

static bool has(const uint64_t *bits, size_t node)
{
	return bits[node / 64] >> node % 64 & 1;
}

static bool is_same_word(const struct sc_op *write, const struct sc_op *wait)
{
	if (write->kind == SC_OP_SIGNAL || wait->kind == SC_OP_SIGNAL_WAIT)
		return write->kind == SC_OP_SIGNAL && wait->kind == SC_OP_SIGNAL_WAIT &&
		       write->object == wait->object;
	return write->dst == wait->src;
}

/* W-2, W-4: a semaphore counts as a word of eight bytes that only grows. */
static bool fulfils(const struct sc_op *write, const struct sc_op *wait)
{
	uint64_t all = wait->bytes == 4 ? UINT32_MAX : UINT64_MAX;
	uint64_t found = write->value & all, wanted = wait->value & all;
	uint32_t condition = wait->kind == SC_OP_VALUE_WAIT ? wait->object : SC_VALUE_GEQ;

	switch (condition) {
	case SC_VALUE_GEQ: return ((found - wanted) & all) <= all / 2;
	case SC_VALUE_EQ: return found == wanted;
	case SC_VALUE_AND: return (found & wanted) != 0;
	default: return (found | wanted) != all;
	}
}

static bool is_barrier(const struct sc_op *write)
{
	return write->kind == SC_OP_SIGNAL || !write->object; /* W-1 */
}

/* A later write was complete before the wait begins. */
static bool is_replaced(const struct words *w, const struct word_write *x, const struct sc_op *op,
			const uint64_t *before)
{
	for (size_t i = 0; i < w->writes.count; i++) {
		const struct word_write *y = &w->writes.items[i];

		if (x->end < y->end && is_same_word(&y->op, op) && has(y->before, x->end) &&
		    has(before, y->end))
			return 1;
	}
	return 0;
}

size_t words_wait(const struct words *w, const struct sc_op *op, const uint64_t *before)
{
	const struct word_write *first = NULL;

	for (size_t i = 0; i < w->writes.count; i++) {
		const struct word_write *x = &w->writes.items[i];

		if (!is_same_word(&x->op, op) || !fulfils(&x->op, op) ||
		    is_replaced(w, x, op, before))
			continue;
		if (!is_barrier(&x->op) || (first && first->op.stream != x->op.stream))
			return SIZE_MAX;
		first = first ? first : x;
	}
	return first ? first->end : SIZE_MAX;
}

void words_write(struct words *w, const struct sc_op *op, size_t start, size_t end,
		 uint64_t *before)
{
	sc_vector_push(&w->writes, ((struct word_write){*op, start, end, before}));
}

void words_fini(struct words *w)
{
	for (size_t i = 0; i < w->writes.count; i++)
		free(w->writes.items[i].before);
	sc_vector_fini(&w->writes);
}

/* Words: other writers of what streams wait for. */
#include "analyzer/order/signal_word.h"

#include <stdbool.h>
#include "analyzer/order/state.h"
#include "analyzer/order/step.h"

#define WORD_MOST sizeof(uint64_t)

/* The first word that may have bytes at or after the address. */
static size_t first_near(const struct sc_signal_set *s, uint64_t address)
{
	return sc_signal_words_from(s, address < WORD_MOST ? 0 : address - WORD_MOST + 1);
}

static struct sc_signal *signal_at(const struct sc_signal_set *s, size_t i)
{
	struct sc_signal *g;

	HASH_FIND(hh, s->by_key, &s->words.items[i], sizeof(*s->words.items), g);
	return g;
}

/* What the host writes comes after all that the host knows. */
static struct sc_point point_of(const struct sc_order *o, const struct sc_step *step, bool is_host)
{
	struct sc_point p = {
		.base = o->host.clock, .lane = SC_LANE_HOST, .position = step->sequence + 1};

	if (!is_host && step->stream)
		return sc_point_get(&step->stream->tail);
	sc_clock_get(p.base);
	return p;
}

void sc_signal_word_write(struct sc_order *o, const struct sc_step *step, uint64_t first,
			  uint64_t end, bool is_host)
{
	const struct sc_op *op = step->op;
	struct sc_signal_set *s = &o->signals;
	bool is_zero = op->kind == SC_OP_SET && !op->value;

	for (size_t i = first_near(s, first); i < s->words.count && s->words.items[i] < end; i++)
		sc_signal_add(s, signal_at(s, i),
			      &(struct sc_signal_write){.sequence = step->sequence,
							.stream = is_host ? 0 : op->stream,
							.is_other = 1,
							.is_vague = !is_zero,
							.point = point_of(o, step, is_host)});
}

void sc_signal_word_spoil(struct sc_signal_set *s, uint64_t first, uint64_t end)
{
	for (size_t i = first_near(s, first); i < s->words.count && s->words.items[i] < end; i++)
		signal_at(s, i)->is_spoilt = 1;
}

void sc_signal_word_forget(struct sc_order *o, uint64_t first, uint64_t end)
{
	struct sc_signal_set *s = &o->signals;

	for (size_t i = sc_signal_words_from(s, first);
	     i < s->words.count && s->words.items[i] < end; i++)
		sc_signal_clear(s, signal_at(s, i));
}

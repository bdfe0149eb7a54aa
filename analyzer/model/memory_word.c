/* Memory words: ops that are no memory operations, and write words that streams wait for. */
#include "analyzer/model/memory_word.h"

#include "analyzer/order/signal_word.h"

#define WORDS_FIRST 1024 /* from so many on those of freed memory are forgotten */

static void note(struct sc_analysis *a, const struct sc_step *step, const struct sc_use *use)
{
	struct sc_order *o = &a->order;
	uint64_t first = use->shape.base, end = sc_shape_end(&use->shape);
	const struct sc_allocation *memory = use->allocation, *other = NULL;
	uint64_t shift = memory->alias.range.start - memory->home.range.start;

	sc_signal_word_write(o, step, first, end, use->is_host);
	if (memory->alias.range.end)
		sc_signal_word_write(o, step, first + shift, end + shift, use->is_host);
	while ((other = sc_memory_mapped_as(&a->memory, memory, other)))
		if (sc_memory_shares(memory, other, &shift))
			sc_signal_word_write(o, step, first + shift, end + shift, use->is_host);
}

void sc_memory_word_write(struct sc_analysis *a, const struct sc_step *step)
{
	for (size_t i = 0; step->op->kind != SC_OP_VALUE_WRITE && i < a->uses.count; i++)
		if (sc_mode_writes(a->uses.items[i].shape.mode))
			note(a, step, &a->uses.items[i]);
}

static struct sc_signal_write write_of(const struct sc_note *n)
{
	return (struct sc_signal_write){
		.sequence = n->sequence,
		.stream = sc_interval_is_host(&n->when) || n->is_callback ? 0 : n->op.stream,
		.is_other = 1,
		.is_vague = n->op.kind != SC_OP_SET || n->op.value,
		.point = {sc_clock_get(n->when.start), n->when.lane, n->when.position}};
}

/* A read that comes after nothing collides with what the history still has. */
void sc_memory_word_writers(struct sc_analysis *a, uint64_t address, uint64_t bytes)
{
	struct sc_past past = {&a->order, &a->memory.notes};
	struct sc_access shape = sc_shape_linear(address, bytes, SC_READ, SC_KNOWN_EXACT);
	struct sc_note reader = {.kind = SC_OP_COPY,
				 .when = {.lane = SC_LANE_NONE, .position = UINT64_MAX}};
	struct sc_allocation *memory = sc_memory_find(&a->memory, address, &shape.base);
	struct sc_touch touch;

	if (!memory)
		return;
	sc_touch_init(&touch, &reader, 0, &shape);
	sc_history_check(&memory->history, &past, &touch, &shape, &a->conflicts);
}

static void look_back(struct sc_analysis *a, struct sc_signal *g, uint64_t address, uint64_t bytes)
{
	sc_memory_word_writers(a, address, bytes);
	for (size_t i = 0; i < a->conflicts.count; i++) {
		const struct sc_note *n = a->conflicts.items[i].earlier.note;
		struct sc_signal_write w = write_of(n);

		if (n->is_replay)
			g->is_spoilt = 1;
		sc_signal_add(&a->order.signals, g, &w);
	}
	sc_conflicts_clear(&a->conflicts, &a->memory.notes);
}

/* Words of memory that is gone: those that the host knows to be done with. */
static bool is_over(void *data, const struct sc_signal *g)
{
	struct sc_analysis *a = data;
	uint64_t unused;

	return sc_signal_is_word(g) && !sc_memory_find(&a->memory, g->key, &unused) &&
	       sc_signal_is_known(g, a->order.host.clock);
}

static void sweep(struct sc_analysis *a)
{
	struct sc_signal_set *s = &a->order.signals;

	if (s->words.count < WORDS_FIRST || s->words.count < s->words_most)
		return;
	sc_signals_sweep(s, is_over, a);
	s->words_most = 2 * s->words.count;
}

void sc_memory_word_begin(struct sc_analysis *a, const struct sc_op *op)
{
	uint64_t address = op->kind == SC_OP_VALUE_WRITE ? op->dst : op->src;
	struct sc_signal_set *s = &a->order.signals;
	uint64_t words = s->words_version;
	struct sc_signal *g;

	if (op->kind != SC_OP_VALUE_WRITE && op->kind != SC_OP_VALUE_WAIT)
		return;
	sweep(a);
	g = sc_signal_of(&a->order.signals, address);
	if (s->words_version != words)
		look_back(a, g, address, op->bytes ? op->bytes : sizeof(uint32_t));
}

/* Failed calls: a list, and what may be taken off it again. */
#include "analyzer/model/failed_call.h"

#include <string.h>
#include "trace/op.h"

#define MOST 4096 /* places that are kept apart; calls at others are counted only */

static const struct {
	const char *call;
	int32_t result;
} expected[] = {
#define SC_EXPECTED_ANSWER(call, result, why) {call, SC_RESULT_##result},
#include "analyzer/model/expected_answer.def"
};

static bool is_expected(const char *call, int32_t result)
{
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		if (expected[i].result == result &&
		    !strncmp(expected[i].call, call, strlen(expected[i].call)))
			return 1;
	return 0;
}

/* Of a call that may block, its end has the answer. Other agents (MPI) have answers of their own.
 */
static bool has_failed(const struct sc_op *op, const char *call)
{
	return op->result > 0 && op->phase != SC_PHASE_BEGIN &&
	       op->kind != SC_OP_INSTANTIATE && /* its call is in the trace as well */
	       !(op->flags & (SC_FLAG_LIBRARY | SC_FLAG_NODE)) && !strncmp(call, "cu", 2) &&
	       !is_expected(call, op->result);
}

static void note_refusal(struct sc_failed_calls *f, const struct sc_op *op, size_t index)
{
	if (op->result == SC_RESULT_OUT_OF_MEMORY && op->bytes)
		f->refusals[f->next++ % SC_REFUSALS] = (struct sc_refusal_of_memory){
			.bytes = op->bytes, .thread = op->thread, .call = (uint32_t)index + 1};
}

/* The thread got memory: what it was refused before was an answer that it expected. */
static void forgive(struct sc_failed_calls *f, const struct sc_op *op)
{
	for (unsigned i = 0; i < SC_REFUSALS; i++) {
		struct sc_refusal_of_memory *m = &f->refusals[i];

		if (!m->call || m->thread != op->thread || m->bytes > op->bytes)
			continue;
		f->list.items[m->call - 1].count--;
		f->count--;
		m->call = 0;
	}
}

static bool is_allocation(const struct sc_op *op)
{
	return op->kind == SC_OP_ALLOC || op->kind == SC_OP_ALLOC_ASYNC ||
	       op->kind == SC_OP_VMM_MAP;
}

bool sc_failed_calls_note(struct sc_failed_calls *f, const struct sc_reader *reader,
			  const struct sc_record *r)
{
	const struct sc_op *op = &r->op;
	uint64_t identity = (uint64_t)op->stack << 32 ^ (uint64_t)op->call << 12 ^
			    (uint64_t)(uint32_t)op->result;
	uint64_t *place;
	bool is_first;

	if (!op->result && is_allocation(op))
		forgive(f, op);
	if (op->result <= 0 || !has_failed(op, sc_reader_string(reader, op->call)))
		return 0;
	f->count++;
	place = f->list.count < MOST ? sc_u64_map_get(&f->by_identity, identity)
				     : sc_u64_map_find(&f->by_identity, identity);
	if (!place)
		return 0;
	is_first = !*place;
	if (is_first) {
		sc_vector_push(&f->list, ((struct sc_failed_call){.sequence = r->sequence,
								  .result = op->result}));
		*place = f->list.count;
	}
	f->list.items[*place - 1].count++;
	note_refusal(f, op, *place - 1);
	return is_first;
}

void sc_failed_calls_note_end(struct sc_failed_calls *f, const struct sc_op *end,
			      const struct sc_op *inside)
{
	if (inside->result != SC_RESULT_PENDING)
		return;
	f->count++;
	sc_vector_push(&f->list, ((struct sc_failed_call){.sequence = end->link - 1,
							  .count = 1,
							  .result = SC_RESULT_PENDING,
							  .signal = end->object}));
}

void sc_failed_calls_finish(struct sc_failed_calls *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->list.count; i++)
		if (f->list.items[i].count)
			f->list.items[kept++] = f->list.items[i];
	f->list.count = kept;
	sc_u64_map_fini(&f->by_identity);
	f->by_identity = (struct sc_u64_map){0};
}

void sc_failed_calls_fini(struct sc_failed_calls *f)
{
	sc_vector_fini(&f->list);
	sc_u64_map_fini(&f->by_identity);
}

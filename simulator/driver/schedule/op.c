/* Ops and the order between them. */
#include "simulator/driver/schedule/op.h"

#include <stdlib.h>

#include "base/assert.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/context/thread.h"

struct sim_op *sim_op_new(CUcontext context, const struct sim_work *work)
{
	struct sim_op *op = calloc(1, sizeof(*op));

	if (!op)
		return NULL;
	op->refs = 1;
	op->context = context;
	op->work = *work;
	op->correlation = sim_thread_self()->correlation;
	return op;
}

static bool push(struct sim_op ***list, size_t *count, size_t *capacity, struct sim_op *op)
{
	size_t wanted = *capacity ? *capacity * 2 : 2;
	struct sim_op **grown;

	if (*count == *capacity) {
		grown = realloc(*list, wanted * sizeof(*grown));
		if (!grown)
			return false;
		*list = grown;
		*capacity = wanted;
	}
	(*list)[(*count)++] = op;
	op->refs++;
	return true;
}

bool sim_op_after(struct sim_op *op, struct sim_op *before)
{
	if (sim_op_is_done(before) || before == op)
		return true;
	if (!push(&op->before, &op->before_count, &op->before_capacity, before))
		return false;
	if (!push(&before->after, &before->after_count, &before->after_capacity, op)) {
		sim_op_put(op->before[--op->before_count]);
		return false;
	}
	op->blockers++;
	return true;
}

void sim_op_end_memory(struct sim_op *op, struct sim_alloc *alloc)
{
	if (sim_op_is_done(op) || !sim_memory_retire(alloc)) {
		sim_memory_remove(alloc);
		return;
	}
	alloc->next_end = op->ends;
	op->ends = alloc;
}

static void end_memory(struct sim_op *op)
{
	struct sim_alloc *alloc;

	while ((alloc = op->ends)) {
		op->ends = alloc->next_end;
		sim_memory_end(alloc);
	}
}

static void drop_all(struct sim_op ***list, size_t *count)
{
	size_t i;

	for (i = 0; i < *count; i++)
		sim_op_put((*list)[i]);
	free(*list);
	*list = NULL;
	*count = 0;
}

void sim_op_finish(struct sim_op *op, void (*ready)(struct sim_op *))
{
	size_t i;

	sc_assert(op->state != SIM_OP_DONE && !op->blockers);
	op->state = SIM_OP_DONE;
	op->done_ns = sim_now_ns();
	for (i = 0; i < op->after_count; i++) {
		sc_assert(op->after[i]->blockers > 0);
		if (--op->after[i]->blockers == 0)
			ready(op->after[i]);
	}
	drop_all(&op->after, &op->after_count);
	drop_all(&op->before, &op->before_count);
	end_memory(op);
	sim_work_release(&op->work);
	op->work.kind = SIM_WORK_EMPTY;
}

void sim_op_forget(struct sim_op *op)
{
	sc_assert(op->state == SIM_OP_RUNNING && !op->blockers);
	drop_all(&op->before, &op->before_count);
	op->before_capacity = 0;
}

static void remove_follower(struct sim_op *before, struct sim_op *op)
{
	size_t i;

	for (i = before->after_count; i-- > 0;)
		if (before->after[i] == op) {
			before->after[i] = before->after[--before->after_count];
			sim_op_put(op);
			return;
		}
}

void sim_op_abandon(struct sim_op *op)
{
	size_t i;

	for (i = 0; i < op->before_count; i++)
		remove_follower(op->before[i], op);
	drop_all(&op->before, &op->before_count);
	sim_op_put(op);
}

void sim_op_get(struct sim_op *op)
{
	sc_assert(op->refs > 0);
	op->refs++;
}

void sim_op_put(struct sim_op *op)
{
	sc_assert(!op || op->refs > 0);
	if (!op || --op->refs)
		return;
	sim_work_release(&op->work);
	free(op->before);
	free(op->after);
	free(op);
}

void sim_op_set(struct sim_op **reference, struct sim_op *op)
{
	if (op)
		op->refs++;
	sim_op_put(*reference);
	*reference = op;
}

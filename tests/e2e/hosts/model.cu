// The interpreter of the specification behind random programs of the host.
#include "tests/e2e/hosts/model.h"

#include <stdio.h>

static void model_order(struct model *m, int stream)
{
	if (stream == LEGACY)
		m->reach[LEGACY] |= m->reach[BLOCKING];
	if (stream == BLOCKING)
		m->reach[BLOCKING] |= m->reach[LEGACY];
}

void model_enqueue(struct model *m, int stream, struct model_op op)
{
	model_order(m, stream);
	op.before = m->reach[stream];
	m->reach[stream] |= UINT64_C(1) << m->ops;
	m->op[m->ops++] = op;
}

void model_wait_stream(struct model *m, int stream)
{
	m->known |= m->reach[stream];
	if (stream == LEGACY)
		m->known |= m->reach[BLOCKING];
}

void model_wait_all(struct model *m)
{
	m->known = UINT64_MAX;
	if (m->ops < MODEL_OPS)
		m->known = (UINT64_C(1) << m->ops) - 1;
}

static bool model_touches(const struct footprint *f, const struct footprint *access)
{
	for (uint64_t row = 0; row < f->rows; row++) {
		uint64_t start = f->start + row * f->pitch;

		if (f->buffer == access->buffer && start < access->start + access->width &&
		    access->start < start + f->width)
			return true;
	}
	return false;
}

static bool model_races(const struct model *m, int i, const struct footprint *access, bool is_write)
{
	const struct model_op *op = &m->op[i];

	return !(m->known >> i & 1) && (is_write || op->is_write) && model_touches(&op->at, access);
}

/* True if the access that the guard sees, the first word inside, races with one behind it too. */
static bool model_is_followed(const struct model *m, int i, struct footprint word, bool is_write)
{
	word.width = 8;
	while (!model_touches(&m->op[i].at, &word))
		word.start += 8;
	for (int k = i + 1; k < m->ops; k++)
		if (m->op[k].before >> i & 1 && model_races(m, k, &word, is_write))
			return true;
	return false;
}

void model_access(struct model *m, int step, struct footprint at, bool is_write)
{
	for (int i = 0; i < m->ops; i++) {
		struct model_op *op = &m->op[i];
		const char *rule = !op->is_write ? "SC-102" : is_write ? "SC-103" : "SC-101";

		if (!(is_write || op->is_write) || !model_touches(&op->at, &at))
			continue;
		if (model_races(m, i, &at, is_write))
			printf("race %s %d %d %s\n", rule, op->step, step,
			       op->is_armed && !model_is_followed(m, i, at, is_write) ? "must"
										      : "may");
		op->is_armed = false;
	}
}

void model_free(const struct model *m, int step, struct footprint at)
{
	for (int i = 0; i < m->ops; i++) {
		const struct model_op *op = &m->op[i];

		if (!(m->known >> i & 1) && model_touches(&op->at, &at))
			printf("race SC-104 %d %d %s\n", op->step, step,
			       op->is_write ? "must" : "may");
	}
}

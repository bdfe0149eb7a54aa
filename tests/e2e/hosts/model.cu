// The interpreter of the specification for random programs of the host.
#include "tests/e2e/hosts/model.h"

#include <stdio.h>

static void model_order(struct model *m, int stream)
{
	if (stream == LEGACY)
		m->reach[LEGACY] |= m->reach[BLOCKING];
	if (stream == BLOCKING)
		m->reach[BLOCKING] |= m->reach[LEGACY];
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

static const char *model_rule(bool device_writes, bool host_writes)
{
	if (!device_writes)
		return "SC-102";
	return host_writes ? "SC-103" : "SC-101";
}

/* What an access opens: of a kernel all of its buffer, else what it touches. */
static bool model_opens(const struct model_op *op, const struct footprint *access)
{
	return op->is_kernel ? op->at.buffer == access->buffer : model_touches(&op->at, access);
}

/* Both ways: whichever of the two is the host function. */
static void model_meet(struct model *m, struct model_op *earlier, struct model_op *op)
{
	struct model_op *host = op->is_host ? op : earlier;
	struct model_op *device = op->is_host ? earlier : op;

	if (earlier->is_host == op->is_host)
		return;
	if (model_opens(device, &host->at))
		device->is_armed = false;
	if (m->known >> (earlier - m->op) & 1 || op->before >> (earlier - m->op) & 1)
		return;
	if ((host->is_write || device->is_write) && model_touches(&device->at, &host->at))
		printf("race %s %d %d may\n", model_rule(device->is_write, host->is_write),
		       earlier->step, op->step);
}

void model_enqueue(struct model *m, int stream, struct model_op op)
{
	model_order(m, stream);
	op.before = m->reach[stream];
	for (int i = 0; i < m->ops; i++)
		model_meet(m, &m->op[i], &op);
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

static bool model_races(const struct model *m, int i, const struct footprint *access, bool is_write)
{
	const struct model_op *op = &m->op[i];

	return !(m->known >> i & 1) && (is_write || op->is_write) && model_touches(&op->at, access);
}

/* The word at which the guard sees the access: of a kernel's buffer the first. */
static struct footprint model_seen(const struct model_op *op, struct footprint access)
{
	access.width = 8;
	while (!op->is_kernel && !model_touches(&op->at, &access))
		access.start += 8;
	return access;
}

/* True if the access that the guard sees races with a later one too. */
static bool model_is_followed(const struct model *m, int i, struct footprint word, bool is_write)
{
	for (int k = i + 1; k < m->ops; k++)
		if (m->op[k].before >> i & 1 && model_races(m, k, &word, is_write))
			return true;
	return false;
}

static bool model_must(const struct model *m, int i, const struct footprint *at, bool is_write)
{
	struct footprint word = model_seen(&m->op[i], *at);

	return m->op[i].is_armed && model_touches(&m->op[i].at, &word) &&
	       !model_is_followed(m, i, word, is_write);
}

void model_access(struct model *m, int step, struct footprint at, bool is_write)
{
	for (int i = 0; i < m->ops; i++) {
		const struct model_op *op = &m->op[i];

		if (!op->is_host && model_races(m, i, &at, is_write))
			printf("race %s %d %d %s\n", model_rule(op->is_write, is_write), op->step,
			       step, model_must(m, i, &at, is_write) ? "must" : "may");
	}
	for (int i = 0; i < m->ops; i++) {
		struct model_op *op = &m->op[i];
		bool is_forbidden = is_write || op->is_write || op->is_kernel;

		if (is_forbidden && model_opens(op, &at))
			op->is_armed = false;
	}
}

static uint64_t model_end(const struct footprint *f)
{
	return f->start + (f->rows - 1) * f->pitch + f->width;
}

/* True if the end of the memory may be reported with a later access, on some of the same bytes. */
static bool model_is_succeeded(const struct model *m, int i)
{
	const struct footprint *at = &m->op[i].at;

	for (int k = i + 1; k < m->ops; k++) {
		const struct footprint *next = &m->op[k].at;

		if (m->op[k].before >> i & 1 && at->buffer == next->buffer &&
		    at->start < model_end(next) && next->start < model_end(at))
			return true;
	}
	return false;
}

void model_free(const struct model *m, int step, struct footprint at)
{
	for (int i = 0; i < m->ops; i++) {
		const struct model_op *op = &m->op[i];

		if (!(m->known >> i & 1) && model_touches(&op->at, &at))
			printf("race SC-104 %d %d %s\n", op->step, step,
			       op->is_write && !model_is_succeeded(m, i) ? "must" : "may");
	}
}

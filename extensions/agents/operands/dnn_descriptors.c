/* Descriptors of cuDNN's graphs: calls are followed, executions written. */
#include "extensions/agents/operands/dnn_descriptors.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include "interposer/core/module.h"
#include "interposer/core/put.h"

/* ---- calls ---- */

void sc_dnn_descriptors_create(int type, const void *descriptor)
{
	int saved = errno;

	sc_lock_get(&sc_dnn_records.lock);
	sc_dnn_record_drop((uint64_t)descriptor);
	sc_dnn_record_add(type, (uint64_t)descriptor);
	sc_lock_put(&sc_dnn_records.lock);
	errno = saved;
}

void sc_dnn_descriptors_destroy(const void *descriptor)
{
	sc_lock_get(&sc_dnn_records.lock);
	sc_dnn_record_drop((uint64_t)descriptor);
	sc_lock_put(&sc_dnn_records.lock);
}

void sc_dnn_descriptors_set(const void *descriptor, const struct sc_dnn_values *values)
{
	int saved = errno;
	bool is_read;
	struct sc_dnn_read v;
	struct sc_dnn_record *d;

	sc_self.busy++;
	is_read = sc_dnn_read_values(values, &v);
	sc_lock_get(&sc_dnn_records.lock);
	d = *sc_dnn_record_find((uint64_t)descriptor);
	if (d && is_read)
		sc_dnn_attribute_set(d, &v);
	else if (d && values->type != SC_DNN_VALUE_CHAR)
		d->is_unknown = true;
	if (d && d->type == SC_DNN_PLAN && values->attribute == SC_DNN_PLAN_TEXT)
		d->is_unknown = true;
	sc_lock_put(&sc_dnn_records.lock);
	sc_self.busy--;
	errno = saved;
}

void sc_dnn_descriptors_finalize(const void *descriptor)
{
	struct sc_dnn_record *d;

	sc_lock_get(&sc_dnn_records.lock);
	d = *sc_dnn_record_find((uint64_t)descriptor);
	if (d && !d->is_final && d->body && sc_dnn_is_operation(d->type))
		sc_dnn_operation_finish(&d->body->operation);
	if (d)
		d->is_final = true;
	sc_lock_put(&sc_dnn_records.lock);
}

static void answer_part(const void *descriptor, const struct sc_dnn_values *part)
{
	struct sc_dnn_record *d;
	struct sc_dnn_read v;

	if (!sc_dnn_read_values(part, &v))
		return;
	sc_lock_get(&sc_dnn_records.lock);
	d = *sc_dnn_record_find((uint64_t)descriptor);
	if (d)
		sc_dnn_attribute_answer(d, &v);
	sc_lock_put(&sc_dnn_records.lock);
}

void sc_dnn_descriptors_answer(const void *descriptor, const struct sc_dnn_values *values)
{
	int saved = errno;
	unsigned bytes = sc_dnn_value_bytes(values->type);

	if (!values->at || values->type == SC_DNN_VALUE_CHAR)
		return;
	sc_self.busy++;
	for (int64_t first = 0; first < values->count; first += SC_DNN_VALUES) {
		struct sc_dnn_values part = *values;

		part.at = (const char *)values->at + first * bytes;
		part.count = values->count - first < SC_DNN_VALUES ? values->count - first
								   : SC_DNN_VALUES;
		answer_part(descriptor, &part);
	}
	sc_self.busy--;
	errno = saved;
}

/* ---- executions ---- */

typedef int ask_fn(const void *descriptor, int attribute, int type, int64_t room, int64_t *count,
		   void *out);

/* The bytes of scratch memory that a plan uses; -1: not known. */
static int64_t ask_workspace(struct sc_library_function *function, void *real, const void *plan)
{
	static const char *const names[SC_BESIDE] = {"cudnnBackendGetAttribute"};
	const struct sc_beside *beside = sc_function_beside(function, real, names);
	ask_fn *ask = beside ? (ask_fn *)beside->function[0] : NULL;
	int64_t bytes = -1, count = 0;

	if (!ask || ask(plan, SC_DNN_PLAN_WORKSPACE_SIZE, SC_DNN_VALUE_INT64, 1, &count, &bytes) ||
	    count != 1)
		return -1;
	return bytes;
}

/* An execution's accesses. */
struct touched {
	struct sc_access list[SC_DNN_USES + 1];
	unsigned count;
	uint64_t workspace;
	int64_t workspace_bytes;
};

static bool find_touched(const void *plan, const void *pack, struct touched *t)
{
	const struct sc_dnn_record *d, *p;
	bool is_known;

	sc_lock_get(&sc_dnn_records.lock);
	d = sc_dnn_record_complete((int64_t)plan, SC_DNN_PLAN);
	p = sc_dnn_record_complete((int64_t)pack, SC_DNN_PACK_TYPE);
	is_known = d && p && d->body && p->body &&
		   sc_dnn_uses_place(&d->body->graph, &p->body->pack, t->list, &t->count);
	if (is_known) {
		t->workspace = p->body->pack.workspace;
		t->workspace_bytes = d->workspace;
	}
	sc_lock_put(&sc_dnn_records.lock);
	return is_known;
}

/* Kernels of one execution hand results to each other there: it is not that each byte is used. */
static bool add_workspace(struct touched *t)
{
	struct sc_access *a = &t->list[t->count];
	uint64_t end;

	if (!t->workspace || !t->workspace_bytes)
		return true;
	*a = (struct sc_access){.base = t->workspace,
				.width = (uint64_t)t->workspace_bytes,
				.rows = 1,
				.slices = 1,
				.mode = SC_READ_WRITE,
				.known = SC_KNOWN_OVER};
	t->count++;
	return t->workspace_bytes > 0 && !__builtin_add_overflow(a->base, a->width, &end);
}

void sc_dnn_descriptors_note(const struct sc_enqueues *e, struct sc_library_function *function,
			     void *real, const void *plan, const void *pack)
{
	struct touched t;
	struct sc_documented documented = {.function = function, .accesses = t.list};
	int saved = errno;

	if (!e->count)
		return;
	sc_self.busy++;
	if (find_touched(plan, pack, &t)) {
		if (t.workspace && t.workspace_bytes < 0)
			t.workspace_bytes = ask_workspace(function, real, plan);
		documented.count = add_workspace(&t) ? t.count : 0;
		if (documented.count)
			sc_enqueues_document(e, &documented);
	}
	sc_self.busy--;
	errno = saved;
}

/* ---- graphs of CUDA's ---- */

#define FILLING_MOST 8 /* functions that fill graphs; there are two */

static struct {
	struct sc_library_function *_Atomic said[FILLING_MOST];
} filled;

/* True if it was not said of the function yet. */
static bool is_first(struct sc_library_function *function)
{
	for (unsigned i = 0; i < FILLING_MOST; i++) {
		struct sc_library_function *said = NULL;

		if (atomic_compare_exchange_strong(&filled.said[i], &said, function))
			return true;
		if (said == function)
			return false;
	}
	return false;
}

void sc_dnn_descriptors_fill(struct sc_library_function *function)
{
	char text[160];
	int saved = errno;

	if (!is_first(function))
		return;
	sc_self.busy++;
	snprintf(text, sizeof(text),
		 "operands of graphs that %s fills (their kernels are known by their parameters)",
		 sc_function_name(function));
	sc_put_source(text, false);
	sc_self.busy--;
	errno = saved;
}

/* A child has the descriptors, but not the thread that may have held the lock. */
static void forget(void)
{
	atomic_store(&sc_dnn_records.lock.held, 0);
}

const struct sc_module sc_module_dnn_descriptors = {.forget = forget, SC_MODULE_STATE(filled)};

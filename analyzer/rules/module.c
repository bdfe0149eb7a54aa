/* Rule 144: code that is unloaded while its kernels run; and loads that may hide races (SC-219). */
#include <stdbool.h>
#include <string.h>
#include "analyzer/order/host_wait.h"
#include "analyzer/rules/family.h"
#include "analyzer/rules/in_flight.h"

#define LAUNCHES_FIRST 4096 /* then those that the host knows to be over are forgotten */

/* The last launch of a module's kernels in a stream. */
struct last_launch {
	uint64_t key; /* module and stream */
	uint64_t position;
	uint32_t lane;
};

struct modules {
	SC_VECTOR(struct last_launch) launches;
	struct sc_u64_map by_key; /* to their numbers, from 1 */
	size_t most;		  /* of them, where those that are over are forgotten */
	size_t last;		  /* number of the one that was launched last; 0: none */
	bool has_any;		  /* kernel that is known */
};

/* Host code that unloads the module now comes after them. */
static void forget_known(struct modules *m, const struct sc_clock *host)
{
	size_t kept = 0;

	sc_u64_map_fini(&m->by_key);
	for (size_t i = 0; i < m->launches.count; i++) {
		struct last_launch *l = &m->launches.items[i];

		if (sc_clock_at(host, l->lane) >= l->position)
			continue;
		m->launches.items[kept++] = *l;
		*sc_u64_map_get(&m->by_key, l->key) = kept;
	}
	m->launches.count = kept;
	m->last = 0;
	m->most = kept * 2 > LAUNCHES_FIRST ? kept * 2 : LAUNCHES_FIRST;
}

static struct last_launch *launch_of(struct modules *m, uint64_t key)
{
	uint64_t *number;

	if (m->last && m->launches.items[m->last - 1].key == key)
		return &m->launches.items[m->last - 1];
	number = sc_u64_map_get(&m->by_key, key);
	if (!*number) {
		sc_vector_push(&m->launches, ((struct last_launch){.key = key}));
		*number = m->launches.count;
	}
	m->last = *number;
	return &m->launches.items[m->last - 1];
}

static void note_launch(struct modules *m, struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_code_kernel *k = sc_code_find(&a->kernels.code, step->op->object);
	struct last_launch *l;

	if (!k || !step->stream)
		return;
	if (m->launches.count > m->most)
		forget_known(m, a->order.host.clock);
	l = launch_of(m, (uint64_t)k->module << 32 | step->stream->id);
	l->position = step->sequence + 1;
	l->lane = step->stream->tail.lane;
}

static void file_unload(struct sc_analysis *a, const struct sc_step *step,
			const struct sc_stream *s, uint64_t last)
{
	struct sc_finding f = sc_finding_begin(SC_RULE_144, NULL, 0, step->op, step->sequence);
	struct sc_finding *kept;

	sc_finding_add_earlier(&f, last - 1, SC_SIDE_CALL);
	f.side[0].stream = s->id;
	f.fix = SC_FIX_SYNC_STREAM;
	f.fix_stream = s->id;
	f.fix_before = step->sequence + 1;
	sc_in_flight_judge(a, s->tail.lane, last, step, &f);
	kept = sc_finding_file(a, &f, NULL, step->op);
	if (kept)
		sc_in_flight_note(a, s->tail.lane, last, step, kept);
}

/* The module's kernels that the host did not wait for, by stream. */
static void check_unload(const struct modules *m, struct sc_analysis *a, const struct sc_step *step)
{
	for (struct sc_context *c = a->order.streams.contexts; c; c = c->next) {
		for (const struct sc_stream *s = sc_context_streams(c); s; s = s->next) {
			const uint64_t *number = sc_u64_map_find(
				&m->by_key, (uint64_t)step->op->object << 32 | s->id);
			uint64_t last = number ? m->launches.items[*number - 1].position : 0;

			if (!c->faulted && sc_clock_at(a->order.host.clock, s->tail.lane) < last)
				file_unload(a, step, s, last);
		}
	}
}

/* SC-219: loading code by hand may wait for the device in one version and not in the next (H-3). */
static void note_load(struct sc_analysis *a, const struct sc_step *step)
{
	struct sc_context *c = sc_context_of(&a->order.streams, step->op->context);

	if (strncmp(sc_reader_string(a->reader, step->op->call), "cuModuleLoad", 12))
		return;
	c->last_load = step->sequence + 1;
	if (a->order.profile == SC_PERMISSIVE)
		sc_host_wait_learn_context(&a->order, step, c);
}

static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	const struct modules *m = state;

	(void)a;
	return m->has_any;
}

static const uint16_t kinds[] = {SC_OP_FUNCTION, SC_OP_KERNEL, SC_OP_MODULE_LOAD,
				 SC_OP_MODULE_UNLOAD, SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct modules *m = state;
	const struct sc_op *op = &r->op;

	if (op->phase == SC_PHASE_END)
		return;
	switch (op->kind) {
	case SC_OP_FUNCTION: m->has_any = 1; break;
	case SC_OP_KERNEL:
		if (step->is_enqueued && !(op->flags & SC_FLAG_LIBRARY))
			note_launch(m, a, step);
		break;
	case SC_OP_MODULE_LOAD: note_load(a, step); break;
	case SC_OP_MODULE_UNLOAD:
		if (sc_op_took_effect(op) && !a->has_ended)
			check_unload(m, a, step);
		break;
	}
}

static void finish(void *state, struct sc_analysis *a)
{
	struct modules *m = state;

	(void)a;
	sc_u64_map_fini(&m->by_key);
	sc_vector_fini(&m->launches);
}

const struct sc_rule_family sc_rules_module = {
	.state_bytes = sizeof(struct modules),
	.kinds = kinds,
	.sees_routine = sees_routine,
	.step = check_record,
	.finish = finish,
};

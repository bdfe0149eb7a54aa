/* Shared uses: an analysis, asked after each record. */
#include "extensions/ranks/shared/shared_uses.h"

#include <stdlib.h>
#include <string.h>
#include "analyzer/finding/verdict.h"
#include "analyzer/model/model.h"
#include "base/search.h"
#include "trace/message.h"

#define OPENED_MOST 64 /* handles whose memory has not begun; it does in the same call */
#define PHYSICAL    (UINT64_C(1) << 63) /* in the id of an object: of the recorder's */
#define WAITS_MOST \
	64 /* whose end the host does not know; where there are more, nothing is proven */

/* ---- what is shared ---- */

static int by_value(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static void bind(struct sc_shared_uses *u, const struct sc_op *share, uint64_t id,
		 enum sc_across_bound what)
{
	sc_across_log_note(u->log, SC_ACROSS_BINDING,
			   (struct sc_across_event){.group = share->value,
						    .tag = id,
						    .value = what,
						    .peer = share->peer,
						    .bytes = share->bytes != 0});
}

static void bind_memory(struct sc_shared_uses *u, const struct sc_op *share, uint64_t id)
{
	*sc_u64_map_get(&u->bound, id) = 1;
	bind(u, share, id,
	     share->src == SC_SHARE_ANY ? SC_ACROSS_BOUND_MEMORY : SC_ACROSS_BOUND_ONCE);
}

/* The memory at a handle's address; NULL if that is not the first one: which bytes others see at
 * theirs is then not known. */
static const struct sc_allocation *memory_at(struct sc_analysis *a, uint64_t address)
{
	uint64_t at;
	const struct sc_allocation *m = sc_memory_find(&a->memory, address, &at);

	return m && m->sequence && at == m->home.range.start ? m : NULL;
}

static void bind_opened(struct sc_shared_uses *u, struct sc_analysis *a)
{
	size_t kept = 0;

	for (size_t i = 0; i < u->opened.count; i++) {
		struct sc_op share = u->opened.items[i];
		const struct sc_allocation *m = memory_at(a, share.dst);

		if (m && m->is_imported)
			bind_memory(u, &share, m->sequence);
		else
			u->opened.items[kept++] = share;
	}
	u->opened.count = kept;
}

static void share(struct sc_shared_uses *u, struct sc_analysis *a, const struct sc_op *op)
{
	const struct sc_allocation *m = op->dst ? memory_at(a, op->dst) : NULL;

	if (op->src == SC_SHARE_PHYSICAL)
		bind_memory(u, op, PHYSICAL | op->object);
	else if (op->object)
		bind(u, op, op->object, SC_ACROSS_BOUND_EVENT);
	else if (op->peer == SC_SHARE_OPENED && u->opened.count < OPENED_MOST)
		sc_vector_push(&u->opened, *op);
	else if (m)
		bind_memory(u, op, m->sequence);
	sc_across_log_note(u->log, SC_ACROSS_SHARE,
			   (struct sc_across_event){.group = op->value, .peer = op->peer});
}

/* Some handle is of this memory, or was of other memory at its address. */
static bool is_shared(const struct sc_shared_uses *u, const struct sc_allocation *m)
{
	size_t at;

	if (m->physical)
		return sc_u64_map_find(&u->physicals, m->physical) != NULL;
	SC_SEARCH(at, u->addresses.count, u->addresses.items[at] < m->home.range.start);
	return at < u->addresses.count && u->addresses.items[at] < m->home.range.end;
}

/* ---- order ---- */

static void see_before(const void *uses, const struct sc_interval *now,
		       void (*see)(void *data, uint64_t sequence), void *data)
{
	const struct sc_shared_uses *u = uses;

	for (size_t i = 0; i < u->waits.count; i++)
		if (sc_interval_before(&u->waits.items[i].when, now))
			see(data, u->waits.items[i].sequence);
	sc_shared_turns_before(&u->turns, now, see, data);
}

/* Whatever is looked at comes after the wait. */
static void put_after(void *log, uint64_t sequence)
{
	sc_across_log_note(log, SC_ACROSS_AFTER, (struct sc_across_event){.link = sequence + 1});
}

static void put_learned(void *log, uint64_t sequence)
{
	sc_across_log_note(log, SC_ACROSS_LEARNED, (struct sc_across_event){.link = sequence + 1});
}

static void put_known(struct sc_shared_uses *u, const struct sc_clock *host)
{
	size_t kept = 0;

	for (size_t i = 0; i < u->lanes.count; i++) {
		struct sc_shared_lane l = u->lanes.items[i];
		uint64_t known = sc_clock_at(host, l.lane);

		if (known > l.known)
			sc_across_log_note(
				u->log, SC_ACROSS_KNOWN,
				(struct sc_across_event){.own = l.lane, .group = l.known = known});
		if (known < l.last)
			u->lanes.items[kept++] = l;
	}
	u->lanes.count = kept;
	sc_shared_ops_learn(&u->waits, host, put_learned, u->log);
	sc_shared_ops_learn(&u->turns.over, host, put_learned, u->log);
}

/* Looks only where the host has learned something. */
static void see_host(struct sc_shared_uses *u, const struct sc_host *host)
{
	if (u->host_version == host->version + 1 ||
	    !(u->lanes.count || u->waits.count || u->turns.over.count))
		return;
	u->host_version = host->version + 1;
	put_known(u, host->clock);
}

/* ---- events ---- */

/* Calls `see` for each lane that comes before the moment, as far as the host does not know that. */
static void see_lanes(const void *uses, const struct sc_interval *when,
		      void (*see)(void *data, uint32_t lane, uint64_t position), void *data)
{
	const struct sc_shared_uses *u = uses;

	for (size_t i = 0; i < u->lanes.count; i++) {
		const struct sc_shared_lane *l = &u->lanes.items[i];
		uint64_t before = sc_clock_at(when->start, l->lane);

		if (l->lane == SC_LANE_HOST)
			before = when->entered ? when->entered - 1 : 0;
		else if (l->lane == when->lane)
			before = when->position;
		if (before > l->known)
			see(data, l->lane, before);
	}
}

/* The record of an event. */
struct recording {
	struct sc_across_log *log;
	uint64_t event;
};

static void put_cover(void *data, uint32_t lane, uint64_t position)
{
	const struct recording *x = data;

	sc_across_log_note(
		x->log, SC_ACROSS_COVER,
		(struct sc_across_event){.tag = x->event, .own = lane, .group = position});
}

static void record(struct sc_shared_uses *u, const struct sc_step *step)
{
	struct recording recording = {u->log, step->op->object};

	see_lanes(u, &step->when, put_cover, &recording);
	see_before(u, &step->when, put_after, u->log);
	sc_across_log_note(
		u->log, SC_ACROSS_RECORD,
		(struct sc_across_event){.tag = step->op->object, .peer = step->op->stream});
}

static void wait_in_stream(struct sc_shared_uses *u, const struct sc_step *step)
{
	sc_across_log_note(u->log, SC_ACROSS_WAIT,
			   (struct sc_across_event){.tag = step->op->object});
	if (u->waits.count == WAITS_MOST) {
		u->doubt = SC_DOUBT_FOREIGN;
		return;
	}
	u->host_version = 0; /* the host may know its end already */
	sc_vector_push(&u->waits,
		       ((struct sc_shared_op){.sequence = step->sequence,
					      .when = {.lane = step->when.lane,
						       .position = step->when.position}}));
}

static void wait_on_host(struct sc_shared_uses *u, const struct sc_record *r)
{
	sc_across_log_note(u->log, SC_ACROSS_WAIT, (struct sc_across_event){.tag = r->op.object});
	put_learned(u->log, r->sequence);
}

static void look_at_event(struct sc_shared_uses *u, const struct sc_record *r,
			  const struct sc_step *step)
{
	const struct sc_op *op = &r->op;

	if (op->result || !sc_u64_map_find(&u->events, op->object))
		return;
	if (op->kind == SC_OP_EVENT_RECORD && step->is_enqueued)
		record(u, step);
	else if (op->kind == SC_OP_EVENT_WAIT && step->is_enqueued)
		wait_in_stream(u, step);
	else if ((op->kind == SC_OP_EVENT_SYNC || op->kind == SC_OP_EVENT_QUERY) &&
		 op->phase != SC_PHASE_BEGIN)
		wait_on_host(u, r);
}

/* ---- uses ---- */

static void put_use(struct sc_shared_uses *u, const struct sc_record *r, const struct sc_use *use,
		    const struct sc_step *step)
{
	const struct sc_allocation *m = use->allocation;
	const struct sc_access *shape = &use->shape;

	see_before(u, &step->when, put_after, u->log);
	if (shape->known != SC_KNOWN_PARAMETER && (shape->rows > 1 || shape->slices > 1))
		sc_across_log_note(u->log, SC_ACROSS_SHAPE,
				   (struct sc_across_event){.operation = shape->pitch,
							    .bytes = shape->rows,
							    .tag = shape->slice_pitch,
							    .link = shape->slices});
	sc_across_log_note(
		u->log, SC_ACROSS_ACCESS,
		(struct sc_across_event){
			.tag = m->physical ? PHYSICAL | m->physical : m->sequence,
			.operation =
				shape->base - m->home.range.start + (m->physical ? m->offset : 0),
			.bytes = shape->width,
			.value = sc_across_access_value(shape->mode, shape->known, r->op.kind),
			.peer = r->op.stack,
			.link = sc_transfer_early(step->op, step->transfer.edge),
			.own = step->when.lane,
			.group = step->when.position,
			.call = sc_across_log_call_of(u->log, r->op.call)});
}

/* The host may know its end already, if the call waits for it. */
static void note_use(struct sc_shared_uses *u, const struct sc_interval *when)
{
	size_t i = 0;

	u->host_version = 0;
	while (i < u->lanes.count && u->lanes.items[i].lane != when->lane)
		i++;
	if (i == u->lanes.count)
		sc_vector_push(&u->lanes, ((struct sc_shared_lane){.lane = when->lane}));
	u->lanes.items[i].last = when->position;
}

static void look_at_uses(struct sc_shared_uses *u, const struct sc_analysis *a,
			 const struct sc_record *r, const struct sc_step *step)
{
	bool is_used = 0;

	for (size_t i = 0; i < a->uses.count; i++) {
		const struct sc_use *use = &a->uses.items[i];

		if (use->is_host || !use->allocation->sequence || !is_shared(u, use->allocation))
			continue;
		put_use(u, r, use, step);
		is_used = 1;
	}
	if (is_used)
		note_use(u, &step->when);
}

/* Memory that the op ended. One that is freed in the order of a stream ends later. */
static void look_at_ends(struct sc_shared_uses *u, const struct sc_analysis *a,
			 const struct sc_record *r)
{
	bool is_at_once = r->op.kind == SC_OP_FREE;

	for (const struct sc_allocation *m = a->memory.ended; m; m = m->next_mapped) {
		enum sc_across_ended how = SC_ACROSS_ENDED_OTHERWISE;

		if (is_at_once)
			how = m->is_imported ? SC_ACROSS_ENDED_OPENED : SC_ACROSS_ENDED_OWN;
		if (m->sequence && !m->physical && (is_at_once || m->is_imported) &&
		    is_shared(u, m))
			sc_across_log_note(
				u->log, SC_ACROSS_ENDED,
				(struct sc_across_event){.tag = m->sequence, .value = how});
	}
}

/* Other processes have it by now. */
static bool is_bound(const struct sc_shared_uses *u, const struct sc_allocation *m)
{
	return sc_u64_map_find(m->physical ? &u->physicals : &u->bound,
			       m->physical ? m->physical : m->sequence) != NULL;
}

/* Words that a copy or fill writes or looks at reach another process in memory that both have, or
 * once the host has read them. Those of one process's own device memory do not: NCCL sets itself up
 * by such copies. */
static bool may_hand_on(const struct sc_shared_uses *u, const struct sc_analysis *a)
{
	for (size_t i = 0; i < a->uses.count; i++) {
		const struct sc_use *use = &a->uses.items[i];
		const struct sc_allocation *m = use->allocation;

		if (use->is_host)
			continue;
		if (is_bound(u, m) ||
		    (sc_mode_writes(use->shape.mode) && sc_memory_is_host(m->kind)))
			return true;
	}
	return false;
}

/* Ways past what is followed, from a device's operation to another process. What NCCL enqueues is
 * followed. */
static void note_doubt(struct sc_shared_uses *u, const struct sc_analysis *a,
		       const struct sc_record *r, const struct sc_step *step)
{
	if (a->gap)
		u->doubt = SC_DOUBT_LOST;
	if (sc_shared_turns_has(&u->turns, r->op.thread))
		return;
	switch (r->op.kind) {
	case SC_OP_VALUE_WRITE:
	case SC_OP_VALUE_WAIT:
	case SC_OP_SIGNAL:
	case SC_OP_SIGNAL_WAIT:
	case SC_OP_HOST_FUNC:
	case SC_OP_GRAPH_LAUNCH: u->doubt = SC_DOUBT_SIGNAL; break;
	case SC_OP_COPY:
	case SC_OP_SET:
		if (!may_hand_on(u, a))
			break;
		/* fall through */
	default:
		if (!u->doubt && step->is_enqueued && sc_talk_is_last(&a->order.talks, &step->when))
			u->doubt = SC_DOUBT_TALK;
		break;
	}
}

static void look(void *data, struct sc_analysis *a, const struct sc_record *r,
		 const struct sc_step *step)
{
	struct sc_shared_uses *u = data;
	uint16_t kind = r->op.kind;

	sc_across_log_record(u->log, r);
	if (kind == SC_OP_SHARE)
		share(u, a, &r->op);
	else if (u->opened.count)
		bind_opened(u, a);
	if (sc_shared_turns_look(&u->turns, a, r, step))
		u->host_version = 0; /* the host may know that they are over */
	note_doubt(u, a, r, step);
	if (!(r->op.flags & SC_FLAG_CAPTURED) && !step->inside) {
		look_at_event(u, r, step);
		if ((step->is_enqueued || step->is_agent) && r->op.phase != SC_PHASE_END)
			look_at_uses(u, a, r, step);
	}
	if (a->memory.ended && a->memory.ended_by == r->sequence && !r->op.result)
		look_at_ends(u, a, r);
	see_host(u, &a->order.host);
}

void sc_shared_uses_begin(struct sc_shared_uses *u, struct sc_across_log *log,
			  struct sc_reader *reader)
{
	size_t count;
	const struct sc_op *shares = sc_across_log_shares(log, &count);

	*u = (struct sc_shared_uses){.log = log,
				     .watch = {.look = look},
				     .turns = {.log = log, .owner = {see_lanes, see_before, u}}};
	for (size_t i = 0; i < count; i++)
		if (shares[i].src == SC_SHARE_PHYSICAL)
			*sc_u64_map_get(&u->physicals, shares[i].object) = 1;
		else if (shares[i].object)
			*sc_u64_map_get(&u->events, shares[i].object) = 1;
		else
			sc_vector_push(&u->addresses, shares[i].dst);
	if (u->addresses.count)
		qsort(u->addresses.items, u->addresses.count, sizeof(uint64_t), by_value);
	u->watch.data = u;
	sc_across_log_begin(log, reader, 1);
}

int64_t sc_shared_uses_end(struct sc_shared_uses *u)
{
	struct sc_across_event doubt = {.what = SC_ACROSS_DOUBT};

	sc_shared_turns_end(&u->turns);
	doubt.value = u->doubt ? u->doubt : u->turns.doubt;
	if (doubt.value)
		sc_across_log_put(u->log, &doubt);
	sc_vector_fini(&u->addresses);
	sc_vector_fini(&u->opened);
	sc_vector_fini(&u->waits);
	sc_vector_fini(&u->lanes);
	sc_u64_map_fini(&u->events);
	sc_u64_map_fini(&u->physicals);
	sc_u64_map_fini(&u->bound);
	return sc_across_log_end(u->log);
}

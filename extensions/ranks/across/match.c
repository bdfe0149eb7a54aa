/* Match: processes, groups, and who gets which event. */
#include "extensions/ranks/across/match.h"

#include <inttypes.h>
#include <stdlib.h>
#include "base/heap.h"

void sc_match_init(struct sc_match *m, unsigned processes, struct sc_across_remarks *remarks,
		   const char *(*call_name)(const void *data, uint32_t call), const void *data)
{
	*m = (struct sc_match){
		.processes = sc_heap_xcalloc(processes ? processes : 1, sizeof(*m->processes)),
		.count = processes,
		.remarks = remarks,
		.call_name = call_name,
		.call_data = data,
	};
}

static void free_group(struct sc_match *m, struct sc_match_group *g)
{
	sc_match_fini_meetings(g);
	while (g->members) {
		struct sc_match_member *member = g->members;

		HASH_DEL(g->members, member);
		free(member);
	}
	HASH_DEL(m->groups, g);
	free(g);
}

void sc_match_fini(struct sc_match *m)
{
	sc_match_fini_channels(m);
	while (m->groups)
		free_group(m, m->groups);
	for (unsigned i = 0; i < m->count; i++) {
		sc_u64_map_fini(&m->processes[i].ranks);
		sc_vector_fini(&m->processes[i].pending);
		sc_vector_fini(&m->processes[i].stuck);
	}
	free(m->processes);
}

struct sc_match_group *sc_match_group(const struct sc_match *m, uint64_t name)
{
	struct sc_match_group *g;

	HASH_FIND(hh, m->groups, &name, sizeof(name), g);
	return g;
}

struct sc_match_member *sc_match_member(const struct sc_match_group *g, uint32_t rank)
{
	struct sc_match_member *member;

	HASH_FIND(hh, g->members, &rank, sizeof(rank), member);
	return member;
}

uint32_t sc_match_rank(const struct sc_match *m, unsigned process, uint64_t group)
{
	const uint64_t *rank = sc_u64_map_find(&m->processes[process].ranks, group);

	return rank ? (uint32_t)*rank : 0;
}

uint32_t sc_match_own_rank(const struct sc_match *m, unsigned process,
			   const struct sc_across_event *e)
{
	return e->own ? e->own : sc_match_rank(m, process, e->group);
}

static uint32_t known_rank(const struct sc_match *m, unsigned process)
{
	const struct sc_match_process *p = &m->processes[process];

	return p->rank ? p->rank : p->started_as;
}

void sc_match_name_rank(struct sc_buf *out, const struct sc_match *m,
			const struct sc_match_group *g, uint32_t rank)
{
	const struct sc_match_member *x = sc_match_member(g, rank);

	if (x && (!sc_message_is_nccl(g->kind) || (known_rank(m, x->process) && !g->has_many)))
		sc_match_name(out, m, x->process);
	else
		sc_buf_printf(out, "rank %" PRIu32 " of the communicator", rank);
}

void sc_match_name_group(struct sc_buf *out, const struct sc_match_group *g)
{
	const char *what = "a communicator";

	if (g->kind == SC_GROUP_WORLD) {
		sc_buf_add(out, "MPI_COMM_WORLD");
		return;
	}
	if (g->kind == SC_GROUP_WINDOW)
		what = "a window";
	else if (sc_message_is_nccl(g->kind))
		what = "a communicator of NCCL";
	sc_buf_printf(out, "%s of %" PRIu32 " ranks", what, g->size);
}

void sc_match_name(struct sc_buf *out, const struct sc_match *m, unsigned process)
{
	uint32_t rank = known_rank(m, process);

	if (rank)
		sc_buf_printf(out, "rank %" PRIu32, rank - 1);
	else
		sc_buf_printf(out, "process %u", process);
}

const char *sc_match_call(const struct sc_match *m, uint32_t call)
{
	const char *name = m->call_name(m->call_data, call);

	return *name ? name : "a call";
}

/* ---- events ---- */

static struct sc_match_group *group_of(struct sc_match *m, const struct sc_across_event *e)
{
	struct sc_match_group *g = sc_match_group(m, e->group);

	if (g)
		return g;
	g = sc_heap_xcalloc(1, sizeof(*g));
	g->name = e->group;
	g->size = (uint32_t)e->bytes;
	g->kind = e->value;
	g->unknown = UINT64_MAX;
	HASH_ADD(hh, m->groups, name, sizeof(g->name), g);
	return g;
}

static void add_member(struct sc_match_group *g, unsigned process, const struct sc_across_event *e)
{
	struct sc_match_member *member = sc_heap_xcalloc(1, sizeof(*member));

	member->rank = e->peer - 1;
	member->process = process;
	member->is_vague = e->tag != 0;
	g->has_vague |= member->is_vague;
	HASH_ADD(hh, g->members, rank, sizeof(member->rank), member);
}

/* A unique id that was used twice leads to one name for two groups: nothing is said of it. */
static void join_nccl(struct sc_match *m, unsigned process, const struct sc_across_event *e)
{
	struct sc_match_group *g = group_of(m, e);
	struct sc_match_member *member = sc_match_member(g, e->peer - 1);
	uint64_t *own = sc_u64_map_get(&m->processes[process].ranks, e->group);

	g->has_many |= *own != 0;
	*own = e->peer;
	g->is_out_of_step |= member || g->size != e->bytes || g->kind != e->value;
	if (member) {
		member->is_vague = 1;
		return;
	}
	add_member(g, process, e);
}

/* Processes of two runs cannot be told apart: then nothing is compared. */
static void join(struct sc_match *m, unsigned process, const struct sc_across_event *e)
{
	struct sc_match_group *g = group_of(m, e);
	struct sc_match_member *member = sc_match_member(g, e->peer - 1);

	if (e->value == SC_GROUP_WORLD)
		m->processes[process].rank = e->peer;
	m->is_double |= g->size != e->bytes || (member && member->process != process);
	if (member || m->is_double)
		return;
	add_member(g, process, e);
	*sc_u64_map_get(&m->processes[process].ranks, e->group) = e->peer;
}

static void make_vague(struct sc_match *m, unsigned process)
{
	for (struct sc_match_group *g = m->groups; g; g = g->hh.next) {
		if (!sc_match_rank(m, process, g->name))
			continue;
		for (struct sc_match_member *x = g->members; x; x = x->hh.next)
			x->is_vague |= x->process == process;
		g->is_out_of_step = 1; /* its number of collectives may be wrong */
	}
}

/* A process does no more in a group, or not all that it does there is known from here on. */
static void leave_group(struct sc_match *m, unsigned process, const struct sc_across_event *e)
{
	struct sc_match_group *g = sc_match_group(m, e->group);
	uint32_t own = sc_match_own_rank(m, process, e);
	struct sc_match_member *x = g && own ? sc_match_member(g, own - 1) : NULL;

	if (!x)
		return;
	if (sc_across_kind(e) == SC_MESSAGE_PART && !(e->value & SC_MESSAGE_CANCELED)) {
		x->has_parted = 1;
		return;
	}
	g->is_aborted |= (e->value & SC_MESSAGE_CANCELED) != 0;
	g->unknown = x->last < g->unknown ? x->last : g->unknown;
	x->is_vague = g->has_vague = 1;
}

static void see_nccl(struct sc_match *m, unsigned process, const struct sc_across_event *e)
{
	struct sc_match_process *p = &m->processes[process];
	struct sc_match_group *g = sc_match_group(m, e->group);
	struct sc_match_member *x = g ? sc_match_member(g, e->own - 1) : NULL;

	if (!p->nccl_thread)
		p->nccl_thread = e->thread;
	else if (p->nccl_thread != e->thread)
		p->nccl_thread = UINT32_MAX;
	if (!x || x->process != process || sc_across_kind(e) == SC_MESSAGE_LOSE)
		return;
	x->last_call = e->call;
	x->last_op = e->sequence + 1;
}

static void take_message(struct sc_match *m, unsigned process, const struct sc_across_event *e)
{
	struct sc_match_process *p = &m->processes[process];

	if (sc_across_kind(e) == SC_MESSAGE_LIST)
		return;
	if (e->own)
		see_nccl(m, process, e);
	p->last = e->sequence + 1;
	p->last_call = e->call;
	if (e->value & SC_MESSAGE_LEAVES) {
		p->is_leaving = 1;
		p->has_left |= !e->is_pending;
	}
	if (e->is_pending)
		sc_vector_push(&p->pending, *e);
	switch (sc_across_kind(e)) {
	case SC_MESSAGE_SEND:
	case SC_MESSAGE_RECEIVE:
	case SC_MESSAGE_PROBE: sc_match_message(m, process, e); break;
	case SC_MESSAGE_COLLECTIVE:
	case SC_MESSAGE_FENCE: sc_match_meet(m, process, e); break;
	case SC_MESSAGE_PART:
	case SC_MESSAGE_LOSE: leave_group(m, process, e); break;
	case SC_MESSAGE_WAIT:
	case SC_MESSAGE_ACCESS:
	case SC_MESSAGE_LOCK:
	case SC_MESSAGE_UNLOCK:
	case SC_MESSAGE_START:
	case SC_MESSAGE_COMPLETE:
	case SC_MESSAGE_LIST:
	case SC_MESSAGE_POST:
	case SC_MESSAGE_AWAIT:
	case SC_MESSAGES: break;
	}
}

void sc_match_take(struct sc_match *m, unsigned process, const struct sc_across_event *e)
{
	struct sc_match_process *p = &m->processes[process];

	switch ((enum sc_across_what)e->what) {
	case SC_ACROSS_GROUP:
		if (sc_message_is_nccl(e->value))
			join_nccl(m, process, e);
		else
			join(m, process, e);
		break;
	case SC_ACROSS_RANK: p->started_as = e->peer; break;
	case SC_ACROSS_STUCK: sc_vector_push(&p->stuck, *e); break;
	case SC_ACROSS_VAGUE: make_vague(m, process); break;
	case SC_ACROSS_MESSAGE: take_message(m, process, e); break;
	case SC_ACROSS_END: sc_match_end(m, process, e); break;
	case SC_ACROSS_EXIT:
		p->has_ended = 1;
		p->signal = (uint32_t)e->tag;
		break;
	case SC_ACROSS_RETURN:
	case SC_ACROSS_BINDING:
	case SC_ACROSS_DOUBT:
	case SC_ACROSS_SHARE:
	case SC_ACROSS_SHAPE:
	case SC_ACROSS_AFTER:
	case SC_ACROSS_ACCESS:
	case SC_ACROSS_KNOWN:
	case SC_ACROSS_COVER:
	case SC_ACROSS_RECORD:
	case SC_ACROSS_WAIT:
	case SC_ACROSS_LEARNED:
	case SC_ACROSS_ENDED:
	case SC_ACROSS_TURN:
	case SC_ACROSS_TURN_AFTER:
	case SC_ACROSS_TURN_END: break; /* knowledge.h, sharing.h, rendezvous.h */
	}
}

void sc_match_finish(struct sc_match *m)
{
	if (m->is_double)
		return;
	sc_match_finish_meetings(m);
	sc_match_finish_channels(m);
	sc_match_finish_waits(m);
}

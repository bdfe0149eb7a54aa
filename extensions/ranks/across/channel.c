/* Channels: messages from one process to another, and the queues of receives from anybody. */
#include <inttypes.h>
#include <stdlib.h>
#include "extensions/ranks/across/wait.h"
#include "analyzer/finding/verdict.h"
#include "base/heap.h"

/* Without gaps: it is hashed as bytes. */
struct channel_key {
	uint64_t group;
	uint64_t tag;
	uint32_t from, to;
};

/* At most one of its lists has anything. */
struct sc_match_channel {
	struct channel_key key;
	struct sc_match_list sent, received; /* owned */
	UT_hash_handle hh;
};

/* ---- sides ---- */

static struct sc_match_side *new_side(struct sc_match *m, unsigned process,
				      const struct sc_across_event *e)
{
	struct sc_match_side *s = sc_heap_xcalloc(1, sizeof(*s));

	s->key = (struct sc_match_key){.sequence = e->sequence, .process = process};
	s->event = *e;
	m->held++;
	m->held_most = m->held > m->held_most ? m->held : m->held_most;
	return s;
}

static void free_if_over(struct sc_match *m, struct sc_match_side *s)
{
	if (!s->is_matched || !s->is_ended)
		return;
	m->held--;
	free(s);
}

struct sc_match_side *sc_match_side(const struct sc_match *m, unsigned process, uint64_t sequence)
{
	struct sc_match_key key = {.sequence = sequence, .process = process};
	struct sc_match_side *s;

	HASH_FIND(hh, m->sides, &key, sizeof(key), s);
	return s;
}

static void set_matched(struct sc_match *m, struct sc_match_side *s)
{
	s->is_matched = 1;
	free_if_over(m, s);
}

/* Nothing is known of its other side. */
static void lose(struct sc_match *m, struct sc_match_side *s)
{
	if (m->see_lost)
		m->see_lost(m->see_data, (unsigned)s->key.process, s->key.sequence);
	set_matched(m, s);
}

static void push(struct sc_match_list *list, struct sc_match_side *s)
{
	s->next = NULL;
	if (list->last)
		list->last->next = s;
	else
		list->first = s;
	list->last = s;
}

static struct sc_match_side *pop(struct sc_match_list *list)
{
	struct sc_match_side *s = list->first;

	list->first = s->next;
	if (!list->first)
		list->last = NULL;
	return s;
}

/* ---- pairs ---- */

static bool has_threads(const struct sc_match_group *g, uint32_t rank)
{
	const struct sc_match_member *member = sc_match_member(g, rank);

	return !member || member->thread == UINT32_MAX;
}

/* A receive may have more room than comes, but NCCL gives it as many bytes as it asks for, or waits
 * for the rest. Messages that several threads send side by side have no order. */
static void check_bytes(struct sc_match *m, const struct sc_match_side *sent,
			const struct sc_match_side *got)
{
	bool is_sure = !has_threads(sent->group, sent->from) && !has_threads(sent->group, sent->to);
	bool is_nccl = sc_message_is_nccl(sent->group->kind);
	uint64_t comes = sent->event.bytes, fits = got->event.bytes;
	struct sc_buf text = {0};

	if ((sent->event.value | got->event.value) & SC_MESSAGE_UNSIZED || comes == fits ||
	    (comes < fits && !is_nccl))
		return;
	sc_match_name_rank(&text, m, sent->group, sent->from);
	sc_buf_printf(&text, " sends %" PRIu64 " bytes by %s", comes,
		      sc_match_call(m, sent->event.call));
	sc_across_remark_place(&text, (uint32_t)sent->key.process, sent->key.sequence);
	sc_buf_printf(&text, ", and this receive %s %" PRIu64, is_nccl ? "is for" : "has room for",
		      fits);
	sc_across_remarks_add(
		m->remarks, (uint32_t)got->key.process,
		(struct sc_remark){.sequence = got->key.sequence,
				   .rule = is_nccl ? 176 : 172,
				   .doubt = is_sure ? SC_DOUBT_NONE : SC_DOUBT_THREADS},
		&text);
}

static void pair(struct sc_match *m, struct sc_match_side *sent, struct sc_match_side *got)
{
	m->pairs++;
	if (m->see_pair)
		m->see_pair(m->see_data, sent, got);
	check_bytes(m, sent, got);
	set_matched(m, sent);
	set_matched(m, got);
}

/* The message stays where it is. */
static void show(struct sc_match *m, const struct sc_match_side *sent, struct sc_match_side *probe)
{
	if (m->see_pair)
		m->see_pair(m->see_data, sent, probe);
	set_matched(m, probe);
}

static struct sc_match_channel *channel_of(struct sc_match *m, const struct sc_match_side *s)
{
	struct channel_key key = {
		.group = s->group->name, .tag = s->event.tag, .from = s->from, .to = s->to};
	struct sc_match_channel *c;

	sc_hash_get(m->channels, key, key, c);
	return c;
}

static void drop_if_empty(struct sc_match *m, struct sc_match_channel *c)
{
	if (c->sent.first || c->received.first)
		return;
	HASH_DEL(m->channels, c);
	free(c);
}

/* Is anything known of what these two send each other? */
static bool is_followed(const struct sc_match_group *g, uint32_t from, uint32_t to)
{
	const struct sc_match_member *sender = sc_match_member(g, from);
	const struct sc_match_member *receiver = sc_match_member(g, to);

	return sender && receiver && !sender->is_vague && !receiver->is_vague &&
	       !receiver->is_closed;
}

static void put_into_channel(struct sc_match *m, struct sc_match_side *s)
{
	struct sc_match_list *own, *other;
	struct sc_match_channel *c;

	if (!is_followed(s->group, s->from, s->to)) {
		lose(m, s);
		return;
	}
	c = channel_of(m, s);
	own = s->is_receive ? &c->received : &c->sent;
	other = s->is_receive ? &c->sent : &c->received;
	while (!s->is_receive && other->first && other->first->is_probe)
		show(m, s, pop(other));
	if (!other->first) {
		push(own, s);
		return;
	}
	if (s->is_probe)
		show(m, other->first, s);
	else if (s->is_receive)
		pair(m, pop(other), s);
	else
		pair(m, s, pop(other));
	drop_if_empty(m, c);
}

/* ---- receives from anybody ---- */

/* Could the open receive have got what the later one is for? */
static bool takes_before(const struct sc_match_side *open, const struct sc_match_side *later)
{
	return open->is_open && !open->is_probe &&
	       (!open->event.peer || open->from == later->from) &&
	       (!open->event.tag || open->event.tag == later->event.tag);
}

static bool has_to_wait(const struct sc_match_list *queue, const struct sc_match_side *s)
{
	if (s->is_open)
		return 1;
	for (const struct sc_match_side *x = queue->first; x && x != s; x = x->next)
		if (takes_before(x, s))
			return 1;
	return 0;
}

/* Lets those receives go on that no open one is before any more. */
static void release(struct sc_match *m, struct sc_match_member *member)
{
	struct sc_match_list old = member->queue;

	member->queue = (struct sc_match_list){0};
	while (old.first) {
		struct sc_match_side *s = pop(&old);

		if (has_to_wait(&member->queue, s))
			push(&member->queue, s);
		else
			put_into_channel(m, s);
	}
}

/* What it receives from here on cannot be told. */
static void close_member(struct sc_match *m, struct sc_match_member *member)
{
	member->is_closed = 1;
	while (member->queue.first)
		lose(m, pop(&member->queue));
}

/* What a look has seen is not known. */
static void lose_look(struct sc_match *m, struct sc_match_list *queue, struct sc_match_side *probe)
{
	struct sc_match_list old = *queue;

	*queue = (struct sc_match_list){0};
	while (old.first) {
		struct sc_match_side *s = pop(&old);

		if (s != probe)
			push(queue, s);
	}
	lose(m, probe);
}

/* ---- events ---- */

static void see_thread(struct sc_match_member *member, uint32_t thread)
{
	if (!member->thread)
		member->thread = thread;
	else if (member->thread != thread)
		member->thread = UINT32_MAX;
}

static bool is_ended(const struct sc_match_side *s)
{
	return sc_message_is_nccl(s->group->kind) || (s->is_probe && !s->is_open) ||
	       (s->event.value & SC_MESSAGE_BLOCKS && !s->event.is_pending && !s->is_open);
}

void sc_match_message(struct sc_match *m, unsigned process, const struct sc_across_event *e)
{
	struct sc_match_group *g = sc_match_group(m, e->group);
	uint32_t own = sc_match_own_rank(m, process, e);
	struct sc_match_member *member = g && own ? sc_match_member(g, own - 1) : NULL;
	bool is_probe = sc_across_kind(e) == SC_MESSAGE_PROBE;
	struct sc_match_side *s;

	/* whether it sent or received anything is not known */
	if (member && e->has_failed && !is_probe)
		member->is_vague = g->has_vague = 1;
	if (!member || m->is_double || e->has_failed) {
		if (m->see_lost)
			m->see_lost(m->see_data, process, e->sequence);
		return;
	}
	if (!is_probe)
		see_thread(member, e->thread);
	s = new_side(m, process, e);
	s->group = g;
	s->is_probe = is_probe;
	s->is_receive = is_probe || sc_across_kind(e) == SC_MESSAGE_RECEIVE;
	s->from = s->is_receive ? e->peer - 1 : own - 1;
	s->to = s->is_receive ? own - 1 : e->peer - 1;
	s->is_open = s->is_receive && (!e->peer || !e->tag);
	s->is_ended = is_ended(s);
	if (!s->is_ended)
		HASH_ADD(hh, m->sides, key, sizeof(s->key), s);
	if (s->is_receive && !member->is_closed && !member->is_vague &&
	    has_to_wait(&member->queue, s))
		push(&member->queue, s);
	else
		put_into_channel(m, s);
}

static void resolve(struct sc_match *m, struct sc_match_side *s, const struct sc_across_event *e)
{
	struct sc_match_member *member = sc_match_member(s->group, s->to);

	if (s->is_matched)
		return;
	if (s->is_probe && (!e->peer || !e->tag)) {
		lose_look(m, &member->queue, s);
		return;
	}
	if (e->value & SC_MESSAGE_CANCELED || (s->is_open && (!e->peer || !e->tag))) {
		close_member(m, member);
		return;
	}
	if (!s->is_open)
		return;
	s->is_open = 0;
	s->from = e->peer - 1;
	s->event.tag = e->tag;
	release(m, member);
}

/* The side may be gone after it was put into a channel, so what ended is marked before. */
void sc_match_end(struct sc_match *m, unsigned process, const struct sc_across_event *e)
{
	struct sc_match_side *s = sc_match_side(m, process, e->link - 1);

	if (!s)
		return;
	HASH_DEL(m->sides, s);
	s->is_ended = 1;
	if (s->is_matched)
		free_if_over(m, s);
	else if (s->is_receive)
		resolve(m, s, e);
}

bool sc_match_has_message(const struct sc_match *m, const struct sc_match_group *g,
			  const struct sc_across_event *receive, uint32_t to)
{
	for (const struct sc_match_channel *c = m->channels; c; c = c->hh.next)
		if (c->sent.first && c->key.group == g->name && c->key.to == to &&
		    (!receive->peer || c->key.from == receive->peer - 1) &&
		    (!receive->tag || c->key.tag == receive->tag))
			return 1;
	return 0;
}

/* ---- what is left over ---- */

/* It did all that it will ever do. */
static bool is_over(const struct sc_match *m, const struct sc_match_group *g, uint32_t rank)
{
	const struct sc_match_member *x = sc_match_member(g, rank);
	const struct sc_match_process *p = &m->processes[x->process];

	if (sc_message_is_nccl(g->kind))
		return x->has_parted || (p->has_ended && !p->signal);
	return p->is_leaving || (p->has_ended && !p->signal && !p->pending.count);
}

static void file_left(struct sc_match *m, const struct sc_match_side *s)
{
	uint32_t other = s->is_receive ? s->from : s->to;
	struct sc_buf text = {0};

	if (s->event.is_pending || s->is_probe || !is_followed(s->group, s->from, s->to) ||
	    !is_over(m, s->group, s->from) || !is_over(m, s->group, s->to))
		return;
	sc_match_name_rank(&text, m, s->group, other);
	sc_buf_printf(&text, " never %s it", s->is_receive ? "sent" : "received");
	if (!sc_message_is_nccl(s->group->kind))
		sc_buf_printf(&text, " (tag %" PRIu64 ")", s->event.tag - 1);
	sc_across_remarks_add(m->remarks, (uint32_t)s->key.process,
			      (struct sc_remark){.sequence = s->key.sequence, .rule = 408}, &text);
}

void sc_match_finish_channels(struct sc_match *m)
{
	for (const struct sc_match_channel *c = m->channels; c; c = c->hh.next) {
		for (const struct sc_match_side *s = c->sent.first; s; s = s->next)
			file_left(m, s);
		for (const struct sc_match_side *s = c->received.first; s; s = s->next)
			file_left(m, s);
	}
}

void sc_match_each_left(const struct sc_match *m,
			void (*see)(void *data, const struct sc_match_side *s), void *data)
{
	for (const struct sc_match_channel *c = m->channels; c; c = c->hh.next) {
		const struct sc_match_side *s = c->sent.first ? c->sent.first : c->received.first;

		if (s && sc_message_is_nccl(s->group->kind) &&
		    is_followed(s->group, s->from, s->to))
			see(data, s);
	}
}

static void free_list(struct sc_match *m, struct sc_match_list *list)
{
	while (list->first) {
		struct sc_match_side *s = pop(list);

		if (!s->is_ended)
			HASH_DEL(m->sides, s);
		free(s);
	}
}

void sc_match_fini_channels(struct sc_match *m)
{
	while (m->channels) {
		struct sc_match_channel *c = m->channels;

		free_list(m, &c->sent);
		free_list(m, &c->received);
		HASH_DEL(m->channels, c);
		free(c);
	}
	for (struct sc_match_group *g = m->groups; g; g = g->hh.next)
		for (struct sc_match_member *x = g->members; x; x = x->hh.next)
			free_list(m, &x->queue);
	while (m->sides) {
		struct sc_match_side *s = m->sides;

		HASH_DEL(m->sides, s);
		free(s);
	}
}

/* Log: events of all processes, in a file. */
#include "extensions/ranks/across/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/map.h"
#include "base/vector.h"
#include "trace/agent.h"
#include "trace/field.h"

#define CALLS_MOST    1024 /* names of functions */
#define CURSOR_EVENTS 32   /* of a process in memory */

/* How far the events of a process were handed out. */
struct cursor {
	uint64_t at, end; /* in events of the file */
	uint64_t first_ns;
	struct sc_across_event *kept; /* owned */
	unsigned next, count;	      /* in there */
	bool is_held;		      /* until it is released */
	bool is_out;		      /* and taken out of the heap */
};

/* Which groups there are, and what is missing. */
struct early {
	struct sc_across_event event;
	unsigned process;
};

struct reading;

struct sc_across_log {
	FILE *file;		 /* owned */
	struct reading *reading; /* owned: the trace that is read, or NULL */
	SC_VECTOR(struct sc_op) shares;
	uint64_t events;
	SC_VECTOR(char *) calls; /* owned */
	SC_VECTOR(struct cursor) cursors;
	SC_VECTOR(struct early) early; /* handed out before all others */
	size_t early_at;
	unsigned *heap; /* owned: processes, that of the earliest event first; NULL: not begun */
	unsigned waiting;
};

struct sc_across_log *sc_across_log_new(void)
{
	FILE *file = tmpfile();
	struct sc_across_log *log;

	if (!file)
		return NULL;
	log = sc_heap_xcalloc(1, sizeof(*log));
	log->file = file;
	return log;
}

void sc_across_log_free(struct sc_across_log *log)
{
	if (!log)
		return;
	fclose(log->file);
	for (size_t i = 0; i < log->calls.count; i++)
		free(log->calls.items[i]);
	for (size_t i = 0; i < log->cursors.count; i++)
		free(log->cursors.items[i].kept);
	sc_vector_fini(&log->calls);
	sc_vector_fini(&log->shares);
	sc_vector_fini(&log->cursors);
	sc_vector_fini(&log->early);
	free(log->heap);
	free(log);
}

unsigned sc_across_log_processes(const struct sc_across_log *log)
{
	return (unsigned)log->cursors.count;
}

/* ---- from a trace ---- */

/* Functions with counts of 64 bits go by the same name. Number 0: there are too many. */
static uint32_t call_number(struct sc_across_log *log, const char *name)
{
	size_t bytes = strlen(name), i;

	if (bytes > 2 && !strcmp(name + bytes - 2, "_c"))
		bytes -= 2;
	for (i = 0; i < log->calls.count; i++)
		if (strlen(log->calls.items[i]) == bytes &&
		    !memcmp(log->calls.items[i], name, bytes))
			return (uint32_t)i + 1;
	if (i == CALLS_MOST)
		return 0;
	sc_vector_push(&log->calls, sc_heap_xcopy(name, bytes));
	return (uint32_t)i + 1;
}

/* A call that returns when its message is complete, and that nothing came after yet. */
struct blocking {
	uint32_t thread;
	uint32_t call; /* string id of the function's name */
	uint64_t link;
};

/* What is needed while one trace is read. */
struct reading {
	struct sc_across_log *log;
	struct sc_reader *reader;
	struct sc_u64_map groups;     /* names by ids */
	struct sc_u64_map ranks;      /* + 1, by ids of groups of NCCL */
	struct sc_u64_map calls;      /* numbers by string ids */
	struct sc_u64_map turns;      /* by threads: links of messages of NCCL whose call goes on */
	struct sc_across_event event; /* the next one */
	SC_VECTOR(struct blocking) blocking;
	SC_VECTOR(struct sc_across_event) waits; /* of the host, which have not returned */
	struct sc_u64_map waits_by_begin;	 /* index + 1 there */
	uint32_t rank;				 /* + 1, of the process; 0: not known */
	uint32_t context;			 /* the first that an operation is of; 0: none */
	bool has_contexts;			 /* several */
	bool has_nccl;
	uint64_t sequence, time_ns; /* of the last record */
	uint64_t count;
	int err;
};

static uint32_t call_of(struct reading *in, uint32_t id)
{
	uint64_t *number = sc_u64_map_get(&in->calls, id);

	if (!*number)
		*number = call_number(in->log, sc_reader_string(in->reader, id));
	return (uint32_t)*number;
}

uint32_t sc_across_log_call_of(struct sc_across_log *log, uint32_t string)
{
	return call_of(log->reading, string);
}

static bool take_group(struct reading *in, const struct sc_op *op)
{
	if (!op->peer || op->peer > op->bytes || op->bytes > UINT32_MAX)
		return 0;
	*sc_u64_map_get(&in->groups, op->object) = op->dst;
	in->has_nccl |= sc_message_is_nccl(op->value);
	if (sc_message_is_nccl(op->value))
		*sc_u64_map_get(&in->ranks, op->object) = op->peer;
	else
		sc_u64_map_remove(&in->ranks, op->object);
	in->event.what = SC_ACROSS_GROUP;
	in->event.group = op->dst;
	in->event.tag = op->src;
	return 1;
}

static bool take_message(struct reading *in, const struct sc_op *op)
{
	const uint64_t *name = sc_u64_map_find(&in->groups, op->object);
	const uint64_t *rank = sc_u64_map_find(&in->ranks, op->object);
	enum sc_message kind = sc_message_kind(op->value);

	if ((!name && kind != SC_MESSAGE_WAIT) || !kind || kind >= SC_MESSAGES)
		return 0;
	in->event.what = SC_ACROSS_MESSAGE;
	in->event.group = name ? *name : 0;
	in->event.tag = op->src;
	in->event.operation = op->dst;
	in->event.call = call_of(in, op->call);
	if (rank) {
		in->event.own = (uint32_t)*rank;
		in->event.link = op->stream;
	}
	in->event.is_pending = op->result == SC_RESULT_PENDING;
	in->event.has_failed = op->result && !in->event.is_pending;
	return 1;
}

static bool take_end(struct reading *in, const struct sc_op *op)
{
	in->event.what = SC_ACROSS_END;
	in->event.tag = op->src;
	return op->link != 0;
}

/* The calls of a group are written one after the other, and end with the last of them. */
static void see_turn(struct reading *in, const struct sc_op *op, uint64_t sequence)
{
	uint64_t *open = sc_u64_map_get(&in->turns, op->thread + UINT64_C(1));

	if (op->kind == SC_OP_MESSAGE && in->event.own) {
		in->event.is_with = *open != 0;
		*open = sequence + 1;
	} else if (op->kind == SC_OP_MESSAGE_END && *open && op->link >= *open) {
		*open = 0;
	}
}

/* Makes the event of an op; false: it has none. */
static bool take(struct reading *in, const struct sc_op *op, uint64_t sequence)
{
	in->event = (struct sc_across_event){
		.sequence = sequence,
		.time_ns = op->time_ns,
		.bytes = op->bytes,
		.value = (uint32_t)op->value,
		.peer = op->peer,
		.link = op->link,
		.thread = op->thread,
	};
	switch (op->kind) {
	case SC_OP_GROUP: return take_group(in, op);
	case SC_OP_MESSAGE: return take_message(in, op);
	case SC_OP_MESSAGE_END: return take_end(in, op);
	case SC_OP_EXIT:
		in->event.what = SC_ACROSS_EXIT;
		in->event.tag = op->object;
		return 1;
	}
	return 0;
}

/* The op, or the message that it stands for as well; of kind NONE if it is an agent's alone. */
static struct sc_op message_of(const struct sc_record *r)
{
	if (r->op.kind != SC_OP_AGENT && r->op.kind != SC_OP_AGENT_END)
		return r->op;
	return sc_agent_message(&r->op, r->accesses, r->access_count);
}

static int put(struct sc_across_log *log, const struct sc_across_event *e, uint64_t *count)
{
	if (sc_across_is_early(e)) {
		sc_vector_push(&log->early, ((struct early){*e, sc_across_log_processes(log)}));
		return 0;
	}
	++*count;
	return fwrite(e, sizeof(*e), 1, log->file) == 1 ? 0 : -EIO;
}

static bool is_incomplete(const struct sc_reader_stats *stats)
{
	return stats->lost || stats->damaged;
}

static void add_cursor(struct sc_across_log *log, uint64_t count)
{
	sc_vector_push(&log->cursors,
		       ((struct cursor){.at = log->events, .end = log->events + count}));
	log->events += count;
}

/* Does it return only after others have done something? One that fails has not. */
static bool is_blocking(const struct sc_across_event *e)
{
	if (e->what != SC_ACROSS_MESSAGE || e->is_pending || e->has_failed || e->own)
		return 0;
	switch (sc_across_kind(e)) {
	case SC_MESSAGE_COLLECTIVE:
	case SC_MESSAGE_RECEIVE:
	case SC_MESSAGE_PROBE: return e->value & SC_MESSAGE_BLOCKS;
	case SC_MESSAGE_SEND:
		return e->value & SC_MESSAGE_BLOCKS && e->value & SC_MESSAGE_SYNCHRONOUS;
	case SC_MESSAGE_FENCE:
	case SC_MESSAGE_COMPLETE:
	case SC_MESSAGE_AWAIT: return 1;
	case SC_MESSAGE_WAIT:
	case SC_MESSAGE_ACCESS:
	case SC_MESSAGE_LOCK:
	case SC_MESSAGE_UNLOCK:
	case SC_MESSAGE_START:
	case SC_MESSAGE_PART:
	case SC_MESSAGE_LOSE:
	case SC_MESSAGE_LIST:
	case SC_MESSAGE_POST:
	case SC_MESSAGES: break;
	}
	return 0;
}

/* The thread goes on, so its call has returned: but for what is recorded inside of the call (what
 * an agent is given, or what the same call sends), or for the end of its message, which says the
 * same. */
static void note_returns(struct reading *in, const struct sc_op *op, uint64_t sequence)
{
	bool ends = op->kind == SC_OP_MESSAGE_END;
	bool sends = op->kind == SC_OP_MESSAGE && sc_message_kind(op->value) == SC_MESSAGE_SEND;
	size_t kept = 0;

	if (op->kind == SC_OP_NONE)
		return;
	for (size_t i = 0; i < in->blocking.count; i++) {
		struct blocking b = in->blocking.items[i];

		if (b.thread != op->thread) {
			in->blocking.items[kept++] = b;
			continue;
		}
		if (ends && op->link == b.link)
			continue;
		if (ends || (sends && op->call == b.call)) { /* the call's other message */
			in->blocking.items[kept++] = b;
			continue;
		}
		in->event = (struct sc_across_event){.sequence = sequence,
						     .time_ns = op->time_ns,
						     .link = b.link,
						     .what = SC_ACROSS_RETURN};
		sc_across_log_put(in->log, &in->event);
	}
	in->blocking.count = kept;
}

void sc_across_log_put(struct sc_across_log *log, const struct sc_across_event *e)
{
	struct reading *in = log->reading;

	if (!in->err)
		in->err = put(log, e, &in->count);
}

void sc_across_log_note(struct sc_across_log *log, enum sc_across_what what,
			struct sc_across_event e)
{
	e.what = (uint8_t)what;
	e.sequence = log->reading->sequence;
	e.time_ns = log->reading->time_ns;
	sc_across_log_put(log, &e);
}

/* The last one takes its place. */
static void end_wait(struct reading *in, uint64_t begin)
{
	uint64_t *index = sc_u64_map_find(&in->waits_by_begin, begin);
	const struct sc_across_event *last;
	size_t at;

	if (!index)
		return;
	at = *index - 1;
	last = sc_vector_last(&in->waits);
	*sc_u64_map_get(&in->waits_by_begin, last->sequence) = at + 1;
	in->waits.items[at] = *last;
	in->waits.count--;
	sc_u64_map_remove(&in->waits_by_begin, begin);
}

/* A wait of the host has begun, or has returned. */
static void see_wait(struct reading *in, const struct sc_op *op, uint64_t sequence)
{
	struct sc_across_event e = {.sequence = sequence,
				    .what = SC_ACROSS_STUCK,
				    .peer = op->stream,
				    .tag = op->kind == SC_OP_CONTEXT_SYNC,
				    .thread = op->thread};

	if (op->phase == SC_PHASE_END) {
		end_wait(in, op->link - 1);
	} else if (op->phase == SC_PHASE_BEGIN && op->result == SC_RESULT_PENDING) {
		e.call = call_of(in, op->call);
		sc_vector_push(&in->waits, e);
		*sc_u64_map_get(&in->waits_by_begin, sequence) = in->waits.count;
	}
}

static void note_context(struct reading *in, const struct sc_op *op)
{
	if (!op->context || !sc_field_has_context(op->kind))
		return;
	in->has_contexts |= in->context && op->context != in->context;
	in->context = op->context;
}

static int by_sequence(const void *left, const void *right)
{
	const struct sc_across_event *a = left, *b = right;

	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

/* What matters of a process that uses NCCL is known at its end. Which context's streams a wait for
 * all of a context is for is known only if there is no other context. */
static void put_rest(struct reading *in)
{
	uint64_t time_ns = in->event.time_ns;

	if (!in->has_nccl)
		return;
	if (in->waits.count)
		qsort(in->waits.items, in->waits.count, sizeof(*in->waits.items), by_sequence);
	for (size_t i = 0; i < in->waits.count; i++) {
		in->waits.items[i].time_ns = time_ns;
		in->waits.items[i].tag &= !in->has_contexts;
		sc_across_log_put(in->log, &in->waits.items[i]);
	}
	if (in->rank)
		sc_across_log_put(in->log, &(struct sc_across_event){.what = SC_ACROSS_RANK,
								     .peer = in->rank});
}

void sc_across_log_record(struct sc_across_log *log, const struct sc_record *r)
{
	struct reading *in = log->reading;
	const struct sc_op message = message_of(r);

	in->sequence = r->sequence;
	in->time_ns = r->op.time_ns;
	if (in->blocking.count)
		note_returns(in, &message, r->sequence);
	note_context(in, &r->op);
	if (r->op.kind == SC_OP_PROCESS)
		in->rank = r->op.object;
	if (sc_field_has_phases(&r->op))
		see_wait(in, &r->op, r->sequence);
	if (r->op.kind == SC_OP_SHARE)
		sc_vector_push(&log->shares, r->op);
	if (!take(in, &message, r->sequence))
		return;
	/* nobody saw it complete */
	in->event.has_failed |=
		r->op.kind == SC_OP_AGENT_END && sc_agent_how(&r->op) != SC_AGENT_COMPLETE;
	if (in->has_nccl)
		see_turn(in, &message, r->sequence);
	sc_across_log_put(log, &in->event);
	if (is_blocking(&in->event))
		sc_vector_push(&in->blocking,
			       ((struct blocking){r->op.thread, r->op.call, r->sequence + 1}));
}

/* Takes the process back that was added last. */
static void take_back(struct sc_across_log *log)
{
	const struct cursor *last = sc_vector_last(&log->cursors);

	log->events = last->at;
	log->cursors.count--;
	while (log->early.count &&
	       sc_vector_last(&log->early)->process == sc_across_log_processes(log))
		log->early.count--;
}

void sc_across_log_begin(struct sc_across_log *log, struct sc_reader *r, bool again)
{
	if (again)
		take_back(log);
	sc_vector_clear(&log->shares);
	log->reading = sc_heap_xcalloc(1, sizeof(*log->reading));
	log->reading->log = log;
	log->reading->reader = r;
	if (fseeko(log->file, (off_t)(log->events * sizeof(struct sc_across_event)), SEEK_SET))
		log->reading->err = -errno;
}

int64_t sc_across_log_end(struct sc_across_log *log)
{
	struct reading *in = log->reading;
	int64_t count;
	int err;

	put_rest(in);
	count = (int64_t)in->count;
	in->event = (struct sc_across_event){.what = SC_ACROSS_VAGUE, .time_ns = in->event.time_ns};
	if (in->count && is_incomplete(sc_reader_stats(in->reader)))
		sc_across_log_put(log, &in->event);
	add_cursor(log, in->count);
	err = in->err;
	sc_u64_map_fini(&in->groups);
	sc_u64_map_fini(&in->ranks);
	sc_u64_map_fini(&in->turns);
	sc_vector_fini(&in->waits);
	sc_u64_map_fini(&in->waits_by_begin);
	sc_u64_map_fini(&in->calls);
	sc_vector_fini(&in->blocking);
	free(in);
	log->reading = NULL;
	return err ? err : count;
}

int64_t sc_across_log_add(struct sc_across_log *log, struct sc_reader *r)
{
	struct sc_record record;

	sc_across_log_begin(log, r, 0);
	while (!log->reading->err && sc_reader_next(r, &record))
		sc_across_log_record(log, &record);
	return sc_across_log_end(log);
}

const struct sc_op *sc_across_log_shares(const struct sc_across_log *log, size_t *count)
{
	*count = log->shares.count;
	return log->shares.items;
}

int64_t sc_across_log_add_events(struct sc_across_log *log, const struct sc_across_event *events,
				 size_t count)
{
	uint64_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = put(log, &events[i], &kept);
	add_cursor(log, kept);
	return err ? err : (int64_t)count;
}

const char *sc_across_log_call(const struct sc_across_log *log, uint32_t call)
{
	return call && call <= log->calls.count ? log->calls.items[call - 1] : "";
}

/* ---- side by side ---- */

/* Reads on; false at the end of the process or, with *err, of the file. */
static bool refill(struct sc_across_log *log, struct cursor *c, int *err)
{
	uint64_t left = c->end - c->at;
	size_t wanted = left < CURSOR_EVENTS ? (size_t)left : CURSOR_EVENTS;
	size_t bytes = wanted * sizeof(*c->kept);

	c->next = c->count = 0;
	if (!left)
		return 0;
	if (pread(fileno(log->file), c->kept, bytes, (off_t)(c->at * sizeof(*c->kept))) !=
	    (ssize_t)bytes) {
		*err = -EIO;
		return 0;
	}
	c->at += wanted;
	c->count = (unsigned)wanted;
	return 1;
}

static uint64_t since_begin(const struct cursor *c)
{
	uint64_t now = c->kept[c->next].time_ns;

	return now > c->first_ns ? now - c->first_ns : 0;
}

static bool is_before(const struct sc_across_log *log, unsigned a, unsigned b)
{
	uint64_t one = since_begin(&log->cursors.items[a]);
	uint64_t other = since_begin(&log->cursors.items[b]);

	return one < other || (one == other && a < b);
}

static void sift_down(struct sc_across_log *log, unsigned at)
{
	for (;;) {
		unsigned best = at, child = 2 * at + 1, moved = log->heap[at];

		for (unsigned i = child; i < child + 2 && i < log->waiting; i++)
			if (is_before(log, log->heap[i], log->heap[best]))
				best = i;
		if (best == at)
			return;
		log->heap[at] = log->heap[best];
		log->heap[best] = moved;
		at = best;
	}
}

static int begin(struct sc_across_log *log)
{
	int err = fflush(log->file) ? -errno : 0;

	log->heap = sc_heap_xcalloc(log->cursors.count + 1, sizeof(*log->heap));
	for (unsigned i = 0; i < log->cursors.count && !err; i++) {
		struct cursor *c = &log->cursors.items[i];

		if (c->at == c->end)
			continue;
		c->kept = sc_heap_xcalloc(CURSOR_EVENTS, sizeof(*c->kept));
		if (!refill(log, c, &err))
			continue;
		c->first_ns = c->kept[0].time_ns;
		log->heap[log->waiting++] = i;
	}
	for (unsigned i = log->waiting / 2; i-- > 0;)
		sift_down(log, i);
	return err;
}

static void sift_up(struct sc_across_log *log, unsigned at)
{
	while (at && is_before(log, log->heap[at], log->heap[(at - 1) / 2])) {
		unsigned above = (at - 1) / 2, moved = log->heap[at];

		log->heap[at] = log->heap[above];
		log->heap[above] = moved;
		at = above;
	}
}

static void drop_first(struct sc_across_log *log)
{
	log->heap[0] = log->heap[--log->waiting];
	sift_down(log, 0);
}

void sc_across_log_hold(struct sc_across_log *log, unsigned process)
{
	log->cursors.items[process].is_held = 1;
}

void sc_across_log_release(struct sc_across_log *log, unsigned process)
{
	struct cursor *c = &log->cursors.items[process];

	c->is_held = 0;
	if (!c->is_out)
		return;
	c->is_out = 0;
	log->heap[log->waiting++] = process;
	sift_up(log, log->waiting - 1);
}

bool sc_across_log_release_all(struct sc_across_log *log)
{
	bool was_held = 0;

	for (unsigned i = 0; i < log->cursors.count; i++) {
		was_held |= log->cursors.items[i].is_out;
		sc_across_log_release(log, i);
	}
	return was_held;
}

int sc_across_log_next(struct sc_across_log *log, unsigned *process, struct sc_across_event *out)
{
	int err = log->heap ? 0 : begin(log);
	struct cursor *c;

	if (!err && log->early_at < log->early.count) {
		*out = log->early.items[log->early_at].event;
		*process = log->early.items[log->early_at++].process;
		return 1;
	}
	while (!err && log->waiting && log->cursors.items[log->heap[0]].is_held) {
		log->cursors.items[log->heap[0]].is_out = 1;
		drop_first(log);
	}
	if (err || !log->waiting)
		return err;
	*process = log->heap[0];
	c = &log->cursors.items[*process];
	*out = c->kept[c->next++];
	if (c->next == c->count && !refill(log, c, &err)) {
		free(c->kept);
		c->kept = NULL;
		drop_first(log);
	} else {
		sift_down(log, 0);
	}
	return err ? err : 1;
}

size_t sc_across_log_bytes(const struct sc_across_log *log)
{
	size_t bytes = log->cursors.room * sizeof(*log->cursors.items) +
		       log->cursors.count * sizeof(*log->heap);

	for (size_t i = 0; i < log->cursors.count; i++)
		if (log->cursors.items[i].kept)
			bytes += CURSOR_EVENTS * sizeof(*log->cursors.items[i].kept);
	return bytes;
}

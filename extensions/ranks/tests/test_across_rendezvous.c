/* The order that operations of NCCL give to uses of shared memory, against the naive form. */
#include "extensions/ranks/tests/sharing_story.h"

#define ALL	     UINT64_C(99) /* the communicator of all */
#define STREAMS	     2
#define ACTIONS_MOST 120
#define CALLS_MOST   256
#define TRIES	     3000

/* What one call enqueues: what comes before, and after. */
struct naive_turn {
	unsigned process, stream, begin, end;
	bool is_learned;
	uint64_t sequence;
	unsigned missing; /* operations of others that it needs, and which are not enqueued */
};

static struct {
	unsigned tail[RANKS][STREAMS];
	struct naive_turn turns[ACTIONS_MOST];
	unsigned turn_count;
	struct {
		enum call call;
		unsigned root;
	} plan[ACTIONS_MOST];
	unsigned entered[RANKS][ACTIONS_MOST]; /* turn + 1, by number */
	unsigned collectives[RANKS];
	unsigned sent[RANKS][RANKS], received[RANKS][RANKS];
	unsigned sent_by[RANKS][RANKS][ACTIONS_MOST]; /* turn + 1 */
	unsigned received_by[RANKS][RANKS][ACTIONS_MOST];
	unsigned told[RANKS][RANKS], heard[RANKS][RANKS];
	unsigned told_by[RANKS][RANKS][ACTIONS_MOST]; /* node */
} naive;

/* It comes after a turn that others have not answered, or after two that wait for each other: it
 * never begins, as far as is known. */
static bool is_stuck_from(unsigned n, uint8_t *state)
{
	bool is_one = 0;

	if (state[n])
		return state[n] != 2;
	state[n] = 1;
	for (unsigned i = 0; i < naive.turn_count; i++)
		is_one |= naive.turns[i].end == n && naive.turns[i].missing;
	for (unsigned i = graph.into[n]; i && !is_one; i = graph.edge[i].next)
		is_one = is_stuck_from(graph.edge[i].from, state);
	state[n] = is_one ? 3 : 2;
	return is_one;
}

static bool is_stuck(unsigned n)
{
	static uint8_t state[NODES_MOST];

	memset(state, 0, graph.nodes + 1);
	return is_stuck_from(n, state);
}

/* ---- what a trace says ---- */

/* Of the turns of a stream that come before, the last one says it all. */
static void put_after(unsigned process, unsigned of)
{
	for (unsigned stream = 0; stream < STREAMS; stream++)
		for (unsigned i = naive.turn_count; i-- > 0;) {
			const struct naive_turn *t = &naive.turns[i];

			if (t->process != process || t->stream != stream || t->is_learned ||
			    t->end == of || !leads(t->end, of, 1))
				continue;
			add(process, SC_ACROSS_AFTER)->link = t->sequence + 1;
			break;
		}
}

static void enqueue(unsigned process, unsigned stream, unsigned n)
{
	edge(graph.host[process], n);
	edge(naive.tail[process][stream], n);
}

/* Its end in the lane of its stream. */
static void name_end(struct sc_across_event *e, const struct naive_use *u)
{
	e->own = u->stream + 1;
	e->group = u->sequence + 1;
}

static void use(unsigned process, unsigned stream)
{
	struct naive_use *u = new_use();
	struct sc_across_event *e;

	step(process);
	*u = (struct naive_use){.process = process,
				.stream = stream,
				.first = random_below(3),
				.count = 1 + random_below(2),
				.is_write = random_below(2),
				.end = node(process)};
	u->start = u->end;
	enqueue(process, stream, u->end);
	naive.tail[process][stream] = u->end;
	put_after(process, u->end);
	e = add_use(u);
	name_end(e, u);
}

/* A stream waits for another one of its process. */
static void wait_for_stream(unsigned process, unsigned stream)
{
	unsigned n = node(process);

	enqueue(process, stream, n);
	edge(naive.tail[process][1 - stream], n);
	naive.tail[process][stream] = n;
}

static void synchronize(unsigned process, unsigned stream)
{
	unsigned n = naive.tail[process][stream];

	if (!n || is_stuck(n))
		return;
	edge(n, step(process));
	for (unsigned i = 0; i < graph.use_count; i++) {
		struct naive_use *u = &graph.uses[i];

		if (u->process != process || u->is_known || !leads(u->end, n, 1))
			continue;
		u->is_known = 1;
		name_end(add(process, SC_ACROSS_KNOWN), u);
	}
	for (unsigned i = 0; i < naive.turn_count; i++) {
		struct naive_turn *t = &naive.turns[i];

		if (t->process != process || t->is_learned || !leads(t->end, n, 1))
			continue;
		t->is_learned = 1;
		add(process, SC_ACROSS_LEARNED)->link = t->sequence + 1;
	}
}

static struct sc_across_event *message(unsigned process, enum sc_message kind, enum call call)
{
	return enqueue_message(process, kind, ALL, process, call);
}

static struct naive_turn *begin_turn(unsigned process, unsigned stream, uint64_t sequence)
{
	struct naive_turn *t = &naive.turns[naive.turn_count++];

	step(process);
	*t = (struct naive_turn){.process = process,
				 .stream = stream,
				 .begin = node(process),
				 .end = node(process),
				 .sequence = sequence};
	enqueue(process, stream, t->begin);
	edge(t->begin, t->end);
	naive.tail[process][stream] = t->end;
	return t;
}

static void end_turn(const struct naive_turn *t, const uint64_t *messages, unsigned count)
{
	struct sc_across_event *e;

	for (unsigned i = 0; i < count; i++) {
		e = add(t->process, SC_ACROSS_TURN);
		e->tag = t->sequence + 1;
		e->link = messages[i] + 1;
	}
	put_after(t->process, t->begin);
	for (unsigned i = 0; i < graph.use_count; i++) {
		const struct naive_use *u = &graph.uses[i];

		if (u->process == t->process && !u->is_known && leads(u->end, t->begin, 1))
			name_end(add(t->process, SC_ACROSS_COVER), u);
	}
	e = add(t->process, SC_ACROSS_TURN_AFTER);
	e->tag = t->sequence + 1;
	e->peer = t->stream + 1;
	e->operation = t->sequence + 1;
	add(t->process, SC_ACROSS_TURN_END)->tag = t->sequence + 1;
}

/* ---- who needs whom ---- */

static void need(struct naive_turn *t, unsigned other)
{
	if (other)
		edge(naive.turns[other - 1].begin, t->end);
	else
		t->missing++;
}

static void give(unsigned to, const struct naive_turn *t)
{
	if (!to)
		return;
	edge(t->begin, naive.turns[to - 1].end);
	naive.turns[to - 1].missing--;
}

static bool needs(enum call call, unsigned root, unsigned who, unsigned whom)
{
	if (call == NCCL_BROADCAST)
		return who != root && whom == root;
	if (call == NCCL_REDUCE)
		return who == root && whom != root;
	return 1;
}

static void collective(unsigned process, unsigned stream)
{
	unsigned number = naive.collectives[process]++, at = naive.turn_count + 1;
	enum call call = naive.plan[number].call;
	unsigned root = naive.plan[number].root;
	struct sc_across_event *e = message(process, SC_MESSAGE_COLLECTIVE, call);
	uint64_t sequence = e->sequence;
	struct naive_turn *t;

	e->tag = number + 1;
	e->peer = call == NCCL_ALL_REDUCE ? 0 : root + 1;
	t = begin_turn(process, stream, sequence);
	naive.entered[process][number] = at;
	for (unsigned p = 0; p < RANKS; p++) {
		if (p == process)
			continue;
		if (needs(call, root, process, p))
			need(t, naive.entered[p][number]);
		if (needs(call, root, p, process))
			give(naive.entered[p][number], t);
	}
	end_turn(t, &sequence, 1);
}

static uint64_t send(unsigned process, unsigned to)
{
	struct sc_across_event *e = message(process, SC_MESSAGE_SEND, NCCL_SEND);

	e->peer = to + 1;
	e->tag = 1;
	return e->sequence;
}

static uint64_t receive(unsigned process, unsigned from)
{
	struct sc_across_event *e = message(process, SC_MESSAGE_RECEIVE, NCCL_RECEIVE);

	e->peer = from + 1;
	e->tag = 1;
	return e->sequence;
}

static void note_send(struct naive_turn *t, unsigned to)
{
	unsigned number = naive.sent[t->process][to]++;

	naive.sent_by[t->process][to][number] = (unsigned)(t - naive.turns) + 1;
	give(naive.received_by[t->process][to][number], t);
}

static void note_receive(struct naive_turn *t, unsigned from)
{
	unsigned number = naive.received[from][t->process]++;

	naive.received_by[from][t->process][number] = (unsigned)(t - naive.turns) + 1;
	need(t, naive.sent_by[from][t->process][number]);
}

/* A send, a receive, or both in a group. */
static void exchange(unsigned process, unsigned stream)
{
	unsigned peer = (process + 1 + random_below(RANKS - 1)) % RANKS, what = 1 + random_below(3);
	unsigned from = (process + 1 + random_below(RANKS - 1)) % RANKS, count = 0;
	uint64_t messages[2];
	struct naive_turn *t;

	if (what & 1)
		messages[count++] = send(process, peer);
	if (what & 2)
		messages[count++] = receive(process, from);
	t = begin_turn(process, stream, messages[0]);
	if (what & 1)
		note_send(t, peer);
	if (what & 2)
		note_receive(t, from);
	end_turn(t, messages, count);
}

/* ---- messages between hosts ---- */

static void tell(unsigned from)
{
	unsigned to = (from + 1 + random_below(RANKS - 1)) % RANKS;
	struct sc_across_event *e = add(from, SC_ACROSS_MESSAGE);

	e->value = SC_MESSAGE_SEND | SC_MESSAGE_BLOCKS;
	e->call = SEND;
	e->bytes = 8;
	e->peer = to + 1;
	e->tag = 1;
	naive.told_by[from][to][naive.told[from][to]++] = step(from);
}

static void hear(unsigned to)
{
	unsigned from = (to + 1 + random_below(RANKS - 1)) % RANKS;
	unsigned number = naive.heard[from][to];
	struct sc_across_event *e;
	uint64_t sequence;

	if (naive.told[from][to] <= number)
		return;
	naive.heard[from][to]++;
	e = add(to, SC_ACROSS_MESSAGE);
	sequence = e->sequence;
	e->value = SC_MESSAGE_RECEIVE | SC_MESSAGE_BLOCKS;
	e->call = RECEIVE;
	e->bytes = 8;
	e->peer = from + 1;
	e->tag = 1;
	step(to);
	add(to, SC_ACROSS_RETURN)->link = sequence + 1;
	edge(naive.told_by[from][to][number], step(to));
}

/* ---- compared ---- */

static void act(void)
{
	unsigned process = random_below(RANKS), stream = random_below(STREAMS);

	switch (random_below(10)) {
	case 0:
	case 1:
	case 2: use(process, stream); return;
	case 3:
	case 4: collective(process, stream); return;
	case 5: exchange(process, stream); return;
	case 6: wait_for_stream(process, stream); return;
	case 7: synchronize(process, stream); return;
	case 8: tell(process); return;
	case 9: hear(process); return;
	}
}

static void begin_pattern(void)
{
	memset(&naive, 0, sizeof(naive));
	begin();
	for (unsigned i = 0; i < RANKS; i++) {
		join(i, ALL, SC_GROUP_NCCL, i, RANKS);
		step(i);
	}
	for (unsigned i = 0; i < ACTIONS_MOST; i++) {
		naive.plan[i].call = (enum call)(NCCL_ALL_REDUCE + random_below(3));
		naive.plan[i].root = random_below(RANKS);
	}
}

static void check_pattern(unsigned actions, unsigned *races, unsigned *orders)
{
	begin_pattern();
	for (unsigned i = 0; i < actions; i++)
		act();
	compare(is_stuck, races, orders);
	assert_false(sharing.rendezvous.is_unsure);
	assert_false(sharing.knowledge.has_given_up);
	finish();
}

TEST(is_as_naive)
{
	unsigned races = 0, orders = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		seed = i + 1;
		check_pattern(10 + random_below(ACTIONS_MOST - 10), &races, &orders);
	}
	assert_true(races > TRIES && orders > TRIES);
}

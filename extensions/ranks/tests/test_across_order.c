/* Which uses of shared memory are ordered between processes, against the naive form. */
#include "extensions/ranks/tests/sharing_story.h"

#define EVENTS	     RANKS /* each rank records one */
#define ACTIONS_MOST 300
#define TRIES	     2000

struct naive_wait {
	unsigned process, node;
	uint64_t sequence;
	bool is_learned;
};

static struct {
	struct naive_wait waits[ACTIONS_MOST];
	unsigned wait_count;
	struct {
		unsigned host, done;
	} records[EVENTS][ACTIONS_MOST];
	unsigned record_count[EVENTS];
	unsigned sent[RANKS][RANKS], posted[RANKS][RANKS];
	unsigned send_node[RANKS][RANKS][ACTIONS_MOST];
	unsigned post_node[RANKS][RANKS][ACTIONS_MOST];
	struct {
		unsigned from, to, number;
		bool is_send; /* a synchronous one */
		uint64_t sequence;
	} open[ACTIONS_MOST];
	unsigned open_count;
	unsigned collectives;
	struct {
		unsigned nodes[RANKS];
		uint64_t sequence[RANKS];
		bool is_left[RANKS];
	} ibarriers[ACTIONS_MOST];
	unsigned ibarrier_count;
} naive;

/* ---- actions ---- */

static void after_waits(unsigned process, unsigned of)
{
	for (unsigned i = 0; i < naive.wait_count; i++) {
		struct naive_wait *w = &naive.waits[i];

		if (w->process != process || w->is_learned || random_below(2))
			continue;
		add(process, SC_ACROSS_AFTER)->link = w->sequence + 1;
		edge(w->node, of);
	}
}

/* That a use is complete says nothing of the waits before it: a trace says of each wait when the
 * host learns it and which record comes after it (extensions/ranks/shared). */
static void use(unsigned process)
{
	struct naive_use *u = new_use();
	struct sc_across_event *e;

	*u = (struct naive_use){.process = process,
				.first = random_below(4),
				.count = 1 + random_below(2),
				.is_write = random_below(2),
				.start = node(process),
				.end = node(process)};
	edge(step(process), u->start);
	after_waits(process, u->start);
	e = add_use(u);
	e->own = graph.use_count; /* a lane of its own */
	e->group = 1;
}

static void name_use(struct sc_across_event *e, unsigned i)
{
	e->own = i + 1;
	e->group = 1;
}

static void know(unsigned process)
{
	for (unsigned i = 0; i < graph.use_count; i++) {
		struct naive_use *u = &graph.uses[i];

		if (u->process != process || u->is_known || random_below(3))
			continue;
		u->is_known = 1;
		edge(u->end, step(process));
		name_use(add(process, SC_ACROSS_KNOWN), i);
	}
}

/* Each process records its own event in one stream. */
static void record(unsigned process)
{
	unsigned number = naive.record_count[process], done = node(process), host = step(process);
	uint64_t sequence = story.counts[process];
	struct sc_across_event *e;

	edge(host, done);
	if (number)
		edge(naive.records[process][number - 1].done, done);
	for (unsigned i = 0; i < graph.use_count; i++) {
		struct naive_use *u = &graph.uses[i];

		if (u->process != process || u->is_known || u->is_covered || random_below(2))
			continue;
		u->is_covered = 1;
		edge(u->end, done);
		e = add(process, SC_ACROSS_COVER);
		e->sequence = sequence;
		name_use(e, i);
		e->tag = MEMORY + 1 + process;
	}
	after_waits(process, done);
	e = add(process, SC_ACROSS_RECORD);
	e->sequence = sequence;
	e->tag = MEMORY + 1 + process;
	e->peer = 7;
	naive.records[process][number].host = host;
	naive.records[process][number].done = done;
	naive.record_count[process]++;
}

static void wait_for(unsigned process)
{
	unsigned event = random_below(EVENTS), host = step(process);
	struct naive_wait *w = &naive.waits[naive.wait_count++];
	struct sc_across_event *e = add(process, SC_ACROSS_WAIT);

	*w = (struct naive_wait){
		.process = process, .node = node(process), .sequence = e->sequence};
	e->tag = MEMORY + 1 + event;
	for (unsigned i = naive.record_count[event]; i-- > 0;)
		if (leads(naive.records[event][i].host, host, 0)) {
			edge(naive.records[event][i].done, w->node);
			return;
		}
}

static void learn(unsigned process)
{
	for (unsigned i = 0; i < naive.wait_count; i++) {
		struct naive_wait *w = &naive.waits[i];

		if (w->process != process || w->is_learned || random_below(3))
			continue;
		w->is_learned = 1;
		edge(w->node, step(process));
		add(process, SC_ACROSS_LEARNED)->link = w->sequence + 1;
	}
}

static struct sc_across_event *message(unsigned process, uint32_t value, enum call call)
{
	struct sc_across_event *e = add(process, SC_ACROSS_MESSAGE);

	e->value = value;
	e->call = call;
	e->bytes = 8;
	return e;
}

/* A synchronous one that blocks returns, so its receive has begun. */
static void send(unsigned from, bool is_synchronous)
{
	unsigned to = (from + 1 + random_below(RANKS - 1)) % RANKS;
	unsigned number = naive.sent[from][to];
	bool is_posted = naive.posted[from][to] > number;
	bool blocks = !is_synchronous || (is_posted && random_below(2));
	struct sc_across_event *e = message(from,
					    SC_MESSAGE_SEND | (blocks ? SC_MESSAGE_BLOCKS : 0u) |
						    (is_synchronous ? SC_MESSAGE_SYNCHRONOUS : 0u),
					    SEND);
	uint64_t sequence = e->sequence;

	e->peer = to + 1;
	e->tag = 1;
	naive.send_node[from][to][naive.sent[from][to]++] = step(from);
	if (!is_synchronous)
		return;
	if (blocks) {
		add(from, SC_ACROSS_RETURN)->link = sequence + 1;
		edge(naive.post_node[from][to][number], step(from));
		return;
	}
	naive.open[naive.open_count].from = from;
	naive.open[naive.open_count].to = to;
	naive.open[naive.open_count].number = number;
	naive.open[naive.open_count].is_send = 1;
	naive.open[naive.open_count++].sequence = sequence;
}

/* Looks for the message that the next receive gets; from anybody, the end says from whom. */
static void look(unsigned to)
{
	unsigned from = (to + 1 + random_below(RANKS - 1)) % RANKS;
	unsigned number = naive.posted[from][to];
	bool is_open = random_below(2);
	struct sc_across_event *e;
	uint64_t sequence;

	if (naive.sent[from][to] <= number)
		return;
	e = message(to, SC_MESSAGE_PROBE | SC_MESSAGE_BLOCKS, PROBE);
	sequence = e->sequence;
	e->peer = is_open ? 0 : from + 1;
	e->tag = 1;
	step(to);
	e = add(to, is_open ? SC_ACROSS_END : SC_ACROSS_RETURN);
	e->link = sequence + 1;
	e->peer = is_open ? from + 1 : 0;
	e->tag = is_open;
	edge(naive.send_node[from][to][number], step(to));
}

static void receive(unsigned to, bool blocks)
{
	unsigned from = (to + 1 + random_below(RANKS - 1)) % RANKS;
	unsigned number = naive.posted[from][to];
	bool is_there = naive.sent[from][to] > number;
	struct sc_across_event *e;
	uint64_t sequence;

	if (blocks && !is_there)
		return;
	e = message(to, SC_MESSAGE_RECEIVE | (blocks ? SC_MESSAGE_BLOCKS : 0u), RECEIVE);
	sequence = e->sequence;
	e->peer = from + 1;
	e->tag = 1;
	naive.post_node[from][to][naive.posted[from][to]++] = step(to);
	if (blocks) {
		add(to, SC_ACROSS_RETURN)->link = sequence + 1;
		edge(naive.send_node[from][to][number], step(to));
		return;
	}
	naive.open[naive.open_count].from = from;
	naive.open[naive.open_count].to = to;
	naive.open[naive.open_count].number = number;
	naive.open[naive.open_count].is_send = 0;
	naive.open[naive.open_count++].sequence = sequence;
}

/* The requests of a process that can be complete are. */
static void complete(unsigned process)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < naive.open_count; i++) {
		unsigned from = naive.open[i].from, to = naive.open[i].to;
		unsigned number = naive.open[i].number;
		bool is_send = naive.open[i].is_send;
		struct sc_across_event *e;

		if ((is_send ? from : to) != process ||
		    (is_send ? naive.posted : naive.sent)[from][to] <= number) {
			naive.open[kept++] = naive.open[i];
			continue;
		}
		e = add(process, SC_ACROSS_END);
		e->link = naive.open[i].sequence + 1;
		edge((is_send ? naive.post_node : naive.send_node)[from][to][number],
		     step(process));
	}
	naive.open_count = kept;
	for (unsigned i = 0; i < naive.ibarrier_count; i++) {
		if (naive.ibarriers[i].is_left[process])
			continue;
		naive.ibarriers[i].is_left[process] = 1;
		add(process, SC_ACROSS_END)->link = naive.ibarriers[i].sequence[process] + 1;
		step(process);
		for (unsigned k = 0; k < RANKS; k++)
			edge(naive.ibarriers[i].nodes[k], graph.host[process]);
	}
}

static void list(unsigned process, unsigned mask)
{
	struct sc_across_event *e;

	if (!mask)
		return;
	e = message(process, SC_MESSAGE_LIST, NO_CALL);
	e->peer = 1;
	e->operation = mask;
}

/* Is the call of rank `from` before the return of rank `to`? */
static bool brings(enum call call, unsigned root, unsigned mask, unsigned from, unsigned to)
{
	switch (call) {
	case BARRIER:
	case IBARRIER: return 1;
	case BCAST: return from == root;
	case REDUCE: return to == root;
	case SCAN: return from < to;
	default: return mask >> from & 1;
	}
}

static void collective(enum call call)
{
	unsigned root = random_below(RANKS), entered[RANKS], masks[RANKS];
	enum sc_message kind = call == FENCE ? SC_MESSAGE_FENCE : SC_MESSAGE_COLLECTIVE;
	bool is_barrier = random_below(2);
	uint64_t sequence[RANKS];

	naive.collectives++;
	for (unsigned i = 0; i < RANKS; i++) {
		unsigned all = (1u << RANKS) - 1;
		struct sc_across_event *e;

		masks[i] = call == FENCE ? (is_barrier ? all : 0)
					 : random_below(1u << RANKS) & ~(1u << i);
		if (call == ALLTOALLV)
			list(i, masks[i]);
		e = message(i, value_of(kind, call), call);
		if (call == ALLTOALLV || call == FENCE)
			e->value |= SC_MESSAGE_UNSIZED;
		if (call == FENCE && is_barrier)
			e->value |= SC_MESSAGE_FROM_ALL;
		e->tag = naive.collectives;
		e->peer = call == BCAST || call == REDUCE ? root + 1 : 0;
		sequence[i] = e->sequence;
		entered[i] = step(i);
	}
	if (call == IBARRIER) {
		memcpy(naive.ibarriers[naive.ibarrier_count].nodes, entered, sizeof(entered));
		memcpy(naive.ibarriers[naive.ibarrier_count++].sequence, sequence,
		       sizeof(sequence));
		return;
	}
	for (unsigned i = 0; i < RANKS; i++) {
		add(i, SC_ACROSS_RETURN)->link = sequence[i] + 1;
		step(i);
		for (unsigned k = 0; k < RANKS; k++)
			if (brings(call, root, masks[i], k, i))
				edge(entered[k], graph.host[i]);
	}
}

/* Each rank posts its window for some others, which start an epoch for all that did so for them. */
static void epoch(void)
{
	unsigned posted[RANKS], post[RANKS] = {0}, complete_node[RANKS] = {0}, got[RANKS] = {0};
	struct sc_across_event *e;

	for (unsigned i = 0; i < RANKS; i++)
		posted[i] = random_below(1u << RANKS) & ~(1u << i);
	for (unsigned i = 0; i < RANKS; i++) {
		if (!posted[i])
			continue;
		list(i, posted[i]);
		message(i, SC_MESSAGE_POST, WINDOW);
		post[i] = step(i);
	}
	for (unsigned i = 0; i < RANKS; i++) {
		unsigned started = 0;
		uint64_t sequence;

		for (unsigned k = 0; k < RANKS; k++)
			started |= (posted[k] >> i & 1) << k;
		if (!started)
			continue;
		list(i, started);
		message(i, SC_MESSAGE_START, WINDOW);
		for (unsigned k = 0; k < RANKS; k++) {
			if (!(started >> k & 1) || random_below(2))
				continue;
			got[i] |= random_below(2) << k;
			e = message(i, SC_MESSAGE_ACCESS, WINDOW);
			e->value |= got[i] >> k & 1 ? SC_MESSAGE_GETS : 0u;
			e->peer = k + 1;
		}
		if (random_below(2))
			use(i);
		sequence = message(i, SC_MESSAGE_COMPLETE, WINDOW)->sequence;
		complete_node[i] = step(i);
		add(i, SC_ACROSS_RETURN)->link = sequence + 1;
		step(i);
		for (unsigned k = 0; k < RANKS; k++)
			if (got[i] >> k & 1)
				edge(post[k], graph.host[i]);
	}
	for (unsigned i = 0; i < RANKS; i++) {
		uint64_t sequence;

		if (!posted[i])
			continue;
		sequence = message(i, SC_MESSAGE_AWAIT, WINDOW)->sequence;
		step(i);
		add(i, SC_ACROSS_RETURN)->link = sequence + 1;
		step(i);
		for (unsigned k = 0; k < RANKS; k++)
			if (posted[i] >> k & 1)
				edge(complete_node[k], graph.host[i]);
	}
}

static void act(void)
{
	unsigned process = random_below(RANKS);

	switch (random_below(17)) {
	case 0:
	case 1:
	case 2: use(process); return;
	case 3: know(process); return;
	case 4: record(process); return;
	case 5: wait_for(process); return;
	case 6: learn(process); return;
	case 7:
	case 8: send(process, 0); return;
	case 9: receive(process, 1); return;
	case 10: receive(process, 0); return;
	case 11: complete(process); return;
	case 12:
		if (!random_below(3))
			collective((enum call)(BARRIER + random_below(4)));
		return;
	case 13: send(process, 1); return;
	case 14: look(process); return;
	case 15:
		if (!random_below(3))
			collective((enum call)(SCAN + random_below(3)));
		return;
	case 16:
		if (!random_below(4))
			epoch();
		return;
	}
}

static void check_pattern(unsigned actions, unsigned *races, unsigned *orders)
{
	memset(&naive, 0, sizeof(naive));
	begin();
	for (unsigned i = 0; i < RANKS; i++)
		step(i);
	for (unsigned i = 0; i < actions; i++)
		act();
	compare(NULL, races, orders);
	assert_false(sharing.knowledge.has_given_up);
	finish();
}

TEST(is_as_naive)
{
	unsigned races = 0, orders = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		seed = i + 1;
		check_pattern(20 + random_below(ACTIONS_MOST - 20), &races, &orders);
	}
	assert_true(races > TRIES && orders > TRIES);
}

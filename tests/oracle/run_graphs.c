/* Compares what the analyzer finds in random scripts with graphs with the naive model: every launch
 * as points and explicit edges, and a race wherever no path leads from one access to the other.
 *
 * A script runs graphs of a few nodes in three streams, with event nodes, updates, switched nodes,
 * other work, events and waits around them. Every finding must be a race of the model, and every
 * buffer that the model has a race on must have a finding (a touch that a later one replaces is not
 * reported twice). Usage: run_graphs [FIRST-SEED COUNT].
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/analysis.h"
#include "base/buf.h"
#include "base/vector.h"
#include "trace/text/text.h"

#define BUFFERS	 4
#define STREAMS	 3
#define EVENTS	 3
#define EXECS	 3
#define NODES	 7
#define CODES	 4
#define CALLS	 30
#define POINTS	 2048
#define WORDS	 (POINTS / 64)
#define NO_POINT UINT32_MAX

enum what { READS, WRITES, RECORDS, WAITS, NOTHING };

struct node {
	enum what what;
	uint32_t object; /* buffer or event */
	uint32_t code;	 /* of a kernel: bit 0 it waits for its grids, bit 1 it triggers */
	uint32_t after;	 /* bits of earlier nodes */
	uint32_t early;	 /* those of them whose edge is programmatic, from kernel to kernel */
	uint32_t begun;	 /* those whose edge is from the port that says that they have begun */
	uint32_t line;
	bool is_disabled;
};

struct exec {
	struct node nodes[NODES];
	uint32_t count, last; /* point of the last launch's end */
};

/* One access of the model. */
struct touch {
	uint32_t start, end; /* points */
	uint32_t buffer, line, launch;
	bool writes;
};

struct model {
	struct sc_buf text;
	uint64_t random;
	uint32_t lines; /* op lines so far */
	uint64_t before[POINTS][WORDS];
	uint32_t points;
	uint32_t host, tails[STREAMS], events[EVENTS];
	struct exec execs[EXECS];
	SC_VECTOR(struct touch) touches;
};

static uint32_t pick(struct model *m, uint32_t below)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (uint32_t)((m->random >> 32) * below >> 32);
}

/* ---- points ---- */

static void edge(struct model *m, uint32_t from, uint32_t to)
{
	if (from == NO_POINT)
		return;
	for (unsigned w = 0; w < WORDS; w++)
		m->before[to][w] |= m->before[from][w];
	m->before[to][from / 64] |= UINT64_C(1) << from % 64;
}

static bool leads(const struct model *m, uint32_t from, uint32_t to)
{
	return m->before[to][from / 64] >> from % 64 & 1;
}

static uint32_t point(struct model *m, uint32_t after)
{
	edge(m, after, m->points);
	return m->points++;
}

static uint32_t host_point(struct model *m)
{
	return m->host = point(m, m->host);
}

/* ---- lines ---- */

static uint32_t say(struct model *m, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	sc_buf_vprintf(&m->text, format, arguments);
	va_end(arguments);
	sc_buf_add_char(&m->text, '\n');
	return ++m->lines;
}

static void touch(struct model *m, uint32_t start, uint32_t end, uint32_t buffer, bool writes,
		  uint32_t line, uint32_t launch)
{
	sc_vector_push(&m->touches, ((struct touch){start, end, buffer, line, launch, writes}));
}

/* ---- graphs ---- */

static bool is_kernel(const struct node *n)
{
	return n->what == READS || n->what == WRITES;
}

static void say_what(struct sc_buf *line, const struct node *n)
{
	if (is_kernel(n))
		sc_buf_printf(line, "kernel k%u %s b%u", n->code,
			      n->what == READS ? "reads" : "writes", n->object);
	else
		sc_buf_printf(line, "%s e%u", n->what == RECORDS ? "record" : "wait", n->object);
}

static void say_node(struct model *m, uint32_t exec, uint32_t index, const char *flag)
{
	struct node *n = &m->execs[exec].nodes[index];
	struct sc_buf line = {0};

	sc_buf_printf(&line, "g%u/%u: ", exec, index);
	if (n->what == NOTHING)
		sc_buf_add(&line, "node 5");
	else
		say_what(&line, n);
	sc_buf_printf(&line, " after=[%s", flag);
	for (uint32_t i = 0; i < index; i++)
		if (n->after >> i & 1)
			sc_buf_printf(&line, " %u%s", i,
				      n->begun >> i & 1	  ? "l"
				      : n->early >> i & 1 ? "p"
							  : "");
	n->line = say(m, "%s]", line.text);
	sc_buf_fini(&line);
}

static void fill_node(struct model *m, struct node *n, enum what what)
{
	n->what = what;
	n->object = pick(m, what == RECORDS || what == WAITS ? EVENTS : BUFFERS);
	n->code = pick(m, CODES);
}

/* Some of the edges between kernels are programmatic (G-8). */
static void loosen(struct model *m, struct exec *e, uint32_t i)
{
	struct node *n = &e->nodes[i];

	for (uint32_t k = 0; k < i && is_kernel(n); k++) {
		if (!(n->after >> k & 1) || !is_kernel(&e->nodes[k]) || pick(m, 3))
			continue;
		n->early |= 1u << k;
		n->begun |= pick(m, 4) ? 0 : 1u << k;
	}
}

static void instantiate(struct model *m, uint32_t exec)
{
	static const enum what kinds[] = {READS, READS, WRITES, WRITES, RECORDS, WAITS, NOTHING};
	struct exec *e = &m->execs[exec];

	host_point(m);
	say(m, "instantiate g%u", exec);
	e->count = 1 + pick(m, NODES);
	for (uint32_t i = 0; i < e->count; i++) {
		e->nodes[i] = (struct node){0};
		fill_node(m, &e->nodes[i], kinds[pick(m, 7)]);
		e->nodes[i].after = pick(m, 1u << i) | (i && pick(m, 3) ? 1u << (i - 1) : 0);
		loosen(m, e, i);
		say_node(m, exec, i, "");
	}
}

/* New parameters, or on and off. */
static void change(struct model *m, uint32_t exec)
{
	struct exec *e = &m->execs[exec];
	uint32_t i = pick(m, e->count), line = e->nodes[i].line;
	struct node *n = &e->nodes[i];

	host_point(m);
	if (pick(m, 2) || !is_kernel(n)) {
		n->is_disabled = !n->is_disabled;
		say_node(m, exec, i, n->is_disabled ? "disabled" : "enabled");
		n->line = line; /* what it does was said before */
	} else {
		fill_node(m, n, pick(m, 2) ? READS : WRITES);
		say_node(m, exec, i, "update");
	}
}

static void run_node(struct model *m, const struct node *n, uint32_t start, uint32_t end,
		     uint32_t launch)
{
	if (n->is_disabled)
		return;
	if (is_kernel(n))
		touch(m, start, end, n->object, n->what == WRITES, n->line, launch);
	else if (n->what == RECORDS)
		m->events[n->object] = start;
}

/* The points of one node in a launch. */
struct run {
	uint32_t begun, used, end,
		all; /* starts, touches memory, is complete, as is what led here */
};

/* L-2, G-8: what an edge gives to the node that it leads to. */
static void follow(struct model *m, const struct node *from, const struct run *x,
		   const struct node *to, struct run *y, uint32_t k)
{
	if (!(to->early >> k & 1)) {
		edge(m, x->all, y->begun);
		return;
	}
	edge(m, from->code & 2 || to->begun >> k & 1 ? x->begun : x->used, y->begun);
}

static void finish(struct model *m, const struct node *n, struct run *runs, uint32_t i)
{
	struct run *y = &runs[i];

	y->used = point(m, y->begun);
	for (uint32_t k = 0; k < i; k++)
		if (n->early >> k & 1 && n->code & 1)
			edge(m, runs[k].end, y->used);
	y->end = point(m, y->used);
	y->all = point(m, y->end);
	for (uint32_t k = 0; k < i; k++)
		if (n->after >> k & 1)
			edge(m, runs[k].all, y->all);
}

static void launch(struct model *m, uint32_t exec, uint32_t stream)
{
	struct exec *e = &m->execs[exec];
	uint32_t start = point(m, host_point(m)), bound[EVENTS], end;
	struct run runs[NODES];
	uint32_t line = say(m, "graph_launch n%u g%u", stream, exec);

	edge(m, m->tails[stream], start);
	edge(m, e->last, start);
	memcpy(bound, m->events, sizeof(bound));
	for (uint32_t i = 0; i < e->count; i++) {
		const struct node *n = &e->nodes[i];

		runs[i].begun = point(m, start);
		for (uint32_t k = 0; k < i; k++)
			if (n->after >> k & 1)
				follow(m, &e->nodes[k], &runs[k], n, &runs[i], k);
		if (n->what == WAITS && !n->is_disabled)
			edge(m, bound[n->object], runs[i].begun);
		finish(m, n, runs, i);
		run_node(m, n, runs[i].used, runs[i].end, line);
	}
	end = point(m, start);
	for (uint32_t i = 0; i < e->count; i++)
		edge(m, runs[i].all, end);
	m->tails[stream] = e->last = end;
}

/* ---- other calls ---- */

static void work(struct model *m, uint32_t stream)
{
	bool writes = pick(m, 2);
	uint32_t buffer = pick(m, BUFFERS), start = point(m, host_point(m)), end;
	uint32_t line = say(m, "kernel n%u %s b%u", stream, writes ? "writes" : "reads", buffer);

	edge(m, m->tails[stream], start);
	end = point(m, start);
	m->tails[stream] = end;
	touch(m, start, end, buffer, writes, line, 0);
}

static void record(struct model *m, uint32_t stream)
{
	uint32_t event = pick(m, EVENTS);

	host_point(m);
	say(m, "record e%u n%u", event, stream);
	m->tails[stream] = m->events[event] = point(m, m->tails[stream]);
}

static void wait(struct model *m, uint32_t stream)
{
	uint32_t event = pick(m, EVENTS);

	host_point(m);
	say(m, "wait n%u e%u", stream, event);
	m->tails[stream] = point(m, m->tails[stream]);
	edge(m, m->events[event], m->tails[stream]);
}

static void host_wait(struct model *m, uint32_t stream)
{
	say(m, "stream_sync n%u", stream);
	edge(m, m->tails[stream], host_point(m));
}

static void host_read(struct model *m)
{
	uint32_t buffer = pick(m, BUFFERS), at = host_point(m);

	touch(m, at, at, buffer, 0, say(m, "host_read b%u 8", buffer), 0);
}

static void call(struct model *m)
{
	uint32_t stream = pick(m, STREAMS);

	switch (pick(m, 14)) {
	case 0:
	case 1: work(m, stream); break;
	case 2: record(m, stream); break;
	case 3:
	case 4: wait(m, stream); break;
	case 5:
	case 6: host_wait(m, stream); break;
	case 7: host_read(m); break;
	case 8: change(m, pick(m, EXECS)); break;
	default: launch(m, pick(m, EXECS), stream); break;
	}
}

static struct model *generate(uint64_t seed)
{
	struct model *m = calloc(1, sizeof(*m));

	m->random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
	m->host = NO_POINT;
	memset(m->tails, 0xff, sizeof(m->tails));
	memset(m->events, 0xff, sizeof(m->events));
	for (uint32_t i = 0; i < BUFFERS; i++)
		say(m, "alloc b%u 64 pinned", i);
	for (uint32_t i = 0; i < CODES; i++)
		say(m, "function k%u value=%u", i, 1 + 2 * i);
	for (uint32_t i = 0; i < EXECS; i++) {
		m->execs[i].last = NO_POINT;
		instantiate(m, i);
	}
	for (unsigned i = 0; i < CALLS; i++)
		call(m);
	return m;
}

/* ---- comparing ---- */

static bool races(const struct model *m, const struct touch *a, const struct touch *b)
{
	return a->buffer == b->buffer && (a->writes || b->writes) && !leads(m, a->end, b->start) &&
	       !leads(m, b->end, a->start) && a->start != b->start;
}

static uint32_t line_of(const struct sc_text_script *s, uint64_t sequence_plus)
{
	return sequence_plus && sequence_plus <= s->op_line_count ? s->op_lines[sequence_plus - 1]
								  : 0;
}

static bool is_side(const struct sc_text_script *s, const struct sc_side *side,
		    const struct touch *t)
{
	return line_of(s, side->op + 1) == t->line && line_of(s, side->launch) == t->launch;
}

/* True if the model has the race of a finding; its buffer is marked as found. */
static bool explain(const struct model *m, const struct sc_text_script *s,
		    const struct sc_finding *f, bool *found)
{
	for (size_t i = 0; i < m->touches.count; i++) {
		const struct touch *a = &m->touches.items[i];

		if (!is_side(s, &f->side[0], a))
			continue;
		for (size_t k = 0; k < m->touches.count; k++) {
			const struct touch *b = &m->touches.items[k];

			if (is_side(s, &f->side[1], b) && races(m, a, b)) {
				found[a->buffer] = 1;
				return 1;
			}
		}
	}
	return 0;
}

static unsigned check_missed(const struct model *m, const bool *found)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < m->touches.count; i++)
		for (size_t k = i + 1; k < m->touches.count; k++) {
			const struct touch *a = &m->touches.items[i], *b = &m->touches.items[k];

			if (found[a->buffer] || !races(m, a, b) || wrong++)
				continue;
			printf("line %u (launch %u) and line %u (launch %u) race; nothing is "
			       "said of buffer %u\n",
			       a->line, a->launch, b->line, b->launch, a->buffer);
		}
	return wrong;
}

static unsigned compare(const struct model *m, const struct sc_text_script *s,
			struct sc_analysis *a)
{
	bool found[BUFFERS] = {0};
	unsigned wrong = 0;
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(a, &count);

	for (size_t i = 0; i < count; i++) {
		if (f[i].sides < 2 || !f[i].side[0].address || explain(m, s, &f[i], found))
			continue;
		wrong++;
		printf("SC-%u: line %u and line %u do not race\n", f[i].rule,
		       line_of(s, f[i].side[0].op + 1), line_of(s, f[i].side[1].op + 1));
	}
	return wrong + check_missed(m, found);
}

/* Where little is remembered, a graph is replaced with each update or two. */
static unsigned judge(struct model *m, const struct sc_text_script *s, size_t remembered)
{
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE, .remembered = remembered};
	struct sc_analysis *a;
	struct sc_reader *r;
	char message[256];
	unsigned wrong;

	if (sc_reader_open_memory(&r, s->trace, s->bytes, message, sizeof(message))) {
		printf("%s\n", message);
		return 1;
	}
	sc_analysis_run(&a, r, &settings);
	wrong = compare(m, s, a);
	sc_analysis_free(a);
	sc_reader_free(r);
	return wrong;
}

static unsigned run_script(uint64_t seed)
{
	struct model *m = generate(seed);
	struct sc_text_script s;
	char message[256];
	unsigned wrong = 1;

	if (sc_text_parse(&s, m->text.text, m->text.bytes, message, sizeof(message)))
		printf("%s\n", message);
	else
		wrong = judge(m, &s, 0) + judge(m, &s, 1);
	if (wrong)
		printf("seed %" PRIu64 ":\n%s", seed, m->text.text);
	sc_text_script_fini(&s);
	sc_vector_fini(&m->touches);
	sc_buf_fini(&m->text);
	free(m);
	return wrong;
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 6000;

	for (uint64_t seed = first; seed < first + count; seed++)
		if (run_script(seed))
			return 1;
	printf("%" PRIu64 " scripts with graphs agree\n", count);
	return 0;
}

/* Words in memory (analyzer/order/talk.h) on random programs, against a naive model.
 *
 * Usage: run_talk PROGRAMS SEED
 *
 * The model writes the whole program as one relation: what CUDA orders, and beside it an edge from
 * each operation that may give a word its value to each that may wait for it, unless it comes after
 * the end of that one; the host does both between any two calls. A race may be proven only if no
 * path joins its two sides. Streams are non-blocking, the host is one thread.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/analysis.h"
#include "trace/text/text.h"

#define OPS	24
#define STREAMS 3
#define HEAD	14 /* lines before the first op */
#define NEVER	1000

enum { HOST = 1, DEVICE = 2, COPY = 4 };

/* What one line of a program does. */
struct kind {
	const char *format; /* of stream and word, or of stream alone */
	unsigned observes, publishes;
	bool tells_host;
	bool is_kernel, is_host_read, is_sync, is_record, is_wait;
	char data; /* x or y that it uses, or 0 */
	bool writes;
};

static const struct kind kinds[] = {
	{.format = "kernel n%u gate observes %s:4", .observes = HOST, .is_kernel = 1},
	{.format = "kernel n%u hearer observes %s:4", .observes = DEVICE, .is_kernel = 1},
	{.format = "kernel n%u both observes %s:4", .observes = HOST | DEVICE, .is_kernel = 1},
	{.format = "kernel n%u teller atomics %s:4", .publishes = DEVICE | COPY, .is_kernel = 1},
	{.format = "kernel n%u caller atomics %s:4",
	 .publishes = DEVICE | COPY,
	 .is_kernel = 1,
	 .tells_host = 1},
	{.format = "write_value n%u %s 1", .publishes = HOST | DEVICE | COPY, .tells_host = 1},
	{.format = "set n%u %s 4", .publishes = HOST | DEVICE | COPY},
	{.format = "copy n%u k <- %s 4", .observes = COPY},
	{.format = "host_func n%u", .publishes = HOST},
	{.format = "kernel n%u plain reads x", .is_kernel = 1, .data = 'x'},
	{.format = "kernel n%u plain writes y", .is_kernel = 1, .data = 'y', .writes = 1},
	{.format = "copy n%u x <- p 64", .data = 'x', .writes = 1},
	{.format = "copy n%u p+64 <- y 64", .data = 'y'},
	{.format = "kernel n%u gate observes %s:4 reads x",
	 .observes = HOST,
	 .is_kernel = 1,
	 .data = 'x'},
	{.format = "stream_sync n%u", .is_sync = 1},
	{.format = "record e1 n%u", .is_record = 1},
	{.format = "wait n%u e1", .is_wait = 1},
	{.format = "host_read h 4", .is_host_read = 1},
};

/* A copy from the host's memory goes to the device's: the host cannot wait by it. */
static const struct kind passes_on = {.format = "copy n%u m <- %s 4"};

/* Words: two of pinned memory, two of the device's. */
static const char *const words[] = {"f", "f+8", "g", "g+8"};

static bool is_of_host(unsigned word)
{
	return word < 2;
}

struct op {
	const struct kind *kind;
	unsigned stream, word;
	uint32_t before; /* ops that are complete when it starts */
	unsigned known;	 /* op by which the host knows its end; NEVER: by none */
};

struct program {
	struct op ops[OPS];
	uint64_t random;
};

static unsigned pick(struct program *p, unsigned below)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (unsigned)((p->random >> 11) % below);
}

/* ---- the model ---- */

/* What CUDA orders. */
static void order(struct program *p)
{
	uint32_t tail[STREAMS] = {0}, host = 0, event = 0;

	for (unsigned i = 0; i < OPS; i++) {
		struct op *o = &p->ops[i];
		uint32_t now = tail[o->stream] | host;

		o->known = NEVER;
		o->before = now;
		if (o->kind->is_sync) {
			for (unsigned k = 0; k < i; k++)
				if (now & 1U << k && p->ops[k].known == NEVER)
					p->ops[k].known = i;
			host |= now;
		} else if (o->kind->is_record) {
			event = now;
		} else if (o->kind->is_wait) {
			tail[o->stream] = now | event;
		} else if (!o->kind->is_host_read) {
			tail[o->stream] = now | 1U << i;
		}
	}
}

static bool is_before(const struct program *p, unsigned x, unsigned y)
{
	return p->ops[y].before >> x & 1;
}

static bool has_word(const struct kind *k)
{
	return k->observes || strstr(k->format, "%s");
}

/* The op may give the observer's word its value while that has not ended. */
static bool may_publish(const struct program *p, unsigned by, unsigned v)
{
	const struct op *a = &p->ops[by], *b = &p->ops[v];

	if (by == v || is_before(p, v, by) || !(a->kind->publishes & b->kind->observes))
		return 0;
	if (a->kind->is_kernel)
		return b->kind->observes & a->kind->publishes && a->word == b->word;
	return has_word(a->kind) ? a->word == b->word : is_of_host(b->word);
}

static bool hears_host(const struct program *p, unsigned v)
{
	return p->ops[v].kind->observes & HOST && is_of_host(p->ops[v].word);
}

/* The host may have learned of the op by what it reads there. */
static bool may_tell(const struct program *p, unsigned by, unsigned at)
{
	const struct op *a = &p->ops[by];

	return a->kind->tells_host && by < at && is_of_host(a->word);
}

/* What comes after the first side. Of several paths that one counts whose newest op is the oldest:
 * what the host does before it enqueues an op comes after nothing that needs this op. */
struct path {
	unsigned first;	      /* side */
	unsigned newest[OPS]; /* of a path to the op, or to a later part of it; NEVER: there is none
			       */
	unsigned host;	      /* the op from which on the host comes after it */
};

static unsigned newer(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static void reach(unsigned *newest, unsigned other)
{
	if (other < *newest)
		*newest = other;
}

static void reach_host(struct path *t, unsigned newest, unsigned at)
{
	if (newest < at)
		reach(&t->host, at);
}

/* What the host does once it knows. */
static void follow_host(const struct program *p, struct path *t, unsigned i)
{
	if (t->host < i)
		reach(&t->newest[i], i);
	if (t->host < NEVER && hears_host(p, i) && p->ops[i].known > t->host &&
	    !is_before(p, i, t->first))
		reach(&t->newest[i], newer(t->host, i));
}

/* One round; false if nothing is new. */
static bool follow(const struct program *p, struct path *t)
{
	struct path old = *t;

	for (unsigned i = 0; i < OPS; i++) {
		unsigned newest = t->newest[i];

		follow_host(p, t, i);
		if (newest == NEVER)
			continue;
		reach_host(t, newest, p->ops[i].known);
		for (unsigned k = 0; k < OPS; k++) {
			bool is_told = may_publish(p, i, k) && newest < p->ops[k].known &&
				       !is_before(p, k, t->first);

			if (is_before(p, i, k) || is_told)
				reach(&t->newest[k], newer(newest, k));
			if (p->ops[k].kind->is_host_read && may_tell(p, i, k))
				reach_host(t, newest, k);
		}
	}
	return memcmp(&old, t, sizeof(old)) != 0;
}

static bool leads(const struct program *p, unsigned x, unsigned y)
{
	struct path t = {.first = x, .host = NEVER};

	for (unsigned i = 0; i < OPS; i++)
		t.newest[i] = NEVER;
	t.newest[x] = x;
	while (follow(p, &t))
		;
	return t.newest[y] != NEVER;
}

/* ---- the engine ---- */

static size_t write_text(const struct program *p, char *text, size_t room)
{
	static const char head[] =
		"alloc x 64\nalloc y 64\nalloc p 128 pinned\n"
		"alloc f 64 pinned\nalloc g 64\nalloc h 64 pinned\nalloc k 64 pinned\n"
		"alloc m 64\n"
		"function gate value=65\nfunction hearer value=257\n"
		"function both value=321\nfunction teller value=129\n"
		"function caller value=161\nfunction plain value=1\n";
	size_t at = (size_t)snprintf(text, room, "%s", head);

	for (unsigned i = 0; i < OPS; i++) {
		const struct op *o = &p->ops[i];

		if (o->kind->is_host_read)
			at += (size_t)snprintf(text + at, room - at, "%s", o->kind->format);
		else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
			at += (size_t)snprintf(text + at, room - at, o->kind->format, o->stream + 1,
					       words[o->word]);
#pragma GCC diagnostic pop
		at += (size_t)snprintf(text + at, room - at, "\n");
	}
	return at;
}

struct tally {
	unsigned long proven, open, missed;
};

/* The op that made a record; OPS: none. */
static unsigned op_of(const struct sc_text_script *s, uint64_t sequence)
{
	uint32_t line = sequence < s->op_line_count ? s->op_lines[sequence] : 0;

	return line > HEAD && line <= HEAD + OPS ? line - HEAD - 1 : OPS;
}

static unsigned compare(const struct program *p, const struct sc_text_script *s,
			const struct sc_analysis *a, struct tally *t)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(a, &count);
	unsigned differences = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned x = op_of(s, f[i].side[0].op), y = op_of(s, f[i].side[1].op);
		bool is_open;

		if (f[i].rule != SC_RULE_105 && f[i].rule != SC_RULE_106)
			continue;
		if (x == OPS || y == OPS || !p->ops[x].kind->data || !p->ops[y].kind->data)
			continue;
		is_open = leads(p, x, y) || leads(p, y, x);
		t->open += is_open;
		t->proven += f[i].confidence == SC_PROVEN;
		t->missed += !is_open && f[i].doubt == SC_DOUBT_TALK;
		if (!is_open || f[i].confidence != SC_PROVEN)
			continue;
		printf("lines %u and %u: proven, but words may order them\n", x + 1, y + 1);
		differences++;
	}
	return differences;
}

static unsigned run(uint64_t seed, struct tally *t)
{
	struct program p = {.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE};
	struct sc_text_script script = {0};
	struct sc_analysis *a;
	struct sc_reader *r;
	char text[4096], message[256];
	size_t bytes;
	unsigned differences;

	for (unsigned i = 0; i < OPS; i++) {
		p.ops[i] = (struct op){.kind = &kinds[pick(&p, sizeof(kinds) / sizeof(*kinds))],
				       .stream = pick(&p, STREAMS),
				       .word = pick(&p, 4)};
		if (p.ops[i].kind->observes == COPY && is_of_host(p.ops[i].word))
			p.ops[i].kind = &passes_on;
	}
	order(&p);
	bytes = write_text(&p, text, sizeof(text));
	if (sc_text_parse(&script, text, bytes, message, sizeof(message)) ||
	    sc_reader_open_memory(&r, script.trace, script.bytes, message, sizeof(message))) {
		printf("seed %" PRIu64 ": %s\n%s", seed, message, text);
		return 1;
	}
	sc_analysis_run(&a, r, &settings);
	differences = compare(&p, &script, a, t);
	if (differences)
		printf("seed %" PRIu64 ":\n%s", seed, strstr(text, "plain value=1\n") + 14);
	sc_analysis_free(a);
	sc_reader_free(r);
	sc_text_script_fini(&script);
	return differences;
}

int main(int argc, char **argv)
{
	unsigned long programs = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct tally t = {0};

	for (unsigned long i = 0; i < programs; i++)
		if (run(seed + i, &t))
			return 1;
	printf("%lu programs from seed %" PRIu64 ": %lu races proven, %lu may be ordered by words; "
	       "%lu more may not, and are not proven\n",
	       programs, seed, t.proven, t.open, t.missed);
	return t.proven < programs / 10 || t.open < programs / 10 || t.missed * 40 > t.proven;
}

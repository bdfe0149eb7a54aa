/* Leaders of findings about two nodes of one launch (analyzer/model/cause.h) on random graphs.
 *
 * Usage: run_edges GRAPHS SEED
 *
 * The dependency that a leader names is added to the graph and nothing else. The changed program is
 * analyzed as a trace of its own: neither the leader nor what is listed under it may be found in
 * it. And no leader is missed: a finding has one if another finding's dependency orders its nodes
 * by the paths of the graph, found here by following the edges.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "extensions/repair/planner/place.h"
#include "base/buf.h"
#include "tests/oracle/changed.h"
#include "trace/text/text.h"

#define NODES	12
#define BUFFERS 6

struct tally {
	size_t findings, followers;
};

/* A graph as text; of each node the nodes before it. */
struct graph {
	struct sc_buf text;
	uint32_t before[NODES];
	uint64_t random;
};

static uint32_t pick(struct graph *g, uint32_t below)
{
	g->random ^= g->random << 13;
	g->random ^= g->random >> 7;
	g->random ^= g->random << 17;
	return (uint32_t)((g->random >> 32) * below >> 32);
}

static void add_node(struct graph *g, uint32_t i)
{
	const char *separator = "";
	uint32_t first = pick(g, BUFFERS), second = pick(g, BUFFERS);

	sc_buf_printf(&g->text, "g1/%" PRIu32 ": kernel %s b%" PRIu32, i,
		      pick(g, 3) ? "updates" : "reads", first);
	if (second != first && pick(g, 2))
		sc_buf_printf(&g->text, " b%" PRIu32, second);
	sc_buf_add(&g->text, " after=[");
	for (uint32_t k = 0; k < i; k++)
		if (!pick(g, 5)) {
			g->before[i] |= g->before[k] | 1U << k;
			sc_buf_printf(&g->text, "%s%" PRIu32, separator, k);
			separator = ", ";
		}
	sc_buf_printf(&g->text, "] stack=%" PRIu32 "\n", i + 1);
}

static void generate(struct graph *g, uint64_t seed)
{
	uint32_t nodes;

	*g = (struct graph){.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
	nodes = 3 + pick(g, NODES - 2);
	sc_buf_add(&g->text, "map 0x10000 65536 0 text=\"/graph\"\n");
	for (uint32_t i = 1; i <= nodes; i++)
		sc_buf_printf(&g->text, "stack %" PRIu32 " frames=[0x%" PRIx32 "]\n", i,
			      0x10000 + i * 16);
	for (uint32_t i = 0; i < BUFFERS; i++)
		sc_buf_printf(&g->text, "alloc b%" PRIu32 " 64\n", i);
	sc_buf_add(&g->text, "instantiate g1\n");
	for (uint32_t i = 0; i < nodes; i++)
		add_node(g, i);
	sc_buf_add(&g->text, "graph_launch s1 g1\ncontext_sync\n");
}

static uint32_t node_of(struct sc_reader *r, const struct sc_side *side)
{
	struct sc_op op;

	return sc_reader_op(r, side->op, &op) ? op.stack - 1 : 0;
}

static bool is_up_to(const struct graph *g, uint32_t x, uint32_t y)
{
	return x == y || g->before[y] >> x & 1;
}

/* The first node of b, that of a, that of a, the second of b: in this order with a's dependency. */
static bool orders(const struct graph *g, struct sc_reader *r, const struct sc_finding *a,
		   const struct sc_finding *b)
{
	return is_up_to(g, node_of(r, &b->side[0]), node_of(r, &a->side[0])) &&
	       is_up_to(g, node_of(r, &a->side[1]), node_of(r, &b->side[1]));
}

/* The program with the dependency that a finding names. */
static struct sc_analysis *mend(struct sc_reader *r, const struct sc_finding *f,
				const struct sc_analysis_settings *settings)
{
	struct sc_repair_depth whole = {.frames = 1, .lines = UINT32_MAX};
	struct sc_edit edit = {.kind = SC_EDIT_EDGE}, *edits[] = {&edit};
	struct sc_op first, second;

	if (f->fix != SC_FIX_EDGE || !sc_reader_op(r, f->fix_after - 1, &first) ||
	    !sc_reader_op(r, f->fix_before - 1, &second))
		return NULL;
	edit.first = sc_place_of(r, first.stack, f->fix_after - 1, whole);
	edit.before = sc_place_of(r, second.stack, f->fix_before - 1, whole);
	return changed_run(r, edits, 1, settings);
}

static unsigned check_ended(struct sc_reader *r, const struct sc_finding *f, size_t count,
			    size_t at, const struct sc_analysis_settings *settings)
{
	struct sc_analysis *after = mend(r, &f[at], settings);
	unsigned differences = 0;

	if (!after) {
		printf("finding %u names no dependency\n", f[at].number);
		return 1;
	}
	for (size_t i = 0; i < count; i++) {
		if ((i != at && f[i].leader != f[at].number) || !changed_has(after, f[i].places))
			continue;
		printf("finding %u stays with the dependency of finding %u\n", f[i].number,
		       f[at].number);
		differences++;
	}
	sc_analysis_free(after);
	return differences;
}

static unsigned check_missed(const struct graph *g, struct sc_reader *r, const struct sc_finding *f,
			     size_t count)
{
	unsigned differences = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count && !f[i].leader; k++) {
			if (k == i || f[k].count < f[i].count || !orders(g, r, &f[k], &f[i]))
				continue;
			printf("finding %u does not follow finding %u\n", f[i].number, f[k].number);
			differences++;
		}
	return differences;
}

static unsigned check(const struct graph *g, struct sc_reader *r, struct tally *t)
{
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE};
	struct sc_analysis *found;
	unsigned differences;
	const struct sc_finding *f;
	size_t count;

	sc_analysis_run(&found, r, &settings);
	f = sc_analysis_findings(found, &count);
	differences = check_missed(g, r, f, count);
	for (size_t i = 0; i < count; i++) {
		t->followers += f[i].leader != 0;
		differences += check_ended(r, f, count, i, &settings);
	}
	t->findings += count;
	sc_analysis_free(found);
	return differences;
}

static unsigned run(uint64_t seed, struct tally *t)
{
	struct sc_text_script s;
	struct sc_reader *r;
	struct graph g;
	char message[256];
	unsigned differences;

	generate(&g, seed);
	if (sc_text_parse(&s, g.text.text, g.text.bytes, message, sizeof(message)) ||
	    sc_reader_open_memory(&r, s.trace, s.bytes, message, sizeof(message))) {
		printf("seed %" PRIu64 ": %s\n%s", seed, message, g.text.text);
		return 1;
	}
	differences = check(&g, r, t);
	if (differences)
		printf("seed %" PRIu64 ":\n%s", seed, g.text.text);
	sc_reader_free(r);
	sc_text_script_fini(&s);
	sc_buf_fini(&g.text);
	return differences;
}

int main(int argc, char **argv)
{
	unsigned long graphs = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct tally t = {0};

	for (unsigned long i = 0; i < graphs; i++)
		if (run(seed + i, &t))
			return 1;
	printf("%lu graphs from seed %" PRIu64 ": %zu findings, %zu of them below others\n", graphs,
	       seed, t.findings, t.followers);
	return !t.followers || t.followers == t.findings;
}

/* streamcheck graph: the nodes and edges of executable graphs, as text or as a page,
 * with the pairs of nodes that nothing orders and that share memory.
 *
 * Nodes and edges are those of the trace. What nodes share is what the analysis knows at the first
 * launch of each instantiation; a graph that was not launched shows its shape only.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analyzer/access/replay.h"
#include "analyzer/memory/shape.h"
#include "cmds/arguments.h"
#include "cmds/command.h"
#include "extensions/questions/graph_page.h"
#include "cmds/files/kept_trace.h"
#include "cmds/check/loaded.h"
#include "cmds/standard_output.h"
#include "cmds/process/terminal.h"
#include "extensions/questions/op_phrases.h"
#include "extensions/questions/path_page.h"
#include "reports/utf8.h"
#include "reports/xml.h"

#define PLACES_MAX SC_GRAPH_NODES_MAX /* more are not read */
#define PAIRS_MAX  200		      /* of one graph; more are counted */
#define LOOKS_MAX  10000000	      /* uses compared with each other, of one graph */

struct node {
	uint64_t sequence; /* of the record that says what it does now, + 1; 0: none did */
	uint32_t parent;   /* + 1 */
	bool is_disabled;
	SC_VECTOR(struct sc_dependency) after;
};

/* Two nodes in no order, and what they share. */
struct pair {
	uint32_t x, y;
	uint64_t first, end; /* bytes, the first piece */
	bool is_exact;	     /* both touch them, certainly */
	bool x_writes, y_writes;
};

/* An instantiation. */
struct graph {
	uint32_t id;
	uint64_t sequence;
	uint64_t launches;
	SC_VECTOR(struct node) nodes;
	SC_VECTOR(struct pair) pairs;
	uint64_t more_pairs;
	bool was_examined;
	bool is_cut; /* not all uses were compared, or not all nodes read */
};

struct shelf {
	SC_VECTOR(struct graph) graphs;
	struct sc_u64_map current; /* ids to number of the newest instantiation */
};

static struct graph *graph_of(const struct shelf *s, uint32_t id)
{
	const uint64_t *number = sc_u64_map_find(&s->current, id);

	return number && *number ? &s->graphs.items[*number - 1] : NULL;
}

static struct node *node_at(struct graph *g, uint32_t place)
{
	if (place >= PLACES_MAX) {
		g->is_cut = 1;
		return NULL;
	}
	while (g->nodes.count <= place)
		sc_vector_push(&g->nodes, (struct node){0});
	return &g->nodes.items[place];
}

/* A new node, or what changed of a known one. */
static void read_node(struct shelf *s, const struct sc_record *r)
{
	uint32_t bytes = 0;
	const struct sc_node *place = sc_record_attachment(r, SC_ATTACH_NODE, &bytes);
	const struct sc_dependency *after;
	struct graph *g = graph_of(s, r->op.peer);
	struct node *n;

	if (!g || !place || bytes < sizeof(*place))
		return;
	n = node_at(g, place->index);
	if (!n)
		return;
	if (place->flags & (SC_NODE_DISABLED | SC_NODE_ENABLED))
		n->is_disabled = place->flags & SC_NODE_DISABLED;
	else if (!(place->flags & SC_NODE_MORE))
		n->sequence = r->sequence + 1;
	if (place->flags & ~(uint32_t)SC_NODE_MORE)
		return;
	n->parent = place->flags & SC_NODE_MORE ? n->parent : place->parent;
	after = (const struct sc_dependency *)(place + 1);
	for (size_t i = 0; i < (bytes - sizeof(*place)) / sizeof(*after); i++)
		sc_vector_push(&n->after, after[i]);
}

static void read_graphs(struct shelf *s, struct sc_reader *r)
{
	struct sc_record record;

	sc_reader_rewind(r);
	while (sc_reader_next(r, &record) > 0) {
		struct graph *g = graph_of(s, record.op.object);

		if (record.op.kind == SC_OP_INSTANTIATE && !record.op.result) {
			sc_vector_push(&s->graphs, ((struct graph){.id = record.op.object,
								   .sequence = record.sequence}));
			*sc_u64_map_get(&s->current, record.op.object) = s->graphs.count;
		} else if (record.op.flags & SC_FLAG_NODE) {
			read_node(s, &record);
		} else if (record.op.kind == SC_OP_GRAPH_LAUNCH && g && !record.op.result) {
			g->launches++;
		}
	}
}

static void shelf_fini(struct shelf *s)
{
	for (size_t i = 0; i < s->graphs.count; i++) {
		struct graph *g = &s->graphs.items[i];

		for (size_t k = 0; k < g->nodes.count; k++)
			sc_vector_fini(&g->nodes.items[k].after);
		sc_vector_fini(&g->nodes);
		sc_vector_fini(&g->pairs);
	}
	sc_vector_fini(&s->graphs);
	sc_u64_map_fini(&s->current);
}

/* What nodes share. */

struct use {
	const struct sc_replay_use *use;
	uint32_t place;
};

typedef SC_VECTOR(struct use) uses;

static bool is_shared(const struct graph *g, uint32_t x, uint32_t y)
{
	for (size_t i = 0; i < g->pairs.count; i++)
		if (g->pairs.items[i].x == x && g->pairs.items[i].y == y)
			return 1;
	return 0;
}

static void compare(struct graph *g, const struct sc_graph *exec, const struct use *a,
		    const struct use *b)
{
	const struct sc_access *x = &a->use->use.shape, *y = &b->use->use.shape;
	uint32_t i = exec->current[a->place], k = exec->current[b->place];
	struct pair pair = {.x = a->place, .y = b->place};

	if (a->place == b->place || (!sc_mode_writes(x->mode) && !sc_mode_writes(y->mode)) ||
	    sc_graph_reaches(exec, i, k) || sc_graph_reaches(exec, k, i) ||
	    sc_graph_excludes(exec, i, k) || !sc_shape_overlap(x, y, &pair.first, &pair.end) ||
	    is_shared(g, a->place, b->place))
		return;
	if (g->pairs.count == PAIRS_MAX) {
		g->more_pairs++;
		return;
	}
	pair.is_exact = x->known == SC_KNOWN_EXACT && y->known == SC_KNOWN_EXACT;
	pair.x_writes = sc_mode_writes(x->mode);
	pair.y_writes = sc_mode_writes(y->mode);
	sc_vector_push(&g->pairs, pair);
}

static int by_group(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->use->group != y->use->group)
		return x->use->group < y->use->group ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void examine(struct graph *g, const struct sc_exec *e)
{
	const struct sc_replay *r = e->replay;
	uint64_t looks = 0;
	uses all = {0};

	g->was_examined = 1;
	for (uint32_t place = 0; place < e->graph->places; place++)
		for (uint32_t i = 0; i < r->parts[place].count; i++)
			sc_vector_push(
				&all,
				((struct use){&r->uses.items[r->parts[place].first + i], place}));
	if (all.count)
		qsort(all.items, all.count, sizeof(*all.items), by_group);
	for (size_t i = 0; i < all.count; i++)
		for (size_t k = i + 1;
		     k < all.count && all.items[k].use->group == all.items[i].use->group; k++) {
			if (++looks > LOOKS_MAX) {
				g->is_cut = 1;
				sc_vector_fini(&all);
				return;
			}
			compare(g, e->graph, &all.items[i], &all.items[k]);
		}
	sc_vector_fini(&all);
}

static void see(void *data, struct sc_order *o, const struct sc_step *step)
{
	const struct shelf *s = data;
	const struct sc_exec *e;

	if (step->op->kind != SC_OP_GRAPH_LAUNCH || !step->is_enqueued)
		return;
	e = sc_exec_find(&o->execs, step->op->object);
	for (size_t i = 0; e && e->graph && e->replay && i < s->graphs.count; i++) {
		struct graph *g = &s->graphs.items[i];

		if (g->id == e->id && g->sequence == e->graph->sequence && !g->was_examined &&
		    e->graph->is_sealed && !e->graph->is_broken && e->replay->graph == e->graph)
			examine(g, e);
	}
}

/* Printing. */

struct page {
	struct sc_buf *out;
	struct sc_op_phrases ops;
};

/* What the node does, less that it is a node. */
static void add_node_name(struct page *p, const struct node *n, uint32_t place)
{
	const char *text =
		n->sequence ? sc_op_phrases_text(&p->ops, n->sequence - 1) : "not in the trace";
	const char *where = n->sequence ? sc_op_phrases_place(&p->ops, n->sequence - 1) : "";
	const char *end = strstr(text, ", node ");

	sc_buf_printf(p->out, "node %" PRIu32 ": ", place);
	sc_buf_add_bytes(p->out, text, end ? (size_t)(end - text) : strlen(text));
	if (*where)
		sc_buf_printf(p->out, " at %s", where);
	if (n->is_disabled)
		sc_buf_add(p->out, " (disabled)");
}

static void add_shared(struct page *p, const struct pair *pair)
{
	sc_buf_printf(p->out, "%" PRIu64 " bytes at 0x%" PRIx64 ", %s and %s%s",
		      pair->end - pair->first, pair->first, pair->x_writes ? "write" : "read",
		      pair->y_writes ? "write" : "read",
		      pair->is_exact ? "" : "; perhaps not all of them");
}

static void print_head(struct page *p, const struct graph *g)
{
	const char *where = sc_op_phrases_place(&p->ops, g->sequence);

	sc_buf_printf(p->out, "graph %" PRIu32 ": ", g->id);
	sc_words_count(p->out, g->nodes.count, "node");
	if (*where)
		sc_buf_printf(p->out, ", instantiated at %s", where);
	sc_buf_printf(p->out, " (operation %" PRIu64 "), launched ", g->sequence);
	sc_words_count(p->out, g->launches, "time");
	sc_buf_add_char(p->out, '\n');
}

static const char *port_text(const struct sc_dependency *d)
{
	if (d->port == 1)
		return " (its trigger)";
	return d->port == 2 ? " (its start)" : "";
}

static void print_text(struct page *p, const struct graph *g)
{
	print_head(p, g);
	for (uint32_t i = 0; i < g->nodes.count; i++) {
		const struct node *n = &g->nodes.items[i];

		sc_buf_add(p->out, "  ");
		add_node_name(p, n, i);
		if (n->parent)
			sc_buf_printf(p->out, ", inside node %" PRIu32, n->parent - 1);
		for (size_t k = 0; k < n->after.count; k++)
			sc_buf_printf(p->out, "%s %" PRIu32 "%s", k ? "," : "; after node",
				      n->after.items[k].node, port_text(&n->after.items[k]));
		sc_buf_add_char(p->out, '\n');
	}
	for (size_t i = 0; i < g->pairs.count; i++) {
		sc_buf_printf(p->out, "  not ordered: nodes %" PRIu32 " and %" PRIu32 " share ",
			      g->pairs.items[i].x, g->pairs.items[i].y);
		add_shared(p, &g->pairs.items[i]);
		sc_buf_add_char(p->out, '\n');
	}
	if (g->more_pairs)
		sc_buf_printf(p->out, "  and %" PRIu64 " more such uses\n", g->more_pairs);
	if (!g->was_examined && g->launches)
		sc_buf_add(p->out,
			   "  nodes or edges are missing, so what its nodes share is not known\n");
	else if (!g->was_examined)
		sc_buf_add(p->out, "  not launched, so what its nodes share is not known\n");
	else if (!g->pairs.count)
		sc_buf_add(p->out,
			   "  no two nodes without an order share memory that one writes\n");
	if (g->is_cut)
		sc_buf_add(p->out, "  too large: not all of it was compared\n");
}

static void take_node(struct page *p, struct sc_graph_drawing *d, const struct node *n,
		      uint32_t place)
{
	struct sc_buf *out = p->out;

	sc_vector_push(&d->nodes, ((struct sc_buf){0}));
	p->out = sc_vector_last(&d->nodes);
	add_node_name(p, n, place);
	p->out = out;
	if (n->parent)
		sc_graph_drawing_add(d, n->parent - 1, place, SC_GRAPH_INSIDE);
	for (size_t i = 0; i < n->after.count; i++)
		sc_graph_drawing_add(d, n->after.items[i].node, place,
				     n->after.items[i].port ? SC_GRAPH_EARLY : SC_GRAPH_EDGE);
}

/* The drawing, and the text below it. */
static void print_html(struct page *p, const struct graph *g)
{
	struct sc_graph_drawing drawing = {0};
	struct sc_buf *out = p->out, text = {0};
	size_t head;

	for (uint32_t i = 0; i < g->nodes.count; i++)
		take_node(p, &drawing, &g->nodes.items[i], i);
	for (size_t i = 0; i < g->pairs.count; i++) {
		p->out = sc_graph_drawing_add(&drawing, g->pairs.items[i].x, g->pairs.items[i].y,
					      SC_GRAPH_UNORDERED);
		sc_buf_add(p->out, "not ordered: ");
		add_shared(p, &g->pairs.items[i]);
	}
	p->out = &text;
	print_text(p, g);
	p->out = out;
	head = strcspn(text.text, "\n");
	text.text[head] = '\0';
	sc_graph_drawing_print(out, &drawing, text.text);
	sc_buf_add(out, "<pre>");
	sc_xml_add(out, text.text + head + 1);
	sc_buf_add(out, "</pre>\n");
	sc_buf_fini(&text);
	sc_graph_drawing_fini(&drawing);
}

/* The ways to print, by the names of formats. */
static const struct way {
	const char *format;
	void (*print)(struct page *p, const struct graph *g);
} ways[] = {{"text", print_text}, {"html", print_html}};

static const struct way *way_of(const struct sc_options *o)
{
	const char *format = sc_report_at(o->format)->name;

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].format, format))
			return &ways[i];
	sc_die("graph: option format is text or html here, not %s", format);
}

static void print_all(struct page *p, const struct shelf *s, const char *wanted,
		      const struct way *way)
{
	uint32_t id = wanted ? (uint32_t)strtoul(wanted + (*wanted == 'g'), NULL, 10) : 0;
	size_t printed = 0;

	for (size_t i = 0; i < s->graphs.count; i++) {
		const struct graph *g = &s->graphs.items[i];

		if (wanted && g->id != id)
			continue;
		sc_op_phrases_want(&p->ops, g->sequence);
		for (size_t k = 0; k < g->nodes.count; k++)
			if (g->nodes.items[k].sequence)
				sc_op_phrases_want(&p->ops, g->nodes.items[k].sequence - 1);
		printed++;
	}
	if (!printed && wanted)
		sc_die("graph: the trace has no executable graph %s", wanted);
	if (!printed)
		sc_warn("graph: no graph was instantiated");
	sc_op_phrases_fetch(&p->ops);
	for (size_t i = 0; i < s->graphs.count; i++)
		if (!wanted || s->graphs.items[i].id == id)
			way->print(p, &s->graphs.items[i]);
}

/* A number, as in reports: 14, or g14. */
static bool is_graph(const char *word)
{
	const char *digits = word + (*word == 'g');

	return *digits && strspn(digits, "0123456789") == strlen(digits);
}

int sc_cmd_graph(int argc, char **argv)
{
	char directory[PATH_MAX], path[PATH_MAX];
	struct sc_options options;
	struct sc_report_style style;
	struct sc_buf out = {0};
	struct page page = {.out = &out};
	struct shelf shelf = {0};
	struct sc_watch watch = {.see = see, .data = &shelf};
	struct sc_loaded l;
	int first = sc_arguments_read(&options, sc_command_find("graph"), argc, argv);
	bool has_graph = argc > first && is_graph(argv[argc - 1]);
	const struct way *way = way_of(&options);

	if (argc - first > 1 + has_graph)
		sc_die("graph: usage: streamcheck graph [options] [TRACE] [GRAPH], where GRAPH is "
		       "the number of an executable graph");
	sc_kept_choose(path, "graph", argc - first == 1 + has_graph ? argv[first] : NULL);
	if (sc_loaded_open(&l, path, &options, 0))
		return SC_EXIT_USAGE;
	sc_loaded_warn(&l, "graph", path);
	sc_loaded_name_all(&l);
	read_graphs(&shelf, l.reader);
	sc_analysis_free(sc_loaded_analyse(l.reader, path, &options, &watch));
	sc_terminal_style(&style, STDOUT_FILENO, (unsigned)options.color, directory);
	sc_op_phrases_init(&page.ops, &l.report, style.directory);
	if (way->print == print_html)
		sc_path_page_begin(&out, "streamcheck graph");
	print_all(&page, &shelf, has_graph ? argv[argc - 1] : NULL, way);
	if (way->print == print_html)
		sc_path_page_end(&out);
	sc_op_phrases_fini(&page.ops);
	shelf_fini(&shelf);
	sc_loaded_close(&l);
	return sc_print_and_free(&out);
}

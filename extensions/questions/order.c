/* streamcheck order: whether one operation is complete before another starts, and by which calls.
 *
 * The verdicts are those of the ordering engine, asked in one more analysis; the calls are those of
 * its trails (analyzer/order/trail.h). Where a word means many operations, all pairs are counted,
 * and the first of each kind are shown.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analyzer/order/trail.h"
#include "cmds/arguments.h"
#include "cmds/command.h"
#include "cmds/files/kept_trace.h"
#include "cmds/check/loaded.h"
#include "extensions/questions/operand.h"
#include "extensions/questions/path_page.h"
#include "cmds/standard_output.h"
#include "cmds/process/terminal.h"
#include "extensions/questions/op_phrases.h"
#include "reports/json_writer.h"
#include "reports/text/text_layout.h"

#define SHOWN 3 /* pairs of one kind */

enum verdict { UNORDERED, FORWARD, BACKWARD, VERDICTS };

static const char *const verdict_ids[] = {
	[UNORDERED] = "none", [FORWARD] = "before", [BACKWARD] = "after"};

struct edge {
	uint64_t sequence;
	uint8_t rule;
};

/* Two operations, by their places in the operands. */
struct pair {
	uint8_t verdict;
	size_t edge_count;
	struct edge *edges; /* owned: from the earlier operation on, which is not among them */
};

struct question {
	const struct sc_loaded *loaded;
	struct sc_operand operands[2];
	struct sc_trail *trails[2]; /* owned: of the operations */
	struct pair *pairs;	    /* owned: rows are those of the first */
	uint64_t counts[VERDICTS];
};

static struct pair *pair_of(const struct question *q, unsigned side, size_t mine, size_t other)
{
	size_t columns = q->operands[1].ops.count;

	return side ? &q->pairs[other * columns + mine] : &q->pairs[mine * columns + other];
}

/* Takes the path that leads to a link. */
static void take_path(struct pair *p, const struct sc_trail *t, uint32_t number)
{
	size_t count = 0;

	for (uint32_t i = number; i > 1; i = t->links.items[i - 1].from)
		count++;
	p->edges = calloc(count + 1, sizeof(*p->edges));
	if (!p->edges)
		sc_die("out of memory");
	p->edge_count = count;
	for (uint32_t i = number; i > 1; i = t->links.items[i - 1].from)
		p->edges[--count] =
			(struct edge){t->links.items[i - 1].sequence, t->links.items[i - 1].rule};
}

/* The operation of a step comes after some of the other word's. */
static void judge(struct question *q, struct sc_order *o, const struct sc_step *step, unsigned side,
		  size_t mine)
{
	for (size_t i = 0; i < q->operands[!side].ops.count; i++) {
		struct sc_trail *t = &q->trails[!side][i];
		struct pair *p = pair_of(q, side, mine, i);

		if (p->verdict || !sc_trail_is_after(t, step))
			continue;
		p->verdict = side ? FORWARD : BACKWARD;
		take_path(p, t, sc_trail_reach(t, o, step));
	}
}

static bool reaches(const struct sc_graph *g, uint32_t x, uint32_t y)
{
	return sc_graph_reaches(g, g->current[x], g->current[y]);
}

/* The dependencies that lead from one node to another, as a path. Of the nodes between the two,
 * that which is last in a topological order is before the end with nothing between. */
static void take_nodes(struct pair *p, const struct sc_graph *g, uint32_t from, uint32_t to)
{
	p->edges = calloc(g->places, sizeof(*p->edges));
	if (!p->edges)
		sc_die("out of memory");
	for (uint32_t i = g->places; i-- > 0 && to != from;) {
		uint32_t place = g->topology->rows.order[i];

		if (place >= g->places || (place != from && !reaches(g, from, place)) ||
		    !reaches(g, place, to))
			continue;
		p->edges[p->edge_count++] =
			(struct edge){sc_graph_at(g, to)->sequence, SC_TRAIL_NODE};
		to = place;
	}
	for (size_t i = 0; i < p->edge_count / 2; i++) {
		struct edge other = p->edges[i];

		p->edges[i] = p->edges[p->edge_count - 1 - i];
		p->edges[p->edge_count - 1 - i] = other;
	}
}

/* Two nodes of one launch. */
static void judge_nodes(struct question *q, const struct sc_order *o, const struct sc_step *step,
			size_t a, size_t b)
{
	const struct sc_exec *e = sc_exec_find(&o->execs, step->op->object);
	uint32_t x = q->operands[0].ops.items[a].node, y = q->operands[1].ops.items[b].node;
	const struct sc_graph *g = e ? e->graph : NULL;
	struct pair *p = pair_of(q, 0, a, b);

	if (!g || !g->is_sealed || g->is_broken || x >= g->places || y >= g->places || x == y)
		return;
	if (reaches(g, x, y))
		p->verdict = FORWARD;
	else if (reaches(g, y, x))
		p->verdict = BACKWARD;
	if (p->verdict)
		take_nodes(p, g, p->verdict == FORWARD ? x : y, p->verdict == FORWARD ? y : x);
}

static void see(void *data, struct sc_order *o, const struct sc_step *step)
{
	struct question *q = data;
	bool is_moment = sc_trail_is_moment(step);

	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < q->operands[side].ops.count; i++)
			sc_trail_see(&q->trails[side][i], o, step);
	for (unsigned side = 0; is_moment && side < 2; side++)
		for (size_t i = 0; i < q->operands[side].ops.count; i++)
			if (q->operands[side].ops.items[i].sequence == step->sequence)
				judge(q, o, step, side, i);
	if (!is_moment || step->op->kind != SC_OP_GRAPH_LAUNCH)
		return;
	for (size_t a = 0; a < q->operands[0].ops.count; a++)
		for (size_t b = 0; b < q->operands[1].ops.count; b++)
			if (q->operands[0].ops.items[a].sequence == step->sequence &&
			    q->operands[1].ops.items[b].sequence == step->sequence)
				judge_nodes(q, o, step, a, b);
}

static bool op_of(const void *data, uint64_t sequence, struct sc_op *out)
{
	return sc_reader_op(data, sequence, out);
}

static bool is_one(const struct question *q, size_t a, size_t b)
{
	return q->operands[0].ops.items[a].shown == q->operands[1].ops.items[b].shown &&
	       q->operands[0].ops.items[a].sequence == q->operands[1].ops.items[b].sequence;
}

static void ask(struct question *q, const char *path, const struct sc_options *options)
{
	struct sc_watch watch = {.see = see, .data = q};
	size_t rows = q->operands[0].ops.count, columns = q->operands[1].ops.count;

	q->pairs = calloc(rows * columns, sizeof(*q->pairs));
	for (unsigned side = 0; side < 2; side++) {
		size_t count = q->operands[side].ops.count;

		q->trails[side] = calloc(count, sizeof(*q->trails[side]));
		if (!q->pairs || !q->trails[side])
			sc_die("out of memory");
		for (size_t i = 0; i < count; i++)
			q->trails[side][i] = (struct sc_trail){
				.op_of = op_of,
				.data = q->loaded->reader,
				.sequence = q->operands[side].ops.items[i].sequence,
				.start = q->operands[side].ops.items[i].start};
	}
	sc_analysis_free(sc_loaded_analyse(q->loaded->reader, path, options, &watch));
	for (size_t a = 0; a < rows; a++)
		for (size_t b = 0; b < columns; b++)
			q->counts[pair_of(q, 0, a, b)->verdict] += !is_one(q, a, b);
}

static void question_fini(struct question *q)
{
	for (size_t i = 0; i < q->operands[0].ops.count * q->operands[1].ops.count; i++)
		free(q->pairs[i].edges);
	for (unsigned side = 0; side < 2; side++) {
		for (size_t i = 0; i < q->operands[side].ops.count; i++)
			sc_trail_fini(&q->trails[side][i]);
		free(q->trails[side]);
		sc_operand_fini(&q->operands[side]);
	}
	free(q->pairs);
}

/* Who prints pairs: the first SHOWN of each verdict, in order. */
typedef void show_fn(void *to, const struct question *q, size_t a, size_t b);

static void each_shown(const struct question *q, show_fn *show, void *to)
{
	unsigned shown[VERDICTS] = {0};

	for (size_t a = 0; a < q->operands[0].ops.count; a++)
		for (size_t b = 0; b < q->operands[1].ops.count; b++)
			if (!is_one(q, a, b) && shown[pair_of(q, 0, a, b)->verdict]++ < SHOWN)
				show(to, q, a, b);
}

static void want(void *to, const struct question *q, size_t a, size_t b)
{
	const struct pair *p = pair_of(q, 0, a, b);
	const struct sc_operand_op *ops[] = {&q->operands[0].ops.items[a],
					     &q->operands[1].ops.items[b]};

	for (unsigned i = 0; i < 2; i++) {
		sc_op_phrases_want(to, ops[i]->shown);
		sc_op_phrases_want(to, ops[i]->sequence);
	}
	for (size_t i = 0; i < p->edge_count; i++)
		sc_op_phrases_want(to, p->edges[i].sequence);
}

struct page {
	struct sc_buf *out;
	struct sc_report_style style;
	struct sc_op_phrases ops;
	struct sc_buf phrase;
	struct sc_json json;
};

static void print(struct page *p, const char *label)
{
	sc_layout_fact(p->out, &p->style, label, sc_buf_text(&p->phrase));
	sc_buf_clear(&p->phrase);
}

static void print_op(struct page *p, const struct sc_operand_op *op, const char *label)
{
	sc_op_phrases_add(&p->phrase, &p->ops, op->shown);
	if (op->node != SC_NO_PLACE) {
		sc_buf_add(&p->phrase, ", run by ");
		sc_op_phrases_add(&p->phrase, &p->ops, op->sequence);
	}
	print(p, label);
}

static const char *verdict_sentence(const struct question *q, size_t a, size_t b)
{
	bool is_inside = q->operands[0].ops.items[a].node != SC_NO_PLACE ||
			 q->operands[1].ops.items[b].node != SC_NO_PLACE;
	bool is_same = q->operands[0].ops.items[a].sequence == q->operands[1].ops.items[b].sequence;

	switch (pair_of(q, 0, a, b)->verdict) {
	case FORWARD: return "yes: the first is complete when the second starts";
	case BACKWARD:
		return "yes, the other way round: the second is complete when the first starts";
	default:
		return is_inside && !is_same ? "no: nothing guarantees an order of the launch as a "
					       "whole and the other"
					     : "no: nothing guarantees that one is complete when "
					       "the other starts";
	}
}

static void print_pair(void *to, const struct question *q, size_t a, size_t b)
{
	struct page *page = to;
	const struct pair *p = pair_of(q, 0, a, b);

	print_op(page, &q->operands[0].ops.items[a], "first");
	print_op(page, &q->operands[1].ops.items[b], "second");
	sc_buf_add(&page->phrase, verdict_sentence(q, a, b));
	print(page, "ordered");
	for (size_t i = 0; i < p->edge_count; i++) {
		const struct sc_trail_row *row = &sc_trail_rows[p->edges[i].rule];

		sc_op_phrases_add(&page->phrase, &page->ops, p->edges[i].sequence);
		sc_buf_printf(&page->phrase, ": %s", row->sentence);
		print(page, row->rule);
	}
}

static void print_counts(struct page *page, const struct question *q)
{
	uint64_t pairs = q->counts[UNORDERED] + q->counts[FORWARD] + q->counts[BACKWARD];

	if (pairs == 1 && !q->operands[0].more && !q->operands[1].more)
		return;
	sc_buf_printf(&page->phrase,
		      "%" PRIu64 " pairs of %zu and %zu operations: in %" PRIu64
		      " the first is before the second, in %" PRIu64 " after it, %" PRIu64
		      " are not ordered; up to %d of each kind are shown",
		      pairs, q->operands[0].ops.count, q->operands[1].ops.count, q->counts[FORWARD],
		      q->counts[BACKWARD], q->counts[UNORDERED], SHOWN);
	print(page, "pairs");
	for (unsigned i = 0; i < 2; i++)
		if (q->operands[i].more) {
			sc_buf_printf(&page->phrase,
				      "%" PRIu64
				      " more operations are called %s; only the first %d "
				      "were looked at",
				      q->operands[i].more, q->operands[i].word, SC_OPERAND_MAX);
			print(page, "left out");
		}
}

static void put_op(struct page *p, const char *key, uint64_t sequence, uint64_t launch)
{
	sc_json_open(&p->json, key, '{');
	sc_json_number(&p->json, "sequence", sequence);
	if (launch != sequence)
		sc_json_number(&p->json, "launch", launch);
	sc_json_text(&p->json, "text", sc_op_phrases_text(&p->ops, sequence));
	sc_json_text(&p->json, "place", sc_op_phrases_place(&p->ops, sequence));
}

static void put_pair(void *to, const struct question *q, size_t a, size_t b)
{
	struct page *page = to;
	const struct pair *p = pair_of(q, 0, a, b);
	const struct sc_operand_op *ops[] = {&q->operands[0].ops.items[a],
					     &q->operands[1].ops.items[b]};

	sc_json_open(&page->json, NULL, '{');
	for (unsigned i = 0; i < 2; i++) {
		put_op(page, i ? "second" : "first", ops[i]->shown, ops[i]->sequence);
		sc_json_close(&page->json, '}');
	}
	sc_json_text(&page->json, "order", verdict_ids[p->verdict]);
	sc_json_open(&page->json, "path", '[');
	for (size_t i = 0; i < p->edge_count; i++) {
		put_op(page, NULL, p->edges[i].sequence, p->edges[i].sequence);
		sc_json_text(&page->json, "rule", sc_trail_rows[p->edges[i].rule].rule);
		sc_json_text(&page->json, "why", sc_trail_rows[p->edges[i].rule].sentence);
		sc_json_close(&page->json, '}');
	}
	sc_json_close(&page->json, ']');
	sc_json_close(&page->json, '}');
}

static void put_all(struct page *page, const struct question *q)
{
	static const char *const keys[] = {"first_operations", "second_operations"};

	page->json = (struct sc_json){.out = page->out};
	sc_json_open(&page->json, NULL, '{');
	for (unsigned i = 0; i < 2; i++)
		sc_json_number(&page->json, keys[i],
			       q->operands[i].ops.count + q->operands[i].more);
	sc_json_number(&page->json, "left_out", q->operands[0].more + q->operands[1].more);
	sc_json_number(&page->json, "before", q->counts[FORWARD]);
	sc_json_number(&page->json, "after", q->counts[BACKWARD]);
	sc_json_number(&page->json, "unordered", q->counts[UNORDERED]);
	sc_json_open(&page->json, "pairs", '[');
	each_shown(q, put_pair, page);
	sc_json_close(&page->json, ']');
	sc_json_close(&page->json, '}');
}

/* As a page. */

static void add_lane(struct sc_buf *out, const struct question *q, uint64_t sequence)
{
	struct sc_op op;

	if (!sc_reader_op(q->loaded->reader, sequence, &op))
		sc_buf_add(out, "not known");
	else if (op.flags & SC_FLAG_NODE)
		sc_buf_printf(out, "graph %" PRIu32, op.peer);
	else if (op.stream && sc_op_kind_class(op.kind) == SC_CLASS_ENQUEUE)
		sc_buf_printf(out, "stream %" PRIu32, op.stream);
	else
		sc_buf_printf(out, "host, thread %" PRIu32, op.thread);
}

static struct sc_path_point *add_point(struct sc_path_drawing *path, const struct page *page,
				       const struct question *q, uint64_t sequence)
{
	struct sc_path_point *point = sc_path_point_add(path);

	sc_buf_add(&point->text, sc_op_phrases_text(&page->ops, sequence));
	sc_buf_add(&point->place, sc_op_phrases_place(&page->ops, sequence));
	add_lane(&point->lane, q, sequence);
	return point;
}

/* From the earlier operation on; the last edge leads to the later one. */
static void draw_pair(void *to, const struct question *q, size_t a, size_t b)
{
	struct page *page = to;
	const struct pair *p = pair_of(q, 0, a, b);
	const struct sc_operand_op *ops[] = {&q->operands[0].ops.items[a],
					     &q->operands[1].ops.items[b]};
	struct sc_path_drawing path = {0};

	add_point(&path, page, q, ops[p->verdict == BACKWARD]->shown);
	for (size_t i = 0; i < p->edge_count; i++) {
		const struct sc_trail_row *row = &sc_trail_rows[p->edges[i].rule];
		struct sc_path_point *point = add_point(&path, page, q, p->edges[i].sequence);

		point->rule = row->rule;
		point->why = row->sentence;
	}
	if (!p->edge_count)
		add_point(&path, page, q, ops[p->verdict != BACKWARD]->shown);
	sc_path_page_add(page->out, verdict_sentence(q, a, b), &path);
	sc_path_drawing_fini(&path);
}

static void draw_all(struct page *page, const struct question *q)
{
	sc_buf_printf(&page->phrase, "streamcheck order %s %s", q->operands[0].word,
		      q->operands[1].word);
	sc_path_page_begin(page->out, page->phrase.text);
	sc_buf_clear(&page->phrase);
	sc_buf_printf(&page->phrase,
		      "Pairs with the first before the second: %" PRIu64 "; after it: %" PRIu64
		      "; not ordered: %" PRIu64 ". Up to %d of each kind are drawn.",
		      q->counts[FORWARD], q->counts[BACKWARD], q->counts[UNORDERED], SHOWN);
	sc_path_page_note(page->out, page->phrase.text);
	each_shown(q, draw_pair, page);
	sc_path_page_end(page->out);
}

/* Of the formats of reports there are three here. */
static void check_format(const struct sc_options *o)
{
	const char *format = sc_report_at(o->format)->name;

	if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0 &&
	    strcmp(format, "html") != 0)
		sc_die("order: option format is text, json or html here, not %s", format);
}

static void answer(struct question *q, struct page *page, const struct sc_options *options)
{
	each_shown(q, want, &page->ops);
	sc_op_phrases_fetch(&page->ops);
	if (options->format == SC_FORMAT_JSON) {
		put_all(page, q);
		return;
	}
	if (!strcmp(sc_report_at(options->format)->name, "html")) {
		draw_all(page, q);
		return;
	}
	print_counts(page, q);
	each_shown(q, print_pair, page);
}

int sc_cmd_order(int argc, char **argv)
{
	char directory[PATH_MAX], path[PATH_MAX];
	struct sc_options options;
	struct sc_buf out = {0};
	struct page page = {.out = &out};
	struct question q = {0};
	struct sc_loaded l;
	int first = sc_arguments_read(&options, sc_command_find("order"), argc, argv);

	if (argc - first != 2 && argc - first != 3)
		sc_die("order: expected two operations; usage: streamcheck order [options] [TRACE] "
		       "FIRST SECOND, where an operation is a number, FILE:LINE, a kernel's name, "
		       "or gGRAPH.NODE");
	check_format(&options);
	sc_kept_choose(path, "order", argc - first == 3 ? argv[first] : NULL);
	if (sc_loaded_open(&l, path, &options, 0))
		return SC_EXIT_USAGE;
	sc_loaded_warn(&l, "order", path);
	sc_loaded_name_all(&l);
	q.loaded = &l;
	q.operands[0].word = argv[argc - 2];
	q.operands[1].word = argv[argc - 1];
	sc_operands_find(q.operands, &l.report);
	for (unsigned i = 0; i < 2; i++)
		if (!q.operands[i].ops.count)
			sc_die("order: no operation is called %s in %s", q.operands[i].word, path);
	ask(&q, path, &options);
	sc_terminal_style(&page.style, STDOUT_FILENO, (unsigned)options.color, directory);
	sc_op_phrases_init(&page.ops, &l.report, page.style.directory);
	answer(&q, &page, &options);
	sc_op_phrases_fini(&page.ops);
	sc_buf_fini(&page.phrase);
	question_fini(&q);
	sc_loaded_close(&l);
	return sc_print_and_free(&out);
}

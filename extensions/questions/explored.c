/* Explored: a rerun under the recorder, its trace read at once, its operations named. */
#include "extensions/questions/explored.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/message.h"
#include "cmds/check/loaded.h"
#include "extensions/questions/op_phrases.h"

/* Pairs of operations, and as many more pieces: a variable of the environment holds no more. */
#define GIVEN_MAX 300

/* Numbers of a note of an operation (base/sim_note.h). */
enum { CALL, STREAM, NUMBER };

/* A run that was read. */
struct look {
	struct sc_explored *explored;
	struct sc_explored_run *run;
	const struct sc_sim_notes *notes;
	struct sc_loaded loaded;
	struct sc_open_pairs open;
	uint32_t *numbers; /* owned: of each operation in the table, + 1; 0: it has none */
	struct sc_op_phrases phrases;
};

void sc_explored_begin(struct sc_explored *e, struct sc_recording *recording, char **argv,
		       const char *directory)
{
	struct sc_rerun *r = &e->rerun;

	*e = (struct sc_explored){.recording = recording, .directory = directory};
	r->path = recording->program.path;
	r->argv = argv;
	r->simulator = recording->install.simulator;
	r->prepare = sc_recording_prepare_program;
	r->context = recording;
	sc_rerun_begin(r, recording->collect.folder);
	r->limit_ns = UINT64_MAX / 2; /* of the first run, which is the measure */
}

/* ---- names ---- */

static void leave_out(struct sc_explored_run *run, const char *reason, uint64_t count)
{
	for (size_t i = 0; i < run->left_out.count; i++)
		if (!strcmp(run->left_out.items[i].reason, reason)) {
			run->left_out.items[i].count += count;
			return;
		}
	if (count)
		sc_vector_push(&run->left_out, ((struct sc_left_out){reason, count}));
}

static uint32_t thread_of_call(const struct look *l, uint64_t call)
{
	struct sc_op op;

	return call && sc_reader_op(l->loaded.reader, call - 1, &op) ? op.thread : UINT32_MAX;
}

/* After which operation of its thread the host's access comes: 0.0 if there is none. Returns the
 * call that enqueued it, or 0. */
static uint64_t find_after(const struct look *l, const struct sc_open_op *op, uint64_t after[3])
{
	uint64_t call = 0;
	struct sc_sim_note note;
	const char *data;
	size_t position = 0;

	after[0] = op->thread + (uint64_t)1;
	after[1] = after[2] = 0;
	while (sc_sim_notes_next(l->notes, &position, &note, &data))
		if (note.kind == SC_NOTE_OP && note.number[CALL] &&
		    note.number[CALL] - 1 < op->sequence &&
		    thread_of_call(l, note.number[CALL]) == op->thread) {
			call = note.number[CALL];
			after[1] = note.number[STREAM];
			after[2] = note.number[NUMBER];
		}
	return call;
}

/* How many of the host's operations before this one come after the same call. */
static unsigned count_before(const struct look *l, uint32_t op, const uint64_t after[3])
{
	unsigned count = 0;
	uint64_t other[3];

	for (uint32_t i = 0; i < op; i++)
		if (l->open.ops.items[i].is_host) {
			find_after(l, &l->open.ops.items[i], other);
			count += !memcmp(after, other, sizeof(other));
		}
	return count;
}

static void name_op(const struct look *l, uint32_t op, const struct sc_side_name *name,
		    struct sc_explored_op *out)
{
	*out = (struct sc_explored_op){0};
	if (!name->is_host) {
		snprintf(out->name, sizeof(out->name), "%" PRIu64 ".%" PRIu64, name->stream,
			 name->number);
		return;
	}
	find_after(l, &l->open.ops.items[op], out->after);
	snprintf(out->name, sizeof(out->name), "host %" PRIu64 "@%" PRIu64 ".%" PRIu64 "/%u",
		 out->after[0], out->after[1], out->after[2], count_before(l, op, out->after));
}

static char *describe(struct look *l, uint32_t op)
{
	struct sc_buf text = {0};
	uint64_t sequence = l->open.ops.items[op].sequence;

	sc_op_phrases_want(&l->phrases, sequence);
	sc_op_phrases_fetch(&l->phrases);
	sc_buf_add(&text, sc_op_phrases_text(&l->phrases, sequence));
	if (*sc_op_phrases_place(&l->phrases, sequence))
		sc_buf_printf(&text, ", at %s", sc_op_phrases_place(&l->phrases, sequence));
	return sc_buf_take(&text);
}

static uint32_t number_op(struct look *l, uint32_t op, const struct sc_side_name *name)
{
	struct sc_explored *e = l->explored;
	struct sc_explored_op new;

	if (l->numbers[op])
		return l->numbers[op] - 1;
	name_op(l, op, name, &new);
	for (size_t i = 0; i < e->ops.count && !l->numbers[op]; i++)
		if (!strcmp(e->ops.items[i].name, new.name))
			l->numbers[op] = (uint32_t)i + 1;
	if (!l->numbers[op]) {
		new.text = describe(l, op);
		sc_vector_push(&e->ops, new);
		l->numbers[op] = (uint32_t)e->ops.count;
	}
	return l->numbers[op] - 1;
}

/* The host's turn comes when the last call of its thread returns, or, if another thread enqueues
 * the other operation later than that, when that call does. */
static void place_host(const struct look *l, struct sc_side_name *host,
		       const struct sc_open_conflict *c)
{
	uint64_t after[3];

	if (find_after(l, &l->open.ops.items[c->pair.b], after) >
	    sc_side_position(&c->pieces.items[0].side[0])) {
		host->stream = after[1];
		host->number = after[2];
	}
}

static uint32_t number_pair(struct sc_explored *e, uint32_t x, uint32_t y)
{
	for (size_t i = 0; i < e->pairs.count; i++) {
		const struct sc_open_pair *p = &e->pairs.items[i].ops;

		if ((p->a == x && p->b == y) || (p->a == y && p->b == x))
			return (uint32_t)i;
	}
	sc_vector_push(&e->pairs, ((struct sc_explored_pair){.ops = {x, y}}));
	return (uint32_t)e->pairs.count - 1;
}

static const char *name_piece(const struct look *l, const struct sc_open_conflict *c, size_t piece,
			      struct sc_explored_piece *out)
{
	const struct sc_open_op *a = &l->open.ops.items[c->pair.a],
				*b = &l->open.ops.items[c->pair.b];
	const struct sc_side *side = c->pieces.items[piece].side;
	const struct sc_named_side sides[2] = {{&side[0], a->is_host, a->node},
					       {&side[1], b->is_host, b->node}};
	const char *reason;

	*out = (struct sc_explored_piece){.mode = {side[0].mode, side[1].mode}};
	reason = sc_pair_names_of(&out->names, l->notes, sides);
	if (!reason && b->is_host)
		place_host(l, &out->names.side[1], c);
	return reason;
}

/* A pair that earlier runs did not have; more pieces only as long as the device can be given them.
 */
static void add_pieces(struct look *l, struct sc_explored_pair *p, const struct sc_open_conflict *c,
		       const struct sc_explored_piece *first)
{
	struct sc_explored_piece piece;

	sc_vector_push(&p->pieces, *first);
	p->is_cut = c->is_cut;
	for (size_t i = 1; i < c->pieces.count && !name_piece(l, c, i, &piece); i++) {
		if (l->explored->given >= GIVEN_MAX) {
			p->is_cut = 1;
			return;
		}
		l->explored->given++;
		sc_vector_push(&p->pieces, piece);
	}
}

static void take_conflict(struct look *l, const struct sc_open_conflict *c)
{
	bool both = l->open.ops.items[c->pair.a].is_host && l->open.ops.items[c->pair.b].is_host;
	struct sc_explored_piece first;
	const char *reason = "the program has more pairs than the device is given";
	struct sc_explored_pair *pair;
	uint32_t x, y, number;

	if (l->run->pairs.count < GIVEN_MAX)
		reason = name_piece(l, c, 0, &first);
	if (reason || both) {
		leave_out(l->run, reason ? reason : "both are the host's", 1);
		return;
	}
	x = number_op(l, c->pair.a, &first.names.side[0]);
	y = number_op(l, c->pair.b, &first.names.side[1]);
	number = number_pair(l->explored, x, y);
	pair = &l->explored->pairs.items[number];
	if (!pair->pieces.count)
		add_pieces(l, pair, c, &first);
	sc_vector_push(&l->run->pairs, number);
}

static void take_order(struct look *l)
{
	for (uint32_t i = 0; i < l->open.ops.count; i++)
		for (uint32_t k = 0; k < l->open.ops.count; k++)
			if (l->numbers[i] && l->numbers[k] &&
			    sc_open_orders_has(&l->open.order, i, k))
				sc_vector_push(&l->run->order,
					       ((struct sc_open_pair){l->numbers[i] - 1,
								      l->numbers[k] - 1}));
}

/* ---- what is not turned ---- */

static bool has_op(const struct look *l, const struct sc_open_pair *p, const struct sc_side *side)
{
	const struct sc_open_op *ops = l->open.ops.items;

	return (ops[p->a].sequence == side->op && ops[p->a].launch == side->launch) ||
	       (ops[p->b].sequence == side->op && ops[p->b].launch == side->launch);
}

static bool is_host(const struct look *l, const struct sc_side *side)
{
	const struct sc_record *r = sc_analysis_record(l->loaded.analysis, side->op);

	return r && (r->op.kind == SC_OP_HOST_READ || r->op.kind == SC_OP_HOST_WRITE);
}

/* A finding's pair is among those; accesses of the host are in one with others. */
static bool is_among(const struct look *l, const struct sc_finding *f)
{
	for (size_t i = 0; i < l->open.conflicts.count; i++) {
		const struct sc_open_pair *p = &l->open.conflicts.items[i].pair;

		if ((is_host(l, &f->side[0]) || has_op(l, p, &f->side[0])) &&
		    (is_host(l, &f->side[1]) || has_op(l, p, &f->side[1])))
			return 1;
	}
	return 0;
}

/* Nothing orders the two, or not what they do to memory. */
static bool is_of_two(const struct sc_finding *f)
{
	return sc_finding_lacks_order(f) ||
	       (f->sides > 1 && f->severity != SC_ADVICE && f->side[0].mode <= SC_SIDE_WRITE &&
		f->side[1].mode <= SC_SIDE_WRITE && f->side[0].bytes && f->side[1].bytes);
}

static void take_findings(struct look *l)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(l->loaded.analysis, &count);
	struct sc_sim_note note;
	const char *data;

	for (size_t i = 0; i < count; i++) {
		bool ends = f[i].sides > 1 && (f[i].side[0].mode == SC_SIDE_FREE ||
					       f[i].side[1].mode == SC_SIDE_FREE);

		if (!is_of_two(&f[i]))
			continue;
		if (ends)
			leave_out(l->run, "one of the two ends memory", 1);
		else if (!is_among(l, &f[i]))
			leave_out(l->run,
				  "a finding is not about two whole operations that use memory", 1);
	}
	if (!sc_analysis_complete(l->loaded.analysis))
		leave_out(l->run, "the trace is not complete", 1);
	if (sc_sim_notes_find_kind(l->notes, SC_NOTE_FULL, &note, &data))
		leave_out(l->run, "the program enqueues more operations than are noted", 1);
	if (l->open.is_cut)
		leave_out(l->run,
			  "the program has more operations that use memory than are compared", 1);
}

static void read_run(struct sc_explored *e, struct sc_explored_run *run,
		     const struct sc_sim_notes *notes, const char *path)
{
	const struct sc_options *o = &e->recording->options;
	struct look l = {.explored = e, .run = run, .notes = notes};

	if (sc_loaded_open(&l.loaded, path, o, 1)) {
		run->failure = "its trace could not be read";
		return;
	}
	sc_loaded_name_all(&l.loaded);
	sc_open_pairs_find(&l.open, l.loaded.reader, path, o);
	sc_op_phrases_init(&l.phrases, &l.loaded.report, e->directory);
	l.numbers = sc_heap_xcalloc(l.open.ops.count + 1, sizeof(*l.numbers));
	for (size_t i = 0; i < l.open.conflicts.count; i++)
		take_conflict(&l, &l.open.conflicts.items[i]);
	take_order(&l);
	take_findings(&l);
	free(l.numbers);
	sc_op_phrases_fini(&l.phrases);
	sc_open_pairs_fini(&l.open);
	sc_loaded_close(&l.loaded);
}

/* ---- runs ---- */

static const char *const failures[SC_ORDERS] = {
	[SC_ORDER_DEPENDS] = "the simulated device itself orders two the other way",
	[SC_ORDER_DEMANDED] = "the program waits for an operation before it enqueues one that was "
			      "to come first",
	[SC_ORDER_TIME] = "an operation that was to come first did not end in time",
};

static const char *find_failure(const struct sc_explored *e, const struct sc_rerun_end *end)
{
	struct sc_sim_note note;
	const char *data;
	size_t position = 0;

	if (end->has_failed)
		return "the program could not be started";
	if (end->is_late)
		return "the program did not end in five times the time of its first run, at least "
		       "10 s";
	if (end->notes.files > 1 || e->recording->collect.count > 1)
		return "several processes used the device";
	if (!end->notes.files || !e->recording->collect.count)
		return "the program did not use the device";
	while (sc_sim_notes_next(&end->notes, &position, &note, &data))
		if (note.kind == SC_NOTE_ORDER && note.number[0] != SC_ORDER_MADE)
			return note.number[0] < SC_ORDERS ? failures[note.number[0]]
							  : "unknown order";
	return NULL;
}

/* The traces of the run that has just ended. */
static void list_traces(struct sc_explored *e, const struct sc_rerun_end *end)
{
	struct sc_collect *c = &e->recording->collect;

	sc_collect_forget(c);
	sc_collect_list(c);
	for (int i = 0; i < c->count; i++)
		if (WIFEXITED(end->status) && sc_collect_process(c, i) == end->process)
			sc_collect_close(c, i, WEXITSTATUS(end->status));
}

static void remove_traces(struct sc_explored *e)
{
	struct sc_collect *c = &e->recording->collect;
	char path[PATH_MAX];

	for (int i = 0; i < c->count; i++) {
		sc_collect_path(c, i, path);
		unlink(path);
	}
	sc_collect_forget(c);
}

void sc_explored_print(struct sc_buf *out, const struct sc_explored *e, const uint32_t *pairs,
		       const uint8_t *first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < e->pairs.items[pairs[i]].pieces.count; k++) {
			struct sc_pair_names turned = sc_pair_names_turn(
				&e->pairs.items[pairs[i]].pieces.items[k].names, first[i]);
			char pair[SC_PAIR_TEXT];

			sc_pair_names_print(&turned, pair);
			sc_buf_printf(out, "%s%s", i || k ? ";" : "", pair);
		}
}

void sc_explored_go(struct sc_explored *e, struct sc_explored_run *run, const uint32_t *pairs,
		    const uint8_t *first, size_t count)
{
	struct sc_buf text = {0};
	struct sc_rerun_end end;
	struct sc_sim_notes none;
	char path[PATH_MAX];

	*run = (struct sc_explored_run){0};
	sc_explored_print(&text, e, pairs, first, count);
	sc_rerun_run(&e->rerun, sc_buf_text(&text), &end);
	sc_buf_fini(&text);
	if (!e->runs++) {
		sc_rerun_measure(&e->rerun, &none);
		sc_sim_notes_fini(&none);
	}
	list_traces(e, &end);
	run->failure = find_failure(e, &end);
	if (!run->failure) {
		sc_collect_path(&e->recording->collect, 0, path);
		read_run(e, run, &end.notes, path);
		sc_run_results_take(&run->results, &end, e->pairs.items, pairs, first, count);
	}
	remove_traces(e);
	sc_rerun_end_fini(&end);
}

void sc_explored_run_fini(struct sc_explored_run *run)
{
	sc_vector_fini(&run->pairs);
	sc_vector_fini(&run->order);
	sc_vector_fini(&run->left_out);
	sc_run_results_fini(&run->results);
}

void sc_explored_fini(struct sc_explored *e)
{
	for (size_t i = 0; i < e->ops.count; i++)
		free(e->ops.items[i].text);
	for (size_t i = 0; i < e->pairs.count; i++)
		sc_vector_fini(&e->pairs.items[i].pieces);
	sc_vector_fini(&e->ops);
	sc_vector_fini(&e->pairs);
	sc_rerun_fini(&e->rerun);
}

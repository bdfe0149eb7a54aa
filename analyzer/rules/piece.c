/* Rules 136, 153: pieces of memory that a pool of the program hands out and takes back (P-15). */
#include "analyzer/rules/piece.h"

#include <stdbool.h>
#include <string.h>
#include "analyzer/rules/family.h"
#include "analyzer/rules/graph_node.h"
#include "analyzer/rules/race/race.h"
#include "trace/piece.h"

/* The address as the history of its memory knows it. */
static uint64_t canonical(struct sc_analysis *a, uint64_t address)
{
	uint64_t known = address;

	sc_memory_find(&a->memory, address, &known);
	return known;
}

static void begin(struct sc_analysis *a, const struct sc_record *r)
{
	const struct sc_op *op = &r->op;
	struct sc_piece *p =
		sc_pieces_add(&a->memory.pieces, canonical(a, op->dst), op->bytes, r->sequence);

	if (!p)
		return;
	p->stream = op->stream;
	p->is_captured = (op->flags & SC_FLAG_CAPTURED) != 0;
}

/* The live piece that begins at the op's address, or NULL. */
static struct sc_piece *piece_of(struct sc_analysis *a, const struct sc_op *op)
{
	uint64_t address = canonical(a, op->dst);
	struct sc_piece *p = sc_pieces_at(&a->memory.pieces, address);

	return p && p->range.start == address ? p : NULL;
}

static void use(struct sc_analysis *a, const struct sc_op *op)
{
	struct sc_piece *p = piece_of(a, op);

	for (size_t i = 0; p && i < p->users.count; i++)
		if (p->users.items[i] == op->stream)
			return;
	if (p && op->stream)
		sc_vector_push(&p->users, op->stream);
}

/* ---- the piece goes back (SC-153) ---- */

/* When the pool may hand the piece out again; *clock gets what is complete by then. */
static struct sc_interval moment(struct sc_analysis *a, const struct sc_step *step,
				 const struct sc_piece *p, struct sc_clock **clock)
{
	struct sc_interval when = sc_order_next(&a->order, step, step->stream, clock);

	for (size_t i = 0; i < p->users.count; i++) {
		const struct sc_stream *user =
			sc_stream_of(&a->order.streams, p->users.items[i], step->op->context);

		sc_clock_join_point(&a->order.pool, clock, &user->tail);
	}
	when.start = *clock;
	return when;
}

/* Of each stream the surest use of these bytes since the piece began that is not ordered before its
 * end. */
static void check_part(struct sc_analysis *a, const struct sc_piece *p,
		       struct sc_allocation *memory, struct sc_note *note)
{
	const struct sc_range *home = &memory->home.range;
	uint64_t start = p->range.start > home->start ? p->range.start : home->start;
	uint64_t stop = p->range.end < home->end ? p->range.end : home->end;
	struct sc_past past = {&a->order, &a->memory.notes};
	struct sc_access shape = sc_shape_linear(start, stop - start, SC_WRITE, SC_KNOWN_EXACT);
	struct sc_touch end = sc_touch_of(note, 0, &shape);
	sc_conflicts best = {0};

	sc_history_check(&memory->history, &past, &end, &shape, &a->conflicts);
	for (size_t i = 0; i < a->conflicts.count; i++) {
		const struct sc_touch *t = &a->conflicts.items[i].earlier;

		if (sc_touch_note(t)->sequence + 1 > p->begun)
			sc_conflicts_keep_best(&best, t);
	}
	for (size_t i = 0; i < best.count; i++) {
		struct sc_conflict c = best.items[i];

		c.first = c.first > start ? c.first : start;
		c.end = c.end < stop ? c.end : stop;
		sc_race_file(a, &c, &end, memory, SC_END_PIECE);
	}
	sc_conflicts_clear(&best, &a->memory.notes);
	sc_vector_fini(&best);
	sc_conflicts_clear(&a->conflicts, &a->memory.notes);
}

/* In the order of which stream the pool hands the piece out again; 0: it does not say. */
static uint32_t stream_of(const struct sc_piece *p, const struct sc_op *op)
{
	return op->value == SC_PIECE_IN_STREAM ? op->stream : p->stream;
}

/* All that a mapping in several parts holds of the piece. */
static void check_parts(struct sc_analysis *a, const struct sc_piece *p, struct sc_note *note)
{
	struct sc_allocation *memory;
	uint64_t unused, at;

	for (at = sc_memory_from(&a->memory, p->range.start); at < p->range.end;
	     at = sc_memory_from(&a->memory, memory->home.range.end)) {
		memory = sc_memory_find(&a->memory, at, &unused);
		if (unused != at)
			break; /* an address of host memory that lies elsewhere */
		check_part(a, p, memory, note);
	}
	sc_note_put(&a->memory.notes, note);
}

static void check_end(struct sc_analysis *a, const struct sc_step *step, const struct sc_piece *p)
{
	struct sc_clock *clock = NULL;
	struct sc_op op = *step->op;
	struct sc_step then = *step;

	op.stream = stream_of(p, step->op);
	then.op = &op;
	then.stream = sc_stream_of(&a->order.streams, op.stream, op.context);
	then.when = moment(a, &then, p, &clock);
	check_parts(a, p, sc_race_note(a, &then, 0));
	sc_clock_put(&a->order.pool, clock);
}

/* What a pool hands out or takes back in a capture may stay the graph's. */
static void end(struct sc_analysis *a, const struct sc_step *step, const struct sc_record *r,
		struct sc_piece *p)
{
	p->is_captured |= (r->op.flags & SC_FLAG_CAPTURED) != 0;
	if (r->op.value == SC_PIECE_AT_ONCE)
		check_parts(a, p, sc_race_note(a, step, 1));
	else if (stream_of(p, &r->op) && !p->is_captured)
		check_end(a, step, p);
	sc_pieces_end(&a->memory.pieces, p, r->sequence);
}

/* All pieces that begin in the op's bytes. */
static void end_all(struct sc_analysis *a, const struct sc_step *step, const struct sc_record *r)
{
	struct sc_piece *p = piece_of(a, &r->op);
	uint64_t start = canonical(a, r->op.dst), stop;
	struct sc_range *next;

	if (!r->op.bytes && p)
		end(a, step, r, p);
	if (!r->op.bytes || __builtin_add_overflow(start, r->op.bytes, &stop))
		return;
	while ((next = sc_ranges_from(&a->memory.pieces.live, start)) && next->start < stop) {
		start = next->end;
		end(a, step, r, (struct sc_piece *)next);
	}
}

/* ---- graphs that keep its address (SC-136) ---- */

/* What the address led to when the node was made, if that went back since. */
static const struct sc_piece *find_gone(struct sc_analysis *a, const struct sc_graph_node *n,
					uint64_t address, struct sc_gone *gone)
{
	const struct sc_pieces *pieces = &a->memory.pieces;
	const struct sc_piece *now = sc_pieces_at(pieces, address), *then;
	const uint64_t given = sc_graph_node_given(n);
	uint64_t unused;

	*gone = (struct sc_gone){0};
	if (now && now->begun <= given + 1)
		return NULL;
	if ((!now && !sc_pieces_dead_at(pieces, address)) ||
	    !sc_memory_find(&a->memory, address, &unused))
		return NULL;
	then = sc_pieces_former(pieces, address, given);
	if (!then || then->is_captured)
		return NULL;
	gone->was = then->range;
	if (now && now->range.start == then->range.start)
		gone->now = now->range;
	return then;
}

static bool check_operand(struct sc_analysis *a, const struct sc_step *step,
			  const struct sc_graph_node *n, const struct sc_access *use, uint8_t mode)
{
	struct sc_gone gone;
	const struct sc_piece *p = use->base ? find_gone(a, n, use->base, &gone) : NULL;
	struct sc_finding f;

	if (!p)
		return 0;
	f = sc_graph_node_operand(n, step, use, mode, p->begun);
	sc_graph_node_doubt_gone(a, sc_gone_is_replaced(&gone, use), &f);
	sc_graph_node_file_gone(a, n, p->ended, &f);
	return 1;
}

static void check_parameters(struct sc_analysis *a, const struct sc_step *step,
			     const struct sc_graph_node *n)
{
	const struct sc_record node = sc_graph_node_record(n);
	uint32_t bytes = 0, head = sizeof(struct sc_launch);
	const uint8_t *data = sc_record_attachment(&node, SC_ATTACH_LAUNCH, &bytes);

	for (uint32_t at = head; data && at + 8 <= bytes; at += 8) {
		struct sc_finding f = sc_graph_node_finding(n, SC_RULE_136, step);
		const struct sc_piece *p;
		struct sc_gone gone;

		memcpy(&f.side[0].address, data + at, sizeof(uint64_t));
		p = f.side[0].address ? find_gone(a, n, f.side[0].address, &gone) : NULL;
		if (!p || !sc_graph_node_judge_gone(a, n, at - head, &gone, &f))
			continue;
		f.allocation = p->begun;
		sc_graph_node_file_gone(a, n, p->ended, &f);
		return;
	}
}

void sc_piece_check_graph(struct sc_analysis *a, const struct sc_step *step, struct sc_replay *r)
{
	const struct sc_pieces *pieces = &a->memory.pieces;

	if (r->pieces_changes == pieces->changes)
		return;
	if (r->pieces_changes && pieces->former_count - r->pieces_former > SC_PIECES_FORMER)
		a->memory.notes.forgotten_possible++; /* some are not known any more */
	r->pieces_changes = pieces->changes;
	r->pieces_former = pieces->former_count;
	for (uint32_t i = 0; i < r->graph->places; i++) {
		const struct sc_graph_node *n = sc_graph_at(r->graph, i);

		if (n->is_disabled)
			continue;
		if (n->op.kind == SC_OP_KERNEL)
			check_parameters(a, step, n);
		else
			sc_graph_node_visit(a, step, n, check_operand);
	}
}

static const uint16_t kinds[] = {SC_OP_PIECE, SC_OP_PIECE_FREE, SC_OP_PIECE_USE, SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	(void)state;
	switch (r->op.kind) {
	case SC_OP_PIECE: begin(a, r); break;
	case SC_OP_PIECE_FREE: end_all(a, step, r); break;
	case SC_OP_PIECE_USE: use(a, &r->op); break;
	default: break;
	}
}

const struct sc_rule_family sc_rules_piece = {
	.kinds = kinds,
	.step = check_record,
};

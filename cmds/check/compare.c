/* Compare: pieces of memory, copies to the host, standard output, the end of the program.
 *
 * Which piece of memory an order leaves or shows depends on what the two do:
 *   both write                   the bytes after the later one
 *   one reads, one writes        the bytes when the reader begins
 *   the host accesses, the device writes: after the operation, if that was first; if the host was
 * first, right before the operation began. These are what the host finds; if the host writes too,
 * what it leaves is the other way round the host writes, the device reads: the bytes when the
 * operation begins
 */
#include "cmds/check/compare.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/vector.h"

/* Besides the piece of memory. */
#define FAR_PLACES (1u << SC_TRIAL_COPY | 1u << SC_TRIAL_OUTPUT | 1u << SC_TRIAL_EXIT)

struct piece {
	const char *bytes; /* borrowed; NULL: not there */
	uint64_t size;
};

struct places {
	enum sc_trial_place memory;
	unsigned actor;
	struct piece piece[2]; /* by the side that was first */
};

static struct piece find_piece(const struct sc_rerun_end *end, enum sc_sim_note_kind kind,
			       unsigned which)
{
	struct sc_sim_note note;
	struct piece piece = {0};

	if (sc_sim_notes_find(&end->notes, kind, which, &note, &piece.bytes))
		piece.size = note.data_bytes;
	else
		piece.bytes = NULL;
	return piece;
}

/* Side 1 is the host; the operation is `which` 0 of the first run, 1 of the second. */
static void look_at_host(struct places *p, const struct sc_finding *f,
			 const struct sc_rerun_end *first, const struct sc_rerun_end *second)
{
	bool device_writes = f->side[0].mode == SC_SIDE_WRITE;
	bool host_writes = f->side[1].mode == SC_SIDE_WRITE;

	p->actor = 0;
	if (!device_writes) {
		p->memory = SC_TRIAL_READ;
		p->piece[0] = find_piece(first, SC_NOTE_BEFORE, 0);
		p->piece[1] = find_piece(second, SC_NOTE_BEFORE, 1);
		return;
	}
	p->memory = host_writes ? SC_TRIAL_MEMORY : SC_TRIAL_HOST;
	p->piece[host_writes] =
		find_piece(host_writes ? second : first, SC_NOTE_AFTER, host_writes);
	p->piece[!host_writes] = find_piece(second, SC_NOTE_BEFORE, 1);
}

static void look(struct places *p, const struct sc_finding *f, const struct sc_pair_names *names,
		 const struct sc_rerun_end *first, const struct sc_rerun_end *second)
{
	bool writes[2] = {f->side[0].mode == SC_SIDE_WRITE, f->side[1].mode == SC_SIDE_WRITE};

	*p = (struct places){0};
	if (names->side[1].is_host) {
		look_at_host(p, f, first, second);
		return;
	}
	if (writes[0] && writes[1]) {
		p->memory = SC_TRIAL_MEMORY;
		p->piece[0] = find_piece(first, SC_NOTE_AFTER, 1);
		p->piece[1] = find_piece(second, SC_NOTE_AFTER, 1);
		return;
	}
	p->memory = SC_TRIAL_READ;
	p->actor = writes[0];
	p->piece[0] = find_piece(first, SC_NOTE_BEFORE, p->actor);
	p->piece[1] = find_piece(second, SC_NOTE_BEFORE, !p->actor);
}

/* Where they begin to differ; false if they do not. */
static bool find_difference(const struct piece *piece /* two */, uint64_t *at)
{
	uint64_t common = piece[0].size < piece[1].size ? piece[0].size : piece[1].size;

	for (*at = 0; *at < common; ++*at)
		if (piece[0].bytes[*at] != piece[1].bytes[*at])
			return 1;
	return piece[0].size != piece[1].size;
}

static void show(struct sc_trial *t, enum sc_trial_place place, const struct piece *piece,
		 uint64_t at, uint64_t base)
{
	uint64_t from = at - at % SC_TRIAL_BYTES;

	if (t->differs)
		return; /* something nearer to the cause is shown */
	t->shown = (uint8_t)place;
	t->offset = base + from;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t left = piece[i].size > from ? piece[i].size - from : 0;

		t->count[i] = (uint8_t)(left < SC_TRIAL_BYTES ? left : SC_TRIAL_BYTES);
		if (t->count[i])
			memcpy(t->bytes[i], piece[i].bytes + from, t->count[i]);
	}
}

static void compare_pieces(struct sc_trial *t, enum sc_trial_place place,
			   const struct piece *piece /* two */, uint64_t base)
{
	uint64_t at;

	if (!find_difference(piece, &at))
		return;
	show(t, place, piece, at, base);
	t->differs |= (uint8_t)(1 << place);
}

/* Copies to the host, by what they are called. */
struct copy {
	uint64_t stream, number, order, bytes, digest;
	struct piece first; /* bytes that were kept */
};

struct copies {
	SC_VECTOR(struct copy) list;
};

static int compare_names(const void *a, const void *b)
{
	const struct copy *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void collect(struct copies *c, const struct sc_rerun_end *end)
{
	struct sc_sim_note note;
	size_t position = 0;
	const char *data;

	*c = (struct copies){0};
	while (sc_sim_notes_next(&end->notes, &position, &note, &data))
		if (note.kind == SC_NOTE_DELIVERED)
			sc_vector_push(&c->list, ((struct copy){note.number[0],
								note.number[1],
								position,
								note.number[2],
								note.number[3],
								{data, note.data_bytes}}));
	if (c->list.count)
		qsort(c->list.items, c->list.count, sizeof(*c->list.items), compare_names);
}

static bool is_same_name(const struct copy *a, const struct copy *b)
{
	return a->stream == b->stream && a->number == b->number;
}

/* The first copy to the host that both runs made and that delivered other bytes. */
static void compare_copies(struct sc_trial *t, const struct sc_rerun_end *first,
			   const struct sc_rerun_end *second)
{
	struct copies a, b;
	size_t i = 0, j = 0;
	uint64_t at;

	collect(&a, first);
	collect(&b, second);
	while (i < a.list.count && j < b.list.count) {
		const struct copy *x = &a.list.items[i], *y = &b.list.items[j];
		struct piece piece[2] = {x->first, y->first};

		if (!is_same_name(x, y)) {
			i += compare_names(x, y) < 0;
			j += compare_names(x, y) > 0;
			continue;
		}
		if (x->bytes != y->bytes || x->digest != y->digest) {
			find_difference(piece, &at);
			show(t, SC_TRIAL_COPY, piece, at, 0);
			t->differs |= 1 << SC_TRIAL_COPY;
			break;
		}
		i++;
		j++;
	}
	sc_vector_fini(&a.list);
	sc_vector_fini(&b.list);
}

static void compare_status(struct sc_trial *t, int first, int second)
{
	t->status[0] = first;
	t->status[1] = second;
	if (first == second)
		return;
	if (!t->differs)
		t->shown = SC_TRIAL_EXIT;
	t->differs |= 1 << SC_TRIAL_EXIT;
}

/* Two runs, in the places of `mask`; what they have in memory is in `places`. */
static void compare(struct sc_trial *t, const struct places *places, uint64_t base,
		    const struct sc_rerun_end *first, const struct sc_rerun_end *second,
		    unsigned mask)
{
	struct piece output[2] = {{first->output, first->output_bytes},
				  {second->output, second->output_bytes}};

	if (!places->piece[0].bytes || !places->piece[1].bytes)
		mask &= ~(1u << places->memory);
	*t = (struct sc_trial){.actor = (uint8_t)places->actor, .compared = (uint8_t)mask};
	if (mask & 1 << places->memory)
		compare_pieces(t, places->memory, places->piece, base);
	if (mask & 1 << SC_TRIAL_COPY)
		compare_copies(t, first, second);
	if (mask & 1 << SC_TRIAL_OUTPUT)
		compare_pieces(t, SC_TRIAL_OUTPUT, output, 0);
	if (mask & 1 << SC_TRIAL_EXIT)
		compare_status(t, first->status, second->status);
}

void sc_compare_orders(struct sc_trial *t, const struct sc_finding *f,
		       const struct sc_pair_names *names, const struct sc_rerun_end *first,
		       const struct sc_rerun_end *second)
{
	struct places places;

	look(&places, f, names, first, second);
	compare(t, &places, names->offset, first, second, FAR_PLACES | 1 << places.memory);
	t->is_cut = names->bytes > SC_NOTE_RANGE_MAX;
}

/* What differs between two runs with the same side first. */
static unsigned find_unsteady(const struct sc_finding *f, const struct sc_pair_names *names,
			      const struct sc_rerun_end ends[4], unsigned first)
{
	struct places once, again;
	struct sc_trial t;

	look(&once, f, names, &ends[0], &ends[1]);
	look(&again, f, names, &ends[2], &ends[3]);
	once.piece[0] = once.piece[first];
	once.piece[1] = again.piece[first];
	compare(&t, &once, 0, &ends[first], &ends[first + 2], FAR_PLACES | 1 << once.memory);
	return t.differs;
}

void sc_compare_again(struct sc_trial *t, const struct sc_finding *f,
		      const struct sc_pair_names *names, const struct sc_rerun_end ends[4])
{
	unsigned unsteady = find_unsteady(f, names, ends, 0) | find_unsteady(f, names, ends, 1);
	struct places places;

	look(&places, f, names, &ends[0], &ends[1]);
	compare(t, &places, names->offset, &ends[0], &ends[1], t->compared & ~unsteady);
	t->is_cut = names->bytes > SC_NOTE_RANGE_MAX;
	t->unsteady = (uint8_t)unsteady;
}

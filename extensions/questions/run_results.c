/* Run results: notes of a run, sorted by what they are about. */
#include "extensions/questions/run_results.h"

#include <stdlib.h>
#include <string.h>

static int compare_places(const void *left, const void *right)
{
	const struct sc_run_result *a = left, *b = right;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	for (unsigned i = 0; i < 3; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	return 0;
}

bool sc_run_result_is_of(const struct sc_run_result *a, const struct sc_run_result *b)
{
	return !compare_places(a, b);
}

static struct sc_run_result result_of(enum sc_result_place place, uint64_t key, uint64_t digest,
				      const char *data, uint64_t bytes)
{
	struct sc_run_result r = {.place = (uint8_t)place, .key = {key}, .digest = digest};

	r.shown = (uint8_t)(bytes < SC_RESULT_SHOWN ? bytes : SC_RESULT_SHOWN);
	if (r.shown)
		memcpy(r.first, data, r.shown);
	return r;
}

/* FNV-1a. */
static uint64_t digest_of(const char *bytes, size_t count)
{
	uint64_t hash = UINT64_C(0xCBF29CE484222325);

	for (size_t i = 0; i < count; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001B3);
	return hash;
}

static void take_end(struct sc_run_results *r, const struct sc_rerun_end *end)
{
	uint64_t digest = digest_of(end->output, end->output_bytes) ^ end->output_all;

	sc_vector_push(&r->list,
		       result_of(SC_RESULT_EXIT, 0, (uint64_t)(unsigned)end->status, NULL, 0));
	sc_vector_push(&r->list,
		       result_of(SC_RESULT_OUTPUT, 0, digest, end->output, end->output_bytes));
}

/* A copy of several parts has several notes, in their order. */
static void take_copies(struct sc_run_results *r, const struct sc_sim_notes *notes)
{
	struct sc_sim_note note;
	const char *data;
	size_t position = 0;

	while (sc_sim_notes_next(notes, &position, &note, &data)) {
		struct sc_run_result new;

		if (note.kind != SC_NOTE_DELIVERED)
			continue;
		new = result_of(SC_RESULT_COPY, note.number[0], note.number[3], data,
				note.data_bytes);
		new.key[1] = note.number[1];
		for (size_t i = r->list.count; i-- > 0;)
			if (!compare_places(&r->list.items[i], &new)) {
				new.key[2]++;
				i = r->list.count;
			}
		sc_vector_push(&r->list, new);
	}
}

/* Of the two, the one that reads; of two that write, neither matters. The host finds what an
 * operation leaves that was first, else what is there when that begins. */
static void take_piece(struct sc_run_results *r, const struct sc_sim_notes *notes,
		       const struct sc_explored_piece *p, const uint64_t key[2], uint64_t at,
		       unsigned first)
{
	bool both = p->mode[0] == SC_SIDE_WRITE && p->mode[1] == SC_SIDE_WRITE;
	unsigned reader = p->mode[0] == SC_SIDE_WRITE;
	bool is_after = p->names.side[1].is_host && reader && !first;
	uint64_t which = 2 * at + (p->names.side[1].is_host ? first : reader != first);
	enum sc_sim_note_kind kind = is_after ? SC_NOTE_AFTER : SC_NOTE_BEFORE;
	struct sc_sim_note note;
	struct sc_run_result new;
	const char *data;

	if (!sc_sim_notes_find(notes, both ? SC_NOTE_LEFT : kind, both ? at : which, &note, &data))
		return;
	new = result_of(both ? SC_RESULT_LEFT : SC_RESULT_FOUND, key[0], note.number[2], data,
			note.data_bytes);
	new.key[1] = key[1];
	sc_vector_push(&r->list, new);
}

void sc_run_results_take(struct sc_run_results *r, const struct sc_rerun_end *end,
			 const struct sc_explored_pair *all, const uint32_t *pairs,
			 const uint8_t *first, size_t count)
{
	uint64_t at = 0;

	*r = (struct sc_run_results){0};
	take_end(r, end);
	take_copies(r, &end->notes);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < all[pairs[i]].pieces.count; k++, at++)
			take_piece(r, &end->notes, &all[pairs[i]].pieces.items[k],
				   (uint64_t[]){pairs[i], k}, at, first[i]);
	qsort(r->list.items, r->list.count, sizeof(*r->list.items), compare_places);
}

bool sc_run_results_differ(const struct sc_run_results *a, const struct sc_run_results *b,
			   struct sc_run_difference *d)
{
	while (d->at[0] < a->list.count && d->at[1] < b->list.count) {
		const struct sc_run_result *x = &a->list.items[d->at[0]],
					   *y = &b->list.items[d->at[1]];
		int way = compare_places(x, y);

		d->at[0] += way <= 0;
		d->at[1] += way >= 0;
		d->result[0] = x;
		d->result[1] = y;
		if (!way && x->digest != y->digest)
			return 1;
	}
	return 0;
}

bool sc_run_results_have_pair(const struct sc_run_results *r, size_t pair)
{
	for (size_t i = 0; i < r->list.count; i++)
		if (r->list.items[i].place >= SC_RESULT_FOUND && r->list.items[i].key[0] == pair)
			return 1;
	return 0;
}

void sc_run_results_fini(struct sc_run_results *r)
{
	sc_vector_fini(&r->list);
}

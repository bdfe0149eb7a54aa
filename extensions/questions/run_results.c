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

/* What a pair had before or after one of its sides, as a result. */
static bool find_range(struct sc_run_result *out, const struct sc_sim_notes *notes,
		       enum sc_sim_note_kind kind, uint64_t which)
{
	struct sc_sim_note note;
	const char *data;

	if (!sc_sim_notes_find(notes, kind, which, &note, &data))
		return 0;
	*out = result_of(SC_RESULT_FOUND, 0, note.number[2], data, note.data_bytes);
	return 1;
}

/* Side 1 is the host. What it leaves is what the operation finds in the other order. */
static bool find_with_host(struct sc_run_result *out, struct sc_explored_pair *p,
			   const struct sc_sim_notes *notes, uint64_t which, bool is_host_first)
{
	bool both = p->mode[0] == SC_SIDE_WRITE && p->mode[1] == SC_SIDE_WRITE;

	if (p->mode[0] != SC_SIDE_WRITE || (is_host_first && !both))
		return find_range(out, notes, SC_NOTE_BEFORE, which);
	if (!both || is_host_first) {
		p->is_host_known |= both && find_range(&p->host, notes, SC_NOTE_BEFORE, which);
		return find_range(out, notes, SC_NOTE_AFTER, which);
	}
	*out = (struct sc_run_result){.is_host = 1};
	return 1;
}

/* `at` is twice the place among the pairs that the device was given. */
static void take_pair(struct sc_run_results *r, const struct sc_sim_notes *notes,
		      struct sc_explored_pair *p, uint32_t number, uint64_t at, unsigned first)
{
	bool both = p->mode[0] == SC_SIDE_WRITE && p->mode[1] == SC_SIDE_WRITE, is_found;
	unsigned reader = p->mode[0] == SC_SIDE_WRITE;
	struct sc_run_result new = {0};

	if (p->names.side[1].is_host)
		is_found = find_with_host(&new, p, notes, at + (first == 1), first == 1);
	else if (both)
		is_found = find_range(&new, notes, SC_NOTE_AFTER, at + 1);
	else
		is_found = find_range(&new, notes, SC_NOTE_BEFORE, at + (reader != first));
	new.place = p->host.place = both ? SC_RESULT_LEFT : SC_RESULT_FOUND;
	new.key[0] = p->host.key[0] = number;
	if (is_found)
		sc_vector_push(&r->list, new);
}

void sc_run_results_take(struct sc_run_results *r, const struct sc_rerun_end *end,
			 struct sc_explored_pair *all, const uint32_t *pairs, const uint8_t *first,
			 size_t count)
{
	*r = (struct sc_run_results){0};
	take_end(r, end);
	take_copies(r, &end->notes);
	for (size_t i = 0; i < count; i++)
		take_pair(r, &end->notes, &all[pairs[i]], pairs[i], 2 * i, first[i]);
	qsort(r->list.items, r->list.count, sizeof(*r->list.items), compare_places);
}

bool sc_run_results_differ(const struct sc_run_results *a, const struct sc_run_results *b,
			   const struct sc_explored_pair *all, struct sc_run_difference *d)
{
	while (d->at[0] < a->list.count && d->at[1] < b->list.count) {
		const struct sc_run_result *x = &a->list.items[d->at[0]],
					   *y = &b->list.items[d->at[1]];
		int way = compare_places(x, y);

		d->at[0] += way <= 0;
		d->at[1] += way >= 0;
		if (way)
			continue;
		d->result[0] = x->is_host ? &all[x->key[0]].host : x;
		d->result[1] = y->is_host ? &all[y->key[0]].host : y;
		if ((x->is_host || y->is_host) && !all[x->key[0]].is_host_known)
			continue;
		if (d->result[0]->digest != d->result[1]->digest)
			return 1;
	}
	return 0;
}

void sc_run_results_fini(struct sc_run_results *r)
{
	sc_vector_fini(&r->list);
}

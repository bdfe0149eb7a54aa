/* Declared suppressions: stretches of threads as a forest, ranges as a list. */
#include "analyzer/declare/declared_suppression.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"

#define STRETCHES_MOST (1u << 24)
#define RANGES_MOST    65536
#define TEXTS_MOST     ((size_t)8 << 20)

void sc_declared_suppressions_fini(struct sc_declared_suppressions *d)
{
	sc_u64_map_fini(&d->texts);
	sc_u64_map_fini(&d->threads_by_id);
	sc_vector_fini(&d->threads);
	sc_vector_fini(&d->stretches);
	sc_vector_fini(&d->ranges);
	sc_vector_fini(&d->reasons);
	sc_arena_fini(&d->arena);
}

/* The attached text, each once; NULL: there are too many different ones. */
static const char *text_of(struct sc_declared_suppressions *d, const struct sc_record *r)
{
	uint32_t bytes = 0;
	const char *text = sc_record_attachment(r, SC_ATTACH_TEXT, &bytes), *known;
	uint64_t hash = UINT64_C(0xcbf29ce484222325), *place;

	for (uint32_t i = 0; i < bytes; i++)
		hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
	place = sc_u64_map_find(&d->texts, hash);
	known = place ? (const char *)(uintptr_t)*place : NULL;
	if (known && strlen(known) == bytes && !memcmp(known, text, bytes))
		return known;
	if (d->arena.total > TEXTS_MOST)
		return NULL;
	known = sc_arena_xtext(&d->arena, text, bytes);
	*sc_u64_map_get(&d->texts, hash) = (uintptr_t)known;
	return known;
}

/* ---- stretches ---- */

static struct sc_suppressed_thread *thread_of(struct sc_declared_suppressions *d, uint32_t id)
{
	uint64_t *place = sc_u64_map_get(&d->threads_by_id, id);

	if (!*place) {
		sc_vector_push(&d->threads, ((struct sc_suppressed_thread){.id = id}));
		*place = d->threads.count;
	}
	return &d->threads.items[*place - 1];
}

/* Threads of which a stretch is left. */
static void drop_threads(struct sc_declared_suppressions *d, const uint32_t *place)
{
	size_t kept = 0;

	sc_u64_map_fini(&d->threads_by_id);
	for (size_t i = 0; i < d->threads.count; i++) {
		struct sc_suppressed_thread t = d->threads.items[i];

		t.last = place[t.last];
		t.open = place[t.open];
		if (!t.last)
			continue;
		d->threads.items[kept++] = t;
		*sc_u64_map_get(&d->threads_by_id, t.id) = kept;
	}
	d->threads.count = kept;
}

/* The older half of the stretches goes but for those that are open. */
static void drop_stretches(struct sc_declared_suppressions *d)
{
	size_t count = d->stretches.count, kept = 0;
	/* Where each goes, + 1; of one that is dropped where the one before it goes. */
	uint32_t *place = sc_heap_xcalloc(count + 1, sizeof(*place));

	for (size_t i = 0; i < count; i++) {
		struct sc_suppressed_stretch s = d->stretches.items[i];

		s.around = place[s.around];
		s.before = place[s.before];
		if (i < count / 2 && s.end != UINT64_MAX) {
			place[i + 1] = s.before;
			continue;
		}
		d->stretches.items[kept++] = s;
		place[i + 1] = (uint32_t)kept;
	}
	d->stretches.count = kept;
	drop_threads(d, place);
	free(place);
}

static bool has_too_many(const struct sc_declared_suppressions *d, size_t count)
{
	return d->remembered && count >= 2 * d->remembered;
}

static void begin(struct sc_declared_suppressions *d, const struct sc_record *r)
{
	struct sc_suppressed_stretch s = {.begin = r->sequence, .end = UINT64_MAX};
	struct sc_suppressed_thread *t;

	if (has_too_many(d, d->stretches.count))
		drop_stretches(d);
	s.text = d->stretches.count < STRETCHES_MOST ? text_of(d, r) : NULL;
	if (!s.text) {
		d->dropped++;
		return;
	}
	t = thread_of(d, r->op.thread);
	s.around = t->open;
	s.before = t->last;
	sc_vector_push(&d->stretches, s);
	t->last = t->open = (uint32_t)d->stretches.count;
}

static void end(struct sc_declared_suppressions *d, const struct sc_record *r)
{
	const uint64_t *number = sc_u64_map_find(&d->threads_by_id, r->op.thread);
	struct sc_suppressed_thread *t = number ? &d->threads.items[*number - 1] : NULL;
	struct sc_suppressed_stretch *s;

	if (!t || !t->open)
		return;
	s = &d->stretches.items[t->open - 1];
	s->end = r->sequence;
	t->open = s->around;
}

/* ---- ranges ---- */

/* Of those whose memory is gone the older half goes: what is freed may still be used. */
static void drop_ranges(struct sc_declared_suppressions *d,
			const struct sc_suppressed_memory *memory)
{
	size_t kept = 0, count = d->ranges.count;

	for (size_t i = 0; i < count; i++)
		if (i >= count / 2 || memory->is_there(memory->data, &d->ranges.items[i]))
			d->ranges.items[kept++] = d->ranges.items[i];
	d->ranges.count = kept;
}

static void add_range(struct sc_declared_suppressions *d, const struct sc_record *r,
		      const struct sc_suppressed_memory *memory)
{
	struct sc_suppressed_range range = {.start = r->op.dst, .sequence = r->sequence};

	if (__builtin_add_overflow(r->op.dst, r->op.bytes, &range.end))
		return;
	if (memory && (d->ranges.count >= RANGES_MOST || has_too_many(d, d->ranges.count)))
		drop_ranges(d, memory);
	range.text = d->ranges.count < RANGES_MOST ? text_of(d, r) : NULL;
	if (range.text)
		sc_vector_push(&d->ranges, range);
	else
		d->dropped++;
}

void sc_declared_suppressions_note(struct sc_declared_suppressions *d, const struct sc_record *r,
				   const struct sc_suppressed_memory *memory)
{
	switch (r->op.kind) {
	case SC_OP_QUIET_BEGIN: begin(d, r); break;
	case SC_OP_QUIET_END: end(d, r); break;
	case SC_OP_BENIGN: add_range(d, r, memory); break;
	}
}

/* True if the list, up to its colon, has the rule: "ID, ID: reason". */
static bool names_rule(const char *text, unsigned rule)
{
	size_t bytes = strcspn(text, ":");
	char id[16];
	int length = snprintf(id, sizeof(id), "SC-%u", rule);

	for (size_t at = 0; at < bytes;) {
		size_t word = strcspn(text + at, ",: ");

		if (word == (size_t)length && !memcmp(text + at, id, word))
			return 1;
		at += word + 1;
	}
	return 0;
}

static bool names(const char *text, const struct sc_finding *f)
{
	size_t bytes = strcspn(text, ":");

	if (strspn(text, " *") >= bytes || names_rule(text, f->rule))
		return 1;
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (f->causes[i] && names_rule(text, f->causes[i]))
			return 1;
	return 0;
}

/* The stretch that the op was done in and that names the finding's rule. */
static const struct sc_suppressed_stretch *find_stretch(const struct sc_declared_suppressions *d,
							const struct sc_finding *f,
							const struct sc_side *side)
{
	const uint64_t *number = sc_u64_map_find(&d->threads_by_id, side->thread);
	uint32_t i = number ? d->threads.items[*number - 1].last : 0;

	while (i && d->stretches.items[i - 1].begin > side->op)
		i = d->stretches.items[i - 1].before;
	for (; i; i = d->stretches.items[i - 1].around)
		if (side->op < d->stretches.items[i - 1].end &&
		    names(d->stretches.items[i - 1].text, f))
			return &d->stretches.items[i - 1];
	return NULL;
}

static const struct sc_suppressed_range *find_range(const struct sc_declared_suppressions *d,
						    const struct sc_finding *f)
{
	const struct sc_side *later = &f->side[f->sides > 1];

	for (size_t i = 0; later->address && i < d->ranges.count; i++) {
		const struct sc_suppressed_range *r = &d->ranges.items[i];

		if (r->sequence < later->op && f->allocation <= r->sequence &&
		    later->address >= r->start && later->address < r->end &&
		    later->bytes <= r->end - later->address)
			return r;
	}
	return NULL;
}

static uint32_t add_reason(struct sc_declared_suppressions *d, const char *text)
{
	if (!d->reasons.count || *sc_vector_last(&d->reasons) != text)
		sc_vector_push(&d->reasons, text);
	return (uint32_t)d->reasons.count;
}

uint32_t sc_declared_suppressions_find(struct sc_declared_suppressions *d,
				       const struct sc_finding *f)
{
	const struct sc_suppressed_range *range = find_range(d, f);

	if (range)
		return add_reason(d, range->text);
	for (unsigned i = 0; i < f->sides && d->stretches.count; i++) {
		const struct sc_suppressed_stretch *s = find_stretch(d, f, &f->side[i]);
		const char *colon = s ? strchr(s->text, ':') : NULL;

		if (colon)
			return add_reason(d, colon + 1 + strspn(colon + 1, " "));
		if (s)
			return add_reason(d, s->text);
	}
	return 0;
}

/* Declared suppressions: stretches of threads as a forest, ranges as a list. */
#include "analyzer/declare/declared_suppression.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define STRETCHES_MOST (1u << 24)
#define RANGES_MOST    65536

void sc_declared_suppressions_fini(struct sc_declared_suppressions *d)
{
	sc_u64_map_fini(&d->last);
	sc_u64_map_fini(&d->open);
	sc_vector_fini(&d->stretches);
	sc_vector_fini(&d->ranges);
	sc_vector_fini(&d->reasons);
	sc_arena_fini(&d->arena);
}

static const char *text_of(struct sc_declared_suppressions *d, const struct sc_record *r)
{
	uint32_t bytes = 0;
	const char *text = sc_record_attachment(r, SC_ATTACH_TEXT, &bytes);

	return sc_arena_xtext(&d->arena, text, bytes);
}

static void begin(struct sc_declared_suppressions *d, const struct sc_record *r)
{
	uint64_t *last = sc_u64_map_get(&d->last, r->op.thread);
	uint64_t *open = sc_u64_map_get(&d->open, r->op.thread);
	struct sc_suppressed_stretch s = {.begin = r->sequence,
					  .end = UINT64_MAX,
					  .around = (uint32_t)*open,
					  .before = (uint32_t)*last};

	if (d->stretches.count >= STRETCHES_MOST)
		return;
	s.text = text_of(d, r);
	sc_vector_push(&d->stretches, s);
	*last = *open = d->stretches.count;
}

static void end(struct sc_declared_suppressions *d, const struct sc_record *r)
{
	uint64_t *open = sc_u64_map_get(&d->open, r->op.thread);
	struct sc_suppressed_stretch *s;

	if (!*open)
		return;
	s = &d->stretches.items[*open - 1];
	s->end = r->sequence;
	*open = s->around;
}

static void add_range(struct sc_declared_suppressions *d, const struct sc_record *r)
{
	struct sc_suppressed_range range = {.start = r->op.dst, .sequence = r->sequence};

	if (d->ranges.count >= RANGES_MOST ||
	    __builtin_add_overflow(r->op.dst, r->op.bytes, &range.end))
		return;
	range.text = text_of(d, r);
	sc_vector_push(&d->ranges, range);
}

void sc_declared_suppressions_note(struct sc_declared_suppressions *d, const struct sc_record *r)
{
	switch (r->op.kind) {
	case SC_OP_QUIET_BEGIN: begin(d, r); break;
	case SC_OP_QUIET_END: end(d, r); break;
	case SC_OP_BENIGN: add_range(d, r); break;
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
	const uint64_t *last = sc_u64_map_find(&d->last, side->thread);
	uint32_t i = last ? (uint32_t)*last : 0;

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

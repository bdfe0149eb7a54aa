/* Origin: a walk outwards through the stacks of an object and its kin, line by line. */
#include "reports/origin.h"

#include <string.h>

#define KIN_MOST   16
#define LINES_MOST 2 /* that are appended */

struct kin {
	struct sc_report_site site;
	size_t at; /* frame that the walk has come to */
};

struct walk {
	struct kin self, kin[KIN_MOST];
	unsigned count;
};

/* A generator and the function around it stand in one line. */
static bool is_same_line(const struct sc_frame *a, const struct sc_frame *b)
{
	return a->line == b->line && !strcmp(a->file, b->file);
}

/* Goes to the user's next line further out; NULL if there is none. */
static const struct sc_frame *step(struct kin *k)
{
	const struct sc_frame *frames = k->site.frames;
	size_t before = k->at;

	while (++k->at < k->site.count)
		if (!frames[k->at].is_internal && frames[k->at].line &&
		    !is_same_line(&frames[k->at], &frames[before]))
			return &frames[k->at];
	return NULL;
}

static unsigned count_made(const struct sc_names *n, unsigned kind)
{
	unsigned count = 0;

	for (size_t i = 0; i < n->made.count; i++)
		count += n->made.items[i].kind == kind;
	return count;
}

void sc_origin_want(const struct sc_report *r)
{
	const struct sc_names *n = r->names;

	for (size_t i = 0; i < n->made.count; i++)
		if (count_made(n, n->made.items[i].kind) <= SC_ORIGIN_ALL)
			sc_symbols_want(r->symbols, n->made.items[i].stack);
}

static bool goes_through(const struct sc_report *r, uint32_t stack, uint64_t pc)
{
	const uint64_t *pcs;
	size_t count = sc_reader_stack(r->reader, stack, &pcs);

	for (size_t i = 0; i < count; i++)
		if (pcs[i] == pc)
			return 1;
	return 0;
}

static void find_kin(struct walk *w, const struct sc_report *r, unsigned kind, uint32_t stack)
{
	const struct sc_names *n = r->names;
	const struct sc_frame *own = &w->self.site.frames[w->self.at];
	bool all = count_made(n, kind) <= SC_ORIGIN_ALL;

	for (size_t i = 0; i < n->made.count && w->count < KIN_MOST; i++) {
		const struct sc_origin_stack *made = &n->made.items[i];
		struct kin *k = &w->kin[w->count];

		if (made->kind != kind || made->stack == stack ||
		    (!all && !goes_through(r, made->stack, own->pc)))
			continue;
		sc_site_of_stack(&k->site, r, made->stack);
		k->at = k->site.user;
		w->count += k->at < k->site.count && is_same_line(&k->site.frames[k->at], own);
	}
}

/* Leaves the kin that have this line next as well; true if those are not all. */
static bool leave_same(struct walk *w, const struct sc_frame *line)
{
	unsigned kept = 0, before = w->count;

	for (unsigned i = 0; i < before; i++) {
		const struct sc_frame *next = step(&w->kin[i]);

		if (next && is_same_line(next, line))
			w->kin[kept++] = w->kin[i];
	}
	w->count = kept;
	return kept < before;
}

void sc_origin_say(struct sc_buf *out, const struct sc_report *r, const struct sc_report_site *site,
		   unsigned kind, uint32_t stack, bool has_caller, const char *directory)
{
	struct walk w = {.self = {*site, site->user}};
	const struct sc_frame *line, *caller = NULL;
	unsigned lines = 0;

	if (site->user >= site->count)
		return;
	find_kin(&w, r, kind, stack);
	has_caller |= site->frames[site->user].is_inlined || w.count;
	while ((line = step(&w.self)) && lines < LINES_MOST && (w.count || !caller)) {
		caller = caller ? caller : line;
		if (!leave_same(&w, line))
			continue;
		sc_buf_add(out, ", from ");
		sc_site_add_place(out, line, directory);
		lines++;
	}
	if (!lines && caller && has_caller) {
		sc_buf_add(out, ", from ");
		sc_site_add_place(out, caller, directory);
	}
}

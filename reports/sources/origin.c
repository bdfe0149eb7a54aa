/* Origin: a walk outwards through the stacks of an object and its kin, line by line. */
#include "reports/sources/origin.h"

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

void sc_origin_want(const struct sc_report *r)
{
	const struct sc_names *n = r->names;

	for (size_t i = 0; i < n->made.count; i++)
		if (n->made_counts[n->made.items[i].kind] <= SC_ORIGIN_ALL)
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
	bool all = n->made_counts[kind] <= SC_ORIGIN_ALL;

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

static bool is_from_line(const struct sc_report *r, uint32_t stack, const struct sc_frame *line)
{
	struct sc_report_site site;

	sc_site_of_stack(&site, r, stack);
	for (size_t i = site.user; i < site.count; i++)
		if (is_same_line(&site.frames[i], line))
			return 1;
	return 0;
}

bool sc_origin_is_only(const struct sc_report *r, const struct sc_frame *frame, unsigned kind,
		       uint32_t stack)
{
	const struct sc_names *n = r->names;
	bool all = n->made_counts[kind] <= SC_ORIGIN_ALL;

	if (sc_names_made_count(n, kind, stack) != 1 || n->made_counts[kind] >= SC_NAMES_MADE_MOST)
		return 0;
	for (size_t i = 0; i < n->made.count; i++) {
		const struct sc_origin_stack *made = &n->made.items[i];

		if (made->kind == kind && made->stack != stack &&
		    (all || goes_through(r, made->stack, frame->pc)) &&
		    is_from_line(r, made->stack, frame))
			return 0;
	}
	return 1;
}

/* ---- objects of a finding ---- */

struct objects {
	const struct sc_report *report;
	struct sc_origin_object *items;
	size_t count;
};

static void add_object(struct objects *o, unsigned kind, uint32_t id, uint32_t stack)
{
	if (!stack || o->count == SC_ORIGIN_OBJECTS)
		return;
	for (size_t i = 0; i < o->count; i++)
		if (o->items[i].kind == kind && o->items[i].id == id)
			return;
	o->items[o->count++] = (struct sc_origin_object){kind, id, stack};
}

static void add_stream(struct objects *o, uint32_t id)
{
	const struct sc_named *s = sc_names_stream(o->report->names, id);

	if (s && !(s->flags & (SC_FLAG_LEGACY | SC_FLAG_PER_THREAD)))
		add_object(o, SC_OP_STREAM_CREATE, id, s->stack);
}

static void add_made(struct objects *o, unsigned kind, uint32_t id)
{
	add_object(o, kind, id, sc_names_made_at(o->report->names, kind, id));
}

/* The events and the graph of an op, if it is about some. */
static void add_of_op(struct objects *o, uint64_t op_plus)
{
	const struct sc_record *record =
		op_plus ? sc_analysis_record(o->report->analysis, op_plus - 1) : NULL;

	switch (record ? record->op.kind : SC_OP_NONE) {
	case SC_OP_EVENT_ELAPSED:
		add_made(o, SC_OP_EVENT_CREATE, record->op.peer); /* fallthrough */
	case SC_OP_EVENT_RECORD:
	case SC_OP_EVENT_WAIT:
	case SC_OP_EVENT_SYNC:
	case SC_OP_EVENT_QUERY:
	case SC_OP_EVENT_DESTROY: add_made(o, SC_OP_EVENT_CREATE, record->op.object); break;
	case SC_OP_GRAPH_LAUNCH:
	case SC_OP_GRAPH_UPLOAD:
	case SC_OP_GRAPH_DESTROY: add_made(o, SC_OP_INSTANTIATE, record->op.object); break;
	default: break;
	}
}

size_t sc_origin_objects(struct sc_origin_object out[SC_ORIGIN_OBJECTS], const struct sc_report *r,
			 const struct sc_finding *f)
{
	struct objects o = {.report = r, .items = out};

	for (unsigned i = 0; i < f->sides && i < 2; i++)
		add_stream(&o, f->side[i].stream);
	for (unsigned i = 0; i < f->sides && i < 2; i++) {
		add_of_op(&o, f->side[i].op + 1);
		add_of_op(&o, f->side[i].launch);
	}
	add_of_op(&o, f->reach_op);
	add_of_op(&o, f->reach_record);
	add_of_op(&o, f->fix_after);
	add_of_op(&o, f->fix_before);
	return o.count;
}

const char *sc_origin_noun(unsigned kind)
{
	return kind == SC_OP_STREAM_CREATE  ? "stream"
	       : kind == SC_OP_EVENT_CREATE ? "event"
					    : "executable graph";
}

const char *sc_origin_verb(unsigned kind)
{
	return kind == SC_OP_INSTANTIATE ? "instantiated" : "created";
}

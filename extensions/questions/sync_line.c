/* Lines that synchronize: found, removed, and analyzed without. */
#include "extensions/questions/sync_line.h"

#include <stdlib.h>
#include "extensions/questions/finding_key.h"

/* Queries are left out: the program goes another way by what they answer. */
static bool is_sync(const struct sc_op *op)
{
	switch (op->kind) {
	case SC_OP_STREAM_SYNC:
	case SC_OP_EVENT_SYNC:
	case SC_OP_CONTEXT_SYNC:
	case SC_OP_EVENT_WAIT:
	case SC_OP_CONTEXT_WAIT:
		return op->phase != SC_PHASE_END && !op->result && !(op->flags & SC_FLAG_CAPTURED);
	default: return 0;
	}
}

/* What events are, besides records of work. */
enum event { PLAIN, FOREIGN = 1, CAPTURED = 2 };

struct finder {
	struct sc_sync_lines *all;
	struct sc_u64_map by_site; /* to number of a line */
	struct sc_u64_map events;  /* enum event */
};

/* A wait for a captured event takes a stream into the capture, and orders nothing itself. */
static void note_event(struct finder *f, const struct sc_op *op)
{
	uint64_t *event;

	if (op->kind != SC_OP_EVENT_CREATE && op->kind != SC_OP_EVENT_RECORD)
		return;
	event = sc_u64_map_get(&f->events, op->object);
	if (op->kind == SC_OP_EVENT_CREATE)
		*event = op->flags & SC_FLAG_INTERPROCESS ? FOREIGN : PLAIN;
	else if (op->flags & SC_FLAG_CAPTURED && !op->value)
		*event |= CAPTURED;
	else
		*event &= FOREIGN;
}

static void note(struct finder *finder, const struct sc_record *r)
{
	struct sc_sync_lines *all = finder->all;
	struct sc_u64_map *by_site = &finder->by_site;
	uint64_t *event = r->op.object ? sc_u64_map_find(&finder->events, r->op.object) : NULL;
	uint64_t site =
		sc_callsite_of(&all->callsites, all->loaded->reader, r->op.stack, r->sequence);
	uint64_t *number;

	if (event && *event & CAPTURED)
		return;
	number = sc_u64_map_get(by_site, sc_hash_add(site, r->op.kind));
	if (!*number) {
		sc_vector_push(&all->list, ((struct sc_sync_line){.site = site,
								  .sequence = r->sequence,
								  .op = r->op,
								  .is_library = r->op.flags &
										SC_FLAG_LIBRARY}));
		*number = all->list.count;
	}
	all->list.items[*number - 1].calls++;
	all->list.items[*number - 1].is_foreign |= event && *event & FOREIGN;
	*sc_u64_map_get(&all->by_record, r->sequence) = *number;
}

static bool is_advice(const struct sc_finding *f)
{
	return f->severity == SC_ADVICE;
}

static struct sc_analysis *analyse(struct sc_sync_lines *all, struct sc_host_known *known)
{
	struct sc_watch watch = {.see = sc_host_known_see, .data = known};

	*known = (struct sc_host_known){.touch = &all->touch};
	return sc_loaded_analyse(all->loaded->reader, all->path, &all->options, &watch);
}

static void note_known(struct sc_sync_lines *all)
{
	struct sc_analysis *a = analyse(all, &all->host);

	sc_finding_keys_add(&all->known, &all->callsites, all->loaded->reader, a);
	sc_analysis_free(a);
}

/* What the calls of the lines cost, for the host and the device. */
static void find_costs(struct sc_sync_lines *all)
{
	const struct sc_device_times *times = sc_analysis_times(all->loaded->analysis);
	struct sc_reader *r = all->loaded->reader;
	struct sc_costs costs = {0};
	struct sc_record record;

	for (size_t i = 0; i < all->list.count; i++)
		sc_costs_want(&costs, all->list.items[i].site, &all->list.items[i].op);
	sc_reader_rewind(r);
	while (sc_reader_next(r, &record) > 0)
		sc_costs_visit(&costs, times, &all->callsites, r, &record);
	sc_costs_finish(&costs, times);
	for (size_t i = 0; i < all->list.count; i++) {
		const struct sc_cost *c =
			sc_costs_of(&costs, all->list.items[i].site, &all->list.items[i].op);

		if (c)
			all->list.items[i].cost = *c;
	}
	sc_costs_fini(&costs);
}

static int by_cost(const void *a, const void *b)
{
	const struct sc_sync_line *x = a, *y = b;
	uint64_t left = x->cost.blocked_ns + x->cost.idle_ns;
	uint64_t right = y->cost.blocked_ns + y->cost.idle_ns;

	if (left != right)
		return left < right ? 1 : -1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* The lines are in another order now. */
static void renumber(struct sc_sync_lines *all)
{
	struct sc_u64_map by_site = {0};

	for (size_t i = 0; i < all->list.count; i++)
		*sc_u64_map_get(&by_site, sc_hash_add(all->list.items[i].site,
						      all->list.items[i].op.kind)) = i + 1;
	for (size_t i = 0; all->by_record.entries && i <= all->by_record.mask; i++) {
		struct sc_map_entry *e = &all->by_record.entries[i];
		struct sc_op op;
		uint64_t site;

		if (!e->key_plus || !sc_reader_op(all->loaded->reader, e->key_plus - 1, &op))
			continue;
		site = sc_callsite_of(&all->callsites, all->loaded->reader, op.stack,
				      e->key_plus - 1);
		e->value = *sc_u64_map_get(&by_site, sc_hash_add(site, op.kind));
	}
	sc_u64_map_fini(&by_site);
}

void sc_sync_lines_find(struct sc_sync_lines *all, const struct sc_loaded *l, const char *path,
			const struct sc_options *o)
{
	struct finder finder = {.all = all};
	struct sc_record record;

	*all = (struct sc_sync_lines){.loaded = l, .path = path, .options = *o};
	all->options.advice = 0;
	sc_reader_rewind(l->reader);
	while (sc_reader_next(l->reader, &record) > 0) {
		note_event(&finder, &record.op);
		if (is_sync(&record.op))
			note(&finder, &record);
	}
	sc_u64_map_fini(&finder.by_site);
	sc_u64_map_fini(&finder.events);
	find_costs(all);
	if (all->list.count)
		qsort(all->list.items, all->list.count, sizeof(*all->list.items), by_cost);
	renumber(all);
	sc_host_touch_find(&all->touch, l->reader, l->analysis);
	note_known(all);
}

void sc_sync_lines_fini(struct sc_sync_lines *all)
{
	sc_vector_fini(&all->list);
	sc_u64_map_fini(&all->by_record);
	sc_callsites_fini(&all->callsites);
	sc_u64_map_fini(&all->known);
	sc_host_known_fini(&all->host);
	sc_host_touch_fini(&all->touch);
}

/* A trace without some lines. */
struct removal {
	const struct sc_sync_lines *all;
	size_t line;	  /* number, from 1; 0: all that may go together */
	uint32_t instead; /* stream that is waited for in its place, or 0 */
};

static bool is_kept(void *data, struct sc_record *record)
{
	const struct removal *r = data;
	uint64_t begin = record->op.phase == SC_PHASE_END && record->op.link ? record->op.link - 1
									     : record->sequence;
	const uint64_t *number = sc_u64_map_find(&r->all->by_record, begin);

	if (!number || !*number)
		return 1;
	if (!r->line)
		return !r->all->list.items[*number - 1].is_together;
	if (*number != r->line)
		return 1;
	if (!r->instead)
		return 0;
	record->op.kind = SC_OP_STREAM_SYNC;
	record->op.stream = r->instead;
	record->op.object = 0;
	return 1;
}

static void add_news(struct sc_trial_result *out, const struct sc_finding *f)
{
	struct sc_news news = {.rule = f->rule, .confidence = f->confidence, .sides = f->sides};
	const struct sc_side *last = &f->side[f->sides ? f->sides - 1 : 0];

	for (unsigned i = 0; i < f->sides && i < 2; i++)
		news.ops[i] = sc_finding_shown(f, i);
	news.stream = f->side[0].stream;
	news.is_for_host = !last->stream;
	if (out->count < SC_LINE_NEWS)
		out->news[out->count] = news;
	if (!out->count)
		out->stream = news.stream;
	else if (out->stream != news.stream)
		out->stream = 0;
	out->is_for_device =
		(!out->count || out->is_for_device) && !news.is_for_host && f->sides > 1;
	out->count++;
}

static void try(struct sc_sync_lines *all, const struct removal *removal,
		struct sc_trial_result *out)
{
	struct sc_filter filter = {is_kept, (void *)removal};
	struct sc_host_known host = {0};
	struct sc_op first;
	struct sc_u64_map seen = {0};
	struct sc_analysis *a;
	size_t count;
	const struct sc_finding *f;

	*out = (struct sc_trial_result){0};
	sc_reader_set_filter(all->loaded->reader, &filter);
	a = analyse(all, &host);
	sc_reader_set_filter(all->loaded->reader, NULL);
	f = sc_analysis_findings(a, &count);
	for (size_t i = 0; i < count; i++) {
		uint64_t key = sc_finding_key(&all->callsites, all->loaded->reader, a, &f[i]);
		const uint64_t *known = sc_u64_map_find(&all->known, key);
		uint64_t *sum = sc_u64_map_get(&seen, key);

		*sum += f[i].count;
		if (!is_advice(&f[i]) && (!known || *known < *sum))
			add_news(out, &f[i]);
	}
	out->exposed = sc_host_known_later(&all->host, &host, &out->first_exposed);
	if (out->exposed && sc_reader_op(all->loaded->reader, out->first_exposed, &first) &&
	    (!out->count || out->stream == first.stream))
		out->stream = first.stream;
	else if (out->exposed)
		out->stream = 0;
	sc_host_known_fini(&host);
	sc_u64_map_fini(&seen);
	sc_analysis_free(a);
}

void sc_sync_line_try(struct sc_sync_lines *all, size_t line, uint32_t instead,
		      struct sc_trial_result *out)
{
	try(all, &(struct removal){all, line + 1, instead}, out);
}

void sc_sync_lines_try_together(struct sc_sync_lines *all, struct sc_trial_result *out)
{
	try(all, &(struct removal){.all = all}, out);
}

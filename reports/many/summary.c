/* Summary: findings of equal fingerprints are one, processes of equal counts are one. */
#include "reports/many/summary.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/assert.h"
#include "base/heap.h"
#include "reports/facts.h"
#include "reports/sources/site.h"
#include "reports/text/text_finding.h"
#include "reports/utf8.h"

#define COMMAND_COLUMNS 80
#define RUN_COLUMNS	120
#define LINES_KEPT	20 /* of processes that were added */
#define GROUPS_MOST	64 /* of processes; in the last one the counts are sums */

void sc_summary_fini(struct sc_summary *s)
{
	for (size_t i = 0; i < s->rows.count; i++) {
		sc_rank_set_fini(&s->rows.items[i].ranks);
		free(s->rows.items[i].file);
		free(s->rows.items[i].function);
		free(s->rows.items[i].message);
		free(s->rows.items[i].text);
	}
	for (size_t i = 0; i < s->runs.count; i++) {
		sc_rank_set_fini(&s->runs.items[i].ranks);
		free(s->runs.items[i].id);
	}
	sc_vector_fini(&s->runs);
	for (size_t i = 0; i < s->groups.count; i++) {
		sc_rank_set_fini(&s->groups.items[i].ranks);
		free(s->groups.items[i].command);
	}
	sc_vector_fini(&s->rows);
	sc_vector_fini(&s->groups);
	sc_u64_map_fini(&s->by_fingerprint);
	sc_buf_fini(&s->first);
	sc_rank_set_fini(&s->ranks);
	sc_rank_set_fini(&s->shards);
}

static char *copy(const char *text)
{
	return sc_heap_xcopy(text ? text : "", text ? strlen(text) : 0);
}

/* The row of that fingerprint; a new one is a copy of `like`, without ranks and processes. */
static struct sc_summary_row *find_row(struct sc_summary *s, const struct sc_summary_row *like)
{
	uint64_t *place = sc_u64_map_get(&s->by_fingerprint, like->fingerprint);
	struct sc_summary_row *row;

	if (!*place) {
		row = sc_vector_add(&s->rows);
		*row = *like;
		row->processes = 0;
		row->ranks = (struct sc_rank_set){0};
		row->file = copy(like->file);
		row->function = copy(like->function);
		row->message = copy(like->message);
		row->text = copy(like->text);
		*place = s->rows.count;
	}
	row = &s->rows.items[*place - 1];
	if (like->confidence > row->confidence)
		row->confidence = like->confidence;
	return row;
}

/* The group of such a process. */
static struct sc_summary_group *find_group(struct sc_summary *s,
					   const struct sc_summary_group *like)
{
	struct sc_summary_group *g;

	for (size_t i = 0; i < s->groups.count; i++)
		if (!memcmp(s->groups.items[i].counts, like->counts, sizeof(like->counts)))
			return &s->groups.items[i];
	if (s->groups.count < GROUPS_MOST) {
		g = sc_vector_add(&s->groups);
		*g = *like;
		g->processes = 0;
		g->ranks = (struct sc_rank_set){0};
		g->command = copy(like->command);
		return g;
	}
	g = sc_vector_last(&s->groups);
	for (unsigned i = 0; i < SC_SUMMARY_COMPLETE; i++)
		if (like->counts[i] > g->counts[i])
			g->counts[i] = like->counts[i];
	g->counts[SC_SUMMARY_COMPLETE] &= like->counts[SC_SUMMARY_COMPLETE];
	return g;
}

static void add_group(struct sc_summary *s, const struct sc_summary_group *like)
{
	struct sc_summary_group *g = find_group(s, like);

	g->process = g->processes ? 0 : like->process;
	g->processes += like->processes;
	sc_rank_set_join(&g->ranks, &like->ranks);
	sc_rank_set_join(&s->ranks, &like->ranks);
	s->processes += like->processes;
}

static char *clean(const char *text)
{
	struct sc_buf out = {0};

	sc_utf8_add_clean(&out, text);
	return sc_buf_take(&out);
}

/* Where the finding is. */
static void place(struct sc_summary_row *row, const struct sc_report *r, const struct sc_finding *f)
{
	const struct sc_frame *frame = sc_facts_frame(r, f->side[sc_facts_side(r, f)].op);

	if (!frame)
		return;
	row->function = clean(frame->function);
	if (!frame->line || !*frame->file)
		return;
	row->file = clean(sc_site_path(frame, NULL));
	row->line_number = frame->line;
	row->column = frame->column;
}

/* The finding as the text report shows it, without colours and line breaks. */
static void describe(struct sc_summary_row *row, const struct sc_report *r,
		     const struct sc_finding *f)
{
	const struct sc_report_style style = {0};
	struct sc_buf text = {0}, message = {0};
	struct sc_text t = {.out = &text, .report = r, .style = &style};

	sc_words_init(&t.words, r, NULL);
	sc_text_finding(&t, f, NULL, 0);
	sc_words_set_finding(&t.words, f);
	sc_facts_message(&message, &t.words, f);
	place(row, r, f);
	row->message = clean(sc_buf_text(&message));
	row->text = sc_buf_take(&text);
	sc_buf_fini(&t.phrase);
	sc_buf_fini(&message);
}

static void add_finding(struct sc_summary *s, const struct sc_report *r, const struct sc_finding *f,
			uint64_t fingerprint)
{
	struct sc_summary_row *row, like = {.fingerprint = fingerprint,
					    .rule = f->rule,
					    .severity = f->severity,
					    .confidence = f->confidence};
	int rank = r->names->rank;

	if (!sc_u64_map_find(&s->by_fingerprint, fingerprint))
		describe(&like, r, f);
	row = find_row(s, &like);
	row->processes++;
	if (rank >= 0)
		sc_rank_set_add(&row->ranks, (uint32_t)rank, (uint32_t)rank);
	free(like.file);
	free(like.function);
	free(like.message);
	free(like.text);
}

/* The run of that name; a new one is empty. */
static struct sc_summary_run *find_run(struct sc_summary *s, const char *id)
{
	struct sc_summary_run *run;

	for (size_t i = 0; i < s->runs.count; i++)
		if (!strcmp(s->runs.items[i].id, id))
			return &s->runs.items[i];
	if (s->runs.count == SC_SUMMARY_RUNS_MOST)
		return sc_vector_last(&s->runs);
	run = sc_vector_add(&s->runs);
	*run = (struct sc_summary_run){.id = copy(id)};
	return run;
}

static void add_run(struct sc_summary *s, const char *id, uint64_t processes,
		    const struct sc_rank_set *ranks)
{
	struct sc_summary_run *run = find_run(s, id);

	run->processes += processes;
	sc_rank_set_join(&run->ranks, ranks);
}

/* The trace may hold anything. */
static void add_run_of(struct sc_summary *s, const struct sc_names *names,
		       const struct sc_rank_set *ranks)
{
	struct sc_buf id = {0};

	if (names->rank < 0 || !names->run || !*names->run)
		return;
	sc_utf8_add_cut(&id, names->run, RUN_COLUMNS);
	add_run(s, sc_buf_text(&id), 1, ranks);
	sc_buf_fini(&id);
}

void sc_summary_add(struct sc_summary *s, const struct sc_report *r,
		    const struct sc_fingerprints *prints)
{
	struct sc_hidden_counts hidden = sc_report_hidden(r);
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(r->analysis, &count);
	struct sc_summary_group g = {.processes = 1, .process = r->names->process};
	struct sc_buf command = {0};
	int rank = r->names->rank;

	for (size_t i = 0; i < count && i < prints->count; i++) {
		add_finding(s, r, &f[i], prints->items[i]);
		g.counts[sc_summary_count_of(f[i].severity)]++;
	}
	g.counts[SC_SUMMARY_SUPPRESSED] = hidden.suppressed;
	g.counts[SC_SUMMARY_KNOWN] = hidden.known;
	g.counts[SC_SUMMARY_FILTERED] = hidden.filtered;
	g.counts[SC_SUMMARY_COMPLETE] = sc_analysis_complete(r->analysis);
	g.counts[SC_SUMMARY_SIGNAL] = sc_analysis_coverage(r->analysis)->signal;
	sc_utf8_add_cut(&command, r->names->command, COMMAND_COLUMNS);
	g.command = sc_buf_take(&command);
	if (rank >= 0)
		sc_rank_set_add(&g.ranks, (uint32_t)rank, (uint32_t)rank);
	add_group(s, &g);
	add_run_of(s, r->names, &g.ranks);
	if (s->added++ < LINES_KEPT)
		sc_summary_print_group(&s->first, &g, &g.ranks);
	sc_rank_set_fini(&g.ranks);
	free(g.command);
}

static bool join_shards(struct sc_summary *s, const struct sc_summary *other)
{
	if (other->shard_count && s->shard_count && other->shard_count != s->shard_count)
		return 0;
	if (other->shard_count)
		s->shard_count = other->shard_count;
	sc_rank_set_join(&s->shards, &other->shards);
	return 1;
}

bool sc_summary_join(struct sc_summary *s, const struct sc_summary *other)
{
	if (!join_shards(s, other))
		return 0;
	for (size_t i = 0; i < other->rows.count; i++) {
		const struct sc_summary_row *from = &other->rows.items[i];
		struct sc_summary_row *row = find_row(s, from);

		row->processes += from->processes;
		sc_rank_set_join(&row->ranks, &from->ranks);
	}
	for (size_t i = 0; i < other->groups.count; i++)
		add_group(s, &other->groups.items[i]);
	for (size_t i = 0; i < other->runs.count; i++)
		add_run(s, other->runs.items[i].id, other->runs.items[i].processes,
			&other->runs.items[i].ranks);
	return 1;
}

bool sc_summary_is_incomplete(const struct sc_summary *s)
{
	for (size_t i = 0; i < s->groups.count; i++)
		if (!s->groups.items[i].counts[SC_SUMMARY_COMPLETE])
			return 1;
	return sc_rank_set_count(&s->shards) < s->shard_count;
}

bool sc_summary_has_read(const struct sc_summary *s)
{
	return s && s->processes > s->added;
}

struct sc_frame sc_summary_frame(const struct sc_summary_row *row)
{
	return (struct sc_frame){.function = row->function,
				 .file = row->file,
				 .module = "",
				 .line = row->line_number,
				 .column = row->column,
				 .is_named = *row->function != '\0'};
}

size_t sc_summary_bytes(const struct sc_summary *s)
{
	size_t bytes = s->first.room + s->rows.room * sizeof(*s->rows.items) +
		       s->groups.room * sizeof(*s->groups.items) +
		       s->runs.room * sizeof(*s->runs.items);

	if (s->by_fingerprint.entries)
		bytes += (s->by_fingerprint.mask + 1) * sizeof(*s->by_fingerprint.entries);
	bytes += (s->ranks.ranges.room + s->shards.ranges.room) * sizeof(struct sc_rank_range);
	for (size_t i = 0; i < s->rows.count; i++) {
		const struct sc_summary_row *row = &s->rows.items[i];

		bytes += row->ranks.ranges.room * sizeof(struct sc_rank_range);
		bytes += strlen(row->file) + strlen(row->function) + strlen(row->message) +
			 strlen(row->text) + 4;
	}
	for (size_t i = 0; i < s->groups.count; i++)
		bytes += s->groups.items[i].ranks.ranges.room * sizeof(struct sc_rank_range) +
			 strlen(s->groups.items[i].command) + 1;
	for (size_t i = 0; i < s->runs.count; i++)
		bytes += s->runs.items[i].ranks.ranges.room * sizeof(struct sc_rank_range) +
			 strlen(s->runs.items[i].id) + 1;
	return bytes;
}

/* Repaired: a plan in lines, and the lines that are expected. */
#include "repaired.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

bool repaired_is_line(const char *text)
{
	return !strncmp(text, "repair ", 7) || !strncmp(text, "unmended ", 9);
}

#if SC_REPAIR
#include "extensions/repair/planner/repair.h"
#include "extensions/repair/planner/threads.h"
#include "extensions/repair/planner/applied.h"

#define RECORDS_MOST 1000000
#define ROOM	     64

static unsigned line_of(const struct sc_text_script *s, uint64_t place)
{
	return place < s->op_line_count ? s->op_lines[place] : 0;
}

static bool meet(const struct sc_text_script *s, bool *is_met, const char *line)
{
	for (size_t i = 0; i < s->expectation_count; i++) {
		size_t bytes = strlen(s->expectations[i]);

		if (is_met[i] || strncmp(s->expectations[i], line, bytes) != 0)
			continue;
		if (line[bytes] && line[bytes] != ' ')
			continue;
		is_met[i] = 1;
		return 1;
	}
	return 0;
}

static unsigned check_line(const char *path, const struct sc_text_script *s, bool *is_met,
			   struct sc_buf *line)
{
	unsigned differences = !meet(s, is_met, sc_buf_text(line));

	if (differences)
		printf("%s:\n  planned  %s\n", path, sc_buf_text(line));
	sc_buf_clear(line);
	return differences;
}

static const char *const threads_words[] = {
	[SC_THREADS_ONE] = "",
	[SC_THREADS_ORDERED] = " threads=ordered",
	[SC_THREADS_UNORDERED] = " threads=unordered",
	[SC_THREADS_UNKNOWN] = " threads=unknown",
};

static unsigned check_edit(const char *path, const struct sc_text_script *s, bool *is_met,
			   const struct sc_repair *plan, struct sc_reader *r,
			   const struct sc_edit *e)
{
	const struct sc_edit *other = e->other ? &plan->others.items[e->other - 1] : NULL;
	enum sc_threads threads;
	struct sc_buf line = {0};
	unsigned differences;

	sc_threads_find(&threads, r, e, 1, NULL, NULL);
	sc_buf_printf(&line, "repair %s after=%u before=%u ends=%zu or=%u%s",
		      sc_edit_kind_id((enum sc_edit_kind)e->kind), line_of(s, e->first.op),
		      line_of(s, e->before.op), e->ends.count,
		      other ? line_of(s, other->before.op) : 0, threads_words[threads]);
	differences = check_line(path, s, is_met, &line);
	sc_buf_fini(&line);
	if (!e->is_needed) {
		printf("%s: an edit was not left out\n", path);
		differences++;
	}
	return differences;
}

static unsigned check_left(const char *path, const struct sc_text_script *s, bool *is_met,
			   const struct sc_finding *f, unsigned reason)
{
	struct sc_buf line = {0};
	unsigned differences;

	sc_buf_printf(&line, "unmended %s", sc_unmended_rows[reason].id);
	for (unsigned i = 0; i < f->sides; i++)
		sc_buf_printf(&line, " %u", line_of(s, sc_side_position(&f->side[i])));
	differences = check_line(path, s, is_met, &line);
	sc_buf_fini(&line);
	return differences;
}

/* The lines of the function from which both ops came, as reports choose them. */
static void choose(void *data, const struct sc_op *first, const struct sc_op *second,
		   struct sc_repair_depth out[2])
{
	const struct sc_op *ops[] = {first, second};
	const uint64_t *frames[2];
	size_t count[2], same = 0;

	for (unsigned i = 0; i < 2; i++)
		count[i] = ops[i]->stack ? sc_reader_stack(data, ops[i]->stack, &frames[i]) : 0;
	while (same < count[0] && same < count[1] &&
	       frames[0][count[0] - 1 - same] == frames[1][count[1] - 1 - same])
		same++;
	for (unsigned i = 0; i < 2; i++) {
		out[i] = (struct sc_repair_depth){.frames = UINT32_MAX, .lines = UINT32_MAX};
		if (count[i] > same)
			out[i].frames = (uint32_t)(count[i] - same);
		out[i].is_outer = count[i] > same + 1;
	}
}

/* The plan; the caller's. */
static void find_plan(struct sc_repair *out, struct sc_reader *r, const struct sc_analysis *a,
		      const struct sc_analysis_settings *settings)
{
	struct sc_repair_settings how = {
		.analysis = settings, .choose = choose, .data = r, .most_records = RECORDS_MOST};

	sc_repair_find(out, r, a, &how);
}

unsigned repaired_compare(const char *path, const struct sc_text_script *s, struct sc_reader *r,
			  const struct sc_analysis *a, const struct sc_analysis_settings *settings)
{
	bool *is_met = calloc(s->expectation_count + 1, sizeof(*is_met));
	struct sc_buf none = {0};
	struct sc_repair plan;
	unsigned differences = 0;
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(a, &count);

	find_plan(&plan, r, a, settings);
	for (size_t i = 0; i < plan.edits.count; i++)
		differences += check_edit(path, s, is_met, &plan, r, &plan.edits.items[i]);
	for (size_t i = 0; i < count; i++)
		if (plan.unmended.items[i] > SC_UNMENDED_HIDDEN)
			differences += check_left(path, s, is_met, &f[i], plan.unmended.items[i]);
	sc_buf_add(&none, "repair none");
	if (!plan.edits.count)
		differences += check_line(path, s, is_met, &none);
	for (size_t i = 0; i < s->expectation_count; i++)
		if (repaired_is_line(s->expectations[i]) && !is_met[i]) {
			printf("%s:\n  expected %s\n", path, s->expectations[i]);
			differences++;
		}
	sc_buf_fini(&none);
	sc_repair_fini(&plan);
	free(is_met);
	return differences;
}

static bool has_finding(const struct sc_analysis *a, uint64_t key)
{
	size_t count, i = 0;
	const struct sc_finding *f = sc_analysis_findings(a, &count);

	while (i < count && f[i].places != key)
		i++;
	return i < count;
}

/* The findings of the changed program; the caller's. */
static struct sc_analysis *run_changed(const struct sc_repair *plan, struct sc_reader *r,
				       const struct sc_analysis *a,
				       const struct sc_analysis_settings *settings)
{
	SC_VECTOR(struct sc_edit *) edits = {0};
	struct sc_trace_facts facts;
	struct sc_applied applied;
	struct sc_analysis *found;

	for (size_t i = 0; i < plan->edits.count; i++)
		sc_vector_push(&edits, &plan->edits.items[i]);
	sc_trace_facts_read(&facts, r);
	sc_trace_facts_note_kernels(&facts, a);
	sc_applied_begin(&applied, r, &facts, edits.items, edits.count, ROOM);
	sc_analysis_run(&found, r, settings);
	sc_applied_end(&applied, r);
	sc_trace_facts_fini(&facts);
	sc_vector_fini(&edits);
	return found;
}

unsigned repaired_check(const char *path, struct sc_reader *r, const struct sc_analysis *a,
			const struct sc_analysis_settings *settings)
{
	struct sc_analysis *after;
	struct sc_repair plan;
	unsigned differences = 0;
	const struct sc_finding *f;
	size_t count;

	find_plan(&plan, r, a, settings);
	after = run_changed(&plan, r, a, settings);
	f = sc_analysis_findings(after, &count);
	if (sc_analysis_answers(after) < sc_analysis_answers(a)) {
		printf("%s: a kernel may wait for ever\n", path);
		differences++;
	}
	for (size_t i = 0; i < count; i++) {
		if (!sc_repair_is_about(&f[i]) || has_finding(a, f[i].places))
			continue;
		printf("%s: the plan brings SC-%u\n", path, f[i].rule);
		differences++;
	}
	sc_analysis_free(after);
	sc_repair_fini(&plan);
	return differences;
}
#else
unsigned repaired_check(const char *path, struct sc_reader *r, const struct sc_analysis *a,
			const struct sc_analysis_settings *settings)
{
	(void)path, (void)r, (void)a, (void)settings;
	return 0;
}

unsigned repaired_compare(const char *path, const struct sc_text_script *s, struct sc_reader *r,
			  const struct sc_analysis *a, const struct sc_analysis_settings *settings)
{
	(void)path, (void)s, (void)r, (void)a, (void)settings;
	return 0;
}
#endif

/* Ways: two analyses of one trace, and their findings compared field by field. */
#include "ways.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/vector.h"
#include "trace/remains.h"
#include "analyzer/parts.h"

typedef SC_VECTOR(uint64_t) sc_ends;

/* A rule knew the place of the op only, and its record was given back. */
static bool is_gone(const struct sc_side *side)
{
	return side->op && !side->thread;
}

static bool is_same_side(const struct sc_side *x, const struct sc_side *y)
{
	return x->op == y->op && x->launch == y->launch && x->address == y->address &&
	       x->bytes == y->bytes && x->mode == y->mode && x->known == y->known &&
	       x->how == y->how && x->reason == y->reason &&
	       (is_gone(y) || (x->stream == y->stream && x->thread == y->thread));
}

static bool is_same(const struct sc_finding *x, const struct sc_finding *y)
{
	return x->rule == y->rule && !memcmp(x->causes, y->causes, sizeof(x->causes)) &&
	       x->severity == y->severity && x->confidence == y->confidence &&
	       x->doubt == y->doubt && x->sides == y->sides && x->reach == y->reach &&
	       x->fix == y->fix && x->fix_device == y->fix_device && x->timing == y->timing &&
	       x->fix_stream == y->fix_stream && x->suppression == y->suppression &&
	       x->count == y->count && is_same_side(&x->side[0], &y->side[0]) &&
	       is_same_side(&x->side[1], &y->side[1]) && x->allocation == y->allocation &&
	       x->reach_op == y->reach_op && x->reach_record == y->reach_record &&
	       x->fix_after == y->fix_after && x->fix_before == y->fix_before &&
	       x->identity == y->identity && x->timing_ns == y->timing_ns &&
	       x->blocked_ns == y->blocked_ns && x->idle_ns == y->idle_ns &&
	       x->held_ns == y->held_ns && x->stalls == y->stalls &&
	       x->stall_count == y->stall_count;
}

static void print(const char *way, const struct sc_finding *f)
{
	if (f)
		printf("  %s: SC-%u, ops %llu and %llu, %llu times, confidence %u\n", way, f->rule,
		       (unsigned long long)f->side[0].op, (unsigned long long)f->side[1].op,
		       (unsigned long long)f->count, f->confidence);
	else
		printf("  %s: nothing\n", way);
}

static unsigned compare_findings(const struct sc_analysis *whole, const struct sc_analysis *routine)
{
	size_t n, m;
	const struct sc_finding *x = sc_analysis_findings(whole, &n);
	const struct sc_finding *y = sc_analysis_findings(routine, &m);
	unsigned differences = 0;

	for (size_t i = 0; i < n || i < m; i++) {
		if (i < n && i < m && is_same(&x[i], &y[i]))
			continue;
		if (differences++)
			continue;
		print("one way", i < n ? &x[i] : NULL);
		print("the other", i < m ? &y[i] : NULL);
	}
	return differences;
}

unsigned ways_compare(struct sc_reader *r, const struct sc_analysis_settings *settings)
{
	struct sc_analysis_settings way = *settings;
	unsigned differences = 0;

	for (unsigned advice = 0; advice < 2; advice++) {
		struct sc_analysis *whole, *routine;

		way.advice = advice;
		way.no_routine = 1;
		sc_analysis_run(&whole, r, &way);
		way.no_routine = 0;
		sc_analysis_run(&routine, r, &way);
		differences += compare_findings(whole, routine);
		if (memcmp(sc_analysis_coverage(whole), sc_analysis_coverage(routine),
			   offsetof(struct sc_coverage, driver_seen))) {
			printf("  what was counted differs\n");
			differences++;
		}
		sc_analysis_free(whole);
		sc_analysis_free(routine);
	}
	return differences;
}

unsigned ways_compare_traces(struct sc_reader *one, struct sc_reader *other,
			     const struct sc_analysis_settings *settings)
{
	struct sc_analysis_settings way = *settings;
	unsigned differences = 0;

	for (unsigned advice = 0; advice < 2; advice++) {
		struct sc_analysis *first, *second;

		way.advice = advice;
		sc_analysis_run(&first, one, &way);
		sc_analysis_run(&second, other, &way);
		differences += compare_findings(first, second);
		sc_analysis_free(first);
		sc_analysis_free(second);
	}
	return differences;
}

static bool is_proven(const struct sc_analysis *a, const struct sc_finding *f)
{
	size_t count;
	const struct sc_finding *list = sc_analysis_findings(a, &count);

	for (size_t i = 0; i < count; i++)
		if (list[i].confidence == SC_PROVEN && list[i].rule == f->rule &&
		    list[i].side[0].op == f->side[0].op && list[i].side[1].op == f->side[1].op)
			return 1;
	return 0;
}

unsigned ways_forget(struct sc_reader *r, const struct sc_analysis_settings *settings)
{
	struct sc_analysis_settings little = *settings;
	struct sc_analysis *whole, *forgetful;
	const struct sc_finding *f;
	unsigned differences = 0;
	size_t count;

	little.remembered = 1;
	sc_analysis_run(&whole, r, settings);
	sc_analysis_run(&forgetful, r, &little);
	f = sc_analysis_findings(forgetful, &count);
	for (size_t i = 0; i < count; i++)
		if (f[i].confidence == SC_PROVEN && !is_proven(whole, &f[i])) {
			print("remembering one thing", &f[i]);
			differences++;
		}
	sc_analysis_free(forgetful);
	sc_analysis_free(whole);
	return differences;
}

/* Places at which the trace may end: up to `most` records behind each other. */
static void take_ends(struct sc_reader *r, unsigned most, sc_ends *ends)
{
	struct sc_record record;
	unsigned step = 0;

	sc_reader_rewind(r);
	while (sc_reader_next(r, &record))
		if (++step % most == 0 || record.sequence % 7 == 0)
			sc_vector_push(ends, record.sequence);
	sc_vector_push(ends, sc_reader_header(r)->slots);
}

static bool is_ahead(void *data, const struct sc_op *head, uint64_t sequence)
{
	(void)data;
	(void)sequence;
	return head->kind == SC_OP_LAUNCH_BYTES ||
	       (head->kind == SC_OP_KERNEL && head->flags & SC_FLAG_CAPTURED);
}

static void foresee(void *data, const struct sc_record *record)
{
	if (record->op.kind == SC_OP_KERNEL || record->op.link)
		sc_analysis_foresee(data, record);
}

static void fetch_all(struct sc_analysis *a)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(a, &count);

	for (; count; count--, f++)
		sc_analysis_fetch(a, f);
}

/* What was read is gone at some of the ends, if it is given back. */
static void read_steps(struct sc_reader *r, struct sc_analysis *a, const sc_ends *ends,
		       struct sc_remains *remains)
{
	for (size_t i = 0; i < ends->count; i++) {
		sc_reader_set_end(r, ends->items[i]);
		sc_analysis_read_on(a);
		if (ends->items[i] % 3)
			continue;
		fetch_all(a); /* looks between change nothing */
		if (remains)
			sc_reader_give(r, remains, ends->items[i]);
	}
}

static unsigned compare_steps(struct sc_reader *r, const struct sc_analysis_settings *settings,
			      const struct sc_analysis *whole, const sc_ends *ends)
{
	struct sc_remains remains = {.fd = -1};
	struct sc_visit ahead = {.is_wanted = is_ahead, .take = foresee};
	struct sc_analysis *stepped = sc_analysis_begin(r, settings);
	unsigned differences;

	if (settings->gives_back) {
		ahead.data = stepped;
		sc_reader_set_end(r, *sc_vector_last(ends));
		sc_reader_visit(r, &ahead);
	}
	sc_reader_set_end(r, 0);
	read_steps(r, stepped, ends, settings->gives_back ? &remains : NULL);
	sc_analysis_end(stepped);
	sc_reader_give(r, &remains, 0);
	differences = compare_findings(whole, stepped);
	sc_analysis_free(stepped);
	return differences;
}

unsigned ways_compare_steps(struct sc_reader *r, const struct sc_analysis_settings *settings,
			    unsigned most)
{
	struct sc_analysis_settings live = *settings;
	struct sc_analysis *whole;
	unsigned differences;
	sc_ends ends = {0};

	sc_analysis_run(&whole, r, settings);
	take_ends(r, most, &ends);
	live.is_live = 1;
	differences = compare_steps(r, &live, whole, &ends);
	live.gives_back = 1;
	differences += compare_steps(r, &live, whole, &ends);
	sc_analysis_free(whole);
	sc_vector_fini(&ends);
	return differences;
}

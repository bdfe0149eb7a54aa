/* Ways: two analyses of one trace, and their findings compared field by field. */
#include "ways.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/vector.h"

typedef SC_VECTOR(uint64_t) sc_ends;

static bool is_same_side(const struct sc_side *x, const struct sc_side *y)
{
	return x->op == y->op && x->launch == y->launch && x->address == y->address &&
	       x->bytes == y->bytes && x->mode == y->mode && x->known == y->known &&
	       x->how == y->how && x->reason == y->reason && x->stream == y->stream &&
	       x->thread == y->thread;
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

unsigned ways_compare_steps(struct sc_reader *r, const struct sc_analysis_settings *settings,
			    unsigned most)
{
	struct sc_analysis *whole, *stepped;
	struct sc_analysis_settings live = *settings;
	unsigned differences;
	sc_ends ends = {0};

	sc_analysis_run(&whole, r, settings);
	take_ends(r, most, &ends);
	live.is_live = 1;
	sc_reader_set_end(r, 0);
	stepped = sc_analysis_begin(r, &live);
	for (size_t i = 0; i < ends.count; i++) {
		sc_reader_set_end(r, ends.items[i]);
		sc_analysis_read_on(stepped);
		if (ends.items[i] % 3 == 0) { /* looks between change nothing */
			size_t count;
			const struct sc_finding *f = sc_analysis_findings(stepped, &count);

			for (; count; count--, f++)
				sc_analysis_fetch(stepped, f);
		}
	}
	sc_analysis_end(stepped);
	differences = compare_findings(whole, stepped);
	sc_analysis_free(whole);
	sc_analysis_free(stepped);
	sc_vector_fini(&ends);
	return differences;
}

/* Across: the log of all processes, given to the matcher. */
#include "extensions/ranks/across/across.h"

#include <stdlib.h>
#include "extensions/ranks/across/crossing.h"
#include "extensions/ranks/across/log.h"
#include "extensions/ranks/across/sharing.h"
#include "base/heap.h"

struct sc_across {
	struct sc_across_log *log; /* owned */
	struct sc_across_remarks remarks;
	SC_VECTOR(struct sc_remark) list; /* their remarks, in the same order */
	struct sc_across_tally tally;
	bool is_shared; /* a process has given or opened a handle */
};

struct sc_across *sc_across_new(void)
{
	struct sc_across_log *log = sc_across_log_new();
	struct sc_across *a;

	if (!log)
		return NULL;
	a = sc_heap_xcalloc(1, sizeof(*a));
	a->log = log;
	return a;
}

void sc_across_free(struct sc_across *a)
{
	if (!a)
		return;
	sc_across_log_free(a->log);
	sc_across_remarks_fini(&a->remarks);
	sc_vector_fini(&a->list);
	free(a);
}

int64_t sc_across_add(struct sc_across *a, struct sc_reader *r)
{
	int64_t count = sc_across_log_add(a->log, r);

	if (count > 0)
		a->tally.events += (uint64_t)count;
	return count;
}

struct sc_across_log *sc_across_shares(struct sc_across *a)
{
	size_t count;

	sc_across_log_shares(a->log, &count);
	a->is_shared |= count > 0;
	return count ? a->log : NULL;
}

static const char *call_name(const void *log, uint32_t call)
{
	return sc_across_log_call(log, call);
}

static void take_list(struct sc_across *a)
{
	sc_vector_clear(&a->list);
	for (size_t i = 0; i < a->remarks.list.count; i++)
		sc_vector_push(&a->list, a->remarks.list.items[i].remark);
}

static void hold(void *log, unsigned process, bool is_held)
{
	if (is_held)
		sc_across_log_hold(log, process);
	else
		sc_across_log_release(log, process);
}

/* As the log does; when all that are left are held, what they wait for is in no trace. */
static int next(struct sc_across *a, struct sc_sharing *sharing, unsigned *process,
		struct sc_across_event *out)
{
	int more = sc_across_log_next(a->log, process, out);

	if (more || !a->is_shared || !sc_across_log_release_all(a->log))
		return more;
	sc_sharing_give_up(sharing);
	return sc_across_log_next(a->log, process, out);
}

static void finish_sharing(struct sc_across *a, struct sc_sharing *sharing, bool is_whole)
{
	if (is_whole)
		sc_sharing_finish(sharing);
	a->tally.uses_forgotten = sharing->forgotten;
	a->remarks.left_out += sharing->left_out;
	sc_sharing_fini(sharing);
}

int sc_across_compare(struct sc_across *a)
{
	struct sc_across_event event;
	struct sc_crossing crossing;
	struct sc_sharing sharing;
	struct sc_match match;
	unsigned process;
	int more;

	sc_match_init(&match, sc_across_log_processes(a->log), &a->remarks, call_name, a->log);
	sc_crossing_init(&crossing, &match, &a->remarks);
	if (a->is_shared)
		sc_sharing_init(&sharing, &match, &a->remarks, hold, a->log);
	while ((more = next(a, &sharing, &process, &event)) > 0) {
		if (a->is_shared)
			sc_sharing_take(&sharing, process, &event);
		else
			sc_match_take(&match, process, &event);
		sc_crossing_take(&crossing, process, &event);
	}
	sc_crossing_fini(&crossing);
	if (!more)
		sc_match_finish(&match);
	if (a->is_shared)
		finish_sharing(a, &sharing, !more);
	sc_across_remarks_sort(&a->remarks);
	take_list(a);
	a->tally.pairs = match.pairs;
	a->tally.held_most = match.held_most;
	a->tally.is_double = match.is_double;
	a->tally.left_out = a->remarks.left_out;
	sc_match_fini(&match);
	return more;
}

void sc_across_places(const struct sc_across *a,
		      void (*see)(void *data, uint32_t process, uint64_t sequence), void *data)
{
	sc_across_remarks_places(&a->remarks, see, data);
}

void sc_across_name(struct sc_across *a, sc_across_place name, void *data)
{
	sc_across_remarks_name(&a->remarks, name, data);
	take_list(a);
}

const struct sc_remark *sc_across_remarks_of(struct sc_across *a, unsigned process, size_t *count)
{
	size_t first = 0, end;

	while (first < a->remarks.list.count && a->remarks.list.items[first].process < process)
		first++;
	for (end = first; end < a->remarks.list.count; end++)
		if (a->remarks.list.items[end].process != process)
			break;
	*count = end - first;
	return *count ? a->list.items + first : NULL;
}

struct sc_across_tally sc_across_tally(const struct sc_across *a)
{
	return a->tally;
}

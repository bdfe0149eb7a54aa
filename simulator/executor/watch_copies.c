/* Watching shared memory: which asynchronous copies a thread, or somebody, has waited for. */
#include "simulator/executor/watch.h"

#include "simulator/executor/watch_state.h"

void exec_watch_copies(struct exec_warp *w, bool are_async)
{
	if (w->block->watch)
		w->block->watch->is_copying = are_async;
}

void exec_watch_commit(struct exec_warp *w, uint32_t lanes)
{
	struct exec_watch *watch = w->block->watch;

	for (; watch && lanes; lanes &= lanes - 1)
		watch->open[exec_watch_index(w)][__builtin_ctz(lanes)]++;
}

void exec_watch_wait(struct exec_warp *w, uint32_t lanes, uint64_t groups_left, bool all)
{
	struct exec_watch *watch = w->block->watch;

	for (; watch && lanes; lanes &= lanes - 1) {
		unsigned index = exec_watch_index(w), lane = (unsigned)__builtin_ctz(lanes);
		uint32_t last = watch->open[index][lane] - !all;

		if (groups_left < last && last - groups_left > watch->done[index][lane])
			watch->done[index][lane] = last - (uint32_t)groups_left;
	}
}

void exec_watch_bulk(struct exec_warp *w)
{
	struct exec_watch *watch = w->block->watch;

	if (!watch || watch->bulks == EXEC_WATCH_BULK - 1)
		return;
	watch->is_bulk = 1;
	watch->bulks++;
}

void exec_watch_bulk_counted(struct exec_warp *w, uint64_t barrier)
{
	struct exec_watch *watch = w->block->watch;
	uint32_t i = 0, offset;

	if (!watch || !watch->is_bulk)
		return;
	watch->is_bulk = 0;
	offset = exec_watch_offset(w->block, barrier);
	while (i < watch->counter_count && watch->counters[i].offset != offset)
		i++;
	if (i == EXEC_WATCH_BARRIERS) {
		watch->bulks_waited = watch->bulks;
		return;
	}
	watch->counter_count += i == watch->counter_count;
	watch->counters[i].offset = offset;
	watch->counters[i].bulk = watch->bulks;
}

void exec_watch_bulk_wait(struct exec_warp *w, uint64_t barrier)
{
	struct exec_watch *watch = w->block->watch;
	uint32_t offset = watch ? exec_watch_offset(w->block, barrier) : 0;

	for (uint32_t i = 0; watch && i < watch->counter_count; i++)
		if (watch->counters[i].offset == offset &&
		    watch->counters[i].bulk > watch->bulks_waited)
			watch->bulks_waited = watch->counters[i].bulk;
}

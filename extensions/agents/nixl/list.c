/* Prepared lists: runs in order, each with the number of its first block. */
#include "extensions/agents/nixl/list.h"

#include "interposer/core/lock.h"
#include "interposer/core/mapped_list.h"
#include "interposer/core/module.h"
#include "interposer/core/slab.h"

struct part {
	struct sc_nixl_run run;
	uint64_t first;
};

struct sc_nixl_list {
	struct sc_nixl_list *next;
	uint64_t handle, blocks;
	bool is_whole;		     /* there was memory for all parts */
	struct sc_mapped_list parts; /* struct part */
};

/* Of this process. */
static struct {
	struct sc_lock lock;
	struct sc_nixl_list *first;
} lists;

struct sc_nixl_list *sc_nixl_list_new(void)
{
	struct sc_nixl_list *l = sc_slab_get(SC_SLAB_NIXL_LIST, sizeof(*l));

	if (l)
		l->is_whole = true;
	return l;
}

static size_t count_of(const struct sc_nixl_list *l)
{
	return l->parts.used / sizeof(struct part);
}

/* Blocks that are no memory keep their numbers. */
static bool extend(struct sc_nixl_list *l, const struct sc_nixl_run *run)
{
	struct part *last;

	if (!count_of(l) || !sc_nixl_run_is_valid(run))
		return false;
	last = (struct part *)l->parts.start + count_of(l) - 1;
	return sc_nixl_run_is_valid(&last->run) && sc_nixl_run_extend(&last->run, run);
}

void sc_nixl_list_add(void *list, const struct sc_nixl_run *run)
{
	struct sc_nixl_list *l = list;
	struct part *p;

	if (!l->is_whole || __builtin_add_overflow(l->blocks, run->count, &l->blocks)) {
		l->is_whole = false;
		return;
	}
	if (extend(l, run))
		return;
	p = sc_mapped_list_grow(&l->parts, sizeof(*p));
	l->is_whole = p;
	if (p)
		*p = (struct part){.run = *run, .first = l->blocks - run->count};
}

void sc_nixl_list_free(struct sc_nixl_list *l)
{
	sc_mapped_list_fini(&l->parts);
	sc_slab_put(SC_SLAB_NIXL_LIST, l);
}

static struct sc_nixl_list **find(uint64_t handle)
{
	struct sc_nixl_list **link = &lists.first;

	while (*link && (*link)->handle != handle)
		link = &(*link)->next;
	return link;
}

void sc_nixl_list_forget(uint64_t handle)
{
	struct sc_nixl_list **link, *l;

	sc_lock_get(&lists.lock);
	link = find(handle);
	l = *link;
	if (l)
		*link = l->next;
	sc_lock_put(&lists.lock);
	if (l)
		sc_nixl_list_free(l);
}

void sc_nixl_list_keep(struct sc_nixl_list *l, uint64_t handle)
{
	sc_nixl_list_forget(handle);
	l->handle = handle;
	sc_lock_get(&lists.lock);
	l->next = lists.first;
	lists.first = l;
	sc_lock_put(&lists.lock);
}

/* The last part that begins at this number or before. */
static struct sc_nixl_run block_at(const struct sc_nixl_list *l, uint64_t number)
{
	const struct part *parts = l->parts.start;
	size_t low = 0, high = count_of(l);
	struct sc_nixl_run run = {0};

	if (number >= l->blocks || !high)
		return run;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (parts[middle].first <= number)
			low = middle;
		else
			high = middle;
	}
	run = parts[low].run;
	run.base += (number - parts[low].first) * run.pitch;
	run.count = 1;
	return run;
}

bool sc_nixl_list_select(uint64_t handle, const int32_t *number, size_t count,
			 struct sc_nixl_run *out)
{
	const struct sc_nixl_list *l;
	bool is_known;

	sc_lock_get(&lists.lock);
	l = *find(handle);
	is_known = l && l->is_whole;
	for (size_t i = 0; is_known && i < count; i++)
		out[i] = number[i] < 0 ? (struct sc_nixl_run){0} : block_at(l, (uint64_t)number[i]);
	sc_lock_put(&lists.lock);
	return is_known;
}

const struct sc_module sc_module_nixl_lists = {SC_MODULE_STATE(lists)};

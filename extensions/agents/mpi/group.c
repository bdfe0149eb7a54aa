/* Groups: a table by handle, and names that all processes make alike. */
#include "extensions/agents/mpi/group.h"

#include <stddef.h>
#include "interposer/core/arena.h"
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/core/slab.h"

#define LISTS 64
#define WORLD UINT64_C(0x9e3779b97f4a7c15) /* name of the group of all processes */

struct group {
	struct group *next;
	uint64_t handle;
	uint64_t name;
	uint64_t collectives;
	uint64_t missed; /* messages that were not recorded */
	uint32_t id;	 /* 0: not written yet */
	uint32_t rank, size;
	uint8_t kind;  /* enum sc_mpi_handle_kind */
	uint8_t value; /* enum sc_message_group */
};

/* Of this process. */
static struct {
	struct sc_lock lock;
	struct group *list[LISTS]; /* by handle */
	atomic_uint changes;
} groups;

static struct group **list_of(uint64_t handle)
{
	return &groups.list[(handle * UINT64_C(0x9e3779b97f4a7c15)) >> 58];
}

static uint64_t mix(uint64_t name, uint64_t with)
{
	name = (name ^ with) * UINT64_C(0xbf58476d1ce4e5b9);
	name = (name ^ name >> 31) * UINT64_C(0x94d049bb133111eb);
	return name ^ name >> 29;
}

/* With the lock held. */
static struct group **find(enum sc_mpi_handle_kind kind, uint64_t handle)
{
	struct group **link = list_of(handle);

	while (*link && ((*link)->handle != handle || (*link)->kind != kind))
		link = &(*link)->next;
	return link;
}

/* With the lock held. What the handle stood for before is gone. */
static struct group *add(struct group *g)
{
	struct group **link = find((enum sc_mpi_handle_kind)g->kind, g->handle), *next;
	struct group *kept = *link ? *link : sc_slab_get(SC_SLAB_GROUP, sizeof(*kept));

	if (!kept)
		return NULL;
	next = kept->next;
	*kept = *g;
	kept->next = next;
	*link = kept;
	atomic_fetch_add_explicit(&groups.changes, 1, memory_order_relaxed);
	return kept;
}

/* With the lock held: the group, or NULL. All processes are one from the beginning. */
static struct group *get(const struct sc_mpi_library *l, enum sc_mpi_handle_kind kind,
			 uint64_t handle)
{
	struct group *g = *find(kind, handle),
		     world = {.handle = handle, .name = WORLD, .value = SC_GROUP_WORLD};
	int rank, size;

	if (g || kind != SC_MPI_COMMUNICATOR || handle != l->world)
		return g;
	if (l->group_rank(handle, &rank) || l->group_size(handle, &size))
		return NULL;
	world.rank = (uint32_t)rank;
	world.size = (uint32_t)size;
	return add(&world);
}

static uint32_t write_group(const struct group *g)
{
	struct sc_op op = sc_put_new(SC_OP_GROUP);

	/* relaxed: only that it is nobody else's */
	op.object = atomic_fetch_add_explicit(&sc_session.object_ids, 1, memory_order_relaxed) + 1;
	op.value = g->value;
	op.dst = g->name;
	op.src = g->missed;
	op.peer = g->rank + 1;
	op.bytes = g->size;
	return sc_put_op(&op, NULL, 0) == SC_NOT_WRITTEN ? 0 : op.object;
}

uint32_t sc_mpi_group_id(const struct sc_mpi_library *l, enum sc_mpi_handle_kind kind,
			 uint64_t handle)
{
	struct group *g;
	uint32_t id;

	sc_lock_get(&groups.lock);
	g = get(l, kind, handle);
	if (g && !g->id)
		g->id = write_group(g);
	id = g ? g->id : 0;
	sc_lock_put(&groups.lock);
	return id;
}

/* relaxed: a thread that uses a handle that another one made or freed has waited for that one */
unsigned sc_mpi_group_changes(void)
{
	return atomic_load_explicit(&groups.changes, memory_order_relaxed);
}

uint64_t sc_mpi_group_count(const struct sc_mpi_library *l, enum sc_mpi_handle_kind kind,
			    uint64_t handle)
{
	struct group *g;
	uint64_t number;

	sc_lock_get(&groups.lock);
	g = get(l, kind, handle);
	number = g ? ++g->collectives : 0;
	sc_lock_put(&groups.lock);
	return number;
}

void sc_mpi_group_miss(const struct sc_mpi_library *l, enum sc_mpi_handle_kind kind,
		       uint64_t handle)
{
	struct group *g;

	sc_lock_get(&groups.lock);
	g = get(l, kind, handle);
	if (g)
		g->missed++;
	sc_lock_put(&groups.lock);
}

/* The processes of a communicator, by their ranks among all: their number in order. */
static bool name_members(const struct sc_mpi_library *l, uint64_t communicator, int size,
			 uint64_t *name)
{
	size_t bytes = (size_t)size * 2 * sizeof(int);
	uint64_t group = 0, world = 0;
	int *list = sc_arena_map(bytes, MAP_PRIVATE);
	bool is_known = false;

	if (!list)
		return false;
	for (int i = 0; i < size; i++)
		list[i] = i;
	if (!l->group_of(communicator, &group)) {
		if (!l->group_of(l->world, &world)) {
			is_known = !l->group_translate(group, size, list, world, list + size);
			l->group_free(&world);
		}
		l->group_free(&group);
	}
	for (int i = 0; is_known && i < size; i++)
		*name = mix(*name, (uint64_t)list[size + i]);
	sc_raw_unmap(list, bytes);
	return is_known;
}

/* A window has the processes of the communicator that it is made of. */
void sc_mpi_group_made(const struct sc_mpi_library *l, uint64_t of, uint64_t number,
		       enum sc_mpi_handle_kind kind, uint64_t handle)
{
	bool is_window = kind == SC_MPI_WINDOW;
	uint64_t communicator = is_window ? of : handle, name = 0;
	struct group *parent, made = {.handle = handle, .kind = (uint8_t)kind};
	int rank, size, is_inter;

	if (!is_window && handle == l->no_communicator)
		return;
	sc_lock_get(&groups.lock);
	parent = get(l, SC_MPI_COMMUNICATOR, of);
	name = parent ? mix(mix(parent->name, number), kind + 1) : 0;
	sc_lock_put(&groups.lock);
	if (!name || l->group_is_inter(communicator, &is_inter) || is_inter ||
	    l->group_rank(communicator, &rank) || l->group_size(communicator, &size) ||
	    (!is_window && !name_members(l, communicator, size, &name)))
		return;
	made.name = name;
	made.rank = (uint32_t)rank;
	made.size = (uint32_t)size;
	made.value = is_window ? SC_GROUP_WINDOW : SC_GROUP_PART;
	sc_lock_get(&groups.lock);
	add(&made);
	sc_lock_put(&groups.lock);
}

void sc_mpi_group_freed(enum sc_mpi_handle_kind kind, uint64_t handle)
{
	struct group **link, *g;

	sc_lock_get(&groups.lock);
	link = find(kind, handle);
	g = *link;
	if (g) {
		*link = g->next;
		sc_slab_put(SC_SLAB_GROUP, g);
		atomic_fetch_add_explicit(&groups.changes, 1, memory_order_relaxed);
	}
	sc_lock_put(&groups.lock);
}

const struct sc_module sc_module_mpi_groups = {SC_MODULE_STATE(groups)};

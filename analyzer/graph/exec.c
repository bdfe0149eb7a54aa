/* Executable graphs: found, made and forgotten. */
#include "analyzer/graph/exec.h"

#include <stdlib.h>
#include "base/assert.h"
#include "base/heap.h"

struct sc_exec *sc_exec_find(const struct sc_execs *all, uint32_t id)
{
	struct sc_exec *e;

	HASH_FIND(hh, all->by_id, &id, sizeof(id), e);
	return e;
}

struct sc_exec *sc_exec_of(struct sc_execs *all, uint32_t id)
{
	struct sc_exec *e = sc_exec_find(all, id);

	if (!e) {
		e = sc_heap_xcalloc(1, sizeof(*e));
		e->id = id;
		HASH_ADD(hh, all->by_id, id, sizeof(e->id), e);
	}
	return e;
}

void sc_exec_forget(struct sc_execs *all, struct sc_exec *e, struct sc_clock_pool *pool)
{
	sc_assert(sc_exec_find(all, e->id) == e);
	sc_graph_put(pool, e->graph);
	sc_point_put(pool, &e->last);
	HASH_DEL(all->by_id, e);
	free(e);
}

void sc_execs_fini(struct sc_execs *all, struct sc_clock_pool *pool)
{
	while (all->by_id)
		sc_exec_forget(all, all->by_id, pool);
	sc_clock_put(pool, all->started);
	all->started = NULL;
}

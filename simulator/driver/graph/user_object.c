/* Counting references to user objects, and the thread that destroys them. */
#include "simulator/driver/graph/user_object.h"

#include <limits.h>
#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/context/thread.h"
#include "simulator/driver/schedule/worker.h"

struct CUuserObject_st {
	uint64_t refs; /* of the program and of graphs */
	uint64_t own;  /* of the program */
	CUhostFn destroy;
	void *data;
	CUuserObject next; /* of those to destroy */
};

/* References that end when a launch has ended. */
struct late {
	struct sim_op *op;		/* counted */
	struct sim_user_reference *all; /* owned */
	struct late *next;
};

static CUuserObject first_dead, *last_dead = &first_dead; /* owned, in their order */
static struct late *late;				  /* owned */
static bool is_started;

/* ---- the thread ---- */

static void destroy(CUuserObject object)
{
	struct sim_thread *thread = sim_thread_self();

	sim_unlock();
	thread->is_in_callback = true;
	object->destroy(object->data);
	thread->is_in_callback = false;
	free(object);
	sim_lock();
}

static void end_late(void)
{
	struct late **link = &late, *done;

	while ((done = *link)) {
		if (!sim_op_is_done(done->op)) {
			link = &done->next;
			continue;
		}
		*link = done->next;
		sim_op_put(done->op);
		sim_user_references_drop(&done->all);
		free(done);
	}
}

static void *destroy_forever(void *unused)
{
	CUuserObject object;

	(void)unused;
	sim_lock();
	while (!atomic_load(&sim_driver.exiting)) {
		end_late();
		object = first_dead;
		if (!object) {
			sim_wait_change();
			continue;
		}
		first_dead = object->next;
		if (!first_dead)
			last_dead = &first_dead;
		destroy(object);
	}
	sim_unlock();
	return NULL;
}

/* ---- references ---- */

static void release(CUuserObject object, uint64_t count)
{
	object->refs -= count;
	if (object->refs)
		return;
	sim_handle_remove(object);
	object->next = NULL;
	*last_dead = object;
	last_dead = &object->next;
	sim_announce_change();
}

/* Those to the object, or NULL. */
static struct sim_user_reference **find(struct sim_user_reference **all, CUuserObject object)
{
	for (; *all; all = &(*all)->next)
		if ((*all)->object == object)
			return all;
	return NULL;
}

/* The graph holds so many more, which are counted already. */
static bool add(struct sim_user_reference **all, CUuserObject object, unsigned int count)
{
	struct sim_user_reference **known = find(all, object), *made;

	if (known && count > INT_MAX - (*known)->count)
		return false;
	if (known) {
		(*known)->count += count;
		return true;
	}
	made = malloc(sizeof(*made));
	if (!made)
		return false;
	*made = (struct sim_user_reference){object, count, *all};
	*all = made;
	return true;
}

bool sim_user_references_copy(struct sim_user_reference **to, const struct sim_user_reference *from)
{
	for (; from; from = from->next) {
		if (!add(to, from->object, from->count))
			return false;
		from->object->refs += from->count;
	}
	return true;
}

void sim_user_references_drop(struct sim_user_reference **all)
{
	struct sim_user_reference *one;

	while ((one = *all)) {
		*all = one->next;
		release(one->object, one->count);
		free(one);
	}
}

static void drop_after(struct sim_user_reference **all, struct sim_op *op)
{
	struct late *made = *all && !sim_op_is_done(op) ? malloc(sizeof(*made)) : NULL;

	if (!made) { /* or there is no memory: too early is better than never */
		sim_user_references_drop(all);
		return;
	}
	sim_op_get(op);
	*made = (struct late){op, *all, late};
	late = made;
	*all = NULL;
}

void sim_user_references_drop_after(CUgraph graph, struct sim_op *op)
{
	CUgraph inner;
	size_t i, j;

	drop_after(&graph->objects, op);
	for (i = 0; i < graph->count; i++)
		for (j = 0; (inner = sim_node_inner(graph->nodes[i], j)); j++)
			sim_user_references_drop_after(inner, op);
}

/* ---- the API ---- */

static bool is_count(unsigned int count)
{
	return count && count <= INT_MAX;
}

CUresult sim_cuUserObjectCreate(CUuserObject *object_out, void *ptr, CUhostFn destroy_it,
				unsigned int initialRefcount, unsigned int flags)
{
	if (!object_out || !destroy_it || !is_count(initialRefcount) ||
	    flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_started)
		is_started = sim_worker_start(destroy_forever, NULL);
	*object_out =
		is_started ? sim_handle_new(SIM_KIND_USER_OBJECT, sizeof(**object_out)) : NULL;
	if (!*object_out)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*object_out)->destroy = destroy_it;
	(*object_out)->data = ptr;
	(*object_out)->refs = (*object_out)->own = initialRefcount;
	return CUDA_SUCCESS;
}

CUresult sim_cuUserObjectRetain(CUuserObject object, unsigned int count)
{
	if (!sim_handle_is(object, SIM_KIND_USER_OBJECT) || !is_count(count))
		return CUDA_ERROR_INVALID_VALUE;
	object->refs += count;
	object->own += count;
	return CUDA_SUCCESS;
}

/* More than the program owns is undefined for CUDA. */
CUresult sim_cuUserObjectRelease(CUuserObject object, unsigned int count)
{
	if (!sim_handle_is(object, SIM_KIND_USER_OBJECT) || !is_count(count) || count > object->own)
		return CUDA_ERROR_INVALID_VALUE;
	object->own -= count;
	release(object, count);
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
				     unsigned int flags)
{
	bool moves = flags == CU_GRAPH_USER_OBJECT_MOVE;

	if (!sim_handle_is(graph, SIM_KIND_GRAPH) || !sim_handle_is(object, SIM_KIND_USER_OBJECT) ||
	    !is_count(count) || (flags && !moves) || (moves && count > object->own))
		return CUDA_ERROR_INVALID_VALUE;
	if (!add(&graph->objects, object, count))
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (moves)
		object->own -= count;
	else
		object->refs += count;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
	struct sim_user_reference **known, *one;

	if (!sim_handle_is(graph, SIM_KIND_GRAPH) || !sim_handle_is(object, SIM_KIND_USER_OBJECT) ||
	    !is_count(count))
		return CUDA_ERROR_INVALID_VALUE;
	known = find(&graph->objects, object);
	if (!known || count > (*known)->count)
		return CUDA_ERROR_INVALID_VALUE;
	one = *known;
	one->count -= count;
	if (!one->count) {
		*known = one->next;
		free(one);
	}
	release(object, count);
	return CUDA_SUCCESS;
}
